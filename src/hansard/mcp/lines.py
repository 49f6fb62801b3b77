"""Splits a stream of bytes into lines, with a bound. Pure: somebody else reads."""

from collections.abc import Iterator
from dataclasses import dataclass

from hansard.mcp.messages import ID_SEARCH_BYTES, ID_TAIL_BYTES


@dataclass(frozen=True, slots=True)
class TooLong:
    """A line that exceeded the bound: its beginning and its end, without the rest."""

    head: bytes
    tail: bytes


Line = bytes | TooLong


class LineSplitter:
    """Cuts what is fed to it at line feeds. Blank lines are left out."""

    def __init__(self, *, bytes_max: int) -> None:
        """Hold no more of a line than this."""
        self._bytes_max = bytes_max
        self._chunks: list[bytes] = []
        self._size = 0
        self._head: bytes | None = None
        """The beginning of the current line once it is too long to be kept."""

    def feed(self, chunk: bytes) -> Iterator[Line]:
        """Take some bytes and give the lines that they complete."""
        *complete, rest = chunk.split(b"\n")
        for piece in complete:
            self._add(piece)
            yield from self.end()
        self._add(rest)

    def end(self) -> Iterator[Line]:
        """Give what has no line feed yet, as the last line."""
        whole = b"".join(self._chunks)
        head, self._head = self._head, None
        self._chunks, self._size = [], 0
        if head is not None:
            yield TooLong(head, whole[-ID_TAIL_BYTES:])
        elif whole.strip():
            yield whole

    @property
    def held_bytes(self) -> int:
        """How much of the current line is held."""
        return sum(map(len, self._chunks))

    def _add(self, piece: bytes) -> None:
        if not piece:
            return
        self._chunks.append(piece)
        self._size += len(piece)
        if self._size > self._bytes_max:
            held = b"".join(self._chunks)
            self._head = held[:ID_SEARCH_BYTES] if self._head is None else self._head
            self._chunks = [held[-ID_TAIL_BYTES:]]
            self._size = self._bytes_max
