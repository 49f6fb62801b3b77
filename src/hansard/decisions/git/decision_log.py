"""The decisions of a project as a Git repository that people can read, clone and push.

The journal has acknowledged a decision before Git hears of it. Each decision is one commit, made of
nothing but its entry, so the repository can be deleted and is made again with the same commit ids.
It says itself how far it is: its last commit names its entry. Objects come first, then our own
reference, then the branch. One process writes at a time, the one that holds the follower's lock.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from hansard.kernel.event import Entry
from hansard.kernel.follow import CURSORS, Follower, lock_of, noted
from hansard.kernel.store import Store

FOLDER = "git"
"""The folder of a store in which the repositories lie."""

NAME = "decisions-git"

THERE = "there"
"""What the follower notes its work to be based on, if there is a repository."""

GONE = "is gone; a running server, or `hansard decisions git`, makes it again with the same commits"

FOLLOWED = 100
"""How many decisions the follower publishes at a time, so that it soon stops when told to."""


def repository_path(store: Path, project: str) -> Path:
    """Say where the repository of a project lies in a store's folder."""
    return repository_in(store / FOLDER, project)


def repository_in(folder: Path, project: str) -> Path:
    """Say where the repository of a project lies in a folder of repositories.

    A plain id is its name; any other id gives its plain characters and a digest, so that names
    differ even on a file system that ignores case.
    """
    plain = re.sub(r"[^a-z0-9_-]", "", project.lower())[:64]
    if plain != project:
        plain += "." + hashlib.sha256(project.encode()).hexdigest()[:16]
    return folder / f"{plain}.git"


def followers(folder: Path) -> Callable[[Store], Sequence[Follower]]:
    """Build what keeps the repositories in a folder up to date with a store."""

    def make(store: Store) -> Sequence[Follower]:
        from hansard.decisions.git.decision_page import KINDS

        return [
            Follower(
                NAME,
                partial(_apply, store, folder),
                kinds=KINDS,
                batch=FOLLOWED,
                # A repository that has been deleted is made again from the first entry on.
                basis=lambda tx: THERE if repository_in(folder, tx.project).exists() else "",
            )
        ]

    return make


def publish_now(store: Store, folder: Path, project: str) -> bool:
    """Bring a repository up to date, unless another process is about to; says whether it did."""
    lock = store.engine.hold(lock_of(NAME))
    if lock is None:
        return False
    with lock:
        publish(store, folder, project)
    return True


def publish(store: Store, folder: Path, project: str, *, until: int | None = None) -> int:
    """Commit what a repository lacks, up to some entry; returns how many commits that took.

    The caller holds the follower's lock. A refusal of the disk is raised as `NotNow`.
    """
    # Importing libgit2 takes a tenth of a second, which not every process should pay.
    from hansard.decisions.git import publishing

    return publishing.publish(store, project, repository_in(folder, project), until)


def faults(store: Store, folder: Path, project: str) -> list[str]:
    """Compare a repository with one made afresh from the journal; says in words what differs."""
    from hansard.decisions.git import publishing, unexpected_objects

    path = repository_in(folder, project)
    # Read first, since it is saved last: what it says was published must be there when we look.
    published = _noted(store, project)
    if not path.exists():
        return [] if published is None else [f"{path.name} {GONE}"]
    compared = publishing.faults(store, project, path, lock=lock_of(NAME), noted=published or 0)
    return [*compared, *unexpected_objects.planted(path)]


def start_over(store: Store) -> None:
    """Forget how far each repository was, when none came along with a store."""
    for project in store.engine.heads():
        if _noted(store, project) is not None:
            store.engine.write(project, lambda tx: tx.delete(CURSORS, NAME, seq=tx.head().seq))


def _noted(store: Store, project: str) -> int | None:
    """Say up to which entry the follower has published; `None` if there was no repository then."""
    row = store.engine.read(project, lambda tx: noted(tx, NAME))
    seq = row.get("seq") if row and row.get("basis") == THERE else None
    return seq if isinstance(seq, int) else None


def _apply(store: Store, folder: Path, project: str, entries: Sequence[Entry]) -> None:
    publish(store, folder, project, until=entries[-1].seq)
