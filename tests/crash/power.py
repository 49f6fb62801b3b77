"""Power cuts: whatever the system had not yet written to disk is gone.

Each folder that matters lies on a small ext4 of its own, in a loop-mounted image: on one file
system a sync of anything carries along what was not synced itself. The process is killed, then the
file systems are shut down without flushing their journals, and mounted again.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.crash import loops
from tests.crash.harness import Aftermath, Point
from tests.crash.player import killed_in
from tests.crash.stage import Scene
from tests.crash.syscalls import can_ask


@contextmanager
def disks_in(folder: Path, disks: Sequence[str]) -> Iterator[Callable[[], None]]:
    """Mount a new disk at each of these places in a folder; what is given cuts their power."""
    images = {folder / disk: folder.with_name(f"{folder.name}.{disk}.ext4") for disk in disks}

    def mount() -> None:
        for place, image in images.items():
            mounts.enter_context(loops.mounted(image, place))

    def cut() -> None:
        for place in images:
            loops.shut_down(place)
        mounts.close()
        mount()

    try:
        with ExitStack() as mounts:
            for image in images.values():
                loops.lay_out(image)
            mount()
            yield cut
    finally:
        for image in images.values():
            image.unlink(missing_ok=True)


@contextmanager
def cut_at(
    point: Point, scene: Scene, space: Path, *, disks: Sequence[str], prepared: Path | None = None
) -> Iterator[Aftermath | None]:
    """Cut the power before one of a scene's changes; `None` if it never comes to that."""
    folder = Path(tempfile.mkdtemp(dir=space))
    with disks_in(folder, disks) as cut:
        if prepared:
            shutil.copytree(prepared, folder, dirs_exist_ok=True)
            for disk in disks:
                loops.sync(folder / disk)
        after = killed_in(folder, point, scene)
        if after is not None:
            cut()
        yield after
    shutil.rmtree(folder)


def can_cut() -> bool:
    """Whether processes can be killed here at any call, and disks be shut down."""
    return can_ask() and loops.can_mount()


needs_disks = pytest.mark.skipif(not can_cut(), reason="disks cannot be mounted and shut down here")
