"""A process killed at any point of an operation leaves files and record whole, and in agreement."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.kernel.effect import open_intents
from hansard.recorder.answers import Evolution
from hansard.recorder.temporaries import PREFIX
from tests.crash import checks
from tests.crash.harness import (
    Aftermath,
    Point,
    calls_in,
    killed_at,
    killed_everywhere,
    killed_in,
    needs_strace,
    playing,
    times,
    traced,
)
from tests.crash.power import cut_at, cut_everywhere, needs_disks
from tests.crash.stage import Scene
from tests.recorder import recorder_scenes as scenes
from tests.recorder.asking import contents, sha256
from tests.recorder.recorder_scenes import NEW, OLD, STORE, WORKSPACE, call, open_recorder

pytestmark = needs_strace

A, B = f"a: {OLD}", f"b: {OLD}"
States = dict[str, tuple[str | None, str | None]]
"""Of each file what it may hold: before, and after."""

STATES: dict[Scene, States] = {
    scenes.create: {"a": (A, A), "b": (B, B), "d/new": (None, NEW)},
    scenes.edit: {"a": (A, NEW), "b": (B, B)},
    scenes.delete: {"a": (A, None), "b": (B, B)},
    scenes.move: {"a": (A, None), "b": (B, B), "d/moved": (None, A)},
    scenes.batch: {"a": (A, NEW), "b": (B, None), "new": (None, NEW)},
    scenes.restore: {"a": (A, OLD), "b": (B, OLD)},
}
SCENES = [pytest.param(scene, id=scene.__name__) for scene in STATES]

SAMPLE: dict[Scene, list[Point]] = {
    scenes.create: [Point("op", "fdatasync", 1), Point("op", "renameat2", 1)],
    scenes.edit: [Point("op", "fsync", 1), Point("op", "fsync", 2), Point("op", "fdatasync", 2)],
    scenes.delete: [Point("op", "renameat2", 1), Point("op", "unlinkat", 1)],
    scenes.move: [Point("op", "renameat2", 1), Point("op", "fsync", 1)],
    scenes.batch: [Point("op", "renameat2", 2), Point("op", "fsync", 4)],
    scenes.restore: [Point("op", "renameat2", 2)],
}
"""A few telling points, for those who cannot wait."""


@pytest.mark.parametrize("scene", SCENES)
def test_a_kill_at_some_points_leaves_files_and_record_in_agreement(
    scene: Scene, tmp_path: Path
) -> None:
    found = {}
    for point in SAMPLE[scene]:
        after = killed_at(point, scene, prepared(tmp_path), tmp_path)
        assert after is not None, f"the scene does not come to {point}"
        found[point] = faults(after, STATES[scene])

    assert {point: amiss for point, amiss in found.items() if amiss} == {}


@pytest.mark.holds("FIL-effect-8", "FIL-effect-9", "FIL-effect-3")
@pytest.mark.slow("kills a process at every change that it makes to files")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("scene", SCENES)
def test_a_kill_at_any_point_leaves_files_and_record_in_agreement(
    scene: Scene, tmp_path: Path
) -> None:
    afters = killed_everywhere(scene, prepared(tmp_path), tmp_path, gates=("op", "close"))

    found = {after.point: faults(after, STATES[scene]) for after in afters}

    sys.stdout.write(f"{scene.__name__}: killed at {len(found)} points\n")
    assert found
    assert {point: amiss for point, amiss in found.items() if amiss} == {}


@needs_disks
@pytest.mark.parametrize("scene", [scenes.create, scenes.edit], ids=lambda scene: scene.__name__)
def test_a_power_cut_at_some_points_leaves_files_and_record_in_agreement(
    scene: Scene, tmp_path: Path
) -> None:
    for point in SAMPLE[scene]:
        with cut_at(point, scene, tmp_path, disks=(STORE, WORKSPACE)) as after:
            assert after is not None, f"the scene does not come to {point}"
            assert faults(after, STATES[scene]) == []


@needs_disks
@pytest.mark.slow("cuts the power at every change that a process makes to files")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("scene", SCENES)
def test_a_power_cut_at_any_point_leaves_files_and_record_in_agreement(
    scene: Scene, tmp_path: Path
) -> None:
    afters = cut_everywhere(scene, tmp_path, gates=("op", "close"), disks=(STORE, WORKSPACE))

    found = {after.point: faults(after, STATES[scene]) for after in afters}

    sys.stdout.write(f"{scene.__name__}: power cut at {len(found)} points\n")
    assert found
    assert {point: amiss for point, amiss in found.items() if amiss} == {}


@pytest.mark.slow("kills a process at every change that it makes to files")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("call", ["renameat2", "fsync"])
def test_a_kill_while_a_crash_is_settled_leaves_it_to_be_settled(call: str, tmp_path: Path) -> None:
    killed = killed_at(Point("op", call, 1), scenes.edit, prepared(tmp_path), tmp_path)
    assert killed is not None
    count = 0

    # Another folder would be another workspace, so each round starts from a copy put in its place.
    whole = shutil.copytree(killed.folder, tmp_path / "whole")
    for nth in times():
        shutil.rmtree(killed.folder)
        shutil.copytree(whole, killed.folder)
        after = killed_in(killed.folder, Point("op", "pwrite64", nth), scenes.settle)
        if after is None:
            break
        count += 1
        assert faults(after, STATES[scenes.edit]) == []

    sys.stdout.write(f"settling: killed at {count} points\n")
    assert count


def prepared(tmp_path: Path) -> Path:
    folder = tmp_path / "prepared"
    folder.mkdir(exist_ok=True)
    return folder


def faults(after: Aftermath, states: States) -> list[str]:
    """Look at files and record as the next process finds and settles them."""
    app = open_recorder(after.folder)
    settled = head(app)
    app.close()
    app = open_recorder(after.folder)
    found = [] if head(app) == settled else ["settling twice is not settling once"]
    found += file_faults(app, after, states) + checks.findings(app)
    found += takes_new_work(app, after.folder)
    app.close()
    return found + leftovers(after.folder)


def head(app: Application) -> int:
    return app.store.engine.heads()[app.default_project].seq


def file_faults(app: Application, after: Aftermath, states: States) -> list[str]:
    """Compare what is on disk with what may be there, and with what the record says."""
    disk = {path: data.decode() for path, data in contents(after.folder / WORKSPACE).items()}
    found = [f"{path} is on disk" for path in disk.keys() - states.keys()]
    for path, allowed in states.items():
        if disk.get(path) not in allowed:
            found.append(f"{path} is torn: {disk.get(path)!r}")
        if after.told and disk.get(path) != allowed[1]:
            found.append(f"{path} was acknowledged and is not there")
        if recorded(app, path) != (sha256(disk[path]) if path in disk else None):
            found.append(f"{path} is not what the record says")
    still = open_intents(app.store, app.default_project)
    return found + [f"s:{one.row['seq']} is still open" for one in still]


def recorded(app: Application, path: str) -> str | None:
    """Give the digest of what a file holds, by the record."""
    listed = call(app, "get_evolution", limit=1000)
    assert isinstance(listed, Evolution)
    return {one.path: one.sha256 for one in listed.files or ()}.get(path)


def takes_new_work(app: Application, folder: Path) -> list[str]:
    """Change the same files once more."""
    for path in ("a", "b", "afterwards"):
        there = (folder / WORKSPACE / path).exists()
        action = "edit" if there else "create"
        result = call(app, "file_op", action=action, path=path, content="afterwards\n").results[0]
        if result.status != "done" or result.external_change:
            return [f"a new change of {path} went like this: {result.text()}"]
    return []


def leftovers(folder: Path) -> list[str]:
    temporaries = [path.name for path in (folder / WORKSPACE).rglob(f"{PREFIX}*")]
    return [f"{name} is left over" for name in temporaries] + checks.leftovers(folder / STORE)


# The checks must be able to fail.


@pytest.mark.parametrize(
    ("scene", "point"),
    [
        (scenes.edit_in_place, Point("op", "write", 3)),
        (scenes.edit_before_recording, Point("op", "pwrite64", 1)),
    ],
    ids=["in-place", "before-recording"],
)
def test_a_broken_way_of_changing_files_is_found_out(
    scene: Scene, point: Point, tmp_path: Path
) -> None:
    after = killed_at(point, scene, prepared(tmp_path), tmp_path)

    assert after is not None
    assert faults(after, STATES[scenes.edit]) != []


@needs_disks
def test_a_change_that_is_not_synced_is_found_out(tmp_path: Path) -> None:
    """The outcome's own write is the last: only the power can tell that the file lags behind it."""
    point = Point("close", "pwrite64", 1)

    with cut_at(point, scenes.edit_without_sync, tmp_path, disks=(STORE, WORKSPACE)) as after:
        assert after is not None
        found = faults(after, STATES[scenes.edit])

    assert "a was acknowledged and is not there" in found


