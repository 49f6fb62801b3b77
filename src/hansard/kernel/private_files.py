"""Files and folders that only their owner can read or write, whatever the umask."""

import os
from pathlib import Path
from typing import BinaryIO

FILE_MODE, FOLDER_MODE = 0o600, 0o700
OTHERS = 0o077


def make_folder(folder: Path) -> None:
    """Make a folder, and what leads to it; what is there already is left as it is."""
    for one in (*reversed(folder.parents), folder):
        if not one.is_dir():
            one.mkdir(mode=FOLDER_MODE, exist_ok=True)


def open_new(path: Path) -> BinaryIO:
    """Open a file that is not there yet, to write to."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    return open(os.open(path, flags, FILE_MODE), "w+b")  # noqa: PTH123 - no path


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def restrict(path: Path) -> None:
    """Close to others a file that another program made readable to them."""
    mode = path.stat().st_mode & 0o777
    if mode & OTHERS:
        path.chmod(mode & FOLDER_MODE)
