"""A repair killed at any point leaves the damaged store in its place, or the mended one."""

from pathlib import Path

import pytest

from hansard.app.keeping.backup import find_backup
from hansard.app.keeping.repair import salvage
from tests.app import keeping_scenes as scenes
from tests.app import kept
from tests.crash.harness import Aftermath, Point, killed_at, killed_everywhere, needs_strace

pytestmark = needs_strace

POINTS = (
    Point("repair", "fdatasync", 3),
    Point("repair", "rename", 1),
    Point("repair", "renameat2", 1),
)


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    (tmp_path / "prepared").mkdir()
    scenes.a_damaged_store(tmp_path / "prepared")
    return tmp_path / "prepared"


def faults(after: Aftermath) -> list[str]:
    """See that a store is in place, damaged or mended, then mend it."""
    store = after.folder / scenes.STORE
    if not (store / "hansard.db").exists():
        return ["there is no store where it was"]
    salvage(
        store,
        find_backup(after.folder / scenes.BACKUPS),
        open_store=kept.open_store,
        stamp=kept.PERSON,
    )
    left = [path.name for path in after.folder.glob(".*")]
    return kept.faults(store) + [f"{name} is left over" for name in left]


@pytest.mark.parametrize("point", POINTS, ids=lambda point: f"{point.call}-{point.nth}")
def test_a_kill_at_some_points_makes_nothing_worse(
    prepared: Path, tmp_path: Path, point: Point
) -> None:
    after = killed_at(point, scenes.repair, prepared, tmp_path)

    assert after is not None, "the scene does not come to it"
    assert faults(after) == []


@pytest.mark.slow("kills a process at every change that it makes to files")
@pytest.mark.timeout(900)
def test_a_kill_at_any_point_makes_nothing_worse(prepared: Path, tmp_path: Path) -> None:
    afters = killed_everywhere(scenes.repair, prepared, tmp_path, gates=("repair",))

    found = {after.point: faults(after) for after in afters}

    assert found
    assert {point: one for point, one in found.items() if one} == {}
