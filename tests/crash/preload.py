"""The second method of striking: library calls that fail, are torn or kill, by `faulty.c`.

What strace does from outside, at system calls of one thread and one name, this does from within, at
the nth change of any sort to a file of the drill, whoever makes it; and after a kill once more
while the next process opens what is left.
"""

import errno
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.crash import actors
from tests.crash.harness import Point, copied
from tests.crash.ledger import EVERY_POINT, sliced
from tests.crash.overseeing import FAIL, FAIL_FROM, KILL, TEAR, Strike
from tests.crash.player import Player
from tests.crash.sweep import Drill, Tally, evenly

RECOVERY_CALLS = 7
"""Among so many of the first calls of an opening the second kill is chosen."""


@dataclass(frozen=True, slots=True)
class LibraryFault:
    """Something that happens at the nth change to a file."""

    name: str
    what: int
    error: int = 0
    kills_again: bool = False
    """Whether the next process is killed, too, while it opens what is left."""


FAULTS = (
    LibraryFault("call kills", KILL),
    LibraryFault("call kills, recovery too", KILL, kills_again=True),
    LibraryFault("write torn, then kill", TEAR),
    LibraryFault("call fails once (EIO)", FAIL, errno.EIO),
    LibraryFault("call fails once (ENOSPC)", FAIL, errno.ENOSPC),
    LibraryFault("calls fail for good (EIO)", FAIL_FROM, errno.EIO),
    LibraryFault("calls fail for good (ENOSPC)", FAIL_FROM, errno.ENOSPC),
)


def sweep(
    player: Player, drill: Drill, space: Path, faults: dict[LibraryFault, int]
) -> dict[LibraryFault, Tally]:
    """Strike a drill with each of these faults at so many points, or at all."""
    prepared = Path(tempfile.mkdtemp(dir=space))
    drill.prepare(prepared)
    points = [
        Point(gate, "call", number + 1)
        for gate in drill.gates
        for number in range(_count(player, drill, copied(prepared, space), gate))
    ]
    tallies = {}
    for fault, count in faults.items():
        chosen = sliced(points) if EVERY_POINT else list(evenly(points, count))
        tallies[fault] = strike_at(player, chosen, drill, fault, prepared)
    return tallies


def _count(player: Player, drill: Drill, folder: Path, gate: str) -> int:
    return int(player.play(drill.scene, folder, Strike(gate)).last("met") or 0)


def strike_at(
    player: Player, points: list[Point], drill: Drill, fault: LibraryFault, prepared: Path
) -> Tally:
    """Strike a drill at each of these points, and look at what it leaves."""
    tally, begun = Tally(), time.monotonic()
    for point in points:
        folder = copied(prepared, prepared.parent)
        found = _struck(player, point, drill, fault, folder)
        if found is not None:
            tally.points += 1
            if found:
                tally.violations[point] = found
        shutil.rmtree(folder)
    tally.seconds = time.monotonic() - begun
    return tally


def _struck(
    player: Player, point: Point, drill: Drill, fault: LibraryFault, folder: Path
) -> list[str] | None:
    """Strike a scene and look at what it leaves; `None` if the point is never met."""
    strike = Strike(point.gate, point.nth, fault.what, fault.error)
    said = player.play(drill.scene, folder, strike)
    if not said.is_killed and not said.last("struck"):
        return None
    after = said.aftermath(point, folder)
    if isinstance(after, list):
        return after
    if fault.kills_again and said.is_killed:
        again = player.play(
            actors.reopen, folder, Strike("open", 1 + point.nth % RECOVERY_CALLS, KILL)
        )
        if bug := again.last("bug"):
            return [f"opening it met a bug: {bug[-2_000:]}"]
    return drill.look(after)
