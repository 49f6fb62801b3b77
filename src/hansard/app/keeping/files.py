"""Files and folders that appear whole or not at all."""

import os
from pathlib import Path

from hansard.recorder import linux


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_durably(path: Path, content: bytes) -> None:
    """Write a new file and make its content durable."""
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def exchange(one: Path, other: Path) -> None:
    """Let two folders beside each other change names: at once, or one after the other."""
    folder = os.open(one.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        linux.renameat2(folder, one.name, folder, other.name, linux.RENAME_EXCHANGE)
    except OSError:
        # Not every system and file system can do it at once.
        between = one.with_name(f".{one.name}.between")
        other.rename(between)
        one.rename(other)
        between.rename(one)
    finally:
        os.close(folder)
