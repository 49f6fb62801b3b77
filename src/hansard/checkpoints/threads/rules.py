"""What a task's writes come to, and which values of a channel may be bases yet. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hansard.checkpoints.rules import base_number
from hansard.checkpoints.threads.events import Write, WritesKept

Spine = dict[str, Any]
"""How many values a channel has had, and the digests of those that may be bases, by number."""

NO_SPINE: Spine = {"count": 0, "line": []}


@dataclass(frozen=True, slots=True)
class Pending:
    """One write of a task that waits for its step to be done."""

    task: str
    path: str
    write: Write


def pending(kept: Iterable[WritesKept]) -> list[Pending]:
    """Put a step's writes in order, given as they were kept: the first stays, or the last.

    A write of an ordinary place stays when its task repeats it; one below 0 (an error, an
    interrupt) gives way. The order is that in which a graph applies its tasks.
    """
    by_place: dict[tuple[str, int], Pending] = {}
    for event in kept:
        for write in event.writes:
            place = (event.task, write.index)
            if write.index < 0 or place not in by_place:
                by_place[place] = Pending(event.task, event.path, write)
    return sorted(by_place.values(), key=lambda one: (one.path, one.task, one.write.index))


def base_in(spine: Spine) -> str | None:
    """Give the digest of what the channel's next value is packed onto, if there is anything."""
    wanted = base_number(spine["count"])
    return next((digest for number, digest in spine["line"] if number == wanted), None)


def extended(spine: Spine, digest: str) -> Spine:
    """Add a value, and forget those that can no longer be bases; the same again adds nothing."""
    if spine["line"] and spine["line"][-1][1] == digest:
        return spine
    number: int = spine["count"]
    base = base_number(number)
    line = [one for one in spine["line"] if base is not None and one[0] <= base]
    return spine | {"count": number + 1, "line": [*line, [number, digest]]}
