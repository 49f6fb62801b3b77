"""Rules of threads: how a task's writes combine, and what a value is packed against. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hansard.checkpoints.limits import KEYFRAME_EVERY
from hansard.checkpoints.threads.events import Write, WritesKept

Line = dict[str, Any]
"""How a channel's values go on: at which step of its thread the line began, the digest of its last
value, and that of the value's second copy, if it has one."""

NO_LINE: Line = {"start": 0, "last": None, "spare": None}


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


def has_ended(line: Line, steps: int) -> bool:
    """Whether as many steps as may share a damage have used a line, or it has not begun."""
    return line["last"] is None or steps - line["start"] >= KEYFRAME_EVERY


def base_in(line: Line, steps: int) -> str | None:
    """Give the digest of what the channel's next value is packed onto; `None`: it stands alone."""
    return None if has_ended(line, steps) else line["spare"] or line["last"]


def followed(line: Line, steps: int, digest: str, spare: str | None) -> Line:
    """Give a channel's line as it is once the next step has this value.

    `steps` is how many the thread has had before. A value that does not change ends no line; from
    then on its second copy, if it was given one, stands for what more steps would share.
    """
    if digest == line["last"]:
        return line | {"spare": spare or line["spare"]}
    start = steps if has_ended(line, steps) else line["start"]
    return {"start": start, "last": digest, "spare": spare}
