"""Faults by a second method: at any change to a file, from within the process."""

import errno
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

import pytest

from tests.app import keeping_drills, restore_drills
from tests.checkpoints import checkpoint_drills
from tests.crash import plain_scenes, write_drills
from tests.crash.harness import Point
from tests.crash.ledger import EVERY_POINT, SLICE, WHOLE
from tests.crash.overseeing import FAIL, FAIL_FROM, TEAR, Strike
from tests.crash.player import Player, built
from tests.crash.player import player as player_with
from tests.crash.preload import FAULTS, LibraryFault, strike_at, sweep
from tests.crash.sweep import Drill
from tests.crash.table import STRUCK
from tests.decisions import git_drills
from tests.recorder import recorder_drills, recorder_scenes

pytestmark = pytest.mark.fault("library call")

Record = Callable[[str, object], None]

KEEPING = [*keeping_drills.DRILLS, *restore_drills.DRILLS]
DRILLS = [
    *write_drills.DRILLS,
    *recorder_drills.DRILLS,
    *checkpoint_drills.DRILLS,
    *git_drills.DRILLS,
    # What keeps a store is struck by the other method in `make check`, and in the whole by this.
    *(KEEPING if EVERY_POINT else ()),
]
FEW = 2
"""How many faults strike each drill in `make check`; they take turns."""


POINTS_MANY = 50
"""More than there are."""


@pytest.fixture
def player() -> Player:
    library = built()
    if library is None:
        pytest.skip("no C compiler, or not Linux: the library that makes calls fail is not built")
    return player_with(library)


def some_faults(number: int) -> dict[LibraryFault, int]:
    """Choose the faults of a drill: all, or a few in turn."""
    if EVERY_POINT:
        return dict.fromkeys(FAULTS, 0)
    start = number * FEW % len(FAULTS)
    return dict.fromkeys(islice(cycle(FAULTS), start, start + FEW), 1)


@pytest.mark.slow("strikes each drill by two faults, by all at all points with HANSARD_FAULTS=all")
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    ("drill", "number"),
    [pytest.param(drill, number, id=str(drill)) for number, drill in enumerate(DRILLS)],
)
def test_a_fault_at_any_library_call_does_no_harm(
    player: Player, drill: Drill, number: int, space: Path, record_property: Record
) -> None:
    tallies = sweep(player, drill, space, some_faults(number))

    for fault, tally in tallies.items():
        row = (fault.name, tally.points, len(tally.violations), tally.seconds)
        record_property(STRUCK, row)
    is_struck = any(tally.points for tally in tallies.values())
    assert is_struck or SLICE != WHOLE, "nothing was ever struck"
    found = {
        f"{fault.name} at {point.gate} {point.nth}": amiss
        for fault, tally in tallies.items()
        for point, amiss in tally.violations.items()
    }
    assert found == {}


@pytest.mark.parametrize(("nth", "size"), [(1, 0), (2, 4096)])
def test_taking_and_leaving_room_is_struck_too(
    player: Player, space: Path, nth: int, size: int
) -> None:
    (folder := space / "scene").mkdir()

    said = player.play(
        plain_scenes.take_and_leave_room, folder, Strike("write", nth, FAIL, errno.ENOSPC)
    )

    assert said.last("told") == {"failed": True, "errno": errno.ENOSPC, "size": size}
    assert said.last("met") == 2


@pytest.mark.slow("tears every write of an edit")
def test_a_file_that_is_changed_in_place_is_found_out(player: Player, space: Path) -> None:
    edit = next(one for one in DRILLS if str(one) == "file-edit")
    broken = replace(edit, scene=recorder_scenes.edit_in_place, gates=("op",))
    tear = next(fault for fault in FAULTS if fault.what == TEAR)

    tally = sweep(player, broken, space, {tear: POINTS_MANY})[tear]

    is_found = any("torn" in fault for found in tally.violations.values() for fault in found)
    assert is_found or SLICE != WHOLE, "a slice may leave out the write that is torn"


@pytest.mark.slow("strikes at four calls of a repair")
def test_a_repair_whose_disk_fails_for_good_says_so(player: Player, space: Path) -> None:
    repair = next(one for one in KEEPING if str(one) == "repair")
    prepared = space / "prepared"
    prepared.mkdir()
    repair.prepare(prepared)
    failing = next(one for one in FAULTS if (one.what, one.error) == (FAIL_FROM, errno.EIO))
    while_it_copies = [Point("repair", "call", nth) for nth in (4, 5, 6, 7)]

    tally = strike_at(player, while_it_copies, repair, failing, prepared)

    assert (tally.points, tally.violations) == (len(while_it_copies), {})


@pytest.mark.slow("strikes at the calls by which a store is opened")
def test_a_database_that_could_not_be_opened_once_is_no_fault_of_ours(
    player: Player, space: Path
) -> None:
    settle = next(one for one in DRILLS if str(one) == "file-settle-before")
    prepared = space / "prepared"
    prepared.mkdir()
    settle.prepare(prepared)
    failing = next(one for one in FAULTS if (one.what, one.error) == (FAIL, errno.EIO))
    while_it_opens = [Point("op", "call", nth) for nth in range(1, 16)]

    tally = strike_at(player, while_it_opens, settle, failing, prepared)

    assert (tally.points, tally.violations) == (len(while_it_opens), {})