def test_a_start_that_settles_nothing_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    after = killed_at(Point("op", "fsync", 1), scenes.edit, prepared(tmp_path), tmp_path)
    monkeypatch.setattr(Application, "recover", lambda _: None)

    assert after is not None
    assert any("still open" in fault for fault in faults(after, STATES[scenes.edit]))


# What it costs.

Costs = Callable[[Path], list[str]]


@pytest.mark.holds("FIL-effect-3")
@pytest.mark.parametrize(
    ("scene", "expected"),
    [
        (scenes.edit, ["hansard.db-wal", "temporary", WORKSPACE, "hansard.db-wal"]),
        (scenes.delete, ["hansard.db-wal", WORKSPACE, "hansard.db-wal"]),
    ],
    ids=["edit", "delete"],
)
def test_an_operation_costs_at_most_four_syncs(
    scene: Scene, expected: list[str], tmp_path: Path
) -> None:
    with playing(scene, tmp_path) as child:
        child.until("op")
        with traced(child, "-e", "trace=fsync,fdatasync") as output:
            child.go_on()
            child.next_gate()
        child.go_on()

    assert [_target(one.text) for one in calls_in(output)] == expected


def _target(text: str) -> str:
    """Name what strace says was synced."""
    name = Path(text.partition("<")[2].partition(">")[0]).name
    return "temporary" if name.startswith(PREFIX) else name
