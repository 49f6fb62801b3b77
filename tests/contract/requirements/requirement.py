"""One clause of the contract: what it says, where it comes from, whether a test holds it."""

from dataclasses import dataclass
from typing import Literal, get_args

Milestone = Literal[
    "foundation",
    "records",
    "recorder",
    "checkpoints",
    "decisions",
    "entities",
    "page",
    "reliability",
]
"""The steps in which the product is built, in order."""

MILESTONES: tuple[Milestone, ...] = get_args(Milestone)

DONE: frozenset[Milestone] = frozenset(MILESTONES)
"""Milestones that are finished: none of their clauses may be left for later."""


@dataclass(frozen=True)
class Requirement:
    """A clause precise enough to test.

    `later` names the milestone that will hold it, and is None once a test does.
    `decided` says where the contract departs from the source that the clause comes from.
    """

    id: str
    clause: str
    source: str
    milestone: Milestone
    later: Milestone | None
    decided: str | None = None

    def __post_init__(self) -> None:
        assert self.later in (None, self.milestone), f"{self.id} is left for another's milestone"


@dataclass(frozen=True)
class Clause:
    """What `held` and `later` say of a requirement; its section says the rest."""

    id: str
    text: str
    is_held: bool
    milestone: Milestone | None
    decided: str | None


def held(
    id: str, text: str, *, milestone: Milestone | None = None, decided: str | None = None
) -> Clause:
    """A clause that at least one test holds. The test says so itself, by its `holds` marker."""
    return Clause(id, text, is_held=True, milestone=milestone, decided=decided)


def later(
    id: str, text: str, *, milestone: Milestone | None = None, decided: str | None = None
) -> Clause:
    """A clause that no test holds yet. `milestone` is given where it is not the section's."""
    return Clause(id, text, is_held=False, milestone=milestone, decided=decided)


def section(source: str, milestone: Milestone, *clauses: Clause) -> tuple[Requirement, ...]:
    """The requirements under one heading of a document."""
    return tuple(_requirement(source, clause.milestone or milestone, clause) for clause in clauses)


def _requirement(source: str, milestone: Milestone, clause: Clause) -> Requirement:
    return Requirement(
        clause.id,
        clause.text,
        source,
        milestone,
        later=None if clause.is_held else milestone,
        decided=clause.decided,
    )
