"""Closes files of a store that an earlier version left readable to other users.

Only what Hansard made is touched, only by its owner, and no link is followed. A store may lie in a
folder that has other things in it: then the folder itself stays as it is.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from hansard.decisions.git.decision_log import FOLDER as GIT
from hansard.kernel.private_files import OTHERS

_OWN = (
    *("hansard.db", "locks", "write.lock", "stopped-", "blobs", "derived", "reserve", "hooks", GIT),
)
"""The prefixes of all names in a store."""


def left_open(folder: Path) -> list[Path]:
    """List what others can reach in a store and should not; a closed folder protects the rest.

    Nothing below a folder that is closed is looked at, so that this is quick for most stores.
    """
    try:
        inside = own_in(folder)
        is_ours_alone = bool(inside) and len(inside) == len(list(folder.iterdir()))
    except OSError:
        return []
    if not any(path.name == _OWN[0] for path in inside):
        return []
    tops = [*inside, *([folder] if is_ours_alone else [])]
    found = [path for path in tops if _is_open(path)]
    below = [path for top in found if top != folder and top.is_dir() for path in _below(top)]
    return [*found, *below]


def own_in(folder: Path) -> list[Path]:
    """List what lies in a store's folder and is called as Hansard calls things."""
    return [path for path in folder.iterdir() if path.name.startswith(_OWN)]


def tighten(folder: Path) -> int:
    """Close to others what they can reach in a store; returns how many files that was."""
    closed = 0
    for path in left_open(folder):
        try:
            path.chmod(stat.S_IMODE(path.lstat().st_mode) & ~OTHERS)
        except OSError:  # gone by now, or not ours to change: doctor still finds it
            continue
        closed += 1
    return closed


def _below(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if _is_open(path))


def _is_open(path: Path) -> bool:
    try:
        found = path.lstat()
    except OSError:
        return False
    is_ours = found.st_uid == os.geteuid() and not stat.S_ISLNK(found.st_mode)
    return is_ours and bool(stat.S_IMODE(found.st_mode) & OTHERS)
