"""Remembers what a transaction asked, in order, so that the next one can ask it all at once.

After another process has changed a project, its cached rows are void, but calls ask for much the
same again. So a transaction that lacks a row also asks for the rows that followed it last time, in
one round trip. A trail says only what to ask; it is never an answer.
"""

import threading
from collections import OrderedDict
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field

from hansard.engines.postgres.row_cache import Place, Question, asked_alike

TRAIL_MAX = 200
"""How many questions are asked along with a missing one, at most."""

STEPS_MAX = 10_000
"""How many steps are remembered in all; the least recently used go first."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A question about a table, as a step of a trail."""

    about: str
    alike: Hashable
    question: Question = field(compare=False)


def asking(about: str, question: Question) -> Asking:
    """Make a step of a question."""
    return Asking(about, asked_alike(question), question)


Step = Place | Asking
"""A row that was wanted, or a question that was asked."""


class Trails:
    """Where transactions went on from each step, by project."""

    def __init__(self) -> None:
        """Know none yet."""
        self._lock = threading.Lock()
        self._after: OrderedDict[tuple[str, Step], tuple[Sequence[Step], int]] = OrderedDict()

    def note(self, project: str, steps: Collection[Step]) -> None:
        """Note the steps of a transaction; the last that went on from a step is the one known."""
        trail = tuple(steps)
        with self._lock:
            for number, step in enumerate(trail, start=1):
                self._after[project, step] = trail, number
                self._after.move_to_end((project, step))
            while len(self._after) > STEPS_MAX:
                self._after.popitem(last=False)

    def after(self, project: str, step: Step) -> Sequence[Step]:
        """Give the steps that followed this one the last time."""
        with self._lock:
            trail, number = self._after.get((project, step), ((), 0))
        return trail[number : number + TRAIL_MAX]
