"""The faults that a sweep strikes with at the system calls of a process."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.crash.harness import Aftermath, Point, copied
from tests.crash.player import struck_in
from tests.crash.power import can_cut, cut_at
from tests.crash.stage import Scene
from tests.crash.syscalls import CHANGES

SYNCS = ("fsync", "fdatasync", "syncfs")
GROWING = ("pwrite64", "write", "fallocate", "mkdir", "mkdirat", "link", "linkat")
"""What needs room on the disk."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that happens to a process at the nth time of a call."""

    name: str
    calls: tuple[str, ...]
    error: str | None = None
    """What the call fails with; `None` if the process is killed before it."""
    lasts: bool = False
    """Whether every later call of the same sort fails, too."""
    cuts_power: bool = False

    def is_possible(self, disks: tuple[str, ...]) -> bool:
        """Whether it can be made to happen here, to something that lies on these disks."""
        return not self.cuts_power or (bool(disks) and can_cut())

    @contextmanager
    def strike(
        self, point: Point, scene: Scene, space: Path, prepared: Path, disks: tuple[str, ...]
    ) -> Iterator[Aftermath | list[str] | None]:
        """Strike a scene, played on a copy of a folder, at a point.

        Gives what is left; in words what is wrong already; `None` if the point is never met.
        """
        if self.cuts_power:
            with cut_at(point, scene, space, disks=disks, prepared=prepared) as after:
                yield after
            return
        folder = copied(prepared, space)
        yield struck_in(folder, point, scene, self.error, lasts=self.lasts)
        shutil.rmtree(folder)


KILL = Fault("kill -9", tuple(CHANGES))
POWER_CUT = Fault("power cut", tuple(CHANGES), cuts_power=True)
FULL_ONCE = Fault("disk full, once", GROWING, error="ENOSPC")
FULL = Fault("disk full, for good", GROWING, error="ENOSPC", lasts=True)
FAILED_SYNC = Fault("sync fails (EIO)", SYNCS, error="EIO")
FAULTS = (KILL, POWER_CUT, FULL_ONCE, FULL, FAILED_SYNC)
