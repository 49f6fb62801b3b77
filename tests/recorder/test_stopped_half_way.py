"""Many files at once, stopped by the disk at any call: what is said is so; a repeat finishes."""

import errno
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.verify import verify
from hansard.kernel.problem import StorageUnavailable
from hansard.recorder.workspace import files, folder, linux
from tests.conftest import OpenApp, a_caller
from tests.depth import deep
from tests.recorder.asking import contents

FAILING = {"open", "fsync", "fchmod", "mkdir", "unlink", "rename", "replace", "write", "link"}
CALLS = ("renameat2", "openat2")
POINTS_MAX = 200

MANY = pytest.mark.slow("fails at every third call, at every one with HANSARD_FAULTS=all")
each_step = pytest.mark.parametrize("step", [7, pytest.param(deep(3, 1), marks=MANY)])
"""How many calls lie between the points that are tried."""


@dataclass
class Disk:
    """The system as the recorder sees it, which fails once, at a call of a number."""

    real: Any
    at: int
    code: int
    count: list[int] = field(default_factory=lambda: [0])
    names: frozenset[str] = frozenset(FAILING)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.real, name)
        return self._counted(found) if name in self.names else found

    def _counted(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **rest: Any) -> Any:
            self.count[0] += 1
            if self.count[0] == self.at:
                raise OSError(self.code, os.strerror(self.code))
            return call(*args, **rest)

        return counted


def failing(patch: pytest.MonkeyPatch, at: int, code: int) -> list[int]:
    """Let the disk fail at one call; gives the count of calls."""
    disk = Disk(os, at, code)
    calls = Disk(linux, at, code, disk.count, frozenset(CALLS))
    for module in (folder, files):
        patch.setattr(module, "os", disk)
        if hasattr(module, "linux"):
            patch.setattr(module, "linux", calls)
    return disk.count


def ask(app: Application, name: str, arguments: dict[str, Any], key: str) -> Any:
    return app.call(name, arguments, a_caller(session="main", idempotency_key=key))


def batch_of(number: int) -> dict[str, Any]:
    return {
        "ops": [
            {"path": f"new-{number}/a", "action": "create", "content": "a"},
            {"path": f"b-{number}", "action": "edit", "content": "after"},
            {"path": f"c-{number}", "action": "delete"},
        ]
    }


def prepared(app: Application, number: int) -> None:
    ops = [{"path": f"{name}-{number}", "action": "create", "content": "before"} for name in "bc"]
    ask(app, "file_op", {"ops": ops}, f"before-{number}")


def stands(files: Path, number: int) -> dict[str, bool]:
    """Say which changes of a batch are made."""
    found = contents(files)
    return {
        f"new-{number}/a": found.get(f"new-{number}/a") == b"a",
        f"b-{number}": found.get(f"b-{number}") == b"after",
        f"c-{number}": f"c-{number}" not in found,
    }


def require_so(told: Mapping[str, Any], made: dict[str, bool]) -> None:
    """Check that what a refusal says of each file is so."""
    if not {"done", "not_done", "unknown"} & told.keys():
        assert told.get("outcome") in ("not_written", "unchanged", "unknown")
        assert told.get("outcome") == "unknown" or not any(made.values())
        return
    named = [path for kind in ("done", "not_done", "unknown") for path in told.get(kind, ())]
    assert sorted(named) == sorted(made)
    assert all(made[path] for path in told.get("done", ()))
    assert not any(made[path] for path in told.get("not_done", ()))


@dataclass
class Server:
    """A program that is started again after the disk has failed."""

    open_app: OpenApp
    app: Application = field(init=False)

    def __post_init__(self) -> None:
        self.app = self.open_app()

    def start_again(self) -> None:
        """End, and start anew: a failed sync is no disk to write to any more."""
        self.app.close()
        self.app = self.open_app()


def stopped_at(server: Server, number: int, code: int, name: str, wanted: Any) -> tuple[Any, int]:
    """Ask while the disk fails at one call; gives the problem, if any, and the count of calls."""
    problem = None
    with pytest.MonkeyPatch.context() as patch:
        count = failing(patch, number, code)
        try:
            ask(server.app, name, wanted, f"k-{number}")
        except StorageUnavailable as stopped:
            problem = stopped
    return problem, count[0]


@pytest.mark.fault("sync fails (EIO)")
@each_step
@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC], ids=["EIO", "ENOSPC"])
def test_a_batch_stopped_anywhere_says_what_is_done_and_a_repeat_finishes_it(
    open_app: OpenApp, files: Path, code: int, step: int
) -> None:
    server, stopped = Server(open_app), 0
    for number in range(2, POINTS_MAX, step):
        prepared(server.app, number)
        problem, count = stopped_at(server, number, code, "file_op", batch_of(number))
        if problem:
            stopped += 1
            require_so(problem.details, stands(files, number))
            server.start_again()
        answers = [ask(server.app, "file_op", batch_of(number), f"k-{number}") for _ in range(2)]
        assert answers[0] == answers[1]
        assert {one.status for one in answers[0].results} <= {"done", "recovered"}
        assert all(stands(files, number).values())
        if count < number:
            break

    assert stopped > 10 // step
    assert verify(server.app.store).findings == ()
    assert not [path for path in files.rglob("*") if path.name.startswith(".")]


@pytest.mark.fault("sync fails (EIO)")
@each_step
@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC], ids=["EIO", "ENOSPC"])
@pytest.mark.parametrize("name", ["restore", "undo"])
def test_going_back_stopped_anywhere_is_finished_by_a_repeat(
    open_app: OpenApp, files: Path, name: str, code: int, step: int
) -> None:
    server, stopped = Server(open_app), 0
    for number in range(2, POINTS_MAX, step):
        prepared(server.app, number)
        done = ask(server.app, "file_op", batch_of(number), f"change-{number}")
        entry = f"s:{done.results[0].seq}"
        wanted = {"entry": entry, "to": "before"} if name == "restore" else {"entry": entry}
        problem, count = stopped_at(server, number, code, name, wanted)
        for _ in range(2 if problem else 0):
            if problem is None:
                break
            stopped += 1
            undone = {path: not made for path, made in stands(files, number).items()}
            require_so(problem.details, undone)
            server.start_again()
            problem, _ = stopped_at(server, number, code, name, wanted)
        if problem:
            server.start_again()
        answers = [ask(server.app, name, wanted, f"k-{number}") for _ in range(2)]
        assert answers[0] == answers[1]
        assert not any(stands(files, number).values())
        if count < number:
            break

    assert stopped > 5 // step
    assert verify(server.app.store).findings == ()
