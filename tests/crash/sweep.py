"""The sweep: every drill, struck by every fault, at all its points or at some of them."""

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tests.crash.faults import FAILED_SYNC, FULL, FULL_ONCE, KILL, POWER_CUT, Fault
from tests.crash.harness import Aftermath, Point
from tests.crash.ledger import EVERY_POINT, sliced
from tests.crash.player import points_of
from tests.crash.stage import Scene

T = TypeVar("T")

Form = Mapping[Fault, int]
"""At how many points of each drill a fault strikes."""

SHORT: tuple[Form, ...] = ({KILL: 1}, {FAILED_SYNC: 1}, {KILL: 1, FULL_ONCE: 1})
"""In short, one drill of each kind of work is struck by one of these in turn."""
MIDDLE: Form = {KILL: 3, POWER_CUT: 2, FULL_ONCE: 1, FULL: 1, FAILED_SYNC: 1}


def nothing(_: Path) -> None:
    """Start from an empty folder."""


@dataclass(frozen=True)
class Drill:
    """A piece of work that faults strike, and how one sees that they did no harm."""

    scene: Scene
    look: Callable[[Aftermath], list[str]]
    """Says what is amiss in what the scene left, as the next process finds it."""
    gates: tuple[str, ...]
    prepare: Callable[[Path], None] = nothing
    """Makes the folder that the scene starts from."""
    disks: tuple[str, ...] = ("store",)
    """The folders below that one of which each lies on a disk of its own."""
    name: str = ""
    drills: str = "store"
    """The capability whose work it is, or the store itself."""

    def __str__(self) -> str:
        return self.name or self.scene.__name__.replace("_", "-")


@dataclass
class Tally:
    """What came of striking a drill with one fault."""

    points: int = 0
    seconds: float = 0.0
    violations: dict[Point, list[str]] = field(default_factory=dict)


def sweep(
    drill: Drill, space: Path, form: Form, *, at_all: bool = EVERY_POINT
) -> dict[Fault, Tally]:
    """Strike a drill with each fault of a form, at so many points or at all."""
    prepared = Path(tempfile.mkdtemp(dir=space))
    drill.prepare(prepared)
    points = points_of(drill.scene, prepared, drill.gates)
    faults = [fault for fault in form if fault.is_possible(drill.disks)]
    return {
        fault: strike_at(
            _chosen(points, fault, None if at_all else form[fault]), drill, fault, prepared, space
        )
        for fault in faults
    }


def strike_at(
    points: list[Point], drill: Drill, fault: Fault, prepared: Path, space: Path
) -> Tally:
    """Strike a drill at each of these points, and look at what it leaves."""
    tally, begun = Tally(), time.monotonic()
    for point in points:
        with fault.strike(point, drill.scene, space, prepared, drill.disks) as after:
            if after is None:
                continue
            tally.points += 1
            found = after if isinstance(after, list) else drill.look(after)
        if found:
            tally.violations[point] = found
    tally.seconds = time.monotonic() - begun
    return tally


def _chosen(points: list[Point], fault: Fault, count: int | None) -> list[Point]:
    """Choose the points of a fault: all of the slice, or so many that lie evenly apart."""
    possible = [point for point in points if point.call in fault.calls]
    return sliced(possible) if count is None else list(evenly(possible, count))


def evenly(points: Sequence[T], count: int) -> Iterator[T]:
    """Take some of many, from the middle of as many equal parts."""
    count = min(count, len(points))
    return (points[len(points) * (2 * part + 1) // (2 * count)] for part in range(count))
