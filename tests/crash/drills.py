"""Every drill there is. What they play and how they look at it lies beside what they drill."""

from tests.app import keeping_drills, restore_drills
from tests.checkpoints import checkpoint_drills
from tests.crash import store_drills, write_drills
from tests.crash.sweep import Drill
from tests.decisions import git_drills
from tests.recorder import recorder_drills, workspace_drills

ALL = [
    *store_drills.DRILLS,
    *write_drills.DRILLS,
    *recorder_drills.DRILLS,
    *workspace_drills.DRILLS,
    *checkpoint_drills.DRILLS,
    *git_drills.DRILLS,
    *keeping_drills.DRILLS,
    *restore_drills.DRILLS,
]


def one_of_each() -> list[Drill]:
    """Give the first drill of each kind of work: what a capability does in one sort of scene."""
    first: dict[tuple[str, str], Drill] = {}
    for drill in ALL:
        first.setdefault((drill.scene.__module__, drill.drills), drill)
    return list(first.values())
