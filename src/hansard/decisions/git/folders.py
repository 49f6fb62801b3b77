"""The folder of a decisions repository: created whole, set aside, and synced."""

import ctypes
import os
import shutil
from pathlib import Path

from hansard.decisions.git.refs import BRANCH
from hansard.kernel.private_files import make_folder, open_new

SYNCED_FILE = "hansard.config"
SYNCED = "[core]\n\tfsyncObjectFiles = true\n"
"""Makes libgit2 sync what it writes. In a file of its own, as git would complain of it."""

SKELETON = {
    "HEAD": f"ref: {BRANCH}\n",
    "config": "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n",
    "description": "Decisions, as Hansard recorded them.\n",
    SYNCED_FILE: SYNCED,
}


def lay_out(path: Path) -> None:
    """Make an empty repository, wholly or not at all."""
    if path.exists():
        return
    make_folder(path.parent)
    unfinished = path.with_name(f".{path.name}.new")
    if unfinished.exists():
        shutil.rmtree(unfinished)
    for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags"):
        make_folder(unfinished / folder)
    for name, text in SKELETON.items():
        with open_new(unfinished / name) as file:
            file.write(text.encode())
    for found in (*unfinished.rglob("*"), unfinished):
        sync(found)
    unfinished.rename(path)
    sync(path.parent)


def set_aside(path: Path) -> Path:
    """Give a damaged repository another name; gives that."""
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return path.rename(aside)


def sync_file_system(path: Path) -> None:
    """Wait until all that was written to a file system is on disk.

    A commit is at least four small files. Syncing each of them and its folder takes ten times as
    long as this, and of a hundred commits fifty times.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "syncfs"):
        os.sync()
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if libc.syncfs(descriptor):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
    finally:
        os.close(descriptor)


def sync(path: Path) -> None:
    """Wait until one file or folder is on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
