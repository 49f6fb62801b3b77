"""An interrupt of the program comes at any moment, and the store goes on."""

import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hansard.engines.sqlite import SqliteEngine
from hansard.kernel.engine import WriteTx
from hansard.testing.engine_suite import SCHEMA
from hansard.testing.suite.base import THINGS
from tests.depth import deep

pytestmark = pytest.mark.interrupts
MOMENTS_S = 0.0008


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Have the block interrupted, as by Ctrl-C, unless it has ended by then."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def put(tx: WriteTx) -> None:
    tx.put(THINGS, "a", {"color": "red", "size": 1}, seq=1)


@pytest.mark.fault("signals and ends")
def test_an_interrupt_at_any_moment_of_a_write_keeps_nobody_from_writing(tmp_path: Path) -> None:
    moments = random.Random(7)
    mine, other = (SqliteEngine(tmp_path / "store", SCHEMA) for _ in range(2))
    interrupted = 0

    for _ in range(deep(100, 3_000)):
        try:
            with interrupted_after(moments.uniform(0.0, MOMENTS_S)):
                for _ in range(100):
                    mine.write("p", put)
        except KeyboardInterrupt:
            interrupted += 1
        mine.write("p", put)
        other.write("p", put)

    assert interrupted
    mine.close()
    other.close()
