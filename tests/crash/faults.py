"""The faults that a sweep strikes with at the system calls of a process."""

import queue
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.crash.harness import (
    CHANGES,
    SOON_S,
    Aftermath,
    Child,
    Point,
    copied,
    killed_at,
    playing,
    traced,
)
from tests.crash.power import can_cut, cut_at
from tests.crash.stage import Scene

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
        elif self.error is None:
            after = killed_at(point, scene, prepared, space)
            yield after
            if after is not None:
                shutil.rmtree(after.folder)
        else:
            folder = copied(prepared, space)
            yield self._refused_at(point, scene, folder)
            shutil.rmtree(folder)

    def _refused_at(self, point: Point, scene: Scene, folder: Path) -> Aftermath | list[str] | None:
        """Have a call fail; the scene may end as it likes, but with no bug, and not never."""
        when = f"{point.nth}+" if self.lasts else f"{point.nth}"
        inject = f"inject={point.call}:error={self.error}:when={when}"
        with playing(scene, folder) as child:
            child.until(point.gate)
            try:
                with traced(child, "-e", f"trace={point.call}", "-e", inject) as log:
                    child.go_on()
                    child.next_gate()
                if "(INJECTED)" not in log.read_text():
                    return None
                return _ending(child, point)
            except queue.Empty:
                return ["it hangs"]


def _ending(child: Child, point: Point) -> Aftermath | list[str]:
    if not child.is_over:
        child.end()
    status = child.process.wait(SOON_S)
    if status:
        return [f"it ended with {status}: {child.complaint[-2_000:]}"]
    refusal = child.refusal
    if refusal and refusal["code"] != "STORAGE_UNAVAILABLE":
        return [f"it was refused with {refusal}"]
    return Aftermath(point, child.folder, child.acks, child.told, refusal)


KILL = Fault("kill -9", tuple(CHANGES))
POWER_CUT = Fault("power cut", tuple(CHANGES), cuts_power=True)
FULL_ONCE = Fault("disk full, once", GROWING, error="ENOSPC")
FULL = Fault("disk full, for good", GROWING, error="ENOSPC", lasts=True)
FAILED_SYNC = Fault("sync fails (EIO)", SYNCS, error="EIO")
FAULTS = (KILL, POWER_CUT, FULL_ONCE, FULL, FAILED_SYNC)
