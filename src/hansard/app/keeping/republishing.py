"""Rebuilds the Git repository of decisions after a redaction."""

import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from hansard.decisions.git import decision_log
from hansard.kernel.follow import NotNow
from hansard.kernel.private_files import sync_folder
from hansard.kernel.store import Store


def make_anew(store: Store, folder: Path, project: str) -> list[Path]:
    """Remove a project's repository and publish it again; returns what could not be removed.

    Where a server does the publishing, it does so with the next entry.
    """
    path = decision_log.repository_in(folder, project)
    left = _removed(path)
    if not left:
        with suppress(NotNow):  # the journal has the decisions; Git can wait
            decision_log.publish_now(store, folder, project)
    return left


def _removed(path: Path) -> list[Path]:
    """Remove a repository, and all that was set aside as damaged; returns what is left."""
    left: list[Path] = []
    for one in sorted([path, *path.parent.glob(f"{path.name}.*")]):
        try:
            if one.is_dir():
                _remove(one)
        except OSError:
            left.append(one)
    return left


def _remove(path: Path) -> None:
    if path.is_symlink():
        raise OSError("What a link leads to is not ours to remove")
    # Renamed first: a publisher meanwhile finds all of it or nothing.
    going = path.rename(path.with_name(f"{path.name}.removed-{secrets.token_hex(4)}"))
    sync_folder(path.parent)
    shutil.rmtree(going)
