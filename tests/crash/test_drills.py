"""The drills can fail, cover every capability, and what they try is counted."""

from functools import partial
from pathlib import Path

import pytest

from hansard.app import start
from tests.crash import scenes, write_drills
from tests.crash.drills import ALL
from tests.crash.harness import Point
from tests.crash.player import killed_at
from tests.crash.store_drills import effect_faults, notes_and_a_file
from tests.crash.sweep import evenly
from tests.crash.syscalls import needs_filter
from tests.crash.table import KIND, POINTS, STRUCK, Sum, add_up, rows_of


@needs_filter
def test_a_change_without_an_intent_is_found_out(tmp_path: Path) -> None:
    prepared = tmp_path / "prepared"
    prepared.mkdir()
    notes_and_a_file(prepared)

    after = killed_at(Point("effect", "fsync", 1), scenes.replace_file_rashly, prepared, tmp_path)

    assert after is not None
    assert effect_faults(after) != []


@needs_filter
def test_an_operation_that_is_half_written_is_found_out(tmp_path: Path) -> None:
    prepared = tmp_path / "prepared"
    prepared.mkdir()
    write_drills.prepare(prepared)

    after = killed_at(Point("write", "fsync", 1), write_drills.in_halves, prepared, tmp_path)

    assert after is not None
    assert any("entries" in fault for fault in write_drills.faults(write_drills.in_halves, after))


def test_every_capability_that_writes_is_drilled() -> None:
    writing = {
        capability.name
        for capability in start.catalog().capabilities
        if any(operation.writes for operation in capability.operations)
    }
    assert {drill.drills for drill in ALL} >= writing


def test_no_two_drills_have_one_name() -> None:
    assert len({str(drill) for drill in ALL}) == len(ALL)


def test_some_of_many_points_lie_evenly_apart() -> None:
    points = [Point("gate", "write", nth) for nth in range(10)]
    some = partial(evenly, points)

    assert [point.nth for point in some(1)] == [5]
    assert [point.nth for point in some(2)] == [2, 7]
    assert list(some(100)) == points
    assert list(evenly([], 3)) == []


def report(*said: tuple[str, object], failed: bool = False) -> pytest.TestReport:
    return pytest.TestReport(
        nodeid="x",
        location=("x.py", 1, "x"),
        keywords={},
        outcome="failed" if failed else "passed",
        longrepr=None,
        when="call",
        user_properties=list(said),
        duration=2.0,
    )


def test_what_was_tried_is_added_up_by_kind() -> None:
    reports = [
        report((STRUCK, ("kill -9", 10, 0, 5.0)), (STRUCK, ("power cut", 3, 1, 4.0)), failed=True),
        report((STRUCK, ("kill -9", 1, 0, 1.0))),
        report((KIND, "tampering"), (POINTS, 60)),
        report((KIND, "tampering"), failed=True),
        report(("something", "else")),
    ]

    assert add_up(row for one in reports for row in rows_of(one)) == {
        "kill -9": Sum(tests=2, points=11, violations=0, seconds=6.0),
        "power cut": Sum(tests=1, points=3, violations=1, seconds=4.0),
        "tampering": Sum(tests=2, points=61, violations=1, seconds=4.0),
    }
