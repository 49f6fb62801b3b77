"""Reads messages with length headers, as old clients and editors send them.

MCP puts one message on a line. Clients written after the Language Server Protocol send
`Content-Length: N`, a blank line and N bytes instead, and read the same. What comes first decides.
"""

import re
from collections.abc import Iterator

from hansard.kernel.limits import KIB
from hansard.mcp.lines import Line, LineSplitter, TooLong
from hansard.mcp.messages import ID_SEARCH_BYTES, ID_TAIL_BYTES

HEADER = b"content-length:"
HEADERS_BYTES_MAX = 4 * KIB
"""Longer headers are not headers."""

_END = re.compile(rb"\r?\n\r?\n")
_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,18})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)


class FrameSplitter:
    """Cuts what is fed to it where the headers say, and holds no more of a message than a bound."""

    def __init__(self, *, bytes_max: int) -> None:
        """Hold no more of a message than this."""
        self._bytes_max = bytes_max
        self._held = bytearray()
        self._left: int | None = None
        """How much of the current message is yet to come; `None` while its headers are read."""
        self._head: bytes | None = None
        """The beginning of a message that is too long to be kept."""

    def feed(self, chunk: bytes) -> Iterator[Line]:
        """Take some bytes and give the messages that they complete."""
        self._held += chunk
        while self._held and (line := self._next()) is not None:
            if line:
                yield line

    def end(self) -> Iterator[Line]:
        """Give what was not completed, as the last message."""
        rest, self._held = bytes(self._held), bytearray()
        if rest.strip():
            yield rest

    def _next(self) -> Line | None:
        """Give the next message, an empty one after its headers, `None` if more must come."""
        if self._left is None:
            return self._headers()
        if self._left > self._bytes_max or self._head is not None:
            return self._skipped(self._left)
        if len(self._held) < self._left:
            return None
        left, self._left = self._left, None
        return self._cut(left)

    def _headers(self) -> bytes | None:
        found = _END.search(self._held)
        if found is None and len(self._held) <= HEADERS_BYTES_MAX:
            return None
        end = found.end() if found else len(self._held)
        headers = self._cut(end)
        if length := _LENGTH.search(headers):
            self._left = int(length[1]) or None
            return b""
        # No length: the message parser will say what is wrong with it.
        return headers.strip()

    def _skipped(self, left: int) -> Line | None:
        """Drop a message that is too long, except its beginning and its end."""
        if self._head is None:
            if len(self._held) < ID_SEARCH_BYTES:
                return None
            self._head = bytes(self._held[:ID_SEARCH_BYTES])
        if len(self._held) < left:
            gone = self._cut(max(0, len(self._held) - ID_TAIL_BYTES))
            self._left = left - len(gone)
            return None
        head, self._head, self._left = self._head, None, None
        return TooLong(head, self._cut(left)[-ID_TAIL_BYTES:])

    def _cut(self, size: int) -> bytes:
        """Remove this much from the beginning of what is held."""
        taken = bytes(self._held[:size])
        del self._held[:size]
        return taken


class Splitter:
    """Cuts a stream into messages, by lines or by lengths, whichever it begins with."""

    def __init__(self, *, bytes_max: int) -> None:
        """Hold no more of a message than this."""
        self._bytes_max = bytes_max
        self._begun = b""
        self._chosen: LineSplitter | FrameSplitter | None = None

    @property
    def is_framed(self) -> bool:
        """Whether it is by lengths."""
        return isinstance(self._chosen, FrameSplitter)

    def feed(self, chunk: bytes) -> Iterator[Line]:
        """Take some bytes and give the messages that they complete."""
        if self._chosen is None:
            self._begun = chunk = (self._begun + chunk).lstrip()
            first = chunk[: len(HEADER)].lower()
            if len(first) < len(HEADER) and HEADER.startswith(first):
                return
            kind = FrameSplitter if first == HEADER else LineSplitter
            self._chosen = kind(bytes_max=self._bytes_max)
        yield from self._chosen.feed(chunk)

    def end(self) -> Iterator[Line]:
        """Give what was not completed, as the last message."""
        if self._chosen:
            yield from self._chosen.end()
        elif self._begun:
            yield self._begun


def framed(message: bytes) -> bytes:
    """Put a message's length before it."""
    return b"Content-Length: %d\r\n\r\n%s" % (len(message), message)
