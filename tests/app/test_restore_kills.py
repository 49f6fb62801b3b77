"""A restore killed at any point leaves nothing or the whole, and can be done again."""

import dataclasses
from pathlib import Path

import pytest

from tests.app import keeping_scenes as scenes
from tests.app.restore_drills import NEW_PLACE, SAME_PLACE
from tests.crash.faults import KILL
from tests.crash.harness import Point
from tests.crash.player import points_of
from tests.crash.sweep import Drill, strike_at
from tests.crash.syscalls import needs_filter

pytestmark = [needs_filter, pytest.mark.fault("kill -9")]

POINTS = [
    (NEW_PLACE, Point("restore", "pwrite64", 4)),
    (NEW_PLACE, Point("restore", "fsync", 2)),
    (NEW_PLACE, Point("restore", "rename", 1)),
    (SAME_PLACE, Point("restore", "rename", 1)),
    (SAME_PLACE, Point("restore", "renameat2", 1)),
]


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    (tmp_path / "prepared").mkdir()
    scenes.a_store_and_a_backup(tmp_path / "prepared")
    return tmp_path / "prepared"


@pytest.mark.holds("ALL-04.5")
@pytest.mark.parametrize(("drill", "point"), POINTS, ids=str)
def test_a_kill_at_some_points_leaves_nothing_or_the_whole(
    prepared: Path, tmp_path: Path, drill: Drill, point: Point
) -> None:
    tally = strike_at([point], drill, KILL, prepared, tmp_path)

    assert tally.points == 1, "the scene does not come to it"
    assert tally.violations == {}


def test_a_restore_that_builds_in_place_is_found_out(prepared: Path, tmp_path: Path) -> None:
    hasty = dataclasses.replace(NEW_PLACE, scene=scenes.bring_back_in_place)
    points = points_of(hasty.scene, prepared, hasty.gates)

    tally = strike_at(points[-1:], hasty, KILL, prepared, tmp_path)

    assert tally.violations
