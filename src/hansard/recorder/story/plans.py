"""Rules of plans: the current step, and where a new plan continues. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

StepStatus = Literal["planned", "begun", "ended", "done", "skipped"]
"""`ended` is over, and nobody said how: another step began, or the session ended."""

OVER: frozenset[StepStatus] = frozenset({"ended", "done", "skipped"})


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step of a plan as it stands."""

    text: str
    status: StepStatus


def continued(steps: Sequence[str], before: Sequence[PlannedStep]) -> list[int | None]:
    """Match each step of a new plan with a step of the plan before, by its words."""
    free: dict[str, list[int]] = {}
    for index, step in enumerate(before):
        free.setdefault(_words(step.text), []).append(index)
    return [found.pop(0) if (found := free.get(_words(step))) else None for step in steps]


def starting_step(continues: Sequence[int | None], before: Sequence[PlannedStep]) -> int:
    """Choose the step that a new plan is at.

    The one in progress continues; else the first that is not over already; else the first.
    """
    status = [None if index is None else before[index].status for index in continues]
    if "begun" in status:
        return status.index("begun")
    return next((place for place, one in enumerate(status) if one not in OVER), 0)


def step_after(ended: int, steps: Sequence[PlannedStep]) -> int | None:
    """Choose the step that becomes current when one is over: the next that is still planned."""
    later = range(ended + 1, len(steps))
    return next((index for index in later if steps[index].status == "planned"), None)


def _words(text: str) -> str:
    return " ".join(text.split()).casefold()
