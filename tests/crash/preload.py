"""The second method of striking: library calls that fail, are torn or kill, by `faulty.c`.

What strace does from outside, at system calls of one thread and one name, this does from within, at
the nth change of any sort to a file of the drill, whoever makes it; and after a kill once more
while the next process opens what is left.
"""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.crash import preloaded
from tests.crash.checks import Ack
from tests.crash.harness import ROOT, Aftermath, Point, copied
from tests.crash.ledger import EVERY_POINT, sliced
from tests.crash.stage import Scene
from tests.crash.sweep import Drill, Tally, evenly
from tests.patience import PATIENCE_S

SOURCE = Path(__file__).with_name("faulty.c")
KILL, TEAR, FAIL, FAIL_FROM = 1, 2, 3, 4
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


def built(folder: Path) -> Path | None:
    """Build the library; `None` where there is no compiler, or not Linux."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    library = folder / "faulty.so"
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"]
    subprocess.run(command, check=True, capture_output=True)
    return library


@dataclass
class Said:
    """What a scene told, and how it ended."""

    status: int | None
    words: list[dict[str, Any]]

    def last(self, name: str) -> Any:
        """Give what was told last under a name."""
        return next((words[name] for words in reversed(self.words) if name in words), None)

    def aftermath(self, point: Point, folder: Path) -> Aftermath | list[str]:
        """Judge the end: it may be killed or refused, but meets no bug and does not hang."""
        if self.status is None:
            return ["it hangs"]
        if bug := self.last("bug"):
            return [f"it met a bug: {bug[-2_000:]}"]
        refusal = self.last("refusal")
        if refusal and refusal["code"] != "STORAGE_UNAVAILABLE":
            return [f"it was refused with {refusal}"]
        acks = [Ack(**words["ack"]) for words in self.words if "ack" in words]
        told = [words["told"] for words in self.words if "told" in words]
        return Aftermath(point, folder, acks, told, refusal)


class Player:
    """A process that plays scenes with faults."""

    def __init__(self, library: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", preloaded.__name__, str(library)],
            cwd=ROOT,
            env=os.environ | {"LD_PRELOAD": str(library)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def play(
        self, scene: Scene, folder: Path, gate: str, *, nth: int = 0, what: int = 0, error: int = 0
    ) -> Said:
        """Play a scene, struck at the nth change to a file after a gate."""
        said = folder.with_name(f"{folder.name}.said")
        said.unlink(missing_ok=True)
        order: dict[str, str | float] = {"module": scene.__module__, "scene": scene.__name__}
        order |= {"folder": str(folder), "said": str(said), "gate": gate, "nth": nth}
        order |= {"what": what, "error": error, "patience_s": PATIENCE_S}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        lines = said.read_text().splitlines() if said.exists() else []
        return Said(answer["status"], [json.loads(line) for line in lines])

    def close(self) -> None:
        """End it."""
        self._process.communicate(timeout=PATIENCE_S)


@contextmanager
def playing(library: Path) -> Iterator[Player]:
    """Have a player for a while."""
    player = Player(library)
    try:
        yield player
    finally:
        player.close()


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
        tallies[fault] = _strike_at(player, chosen, drill, fault, prepared)
    return tallies


def _count(player: Player, drill: Drill, folder: Path, gate: str) -> int:
    met = player.play(drill.scene, folder, gate).last("met")
    return int(met or 0)


def _strike_at(
    player: Player, points: list[Point], drill: Drill, fault: LibraryFault, prepared: Path
) -> Tally:
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
    said = player.play(
        drill.scene, folder, point.gate, nth=point.nth, what=fault.what, error=fault.error
    )
    is_killed = said.status == -signal.SIGKILL
    if not is_killed and not said.last("struck"):
        return None
    after = said.aftermath(point, folder)
    if isinstance(after, list):
        return after
    if fault.kills_again and is_killed:
        again = player.play(
            preloaded.reopen, folder, "open", nth=1 + point.nth % RECOVERY_CALLS, what=KILL
        )
        if bug := again.last("bug"):
            return [f"opening it met a bug: {bug[-2_000:]}"]
    return drill.look(after)
