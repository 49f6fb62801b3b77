"""Whatever befalls a process at any point of its work, nothing is lost, torn or left in the way."""

from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest

from tests.crash.drills import ALL, one_of_each
from tests.crash.faults import FULL_ONCE, Fault
from tests.crash.harness import Point
from tests.crash.ledger import SLICE, WHOLE
from tests.crash.sweep import MIDDLE, SHORT, Drill, Form, Tally, strike_at, sweep
from tests.crash.syscalls import needs_filter
from tests.crash.table import STRUCK

pytestmark = [needs_filter, pytest.mark.fault("sweep")]

Record = Callable[[str, object], None]

FIRST_WRITES = 3
"""Among so many is the one by which SQLite makes room for what it knows of a log."""


@pytest.mark.holds("ALL-04.1", "ALL-04.5", "ALL-06.41")
@pytest.mark.parametrize(
    ("drill", "form"),
    [pytest.param(drill, form, id=str(drill)) for drill, form in zip(one_of_each(), cycle(SHORT))],
)
def test_a_fault_at_some_point_does_no_harm(
    drill: Drill, form: Form, space: Path, record_property: Record
) -> None:
    # Where every point is tried, the other test does that, and of all drills.
    assert violations(sweep(drill, space, form, at_all=False), record_property) == {}


@pytest.mark.holds("ALL-04.1", "ALL-04.5", "ALL-06.41", "FIL-effect-3", "FIL-effect-8")
@pytest.mark.holds("FIL-effect-9", "001-save-10", "DEC-git-4", "DEC-git-5")
@pytest.mark.slow("strikes at about 300 points in all, at every one with HANSARD_FAULTS=all")
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("drill", ALL, ids=str)
def test_a_fault_at_any_point_does_no_harm(
    drill: Drill, space: Path, record_property: Record
) -> None:
    assert violations(sweep(drill, space, MIDDLE), record_property) == {}


def test_a_disk_full_for_a_moment_while_a_log_is_read_again_keeps_nobody_out(
    space: Path, record_property: Record
) -> None:
    settle = next(drill for drill in ALL if str(drill) == "file-settle-before")
    prepared = space / "prepared"
    prepared.mkdir()
    points = [Point("op", "pwrite64", nth + 1) for nth in range(FIRST_WRITES)]

    tally = strike_at(points, settle, FULL_ONCE, prepared, space)

    assert violations({FULL_ONCE: tally}, record_property) == {}


def violations(tallies: dict[Fault, Tally], record_property: Record) -> dict[str, list[str]]:
    """Note what was tried; gives what is amiss, by fault and point."""
    for fault, tally in tallies.items():
        row = (fault.name, tally.points, len(tally.violations), tally.seconds)
        record_property(STRUCK, row)
    is_struck = any(tally.points for tally in tallies.values())
    assert is_struck or SLICE != WHOLE, "nothing was ever struck"
    return {
        f"{fault.name} at {point}": found
        for fault, tally in tallies.items()
        for point, found in tally.violations.items()
    }
