"""Our temporary files: the name says which process made one, so that others can clean up."""

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from hansard.kernel.problem import Problem
from hansard.recorder.limits import KEPT_BYTES_MAX, LARGE_BYTES_MAX
from hansard.recorder.workspace.folder import Folder
from hansard.recorder.workspace.paths import FilePath
from hansard.recorder.workspace.states import Seen, seen_at

PREFIX = ".hansard-tmp-"
"""Reserved: nobody may name such a file through us, and nobody else has a reason to."""

MARK_CHARS = 8
CHANCE_CHARS = 16


@dataclass(frozen=True, slots=True)
class Left:
    """A temporary file that a dead process has left."""

    folder: Folder
    name: str
    owner: str

    def is_of(self, path: FilePath) -> bool:
        """Whether it was made for the file at a path in its folder; of an older program's, no."""
        chance = self.name.rpartition("-")[2]
        return len(chance) == MARK_CHARS + CHANCE_CHARS and chance.startswith(_mark(path.name))

    def is_held(self) -> bool:
        """Whether somebody, who opened it by another name, may still write into it."""
        return self.folder.is_open_to_write(self.name)

    def seen(self, path: FilePath) -> Seen | None:
        """Read what it holds; `None` for a link, a device, or more than is ever kept."""
        try:
            return seen_at(self.folder, self.name, path, KEPT_BYTES_MAX, LARGE_BYTES_MAX)
        except Problem:
            return None


Spares = Callable[[Left], bool]
"""Says whether a file is to stay where it is."""


def none(_left: Left) -> bool:
    """Keep none."""
    return False


def new_name(owner: str, name: str) -> str:
    """Make a name that no file has, for a file that is to take or give the place of another."""
    return f"{PREFIX}{owner}-{_mark(name)}{secrets.token_hex(CHANCE_CHARS // 2)}"


def owner_of(name: str) -> str | None:
    """Say who made a temporary file; `None` if the name is not ours."""
    owner, dash, chance = name.removeprefix(PREFIX).rpartition("-")
    is_ours = name.startswith(PREFIX) and owner and dash and chance.isalnum()
    return owner if is_ours else None


def clean(
    folder: Folder, owner_is_dead: Callable[[str], bool], *, levels: int, spares: Spares = none
) -> int:
    """Remove dead processes' files here and that many levels below; returns how many."""
    removed = 0
    for name, is_folder in list(folder.entries()):
        owner = owner_of(name)
        if is_folder and levels:
            removed += clean_below(folder, name, owner_is_dead, levels=levels - 1, spares=spares)
        elif not is_folder and owner is not None and owner_is_dead(owner):
            removed += _remove(Left(folder, name, owner), spares)
    return removed


def clean_below(
    folder: Folder,
    path: str,
    owner_is_dead: Callable[[str], bool],
    *,
    levels: int,
    spares: Spares = none,
) -> int:
    """Clean a folder below, unless it is gone, a link, another mount or closed to us."""
    try:
        below = folder.folder(path)
    except OSError:  # then nothing of ours can be there
        return 0
    with below:
        return clean(below, owner_is_dead, levels=levels, spares=spares)


def _remove(left: Left, spares: Spares) -> bool:
    if spares(left):
        return False
    left.folder.unlink(left.name)
    return True


def _mark(name: str) -> str:
    """Mark whose place a file is to take: its name itself could be too long."""
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:MARK_CHARS]
