"""Files and folders that appear whole or not at all."""

import errno
import os
from collections.abc import Iterable
from pathlib import Path

from hansard.kernel.private import open_new
from hansard.recorder import linux

_CANNOT_EXCHANGE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_durably(path: Path, parts: Iterable[bytes]) -> None:
    """Write a new file of these parts and make its content durable."""
    with open_new(path) as file:
        file.writelines(parts)
        file.flush()
        os.fsync(file.fileno())


def exchange(one: Path, other: Path, between: Path) -> None:
    """Let two folders beside each other change names: at once, or by way of a third name."""
    folder = os.open(one.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        linux.renameat2(folder, one.name, folder, other.name, linux.RENAME_EXCHANGE)
    except OSError as error:
        # Not every system and file system can do it at once.
        if error.errno not in _CANNOT_EXCHANGE:
            raise
        other.rename(between)
        try:
            one.rename(other)
        except OSError:
            between.rename(other)
            raise
        between.rename(one)
    finally:
        os.close(folder)


def is_mounted(folder: Path) -> bool:
    """Whether something is mounted on a folder, which then cannot change its name."""
    if os.path.ismount(folder):
        return True
    try:
        lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return False
    # A space in a name is written as a number there.
    places = {line.split()[4].decode("unicode_escape").encode("latin-1") for line in lines}
    return os.fsencode(folder) in places
