"""Walks down a chain of contents packed onto one another, from the last to the first.

Each is replaced by the one beneath it, in place: however many there are, only one is in memory.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from hansard.kernel import patch
from hansard.kernel.blob import Blob, Digest, chained, inflate, patched
from hansard.kernel.running_digest import RunningDigest


@dataclass(frozen=True, slots=True)
class UndoneState:
    """How a content follows from the one that was packed onto it."""

    digest: Digest
    head: int
    tail: int
    middle: bytes
    """The middle, between what both begin and end with."""


class ChainStates:
    """A content and those beneath it, each of which is proved when it is reached."""

    def __init__(self, digest: Digest, data: bytearray, beneath: deque[UndoneState]) -> None:
        """Begin at the highest; the last of `beneath` is the next."""
        self._at = digest
        self._data = data
        self._beneath = beneath
        self._below = {one.digest for one in beneath}
        self._running = RunningDigest()

    @property
    def held_bytes(self) -> int:
        """Estimate the memory it takes."""
        return len(self._data) + sum(len(one.middle) for one in self._beneath)

    def __contains__(self, digest: object) -> bool:
        """Whether this is the present content, or lies below it."""
        return digest == self._at or digest in self._below

    def reach(self, digest: Digest) -> bytearray | None:
        """Give a content, until the next is reached; `None` if it is not what its digest says."""
        while self._at != digest and self._beneath:
            one = self._beneath.pop()
            self._data[one.head : len(self._data) - one.tail] = one.middle
            self._running.changed_from(one.head)
            self._at = one.digest
            self._below.discard(one.digest)
        return self._data if self._running.of(self._data) == digest else None


def chain_states(blob: Blob, fetch: Callable[[Digest], Blob], *, bytes_max: int) -> ChainStates:
    """Unpack a blob, and walk down from it as far as memory allows."""
    below, *others = chained(blob, fetch)
    data, beneath, held = bytearray(inflate(below)), deque[UndoneState](), 0
    for one in others:
        head, tail = patch.ends(one.packed)
        beneath.append(UndoneState(below.digest, head, tail, bytes(data[head : len(data) - tail])))
        held += len(beneath[-1].middle)
        while held > bytes_max:
            held -= len(beneath.popleft().middle)
        patched(one, data)
        below = one
    return ChainStates(blob.digest, data, beneath)
