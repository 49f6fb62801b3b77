"""Reads a pipe in a thread of its own, from the start of the process.

The handshake code answers its messages at once. The first message that it cannot answer waits for
the server, and from then on all messages go there, in order. Light: a start waits for it.
"""

import os
import threading
from typing import Protocol

from hansard.kernel.limits import KIB, REQUEST_BYTES_MAX
from hansard.mcp.framing import Splitter, framed
from hansard.mcp.lines import Line
from hansard.mcp.pipes import read_some, write_all

CHUNK_BYTES = 64 * KIB
"""As much as a pipe usually holds."""


class ReadingFront(Protocol):
    """What answers messages before the server is there."""

    kept: list[bytes]
    """The messages that the server must be given first, of which it may answer none."""
    has_listed: bool
    """Whether the client has its tools, and its model will now think for a while."""

    def answer(self, line: Line) -> bytes | None:
        """Give the answer, which is empty where none is owed; `None` if it is for the server."""


class Intake(Protocol):
    """Where the server takes its messages. It is called from the reader's thread."""

    def repeat(self, line: bytes) -> None:
        """Take a message that was answered already."""

    def take(self, line: Line) -> bool:
        """Take a message; false when no more are taken."""

    def end(self) -> None:
        """Learn that there will be no more."""


class LineReader(threading.Thread):
    """Reads messages until the input ends."""

    def __init__(self, wire_in: int, wire_out: int, front: ReadingFront | None = None) -> None:
        """Read from one end, and write to the other as long as the front answers."""
        super().__init__(name="stdin", daemon=True)
        self.wire_out = wire_out
        self.is_needed = threading.Event()
        """Whether the server is: because of a message, or because the client has all it lists."""
        self.is_over = False
        """Whether the input has ended and nothing waits for the server, which has never been."""
        self._wire_in = wire_in
        self._front = front
        self._answered = 0
        self._server: Intake | None = None
        self._has_server = threading.Event()
        self._splitter = Splitter(bytes_max=REQUEST_BYTES_MAX)

    def hand_to(self, server: Intake) -> None:
        """Give the messages to a server from now on."""
        self._server = server
        self._has_server.set()

    def take_back(self) -> None:
        """Queue messages again, for another server than the one that was given them."""
        self._has_server.clear()

    def framed(self, message: bytes) -> bytes:
        """Put a message as the client puts its own: on a line, or after its length."""
        return framed(message) if self._splitter.is_framed else message + b"\n"

    def run(self) -> None:
        """Read to the end."""
        try:
            self._read()
        finally:
            self.is_over = self._front is not None and self._answered > 0
            self.wait_for_server().end()

    def _read(self) -> None:
        while chunk := self._chunk():
            for line in self._splitter.feed(chunk):
                if not self._give(line):
                    return
        for line in self._splitter.end():
            self._give(line)

    def _chunk(self) -> bytes:
        try:
            return read_some(self._wire_in, CHUNK_BYTES)
        except OSError:
            # A terminal was closed: an end of input like any other.
            return b""

    def _give(self, line: Line) -> bool:
        front = self._front
        if front is None:
            return self.wait_for_server().take(line)
        answer = front.answer(line)
        if answer is not None:
            is_read = not answer or self._answer(answer)
            if front.has_listed:
                self.is_needed.set()
            return is_read
        self._front = None
        server = self.wait_for_server()
        for kept in front.kept:
            server.repeat(kept)
        return server.take(line)

    def wait_for_server(self) -> Intake:
        """Give the server, as soon as there is one."""
        self.is_needed.set()
        self._has_server.wait()
        assert self._server, "the event says that there is one"
        return self._server

    def _answer(self, answer: bytes) -> bool:
        self._answered += 1
        return write_all(self.wire_out, self.framed(answer))


def claim() -> tuple[int, int]:
    """Keep the wire to ourselves: what others print goes to stderr, and they have no input."""
    wire_in, wire_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        # Started without a stderr.
        os.dup2(nothing, 1)
    os.close(nothing)
    return wire_in, wire_out
