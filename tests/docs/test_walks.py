"""The walks of docs/walks.md are as they are written there."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from tests.conftest import a_caller

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "hansard"
WALK = re.compile(
    r"^## (\w+)\n\n```json\n(.+?)\n```\n\nLooks (\d+), commits (\d+)\.\n(.+?)(?=^## |\Z)",
    re.MULTILINE | re.DOTALL,
)
STEP = re.compile(r"^\d+\. `([\w/]+\.py)` `([\w.]+)`(?: \((writer)\))?", re.MULTILINE)

Step = tuple[str, str, str]
"""A file, a function, and `writer` if another thread than the caller's does it."""


@dataclass(frozen=True)
class Walk:
    """What is written of a call."""

    call: str
    arguments: dict[str, Any]
    looks: int
    commits: int
    steps: list[Step]


@dataclass
class Way:
    """What a call really went through."""

    steps: list[Step] = field(default_factory=list, repr=False)
    is_on: bool = False

    def note(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if self.is_on and event == "call" and code.co_filename.startswith(str(SOURCE)):
            is_caller = threading.current_thread().name == CALLING
            file = str(Path(code.co_filename).relative_to(SOURCE))
            self.steps.append((file, code.co_qualname, "" if is_caller else "writer"))

    def count(self, file: str, function: str) -> int:
        return sum(step[:2] == (file, function) for step in self.steps)


def walks() -> list[Walk]:
    text = (ROOT / "docs" / "walks.md").read_text()
    return [
        Walk(name, json.loads(arguments), int(looks), int(commits), STEP.findall(steps))
        for name, arguments, looks, commits, steps in WALK.findall(text)
    ]


@contextmanager
def walking(folder: Path, way: Way) -> Iterator[Application]:
    """Open a store whose every thread is watched; what is done before is not part of the walk."""
    (folder / "workspace").mkdir()
    threading.setprofile(way.note)
    try:
        app = start(
            Settings(
                store=str(folder / "store"), workspace=str(folder / "workspace"), embedder="none"
            )
        )
        yield app
        app.close()
    finally:
        threading.setprofile(None)


def lived(app: Application) -> None:
    """Do once what is to be walked: the first of its kind takes more steps."""
    record = {"type": "task", "title": "First", "summary": "s", "body": "b"}
    app.call("create_record", record, CALLER)
    app.call("file_op", {"action": "create", "path": "notes.txt", "content": "one\n"}, CALLER)
    app.call("workflow_checkpoint_save", {"context": {"step": 1}}, CALLER)


CALLER = a_caller()
CALLING = "caller"


def call_as_servers_do(call: Callable[[], object]) -> None:
    """Call in a thread of its own: the main thread leaves commits to another (ADR 80)."""
    caller = threading.Thread(target=call, name=CALLING)
    caller.start()
    caller.join()


@pytest.mark.parametrize("walk", walks(), ids=lambda walk: walk.call)
def test_a_call_goes_the_way_that_is_written(tmp_path: Path, walk: Walk) -> None:
    way = Way()
    with walking(tmp_path, way) as app:
        call_as_servers_do(partial(lived, app))
        way.is_on = True
        call_as_servers_do(partial(app.call, walk.call, walk.arguments, CALLER))
        way.is_on = False

    rest = iter(way.steps)
    missing = [step for step in walk.steps if step not in rest]
    assert missing == []
    assert walk.looks == way.count("engines/sqlite/engine.py", "SqliteEngine.read")
    assert walk.commits == way.count("engines/sqlite/engine.py", "SqliteEngine.write")


def test_there_are_five_walks_and_every_step_of_them_is_read() -> None:
    text = (ROOT / "docs" / "walks.md").read_text()

    assert len(walks()) == 5
    assert sum(len(walk.steps) for walk in walks()) == len(
        re.findall(r"^\d+\. ", text, re.MULTILINE)
    )
