"""What a process remembers of threads between writes, so that a write need not look first.

Nothing of it can be wrong for long or do harm: contents go by digest, and a base that others have
since moved past is still a base.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from hansard.checkpoints.threads.limits import PLACES_REMEMBERED_MAX, RECENT_BYTES_MAX
from hansard.kernel.blob import Blob, Digest

K = TypeVar("K")
V = TypeVar("V")

STEPS_REMEMBERED = 16
"""A child is nearly always put onto one of the last few steps."""


class Shelf(Generic[K, V]):
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

    size_bytes: int
    spines: dict[str | None, dict[str, Any]] = field(default_factory=dict)
    """Of each channel the values that may be bases; `None` is the steps' own bodies."""
    steps: dict[str, dict[str, Digest]] = field(default_factory=dict)
    """Of the last few steps the values, by channel."""

    def after(
        self,
        size_bytes: int,
        spines: dict[str | None, dict[str, Any]],
        step: str,
        values: dict[str, Digest],
    ) -> "Place":
        """Give the place as it is after one more step."""
        steps = {**self.steps, step: values}
        while len(steps) > STEPS_REMEMBERED:
            del steps[next(iter(steps))]
        return Place(self.size_bytes + size_bytes, self.spines | spines, steps)


@dataclass(frozen=True, slots=True)
class Memory:
    """What is remembered of all threads."""

    contents: Shelf[tuple[str, Digest], tuple[Blob, bytes]] = field(
        default_factory=lambda: Shelf(RECENT_BYTES_MAX)
    )
    """By project and digest: the latest values as they were before packing, and what they became.
    A project packs a content in its own way, and so it is not another's."""
    places: Shelf[tuple[str, str, str], Place] = field(
        default_factory=lambda: Shelf(PLACES_REMEMBERED_MAX)
    )
    """By project, thread and namespace."""
