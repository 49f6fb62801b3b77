"""A wire to PostgreSQL that keeps back what was sent ahead of a lock, and delivers it later.

So does a network whose sender is gone: what it had sent arrives all the same, at some time.
"""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Literal

from tests.patience import PATIENCE_S

BEGIN, COMMIT, ROLLBACK = "BEGIN ISOLATION LEVEL READ COMMITTED", "COMMIT", "ROLLBACK"

AT_ONCE = "WITH c0 AS (UPDATE"
"""How a statement begins that is a transaction of its own."""

ENDS = b"SHQXp"
"""What ends that which is sent together: sync, flush, a query by itself, farewell, a password."""

PIECE_BYTES = 65_536

Fate = Literal["passed", "lost"]


class KeepingBack:
    """Passes on everything, until it is asked to keep something back.

    Then it keeps the next transaction that is begun and committed in one, breaks the connection,
    and delivers it when another has begun twice: once to look what became of the first, once more
    to try it again.
    """

    def __init__(self, server: str) -> None:
        """Listen at an address of its own for who would reach the server at this one."""
        self._server = server
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = (
            f"postgresql://postgres@127.0.0.1:{self._listening.getsockname()[1]}/postgres"
            "?sslmode=disable&gssencmode=disable"
        )
        self._turn = threading.Lock()
        self._kept: _Kept | None = None
        self._is_asked = False
        self._begun_since = 0
        self._look: Fate = "passed"
        """What becomes of the end of the transaction that looks what became of the first."""
        self._retry: Fate = "passed"
        """What becomes of the transaction that tries again."""

    def keep_back(self, *, look: Fate = "passed", retry: Fate = "passed") -> None:
        """Keep back the next transaction, and let these things happen to the two that follow."""
        self._look, self._retry, self._is_asked = look, retry, True

    def deliver(self) -> None:
        """Have the server hear what was kept back, and wait until it is done with that."""
        assert self._kept is not None, "nothing was kept back"
        self._kept.deliver()

    def serve(self) -> None:
        """Take connections until it is closed."""
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                threading.Thread(target=self._join, args=(near,), daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        self._listening.shutdown(socket.SHUT_RDWR)  # closing it alone would not wake who waits
        self._listening.close()

    def _join(self, near: socket.socket) -> None:
        far = socket.socket(socket.AF_UNIX)
        far.connect(self._server)
        back = threading.Thread(target=_pass_back, args=(far, near), daemon=True)
        back.start()
        with suppress(OSError):
            for said in _heard(near):
                if not self._passes(said, far, back):
                    _break(near)
                    break
                far.sendall(said.sent)
            if self._kept is None or self._kept.far is not far:
                far.shutdown(socket.SHUT_WR)

    def _passes(self, said: "_Said", far: socket.socket, back: threading.Thread) -> bool:
        """Whether something goes on to the server; what is kept back or lost does not."""
        with self._turn:
            if self._kept is not None:
                return self._follows(said)
            if self._is_asked and said.begins and said.commits:
                self._kept = _Kept(said.sent, far, back)
            return self._kept is None

    def _follows(self, said: "_Said") -> bool:
        """Whether something goes on to the server that comes after what is kept back."""
        if not said.begins:
            is_end = said.commits or ROLLBACK in said.statements
            return self._look == "passed" or self._begun_since != 1 or not is_end
        self._begun_since += 1
        if self._begun_since != 2:
            return True
        if self._retry == "passed":
            self.deliver()
        return self._retry == "passed"


@contextmanager
def keeping_back(server: str) -> Iterator[KeepingBack]:
    """Have such a wire to a server that listens at this path."""
    wire = KeepingBack(server)
    threading.Thread(target=wire.serve, daemon=True).start()
    try:
        yield wire
    finally:
        wire.close()


class _Kept:
    """What was sent together, and the connection on which it was."""

    def __init__(self, sent: bytes, far: socket.socket, back: threading.Thread) -> None:
        self.far = far
        self._sent, self._back = sent, back

    def deliver(self) -> None:
        if self._sent:
            self.far.sendall(self._sent)
            # The server does what it has heard, and then finds that nobody is there.
            self.far.shutdown(socket.SHUT_WR)
            self._sent = b""
        self._back.join(PATIENCE_S)
        assert not self._back.is_alive(), "the server goes on with what was kept back"


@dataclass
class _Said:
    """What was sent together, and the statements that are done by it."""

    sent: bytes
    statements: list[str]

    @property
    def begins(self) -> bool:
        return BEGIN in self.statements or self._is_at_once

    @property
    def commits(self) -> bool:
        return COMMIT in self.statements or self._is_at_once

    @property
    def _is_at_once(self) -> bool:
        return any(one.startswith(AT_ONCE) for one in self.statements)


def _heard(near: socket.socket) -> Iterator[_Said]:
    """Take apart what a client says. What introduces it has no kind, and is passed on as it is."""
    prepared: dict[str, str] = {}
    with near.makefile("rb") as heard:
        yield _Said(_sized(heard.read(4), heard.read), [])
        said = _Said(b"", [])
        while kind := heard.read(1):
            message = _sized(heard.read(4), heard.read)
            said.sent += kind + message
            names = [name.decode(errors="replace") for name in message[4:].split(b"\0")]
            if kind == b"P":
                prepared[names[0]] = names[1]
            elif kind == b"B":
                said.statements.append(prepared[names[1]])
            elif kind == b"Q":
                said.statements.append(names[0])
            if kind in ENDS:
                yield said
                said = _Said(b"", [])


def _sized(size: bytes, read: Callable[[int], bytes]) -> bytes:
    return size + read(int.from_bytes(size) - len(size))


def _pass_back(far: socket.socket, near: socket.socket) -> None:
    """Pass on what the server says until it is done, also if nobody hears it any more."""
    with suppress(OSError):
        while piece := far.recv(PIECE_BYTES):
            with suppress(OSError):
                near.sendall(piece)
    far.close()
    _break(near)


def _break(near: socket.socket) -> None:
    with suppress(OSError):
        near.shutdown(socket.SHUT_RDWR)
    near.close()
