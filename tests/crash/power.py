"""Power cuts: whatever the system had not yet written to disk is gone.

Each folder that matters lies on a small ext4 of its own, in a loop-mounted image: on one file
system a sync of anything carries along what was not synced itself. The process is killed, then the
file systems are shut down without flushing their journals, and mounted again.
"""

import fcntl
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

import pytest

from tests.crash.harness import Aftermath, Point, can_trace, killed_in
from tests.crash.stage import Scene

DISK_BYTES = 32 << 20

_FS_IOC_SHUTDOWN = 0x8004587D
_NO_LOG_FLUSH = struct.pack("I", 2)


@contextmanager
def disks_in(folder: Path, disks: Sequence[str]) -> Iterator[Callable[[], None]]:
    """Mount a new disk at each of these places in a folder; what is given cuts their power."""
    images = {folder / disk: folder.with_name(f"{folder.name}.{disk}.ext4") for disk in disks}

    def mount() -> None:
        for place, image in images.items():
            mounts.enter_context(_mounted(image, place))

    def cut() -> None:
        for place in images:
            _shut_down(place)
        mounts.close()
        mount()

    try:
        with ExitStack() as mounts:
            for image in images.values():
                shutil.copyfile(_blank_disk(), image)
            mount()
            yield cut
    finally:
        for image in images.values():
            image.unlink(missing_ok=True)


def sync(folder: Path, disks: Sequence[str]) -> None:
    """Have everything on these disks written out, so that no cut takes it."""
    for disk in disks:
        _run("sync", "--file-system", folder / disk)


@contextmanager
def cut_at(
    point: Point, scene: Scene, space: Path, *, disks: Sequence[str], prepared: Path | None = None
) -> Iterator[Aftermath | None]:
    """Cut the power before one of a scene's changes; `None` if it passes the next gate first."""
    folder = Path(tempfile.mkdtemp(dir=space))
    with disks_in(folder, disks) as cut:
        if prepared:
            shutil.copytree(prepared, folder, dirs_exist_ok=True)
            sync(folder, disks)
        after = killed_in(folder, point, scene)
        if after is not None:
            cut()
        yield after


@contextmanager
def _mounted(image: Path, place: Path) -> Iterator[None]:
    place.mkdir(exist_ok=True)
    _run("mount", "-o", "loop", image, place)
    try:
        for spare in place.glob("lost+found"):
            spare.rmdir()
        yield
    finally:
        _run("umount", place)


def _shut_down(place: Path) -> None:
    descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.ioctl(descriptor, _FS_IOC_SHUTDOWN, _NO_LOG_FLUSH)
    finally:
        os.close(descriptor)


@cache
def _blank_disk() -> Path:
    image = Path(tempfile.mkdtemp()) / "blank.ext4"
    with image.open("wb") as file:
        file.truncate(DISK_BYTES)
    _run("mkfs.ext4", "-q", "-F", image)
    return image


def _run(*command: str | Path) -> None:
    subprocess.run(command, check=True, capture_output=True)


@cache
def can_cut() -> bool:
    """Whether disks can be made and shut down here."""
    if os.geteuid() or shutil.which("mkfs.ext4") is None or not can_trace():
        return False
    with tempfile.TemporaryDirectory() as folder:
        image, place = Path(folder) / "image", Path(folder) / "place"
        shutil.copyfile(_blank_disk(), image)
        try:
            with _mounted(image, place):
                _shut_down(place)
        except (OSError, subprocess.CalledProcessError):
            return False
    return True


needs_disks = pytest.mark.skipif(
    not can_cut(), reason="disks cannot be mounted and shut down here, or strace may not trace"
)
