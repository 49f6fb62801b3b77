"""A broken way of changing files is found out by the drills; what the right one costs."""

from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.recorder.workspace.temporaries import PREFIX
from tests.crash.harness import Point, calls_in, needs_strace, playing, traced
from tests.crash.player import killed_at
from tests.crash.power import cut_at, needs_disks
from tests.crash.stage import Scene
from tests.recorder import recorder_scenes as scenes
from tests.recorder.recorder_drills import STATES, faults
from tests.recorder.recorder_scenes import STORE, WORKSPACE

pytestmark = needs_strace


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    folder = tmp_path / "prepared"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("scene", "point"),
    [
        (scenes.edit_in_place, Point("op", "write", 3)),
        (scenes.edit_before_recording, Point("op", "pwrite64", 1)),
    ],
    ids=["in-place", "before-recording"],
)
def test_a_broken_way_of_changing_files_is_found_out(
    scene: Scene, point: Point, prepared: Path, tmp_path: Path
) -> None:
    after = killed_at(point, scene, prepared, tmp_path)

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
    prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    after = killed_at(Point("op", "fsync", 1), scenes.edit, prepared, tmp_path)
    monkeypatch.setattr(Application, "recover", lambda _: None)

    assert after is not None
    assert any("still open" in fault for fault in faults(after, STATES[scenes.edit]))


# What it costs.


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
