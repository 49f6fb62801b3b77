"""Small disks in files: an image is attached to a loop device and mounted, without other programs.

A sweep mounts each disk a few thousand times, and `mount` would take most of that time.
"""

import ctypes
import errno
import fcntl
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

DISK_BYTES = 32 << 20

_GET_FREE, _CONFIGURE = 0x4C82, 0x4C0A
_CONFIGURATION = struct.Struct("II52xI236x")
"""The descriptor of the image, and of all the rest only the flags."""
_DETACH_WHEN_UNUSED = 4
_FS_IOC_SHUTDOWN = 0x8004587D
_NO_LOG_FLUSH = struct.pack("I", 2)


def lay_out(image: Path) -> None:
    """Make a disk with nothing on it."""
    with image.open("wb") as file:
        file.truncate(DISK_BYTES)
        for at, data in _blank_disk():
            os.pwrite(file.fileno(), data, at)


@contextmanager
def mounted(image: Path, place: Path) -> Iterator[None]:
    """Have the disk of an image at a place."""
    place.mkdir(exist_ok=True)
    device, descriptor = _attached(image)
    try:
        _ask("mount", os.fsencode(device), os.fsencode(place), b"ext4", 0, None)
    finally:
        os.close(descriptor)
    try:
        for spare in place.glob("lost+found"):
            spare.rmdir()
        yield
    finally:
        _ask("umount", os.fsencode(place))


def shut_down(place: Path) -> None:
    """Have a disk lose whatever was not written to it yet."""
    with _opened(place) as descriptor:
        fcntl.ioctl(descriptor, _FS_IOC_SHUTDOWN, _NO_LOG_FLUSH)


def sync(place: Path) -> None:
    """Have everything on a disk written out, so that no cut takes it."""
    with _opened(place) as descriptor:
        _ask("syncfs", descriptor)


@contextmanager
def _opened(place: Path) -> Iterator[int]:
    descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _attached(image: Path) -> tuple[str, int]:
    """Attach an image to a device that is free, and stays attached as long as it is used."""
    with Path("/dev/loop-control").open("rb") as control, image.open("r+b") as file:
        while True:
            device = f"/dev/loop{fcntl.ioctl(control, _GET_FREE)}"
            descriptor = os.open(device, os.O_RDWR)
            wanted = _CONFIGURATION.pack(file.fileno(), 0, _DETACH_WHEN_UNUSED)
            try:
                fcntl.ioctl(descriptor, _CONFIGURE, wanted)
            except OSError as error:
                os.close(descriptor)
                if error.errno != errno.EBUSY:
                    raise
            else:
                return device, descriptor


def _ask(function: str, *arguments: object) -> None:
    """Call a function of the C library that says by its errno what is wrong."""
    if getattr(ctypes.CDLL(None, use_errno=True), function)(*arguments):
        number = ctypes.get_errno()
        raise OSError(number, f"{function}: {os.strerror(number)}")


@cache
def _blank_disk() -> list[tuple[int, bytes]]:
    """Give what is on a disk with nothing on it, and where; all else is holes."""
    with TemporaryDirectory() as folder:
        image = Path(folder) / "blank.ext4"
        with image.open("wb") as file:
            file.truncate(DISK_BYTES)
        subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True, capture_output=True)
        pages = memoryview(image.read_bytes())
    size = 4096
    return [
        (at, bytes(pages[at : at + size]))
        for at in range(0, DISK_BYTES, size)
        if any(pages[at : at + size])
    ]


@cache
def can_mount() -> bool:
    """Whether disks can be made and shut down here."""
    if os.geteuid() or shutil.which("mkfs.ext4") is None:
        return False
    with TemporaryDirectory() as folder:
        image, place = Path(folder) / "image", Path(folder) / "place"
        try:
            lay_out(image)
            with mounted(image, place):
                shut_down(place)
        except (OSError, subprocess.CalledProcessError):
            return False
    return True
