"""What strikes a scene strikes at the call that is meant, in whatever thread, and nowhere else."""

import errno
from pathlib import Path

import pytest

from tests.crash import plain_scenes as scenes
from tests.crash.harness import Aftermath, Point
from tests.crash.overseeing import FAIL, Strike
from tests.crash.player import killed_in, player, points_of, struck_in
from tests.crash.syscalls import needs_filter

pytestmark = needs_filter

FIRST, SECOND, THIRD = (Point("write", "write", nth) for nth in (1, 2, 3))
SYNC = Point("write", "fsync", 1)


def held(folder: Path) -> str:
    return (folder / scenes.FILE).read_text()


def told(after: Aftermath | list[str] | None) -> list[dict[str, object]]:
    assert isinstance(after, Aftermath), after
    return after.told


def test_points_are_the_changes_to_files_of_all_threads_after_each_gate(tmp_path: Path) -> None:
    (prepared := tmp_path / "prepared").mkdir()

    points = points_of(scenes.write_in_two_threads, prepared, ["write", "later"])

    assert points == [FIRST, SECOND, THIRD, Point("later", "write", 1)]
    assert points_of(scenes.write_elsewhere, prepared, ["write"]) == [FIRST, SYNC]
    room = [Point("write", "fallocate", 1), Point("write", "truncate", 1)]
    assert points_of(scenes.take_and_leave_room, prepared, ["write"]) == room


@pytest.mark.parametrize(
    ("point", "before"), [(FIRST, ""), (SECOND, "thread "), (THIRD, "thread main ")], ids=str
)
def test_who_is_killed_at_a_call_has_not_made_it(tmp_path: Path, point: Point, before: str) -> None:
    assert killed_in(tmp_path, point, scenes.write_in_two_threads) is not None
    assert held(tmp_path) == before


def test_a_call_fails_once_and_the_next_does_not(tmp_path: Path) -> None:
    after = struck_in(tmp_path, FIRST, scenes.write_in_two_threads, "ENOSPC")

    assert told(after) == [{"failed": "thread ", "errno": errno.ENOSPC}]
    assert held(tmp_path) == "main again later"


def test_calls_that_fail_for_good_do_so_until_the_next_gate(tmp_path: Path) -> None:
    after = struck_in(tmp_path, SECOND, scenes.write_in_two_threads, "ENOSPC", lasts=True)

    assert [one["failed"] for one in told(after)] == ["main ", "again "]
    assert held(tmp_path) == "thread later"


def test_a_point_that_is_never_met_is_told_from_one_that_is(tmp_path: Path) -> None:
    assert killed_in(tmp_path, Point("write", "write", 4), scenes.write_in_two_threads) is None
    assert killed_in(tmp_path, Point("write", "rename", 1), scenes.write_in_two_threads) is None
    assert killed_in(tmp_path, Point("nowhere", "write", 1), scenes.write_in_two_threads) is None


def test_every_second_point_is_struck_beside_the_main_thread_which_leads_no_commit(
    tmp_path: Path,
) -> None:
    first, second = (
        player().play(scenes.say_where, tmp_path, Strike("write", nth, FAIL, call="fsync"))
        for nth in (1, 2)
    )

    assert [said.words[-1] for said in (first, second)] == [
        {"told": {"is_main": False}},
        {"told": {"is_main": True}},
    ]


def test_a_bug_that_a_fault_brings_out_is_told_in_words(tmp_path: Path) -> None:
    after = struck_in(tmp_path, SYNC, scenes.fall_over, "EIO")

    assert isinstance(after, list)
    assert "fall_over" in after[0]


def test_a_scene_that_ends_by_itself_is_no_kill_of_ours(tmp_path: Path) -> None:
    said = player().play(scenes.be_killed_by_another, tmp_path, Strike("write", 1, call="write"))

    assert not said.has_struck
    assert not said.is_killed
    assert isinstance(said.aftermath(FIRST, tmp_path), list)
