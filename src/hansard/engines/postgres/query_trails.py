"""Remembers what a transaction asked, in order, so that the next one can ask it all at once.

After another process has changed a project, its cached rows are void, but calls ask for much the
same again. So a transaction that lacks a row also asks for the rows that followed it last time, in
one round trip. A trail says only what to ask; it is never an answer.

A call about something new, such as a session that begins, asks for rows nobody asked for before.
Then the last trail through the same table leads on, with the new names in the place of the old.
"""

import threading
from collections import OrderedDict
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field

from hansard.engines.postgres.row_cache import Place, Question, asked_alike

TRAIL_MAX = 200
"""The most questions that are asked along with a missing one."""

STEPS_MAX = 10_000
"""How many steps are remembered in all; the least recently used go first."""


PARTED = "\n"
"""Between the parts of a key that has several."""


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
        """Start without trails."""
        self._lock = threading.Lock()
        self._after: OrderedDict[tuple[str, Step | str], tuple[Sequence[Step], int]] = OrderedDict()
        """By project and step, or the name of a table: the trail, and how many steps led there."""

    def note(self, project: str, steps: Collection[Step]) -> None:
        """Note the steps of a transaction; the last that went on from a step is the one known."""
        trail = tuple(steps)
        with self._lock:
            for number, step in enumerate(trail, start=1):
                for place in (step, _about(step)):
                    self._after[project, place] = trail, number
                    self._after.move_to_end((project, place))
            while len(self._after) > STEPS_MAX:
                self._after.popitem(last=False)

    def after(self, project: str, step: Step, so_far: Collection[Step]) -> Sequence[Step]:
        """Give the steps that followed this one the last time, or one about the same table.

        `so_far` is how this transaction came here, in which things have the new names.
        """
        with self._lock:
            trail, number = self._after.get((project, step), ((), 0))
            if number:
                return trail[number : number + TRAIL_MAX]
            trail, number = self._after.get((project, _about(step)), ((), 0))
        names = _new_names(trail[:number], so_far)
        ahead = _rows(trail[number : number + TRAIL_MAX])
        return [(table, _renamed(key, names)) for table, key in ahead]


def _about(step: Step) -> str:
    return step.about if isinstance(step, Asking) else step[0]


def _new_names(old: Collection[Step], new: Collection[Step]) -> dict[str, str]:
    """Map old names to new ones: two trails ask the same tables for them, in the same order."""
    keys: dict[str, list[str]] = {}
    for table, key in _rows(old):
        keys.setdefault(table, []).append(key)
    names: dict[str, str] = {}
    for table, key in _rows(new):
        before, now = keys[table].pop(0) if keys.get(table) else "", key.split(PARTED)
        if len(parts := before.split(PARTED)) == len(now):
            names.update(zip(parts, now, strict=True))
    return names


def _rows(steps: Collection[Step]) -> list[Place]:
    return [step for step in steps if not isinstance(step, Asking)]


def _renamed(key: str, names: dict[str, str]) -> str:
    return PARTED.join(names.get(part, part) for part in key.split(PARTED))
