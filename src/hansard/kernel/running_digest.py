"""Digests of contents with a common beginning, which is hashed only once."""

import hashlib
from collections.abc import Iterator
from typing import Protocol

from hansard.kernel.limits import KIB

NEAR_END_BYTES = 4 * KIB
FARTHER = 16
"""Places are remembered at growing distances from the end: most contents change near their end."""


class _Hash(Protocol):
    def copy(self) -> "_Hash": ...
    def update(self, data: memoryview, /) -> None: ...
    def hexdigest(self) -> str: ...


class RunningDigest:
    """SHA-256 of one state after the other, each from where it begins to differ."""

    def __init__(self) -> None:
        """Start with nothing hashed."""
        self._reached: list[tuple[int, _Hash]] = []

    def changed_from(self, place: int) -> None:
        """Note that the state has changed, from this place on at the earliest."""
        while self._reached and self._reached[-1][0] > place:
            self._reached.pop()

    def of(self, data: bytes | bytearray) -> str:
        """Give the digest of the state as it is now."""
        begun, running = self._reached[-1] if self._reached else (0, hashlib.sha256())
        running = running.copy()
        with memoryview(data) as view:
            for place in _places(len(data)):
                if place > begun:
                    running.update(view[begun:place])
                    self._reached.append((place, running.copy()))
                    begun = place
            running.update(view[begun:])
        return running.hexdigest()


def _places(size: int) -> Iterator[int]:
    """Name the places that are remembered in a state of this size, the first one first."""
    distances = []
    distance = NEAR_END_BYTES
    while distance < size:
        distances.append(distance)
        distance *= FARTHER
    return (size - distance for distance in reversed(distances))
