"""A backup killed at any point never looks like a whole one, and harms neither store nor others."""

from pathlib import Path

import pytest

from hansard.app.keeping import backup, restoring
from tests.app import keeping_scenes as scenes
from tests.app import kept
from tests.crash.harness import Aftermath, Point, killed_at, killed_everywhere, needs_strace

pytestmark = needs_strace

POINTS = (
    Point("backup", "pwrite64", 4),
    Point("backup", "fsync", 1),
    Point("backup", "rename", 1),
)


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    (tmp_path / "prepared").mkdir()
    scenes.a_store_and_a_backup(tmp_path / "prepared")
    return tmp_path / "prepared"


def faults(after: Aftermath) -> list[str]:
    """Look at the store, bring back every backup there is, and take another."""
    store, target = after.folder / scenes.STORE, after.folder / scenes.BACKUPS
    found = kept.faults(store)
    for number, one in enumerate(backup.backups(target)):
        restored = after.folder / f"restored-{number}"
        restoring.restore_folder(one, restored, open_store=kept.open_store)
        found += kept.faults(restored)
    if backup.backups(target)[0].taken_at != kept.AT:
        found.append("the backup of before is gone")
    with kept.opened(store) as app:
        at = scenes.LATER.replace("T04", "T05")
        backup.back_up(app.store, store, target, at=at, open_store=kept.open_store)
    found += [f"{path.name} is left over" for path in target.glob(".incoming*")]
    return found


@pytest.mark.holds("ALL-04.5")
@pytest.mark.parametrize("point", POINTS, ids=lambda point: f"{point.call}-{point.nth}")
def test_a_kill_at_some_points_leaves_whole_backups_only(
    prepared: Path, tmp_path: Path, point: Point
) -> None:
    after = killed_at(point, scenes.backup, prepared, tmp_path)

    assert after is not None, "the scene does not come to it"
    assert faults(after) == []


@pytest.mark.slow("kills a process at every change that it makes to files")
@pytest.mark.timeout(900)
def test_a_kill_at_any_point_leaves_whole_backups_only(prepared: Path, tmp_path: Path) -> None:
    afters = killed_everywhere(scenes.backup, prepared, tmp_path, gates=("backup",))

    found = {after.point: faults(after) for after in afters}

    assert found
    assert {point: one for point, one in found.items() if one} == {}
