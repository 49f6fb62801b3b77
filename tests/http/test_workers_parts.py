"""What workers and who starts them do by themselves, where something beside them fails."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from starlette.types import Message, Receive, Scope, Send

from hansard.http.workers import supervisor
from hansard.http.workers.routing import WITHIN, Lanes
from hansard.http.workers.supervisor import Supervisor
from hansard.http.workers.worker_reports import keep_counts
from hansard.http.workers.worker_socket import VARIABLE, Worker
from tests.patience import PATIENCE_S

STRANGER, HERE = ["203.0.113.9", 4711], ("127.0.0.1", 8_000)


def worker_on(line: int, folder: str = "/nowhere") -> Worker:
    return Worker(number=1, count=2, folder=folder, listener=-1, line=line, key="key")


def taken_for(server: tuple[str, int | None]) -> Scope:
    """Say whose a request is taken for that names its caller and whose client is not known."""
    seen: list[Scope] = []

    async def app(scope: Scope, _: Receive, __: Send) -> None:
        seen.append(scope)

    async def receive() -> Message:
        raise AssertionError("nothing is read of it")

    async def send(_: Message) -> None:
        raise AssertionError("nothing is answered")

    headers = [(b"x-hansard-caller", json.dumps([STRANGER, HERE]).encode())]
    asked = {"type": "http", "method": "POST", "path": "/mcp", "query_string": b""}
    scope = asked | {"client": None, "server": server, "headers": headers}
    anyio.run(Lanes(app, worker_on(-1), lambda: "cookie"), scope, receive, send)
    return seen[0]


def test_a_caller_is_named_by_workers_only() -> None:
    # Who has reset the connection by the time it is looked at has no address any more.
    hung_up = taken_for(HERE)
    assert hung_up["client"] is None
    assert WITHIN not in hung_up

    assert taken_for(("/run/2.socket", None))["client"] == tuple(STRANGER)


WORKER = """
import signal
from hansard.http.workers.worker_socket import Worker, end_here
worker = Worker.here()
worker.follow(end_here)
worker.is_ready("page")
signal.pause()
"""


@dataclass
class Spawning:
    """Starts workers that serve nothing, but the one that cannot be started."""

    failing: int
    on: Callable[[int], None] = lambda _: None
    """Told how many were asked for."""
    made: list[subprocess.Popen[bytes]] = field(default_factory=list)
    asked: int = 0
    folder: Path = Path()

    def __call__(self, told: dict[str, str], kept: tuple[int, ...]) -> subprocess.Popen[bytes]:
        self.asked += 1
        self.folder = Path(json.loads(told[VARIABLE])["folder"])
        self.on(self.asked)
        if self.asked == self.failing:
            raise FileNotFoundError("there is no such program")
        command = [sys.executable, "-c", WORKER]
        self.made.append(subprocess.Popen(command, env=os.environ | told, pass_fds=kept))
        return self.made[-1]


def run(spawn: Spawning, say: Callable[[str], None], count: int = 2) -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return Supervisor(count, listener.dup(), "key", spawn, say, lambda _: None).run()


def test_workers_go_on_if_none_can_be_started_in_their_place() -> None:
    said: list[tuple[str, list[int | None]]] = []

    def say(text: str) -> None:
        said.append((text, [one.poll() for one in spawn.made]))
        os.kill(os.getpid(), signal.SIGTERM)

    def on(asked: int) -> None:
        if asked == 2:
            os.kill(os.getpid(), signal.SIGHUP)

    spawn = Spawning(failing=3, on=on)
    assert run(spawn, say) == 0
    assert said == [("Worker 1 could not be started: there is no such program", [None, None])]


def test_a_worker_that_could_not_be_started_is_started_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervisor, "REST_MAX_S", 0.0)
    said: list[str] = []

    def on(asked: int) -> None:
        if asked == 2:
            spawn.made[0].kill()
        elif asked == 4:
            os.kill(os.getpid(), signal.SIGTERM)

    spawn = Spawning(failing=3, on=on)
    assert run(spawn, said.append) == 0
    assert said[-1] == "Worker 1 could not be started: there is no such program"
    assert spawn.asked == 4


def test_what_keeps_the_first_worker_from_starting_is_said() -> None:
    with pytest.raises(FileNotFoundError):
        run(Spawning(failing=1), lambda _: None)


def test_the_folder_of_workers_is_locked_while_they_run() -> None:
    refused: list[bool] = []

    def on(asked: int) -> None:
        if asked == 2:
            folder = os.open(spawn.folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                # As whoever clears away old files does.
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                refused.append(True)
            finally:
                os.close(folder)
            os.kill(os.getpid(), signal.SIGTERM)

    spawn = Spawning(failing=0, on=on)
    assert run(spawn, lambda _: None) == 0
    assert refused == [True]
    assert not spawn.folder.exists()


@pytest.mark.parametrize("found", [None, "{}", "[", '{"requests": [[1]]}'])
def test_counts_that_cannot_be_read_end_nobody(tmp_path: Path, found: Any) -> None:
    folder = tmp_path / "gone"
    if found is not None:
        folder.mkdir()
        (folder / "counts-1.json").write_text(found)
    keep_counts(folder, 1)


def test_a_worker_ends_with_who_started_it_though_that_one_heard_nothing() -> None:
    ended = threading.Event()
    theirs, ours = socket.socketpair()
    with ours:
        worker = worker_on(ours.fileno())
        worker.is_ready("page")
        worker.follow(ended.set)
        theirs.close()
        assert ended.wait(PATIENCE_S)
