"""Which revisions of a file no longer stand: a change that goes back takes others back. Pure.

A rewind is a revision that took earlier ones back. One that was itself taken back takes nothing
back any longer, so undoing an undo makes the first changes stand again.
"""

from collections.abc import Sequence
from dataclasses import dataclass

Span = tuple[int, int]
"""The first and the last of some revisions that follow one another."""


@dataclass(frozen=True, slots=True)
class Rewind:
    """A revision that took some before it back."""

    number: int
    by: int
    """The entry that names it: the beginning of the restore, or the undo."""
    spans: tuple[Span, ...]

    def takes(self, number: int) -> bool:
        """Whether it took a revision back."""
        return any(first <= number <= last for first, last in self.spans)


class Standing:
    """Which revisions of one file stand."""

    def __init__(self, rewinds: Sequence[Rewind]) -> None:
        """Look from the newest rewind to the oldest: what stands is known of all after it."""
        self._standing: list[Rewind] = []
        for rewind in sorted(rewinds, key=lambda one: -one.number):
            if self.undone_by(rewind.number) is None:
                self._standing.append(rewind)

    def undone_by(self, number: int) -> int | None:
        """Name what took a revision back; `None` if it stands."""
        return next((one.by for one in self._standing if one.takes(number)), None)


def in_doubt(rewinds: Sequence[Rewind], new: Rewind) -> range:
    """Give the revisions of which a new rewind may have changed whether they stand.

    They are those that it takes back, and where these are rewinds, what those took back.
    """
    lowest = min((first for first, _ in new.spans), default=new.number)
    for rewind in sorted(rewinds, key=lambda one: -one.number):
        if rewind.number >= lowest and rewind.spans:
            lowest = min(lowest, *(first for first, _ in rewind.spans))
    return range(lowest, new.number)
