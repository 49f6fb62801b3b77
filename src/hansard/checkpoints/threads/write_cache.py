"""Remembers threads between writes, so that a write need not read first.

It may be wrong by the time it is used: others write to the same thread, and what was kept may have
been collected or redacted since. So each write proves, in its own transaction, that the thread is
where it is remembered to be and that all it rests on is still kept; else it forgets, and looks.
What this process has itself written or read is trusted to be readable as long as it is kept.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Generic, Self, TypeVar

from hansard.checkpoints.threads.limits import PLACES_REMEMBERED_MAX, RECENT_BYTES_MAX
from hansard.checkpoints.threads.rules import Line
from hansard.kernel.blob import Blob, Digest
from hansard.kernel.engine import Row

K = TypeVar("K")
V = TypeVar("V")

STEPS_REMEMBERED = 16
"""A child is nearly always put onto one of the last few steps."""


class RecentlyUsed(Generic[K, V]):
    """Things by key, as many as have room; those not asked for in the longest time go first."""

    def __init__(self, room: int) -> None:
        """Start with none."""
        self._room = room
        self._taken = 0
        self._things: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """Recall a thing, if it is still there."""
        with self._lock:
            if key not in self._things:
                return None
            self._things.move_to_end(key)
            return self._things[key][0]

    def put(self, key: K, thing: V, size: int = 1) -> None:
        """Put a thing onto the shelf, unless it alone is larger than that."""
        if size > self._room:
            return
        with self._lock:
            _, before = self._things.pop(key, (None, 0))
            self._things[key] = thing, size
            self._taken += size - before
            while self._taken > self._room:
                _, (_, freed) = self._things.popitem(last=False)
                self._taken -= freed

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._things.clear()
            self._taken = 0


@dataclass(frozen=True, slots=True)
class Place:
    """A thread's namespace as it was when this process last wrote to it."""

    size_bytes: int = 0
    number: int | None = None
    """Its number in the tables; `None` if there is none of it yet."""
    steps: int = 0
    """How many it has had."""
    lines: dict[str | None, Line] = field(default_factory=dict)
    """Of each channel what its next value may be packed onto; `None` is the steps' own bodies."""
    values: dict[str, dict[str, Digest]] = field(default_factory=dict)
    """Of the last few steps the values, by channel."""
    latest: tuple[int, str] | None = None
    """The highest id there is, if known, and the end of the journal at which that was so."""

    @classmethod
    def of(cls, row: Row | None) -> Self:
        """Know what its row says."""
        return cls(row["bytes"], row["number"], row["steps"]) if row else cls()

    def is_at(self, row: Row | None) -> bool:
        """Whether nobody has put a step there, or taken it away, since."""
        return (self.number, self.steps) == ((row["number"], row["steps"]) if row else (None, 0))

    def after(
        self,
        number: int,
        size_bytes: int,
        lines: dict[str | None, Line],
        step: str,
        values: dict[str, Digest],
        *,
        latest: tuple[int, str] | None,
    ) -> "Place":
        """Give the place as it is after one more step."""
        remembered = {**self.values, step: values}
        while len(remembered) > STEPS_REMEMBERED:
            del remembered[next(iter(remembered))]
        size = self.size_bytes + size_bytes
        return Place(size, number, self.steps + 1, self.lines | lines, remembered, latest)


@dataclass(frozen=True, slots=True)
class Memory:
    """What is remembered of all threads."""

    contents: RecentlyUsed[tuple[str, Digest], tuple[Blob, bytes]] = field(
        default_factory=lambda: RecentlyUsed(RECENT_BYTES_MAX)
    )
    """By project and digest: the latest values as they were before packing, and what they became.
    A project packs a content in its own way, and so it is not another's."""
    places: RecentlyUsed[tuple[str, str, str], Place] = field(
        default_factory=lambda: RecentlyUsed(PLACES_REMEMBERED_MAX)
    )
    """By project, thread and namespace."""

    def forget(self) -> None:
        """Forget everything: something of it was wrong."""
        self.contents.clear()
        self.places.clear()
