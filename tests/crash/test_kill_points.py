"""A process killed at any point of its work leaves a store that is whole and goes on working."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel import effect
from hansard.kernel.engine import WriteTx
from hansard.kernel.store import walk
from tests import toy
from tests.crash import checks, scenes, toys
from tests.crash.harness import Aftermath, Point, killed_at, killed_everywhere, needs_strace
from tests.crash.stage import Scene

pytestmark = needs_strace

Prepare = Callable[[Path], None]


@dataclass(frozen=True)
class Drill:
    """A scene, what it starts from, and at which of its gates and points it is killed."""

    scene: Scene
    prepare: Prepare
    gates: tuple[str, ...]
    sample: tuple[Point, ...]
    """A few telling points, for those who cannot wait."""


def nothing(_: Path) -> None:
    """Start from an empty folder."""


def some_notes(folder: Path) -> None:
    """Start from a store with a few notes."""
    app = toys.open_application(folder / scenes.STORE)
    for number in range(3):
        app.call("toy_note", {"text": f"prepared {number}"}, toys.a_caller())
    app.close()


def notes_in_old_views(folder: Path) -> None:
    """Start from a store whose views are of an older version, and differ."""
    some_notes(folder)
    app = toys.open_application(folder / scenes.STORE)

    def age(tx: WriteTx) -> None:
        tx.clear([toy.NOTES], [toy.WORDS])
        tx.mark_views("toy:0")

    app.store.engine.write(app.default_project, age)
    app.close()


def notes_and_a_file(folder: Path) -> None:
    """Start from a store with a few notes, and a file beside it."""
    some_notes(folder)
    (folder / scenes.FILE).write_text(scenes.BEFORE)


FIRST_OPENING = Drill(
    scenes.first_opening,
    nothing,
    ("open",),
    (Point("open", "pwrite64", 20), Point("open", "fdatasync", 3), Point("open", "unlink", 1)),
)
PLAIN_WRITE = Drill(
    scenes.plain_write,
    some_notes,
    ("write", "close"),
    (
        Point("write", "pwrite64", 5),
        Point("write", "fdatasync", 1),
        Point("close", "fdatasync", 2),
    ),
)
LARGE_WRITE = Drill(
    scenes.large_write,
    some_notes,
    ("write",),
    (Point("write", "fsync", 2), Point("write", "fdatasync", 1)),
)
REBUILD = Drill(
    scenes.rebuild,
    notes_in_old_views,
    ("rebuild",),
    (Point("rebuild", "pwrite64", 9), Point("rebuild", "fdatasync", 1)),
)
FILE_EFFECT = Drill(
    scenes.replace_file,
    notes_and_a_file,
    ("effect", "close"),
    (
        Point("effect", "fdatasync", 1),
        Point("effect", "rename", 1),
        Point("effect", "fsync", 2),
        Point("effect", "fdatasync", 2),
    ),
)
STORE_DRILLS = [
    pytest.param(FIRST_OPENING, id="first-opening"),
    pytest.param(PLAIN_WRITE, id="plain-write"),
    pytest.param(LARGE_WRITE, id="large-write"),
    pytest.param(REBUILD, id="rebuild"),
]


@pytest.mark.holds("ALL-04.5")
@pytest.mark.parametrize("drill", STORE_DRILLS)
def test_a_kill_at_some_points_loses_and_breaks_nothing(drill: Drill, tmp_path: Path) -> None:
    assert faults_at(drill, tmp_path, store_faults) == {}


@pytest.mark.holds("ALL-04.5")
@pytest.mark.slow("kills a process at every change that it makes to files")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("drill", STORE_DRILLS)
def test_a_kill_at_any_point_loses_and_breaks_nothing(drill: Drill, tmp_path: Path) -> None:
    assert faults_everywhere(drill, tmp_path, store_faults) == {}


@pytest.mark.parametrize(
    ("scene", "point"),
    [
        pytest.param(scenes.large_write, Point("write", "rename", 1), id="half-a-blob"),
        pytest.param(scenes.replace_file, Point("effect", "fdatasync", 1), id="an-owners-lock"),
    ],
)
def test_what_a_killed_process_leaves_is_removed(
    scene: Scene, point: Point, tmp_path: Path
) -> None:
    drill = Drill(scene, notes_and_a_file, (point.gate,), (point,))

    assert faults_at(drill, tmp_path, leftover_faults) == {}


def test_a_kill_at_some_points_of_an_effect_leaves_it_done_or_undone(tmp_path: Path) -> None:
    assert faults_at(FILE_EFFECT, tmp_path, effect_faults) == {}


@pytest.mark.slow("kills a process at every change that it makes to files")
@pytest.mark.timeout(900)
def test_a_kill_at_any_point_of_an_effect_leaves_it_done_or_undone(tmp_path: Path) -> None:
    assert faults_everywhere(FILE_EFFECT, tmp_path, effect_faults) == {}


@pytest.mark.slow("kills a process at every change that it makes to files")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("call", ["rename", "fsync"])
def test_a_kill_while_a_crash_is_settled_leaves_it_to_be_settled(call: str, tmp_path: Path) -> None:
    def killed_in_the_effect(folder: Path) -> None:
        (tmp_path / "whole").mkdir()
        notes_and_a_file(tmp_path / "whole")
        point = Point("effect", call, 2 if call == "fsync" else 1)
        after = killed_at(point, scenes.replace_file, tmp_path / "whole", tmp_path)
        assert after is not None
        shutil.copytree(after.folder, folder, dirs_exist_ok=True)

    drill = Drill(scenes.settle, killed_in_the_effect, ("settle", "close"), ())

    assert faults_everywhere(drill, tmp_path, effect_faults) == {}


def test_a_change_without_an_intent_is_found_out(tmp_path: Path) -> None:
    point = Point("effect", "fsync", 1)
    drill = Drill(scenes.replace_file_rashly, notes_and_a_file, ("effect",), (point,))

    assert faults_at(drill, tmp_path, effect_faults) != {}


def faults_at(
    drill: Drill, tmp_path: Path, look: Callable[[Aftermath], list[str]]
) -> dict[Point, list[str]]:
    """Kill the scene at the sampled points, and gather what is amiss afterwards."""
    prepared = prepare(drill, tmp_path)
    found = {}
    for point in drill.sample:
        after = killed_at(point, drill.scene, prepared, tmp_path)
        assert after is not None, f"the scene does not come to {point}"
        found[point] = look(after)
    return {point: faults for point, faults in found.items() if faults}


def faults_everywhere(
    drill: Drill, tmp_path: Path, look: Callable[[Aftermath], list[str]]
) -> dict[Point, list[str]]:
    """Kill the scene at every point there is, and gather what is amiss afterwards."""
    prepared = prepare(drill, tmp_path)
    afters = killed_everywhere(drill.scene, prepared, tmp_path, gates=drill.gates)
    found = {after.point: look(after) for after in afters}
    assert found, "nothing was ever killed"
    return {point: faults for point, faults in found.items() if faults}


def prepare(drill: Drill, tmp_path: Path) -> Path:
    """Make the folder the scene starts from."""
    prepared = tmp_path / "prepared"
    prepared.mkdir()
    drill.prepare(prepared)
    return prepared


def store_faults(after: Aftermath) -> list[str]:
    """Look at a store as the next process finds it."""
    app = toys.open_application(after.folder / scenes.STORE)
    found = checks.findings(app, after.acks) + checks.takes_new_work(app, "afterwards")
    app.close()
    return found


def leftover_faults(after: Aftermath) -> list[str]:
    """Look at a store's folder after the next process has come and gone."""
    found = store_faults(after)
    return found + checks.leftovers(after.folder / scenes.STORE)


def effect_faults(after: Aftermath) -> list[str]:
    """Look at a store and at the file beside it, as the next process finds and settles them."""
    app = toys.open_application(after.folder / scenes.STORE)
    for _ in range(2):
        effect.settle(app.store, app.default_project, toys.effects(after.folder), toys.STAMP)
    found = file_faults(app, after.folder) + checks.findings(app, after.acks)
    app.close()
    temporaries = [path.name for path in after.folder.glob(".*")]
    return found + [f"{name} is left over" for name in temporaries]


def file_faults(app: Application, folder: Path) -> list[str]:
    """Compare the file with what the timeline says of it."""
    entries = app.store.read(app.default_project, lambda tx: list(walk(tx)))
    events = [app.store.kinds.decode(entry) for entry in entries]
    intents = [event for event in events if isinstance(event, toys.FileIntended)]
    outcomes = [event.result for event in events if isinstance(event, toys.FileSettled)]
    text = (folder / scenes.FILE).read_text()
    told: dict[str, list[Any]] = {
        scenes.BEFORE: ["aborted"] if intents else [],
        scenes.AFTER: ["done"],
    }
    if outcomes == told.get(text):
        return []
    return [f"the file holds {text!r} and the timeline says {outcomes}"]
