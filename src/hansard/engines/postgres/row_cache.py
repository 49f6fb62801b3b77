"""A cache of rows, blobs and answers, valid for one head of a project.

Every change of a project's row is in a transaction that holds the lock of its head and moves the
head's mark. So a row read under a mark is valid while the mark stays the same, for every process.
Nothing here is ever trusted under another mark. A process that
changes a project itself knows what it has changed, and goes on remembering the rest.
"""

import threading
from collections import OrderedDict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from typing import Any, Final

from hansard.kernel.blob import Blob
from hansard.kernel.event import Head

BYTES_MAX = 16 * 1024 * 1024
"""The size of the cache; beyond it, the project that was used longest ago is dropped."""

ROW_BYTES_MAX = 16 * 1024
"""A longer row is read each time: few are, and one would push many others out."""

ANSWER_BYTES_MAX = 64 * 1024
"""A longer answer is asked for each time."""

ROW_COST = 200
"""Bytes that a remembered row takes besides its text, roughly."""

Place = tuple[str, str]
"""A table and a key in it, as the database calls them."""

Kept = str | Blob | None
"""The text of a row, or a blob; `None` where there is no such thing."""


Question = tuple[str, Sequence[Any]]
"""A statement with its values."""

Answer = Sequence[tuple[Any, ...]]
"""The rows of an answer, which nobody may change."""


class Unknown(Enum):
    """Says that a row is not remembered, which does not mean that it does not exist."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN


Rows = Mapping[Place, Kept | Unknown]
"""What each place holds now; `None` where that is unknown and what was known no longer holds."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a project's head was when something was seen: it never has the same mark twice."""

    changes: int
    """How often the project was changed, by entries or without."""
    head: Head


@dataclass(slots=True)
class _Project:
    mark: Mark
    rows: dict[Place, Kept] = field(default_factory=dict)
    answers: dict[str, dict[Hashable, Answer]] = field(default_factory=dict)
    """By the table that each is about, and what was asked."""
    bytes: int = 0


class RowCache:
    """What this process remembers of each project under the newest mark it has seen."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._lock = threading.Lock()
        self._projects: OrderedDict[str, _Project] = OrderedDict()
        self._bytes = 0

    def recent(self, most: int) -> list[str]:
        """Name the projects that were asked for last."""
        with self._lock:
            return list(islice(reversed(self._projects), most))

    def newest(self, project: str) -> Mark | None:
        """Give the newest mark that was seen of a project."""
        with self._lock:
            known = self._projects.get(project)
            return known.mark if known else None

    def find(self, project: str, mark: Mark, place: Place) -> Kept | Unknown:
        """Give a row of a project whose head has this mark, if it is remembered."""
        with self._lock:
            known = self._projects.get(project)
            if known is None or known.mark != mark:
                return UNKNOWN
            self._projects.move_to_end(project)
            return known.rows.get(place, UNKNOWN)

    def learn(self, project: str, mark: Mark, rows: Rows) -> None:
        """Note rows that were seen under a mark."""
        with self._lock:
            known = self._projects.get(project)
            if known is not None and known.mark == mark:
                self._add(project, known, rows)
            elif known is None or known.mark.changes < mark.changes:
                self._replace(project, mark, rows)

    def answer(self, project: str, mark: Mark, about: str, question: Question) -> Answer | None:
        """Give what was answered to a question about a table of a project with this mark."""
        with self._lock:
            known = self._projects.get(project)
            if known is None or known.mark != mark:
                return None
            self._projects.move_to_end(project)
            return known.answers.get(about, {}).get(asked_alike(question))

    def note(
        self, project: str, mark: Mark, about: str, question: Question, answer: Answer
    ) -> None:
        """Note what was answered under a mark to a question about a table."""
        if (cost := _cost_of(answer)) > ANSWER_BYTES_MAX:
            return
        self.learn(project, mark, {})
        with self._lock:
            known = self._projects.get(project)
            answers = known.answers.setdefault(about, {}) if known else {}
            if known and known.mark == mark and asked_alike(question) not in answers:
                answers[asked_alike(question)] = answer
                self._count(known, cost)
                self._bound()

    def move(
        self, project: str, before: Mark, after: Mark, rows: Rows, changed: Collection[str]
    ) -> None:
        """Note that a project was changed: these rows and tables, and no others."""
        with self._lock:
            known = self._projects.get(project)
            if known is not None and known.mark == before:
                known.mark = after
                for table in changed:
                    answers = known.answers.pop(table, {})
                    self._count(known, -sum(_cost_of(answer) for answer in answers.values()))
                self._add(project, known, rows)
            elif known is None or known.mark.changes < after.changes:
                self._replace(project, after, rows)

    def forget(self, project: str) -> None:
        """Remember nothing of a project."""
        with self._lock:
            self._drop(project)

    def forget_all(self) -> None:
        """Remember nothing."""
        with self._lock:
            self._projects.clear()
            self._bytes = 0

    def _replace(self, project: str, mark: Mark, rows: Rows) -> None:
        self._drop(project)
        self._projects[project] = known = _Project(mark)
        self._add(project, known, rows)

    def _add(self, project: str, known: _Project, rows: Rows) -> None:
        for place, kept in rows.items():
            if place in known.rows:
                self._count(known, -_cost(known.rows.pop(place)))
            if not isinstance(kept, Unknown) and (cost := _cost(kept)) <= ROW_BYTES_MAX:
                known.rows[place] = kept
                self._count(known, cost)
        self._projects.move_to_end(project)
        self._bound()

    def _bound(self) -> None:
        while self._bytes > BYTES_MAX:
            self._drop(next(iter(self._projects)))

    def _count(self, known: _Project, size: int) -> None:
        known.bytes += size
        self._bytes += size

    def _drop(self, project: str) -> None:
        if known := self._projects.pop(project, None):
            self._bytes -= known.bytes


def _cost(kept: Kept) -> int:
    return ROW_COST + len(kept.packed if isinstance(kept, Blob) else kept or "")


def _cost_of(answer: Answer) -> int:
    cells = (cell for row in answer for cell in row if isinstance(cell, str | bytes))
    return ROW_COST * (1 + len(answer)) + sum(map(len, cells))


def asked_alike(question: Question) -> Hashable:
    """Give what two questions have in common that are the same."""
    statement, values = question
    return statement, tuple(tuple(one) if isinstance(one, list) else one for one in values)
