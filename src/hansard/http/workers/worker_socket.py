"""What a worker process knows: its own socket and those of the others."""

import json
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

VARIABLE = "HANSARD_WORKER"
"""How the supervisor tells a worker its place; it is no setting."""

BACKLOG = 2_048
"""Connections that wait at the port until one of the workers takes them."""

AT_ONCE = 8
"""Connections that a worker takes at once: with more the first one to wake would take them all."""

MARK = "."
"""The separator before the number of a worker, at the end of what only that one knows."""


@dataclass(frozen=True, slots=True)
class Worker:
    """One of several processes: its number among them, and what it has of them all."""

    number: int
    """From 1 on. A worker that replaces another has its number."""
    count: int
    folder: str
    """Where they meet; only this user may enter it."""
    listener: int
    line: int
    """To the supervisor: if it is gone, there is nothing more to read."""
    key: str
    """The key by which `hansard open` proves itself, to any of them."""

    @classmethod
    def here(cls) -> Self | None:
        """Say which worker this process is; `None` if it is none, as its children are."""
        told = os.environ.pop(VARIABLE, None)
        if told is None:
            return None
        worker = cls(**json.loads(told))
        os.set_inheritable(worker.listener, False)
        os.set_inheritable(worker.line, False)
        return worker

    def told(self) -> dict[str, str]:
        """Give the environment variables that make a process this worker."""
        return {VARIABLE: json.dumps(asdict(self))}

    @property
    def mark(self) -> str:
        """The suffix of what only this worker knows."""
        return f"{MARK}{self.number}"

    @property
    def others(self) -> Iterator[int]:
        """Give the numbers of the others."""
        return (one for one in range(1, self.count + 1) if one != self.number)

    def address(self, number: int) -> str:
        """Say where one of them is reached by the others."""
        return str(Path(self.folder) / f"{number}.socket")

    def port(self) -> socket.socket:
        """Give the port they all listen on."""
        return socket.socket(fileno=os.dup(self.listener))

    def listen(self) -> socket.socket:
        """Let the others reach this worker, instead of the one that had its number before."""
        begun = Path(self.folder) / f"{self.number}-{os.getpid()}.socket"
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(begun))
        listener.listen(BACKLOG)
        begun.rename(self.address(self.number))
        return listener

    def is_ready(self, page: str) -> None:
        """Tell the supervisor that it answers, and where the page is."""
        with socket.socket(fileno=os.dup(self.line)) as line:
            line.sendall(json.dumps({"page": page}).encode() + b"\n")

    def follow(self, end: Callable[[], None]) -> None:
        """End with the supervisor, however that one ended."""

        def wait() -> None:
            # If that one never read what it was told, the line is not closed but broken.
            with suppress(OSError), socket.socket(fileno=os.dup(self.line)) as line:
                while line.recv(1):
                    pass
            end()

        threading.Thread(target=wait, name="supervisor", daemon=True).start()


def end_here() -> None:
    """Tell this process to end, as its operator would."""
    os.kill(os.getpid(), signal.SIGTERM)
