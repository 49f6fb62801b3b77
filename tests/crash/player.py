"""Playing scenes with faults: what is asked of the process that forks for each, and what it tells.

The process is `tests.crash.actors`. A scene is a function of a module, given a `Stage`; faults
strike it after one of its gates, at which here nobody waits.
"""

import atexit
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.crash import actors
from tests.crash.actors import Order
from tests.crash.checks import Ack
from tests.crash.harness import ROOT, Aftermath, Point, copied
from tests.crash.overseeing import FAIL, FAIL_FROM, KILL, Strike
from tests.crash.stage import Scene
from tests.patience import PATIENCE_S

SOURCE = Path(__file__).with_name("faulty.c")


@dataclass
class Said:
    """What a scene told, and how it ended."""

    status: int | None
    words: list[dict[str, Any]]
    met: list[str]
    """The system calls that it made after the gate."""
    has_struck: bool

    @property
    def is_killed(self) -> bool:
        return self.status == -signal.SIGKILL

    def last(self, name: str) -> Any:
        """Give what was told last under a name."""
        return next((words[name] for words in reversed(self.words) if name in words), None)

    def aftermath(self, point: Point, folder: Path) -> Aftermath | list[str]:
        """Judge the end: it may be killed or refused, but meets no bug and does not hang."""
        if self.status is None:
            return ["it hangs"]
        if bug := self.last("bug"):
            return [f"it met a bug: {bug[-2_000:]}"]
        if self.status and not self.is_killed:
            return [f"it ended with {self.status}"]
        refusal = self.last("refusal")
        if refusal and refusal["code"] != "STORAGE_UNAVAILABLE":
            return [f"it was refused with {refusal}"]
        acks = [Ack(**words["ack"]) for words in self.words if "ack" in words]
        told = [words["told"] for words in self.words if "told" in words]
        return Aftermath(point, folder, acks, told, refusal)


class Player:
    """The process that plays, seen from here."""

    def __init__(self, library: Path | None = None) -> None:
        """Start it; with the library that has calls fail, if that is what shall strike."""
        named = [str(library)] if library else []
        self._process = subprocess.Popen(
            [sys.executable, "-m", actors.__name__, *named],
            cwd=ROOT,
            env=os.environ | {"LD_PRELOAD": named[0]} if named else None,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def play(self, scene: Scene, folder: Path, strike: Strike) -> Said:
        """Play a scene to its end, whatever strikes it."""
        said = folder.with_name(f"{folder.name}.said")
        order = Order(scene.__module__, scene.__name__, str(folder), str(said), strike)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(order.line())
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        words = [json.loads(line) for line in said.read_text().splitlines()]
        said.unlink()
        return Said(answer["status"], words, answer["met"], answer["struck"])

    def close(self) -> None:
        """End it."""
        self._process.communicate(timeout=PATIENCE_S)


@cache
def player(library: Path | None = None) -> Player:
    """Give this process's player, which starts when it is first asked for."""
    started = Player(library)
    atexit.register(started.close)
    return started


@cache
def built() -> Path | None:
    """Build the library; `None` where there is no compiler, or not Linux."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    folder = tempfile.mkdtemp(prefix="hansard-faulty-")
    atexit.register(shutil.rmtree, folder)
    library = Path(folder) / "faulty.so"
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"]
    subprocess.run(command, check=True, capture_output=True)
    return library


def killed_at(point: Point, scene: Scene, prepared: Path, space: Path) -> Aftermath | None:
    """Kill a scene before one of its changes to files; `None` if it never comes to that."""
    return killed_in(copied(prepared, space), point, scene)


def killed_in(folder: Path, point: Point, scene: Scene) -> Aftermath | None:
    """Kill a scene that is played in this very folder."""
    after = struck_in(folder, point, scene)
    assert not isinstance(after, list), after
    return after


def struck_in(
    folder: Path, point: Point, scene: Scene, error: str | None = None, *, lasts: bool = False
) -> Aftermath | list[str] | None:
    """Kill a scene at a system call, or have that fail, once or from then on.

    Gives what is left; in words what is wrong already; `None` if the point is never met.
    """
    what = (FAIL_FROM if lasts else FAIL) if error else KILL
    number = getattr(errno, error) if error else 0
    strike = Strike(point.gate, point.nth, what, number, point.call)
    said = player().play(scene, folder, strike)
    return said.aftermath(point, folder) if said.has_struck else None


def points_of(scene: Scene, prepared: Path, gates: Iterable[str]) -> list[Point]:
    """Play a scene undisturbed, and list its changes to files between each gate and the next."""
    points, counts = [], Counter[tuple[str, str]]()
    for gate in gates:
        folder = copied(prepared, prepared.parent)
        said = player().play(scene, folder, Strike(gate, call=""))
        after = said.aftermath(Point(gate, "", 0), folder)
        assert isinstance(after, Aftermath), f"undisturbed, {after}"
        shutil.rmtree(folder)
        for call in said.met:
            counts[gate, call] += 1
            points.append(Point(gate, call, counts[gate, call]))
    return points
