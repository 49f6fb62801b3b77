"""The two ends of a pipe, each with a thread of its own: no client can hold up the event loop."""

import os
import queue
import threading
from collections.abc import Callable
from typing import Self

import anyio.to_thread
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCMessage, JSONRPCResponse, RequestId

from hansard.kernel.limits import KIB, REQUEST_BYTES_MAX
from hansard.mcp.lines import Line, LineSplitter, TooLong
from hansard.mcp.messages import Malformed, parse, too_long

CHUNK_BYTES = 64 * KIB
"""As much as a pipe usually holds."""

UNWRITTEN_MAX = 64
"""Lines that may wait for a client to read before whoever writes has to wait as well."""


class LineReader(threading.Thread):
    """Reads messages until the input ends. Calls back from its own thread."""

    def __init__(
        self,
        descriptor: int,
        *,
        accept: Callable[[JSONRPCMessage, int], bool],
        refuse: Callable[[JSONRPCError], None],
        ended: Callable[[], None],
    ) -> None:
        """Hand each message and its size to `accept`, until that returns false."""
        super().__init__(name="stdin", daemon=True)
        self._descriptor = descriptor
        self._accept = accept
        self._refuse = refuse
        self._ended = ended

    def run(self) -> None:
        """Read to the end."""
        try:
            self._read()
        finally:
            self._ended()

    def _read(self) -> None:
        splitter = LineSplitter(bytes_max=REQUEST_BYTES_MAX)
        while chunk := self._chunk():
            for line in splitter.feed(chunk):
                if not self._take(line):
                    return
        for line in splitter.end():
            self._take(line)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, CHUNK_BYTES)
        except OSError:
            # A terminal that hung up: an end of input like any other.
            return b""

    def _take(self, line: Line) -> bool:
        try:
            return self._accept(_message(line), len(line) if isinstance(line, bytes) else 0)
        except Malformed as malformed:
            if malformed.owed:
                self._refuse(malformed.answer())
            return True


class LineWriter:
    """What the SDK writes its messages to: one line each, in order."""

    def __init__(
        self,
        descriptor: int,
        *,
        answered: Callable[[RequestId], None],
        broken: Callable[[], None],
    ) -> None:
        """Tell `answered` of each answered request, and `broken` when nobody reads any more."""
        self._descriptor = descriptor
        self._answered = answered
        self._broken = broken
        self._lines: queue.Queue[bytes | None] = queue.Queue(UNWRITTEN_MAX)
        self._thread = threading.Thread(target=self._write, name="stdout", daemon=True)
        self._thread.start()

    def put(self, message: JSONRPCMessage) -> None:
        """Write from a thread that may wait."""
        self._lines.put(_line(message))

    async def send(self, item: SessionMessage, /) -> None:
        """Write from the event loop."""
        line = _line(item.message)
        try:
            self._lines.put_nowait(line)
        except queue.Full:
            await anyio.to_thread.run_sync(self._lines.put, line)
        if isinstance(item.message, JSONRPCResponse | JSONRPCError) and item.message.id is not None:
            self._answered(item.message.id)

    async def aclose(self) -> None:
        """Do nothing: `finish` ends the writing, after everything else has ended."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None

    def finish(self) -> None:
        """Write what is left, then end."""
        self._lines.put(None)
        self._thread.join()

    def _write(self) -> None:
        is_broken = False
        while (line := self._lines.get()) is not None:
            if not is_broken and not self._written(line):
                is_broken = True
                self._broken()

    def _written(self, line: bytes) -> bool:
        left = memoryview(line)
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError:
            return False
        return True


def _message(line: Line) -> JSONRPCMessage:
    if isinstance(line, TooLong):
        raise too_long(line.head, line.tail, bytes_max=REQUEST_BYTES_MAX)
    return parse(line)


def _line(message: JSONRPCMessage) -> bytes:
    return message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
