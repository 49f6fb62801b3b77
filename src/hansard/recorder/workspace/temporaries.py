"""Our own temporary files: each name says which process made it, so that others can clean up."""

import secrets
from collections.abc import Callable

from hansard.recorder.workspace.folder import Folder

PREFIX = ".hansard-tmp-"
"""Reserved: nobody may name such a file through us, and nobody else has a reason to."""


def new_name(owner: str) -> str:
    """Make a name that no file has."""
    return f"{PREFIX}{owner}-{secrets.token_hex(8)}"


def owner_of(name: str) -> str | None:
    """Say who made a temporary file; `None` if this is no name of ours."""
    owner, dash, chance = name.removeprefix(PREFIX).rpartition("-")
    is_ours = name.startswith(PREFIX) and owner and dash and chance.isalnum()
    return owner if is_ours else None


def clean(folder: Folder, owner_is_dead: Callable[[str], bool], *, levels: int) -> int:
    """Remove dead processes' files here and that many levels below; returns how many."""
    removed = 0
    for name, is_folder in list(folder.entries()):
        owner = owner_of(name)
        if is_folder and levels:
            removed += clean_below(folder, name, owner_is_dead, levels=levels - 1)
        elif not is_folder and owner is not None and owner_is_dead(owner):
            folder.unlink(name)
            removed += 1
    return removed


def clean_below(
    folder: Folder, path: str, owner_is_dead: Callable[[str], bool], *, levels: int
) -> int:
    """Clean a folder below, unless it is gone, a link, another mount or closed to us."""
    try:
        below = folder.folder(path)
    except OSError:  # then nothing of ours can lie there
        return 0
    with below:
        return clean(below, owner_is_dead, levels=levels)
