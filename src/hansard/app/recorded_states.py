"""What was recorded of a file while a tool was used, and what of its change is then the tool's.

Others' work may be recorded during a command, and what was told while no server ran is recorded
only later. So what counts is when each thing happened. Moments are texts as the journal has them.
"""

import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, NamedTuple

from hansard.app import hook_files
from hansard.kernel.clock import to_text

Entry = dict[str, Any]

REMEMBERED = 1_000
"""Of how many events it is remembered when they were told."""


UNTIMED = 2
"""How many states count of a file that a tool changed of which nobody saw when it began."""


class State(NamedTuple):
    """What a file was recorded to hold."""

    digest: str | None
    """`None` if there was no file."""
    at: str


class TakenIn:
    """When events were told that were recorded lately, by when they were recorded."""

    def __init__(self) -> None:
        """Begin with none."""
        self._spans: deque[tuple[str, str, str]] = deque(maxlen=REMEMBERED)

    @contextmanager
    def during(self, told_at: float) -> Iterator[None]:
        """Remember that what is recorded meanwhile was told at that time."""
        begun = moment(time.time())
        try:
            yield
        finally:
            self._spans.append((begun, moment(time.time()), moment(told_at)))

    def happened(self, at: str) -> str:
        """Say when that happened which was recorded at a moment."""
        told = (told for begun, done, told in reversed(self._spans) if begun <= at <= done)
        return next(told, at)


def moment(seconds: float) -> str:
    """Write a time of the system's clock as the journal does."""
    return to_text(datetime.fromtimestamp(seconds, UTC))


def states(recorded: Iterable[State], since: str | None, file: Entry) -> list[State]:
    """Give what a file held since a moment, the latest first, then what it held until then.

    Where nobody knows the moment, the last two count. Before the first that was ever recorded, it
    held what the hook saw.
    """
    held: list[State] = []
    for state in recorded:
        held.append(state)
        if len(held) == UNTIMED if since is None else state.at < since:
            return held
    return [*held, State(hook_files.digest(file["was"]), "")] if held and "was" in file else held


def is_recorded(file: Entry, known: list[State]) -> bool:
    """Whether it is recorded what a file holds, and how it came to that from what it held."""
    if not known or known[0].digest != hook_files.digest(file["now"]):
        return False
    return "was" not in file or _is_in(file, known[1:])


def own_part(file: Entry, known: list[State], until: str) -> Entry:
    """Tell of a file as it was last recorded before the tool wrote it, if that was meanwhile.

    Then others' work is neither taken for the tool's nor undone with it, whatever the tool made of
    their lines. What was recorded after the tool had ended is not what it wrote over.
    """
    if "was" not in file or not known or known[0].at > until:
        return file
    latest, *earlier = known
    if latest.digest == hook_files.digest(file["was"]) or not _is_in(file, earlier):
        return file
    if latest.digest is None:
        return file | {"was": None}
    return {name: value for name, value in file.items() if name != "was"}


def _is_in(file: Entry, states: list[State]) -> bool:
    """Whether a file held one of these before."""
    return hook_files.digest(file["was"]) in [state.digest for state in states]
