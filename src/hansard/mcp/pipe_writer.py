"""Writes a pipe in a thread of its own, so that no client blocks the server.

What the pipe has room for is written at once, without that thread.
"""

import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from hansard.kernel.limits import ID_CHARS_MAX
from hansard.mcp.messages import RequestId
from hansard.mcp.pipes import never_waits, write_all, write_ready

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

UNWRITTEN_MAX = 64
"""Lines that may wait for a slow client before the writer has to wait too."""

UNHEARD = "hansard/unheard".ljust(ID_CHARS_MAX + 1, ".")
"""The id of requests that were answered before: the SDK's answers to them are dropped.

It is longer than any that a client may send."""


class LineWriter:
    """Writes messages in order, the SDK's too."""

    def __init__(
        self,
        descriptor: int,
        *,
        framed: Callable[[bytes], bytes],
        answered: Callable[[RequestId], None],
        broken: Callable[[], None],
    ) -> None:
        """Write each message as `framed` says.

        Call `answered` for each answered request, and `broken` when nobody reads any more.
        """
        self._descriptor = descriptor
        self._framed = framed
        self._answered = answered
        self._broken = broken
        self._lines: queue.Queue[bytes | None] = queue.Queue(UNWRITTEN_MAX)
        self._writing = threading.Lock()
        """Held by a writer, so that two messages never mix."""
        self._rest = b""
        """What is left of a message that was begun, and comes before all that waits."""
        self._may_write_at_once = never_waits(descriptor)
        self._thread = threading.Thread(target=self._write, name="stdout", daemon=True)
        self._thread.start()

    def put(self, message: bytes) -> None:
        """Write from a thread that may wait."""
        line = self._framed(message)
        if not self._write_now(line):
            self._lines.put(line)

    async def send(self, item: "SessionMessage", /) -> None:
        """Write from the SDK's event loop."""
        from mcp_types import JSONRPCError, JSONRPCResponse

        message = item.message
        answered = message.id if isinstance(message, JSONRPCResponse | JSONRPCError) else None
        if answered != UNHEARD:
            told = message.model_dump_json(by_alias=True, exclude_unset=True).encode()
            await self._send(self._framed(told))
        if answered is not None:
            self._answered(answered)

    async def _send(self, line: bytes) -> None:
        from anyio import to_thread

        if self._write_now(line):
            return
        try:
            self._lines.put_nowait(line)
        except queue.Full:
            await to_thread.run_sync(self._lines.put, line)

    def _write_now(self, line: bytes) -> bool:
        """Write it at once, if that keeps nobody waiting; the thread may write the rest."""
        if not self._may_write_at_once or not self._writing.acquire(blocking=False):
            return False
        try:
            return self._begin(line)
        finally:
            self._writing.release()

    def _begin(self, line: bytes) -> bool:
        """Write what there is room for, if nothing is queued; the thread writes the rest."""
        if self._rest or self._lines.unfinished_tasks:
            return False
        self._rest = write_ready(self._descriptor, line)
        if self._rest:
            with suppress(queue.Full):  # then it has enough to wake up for
                self._lines.put_nowait(b"")
        return True

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
            with self._writing:
                whole, self._rest = self._rest + line, b""
                if not is_broken and not write_all(self._descriptor, whole):
                    is_broken = True
                    self._broken()
            self._lines.task_done()
