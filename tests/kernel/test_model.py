"""Models: none is built before it is used, and any thread may be the first to use it."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from hansard.kernel.model import Model

THREADS = 8


def test_describing_everything_that_hansard_can_do_builds_no_model() -> None:
    program = (
        "from hansard.app.start import catalog\n"
        "from pydantic import BaseModel\n"
        "def below(model):\n"
        "    for one in model.__subclasses__():\n"
        "        yield one\n"
        "        yield from below(one)\n"
        "catalog().capabilities\n"
        "ours = [one for one in below(BaseModel) if one.__module__.startswith('hansard.')]\n"
        "print(len(ours) > 300, sorted({one.__qualname__ for one in ours\n"
        "    if one.__pydantic_complete__ and one.model_fields}))"
    )

    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert ran.stdout.strip() == "True []"


def test_a_model_that_many_threads_use_first_is_right_for_each() -> None:
    class Inner(Model):
        number: int

    class Outer(Model):
        inner: list[Inner]

    barrier = threading.Barrier(THREADS)

    def use(number: int) -> int:
        barrier.wait()
        made = Outer.model_validate({"inner": [{"number": number}]})
        return made.model_copy().inner[0].number

    with ThreadPoolExecutor(THREADS) as threads:
        assert list(threads.map(use, range(THREADS))) == list(range(THREADS))
