"""The references of a decisions repository: where they are, and how they move.

A process that moves them holds the followers' lock. People can do with the repository what they
like; what
they put on our branch is kept beside it.
"""

import logging
import time
from pathlib import Path

import pygit2
from pygit2.enums import ReferenceType

from hansard.decisions.git.objects import UnsoundError, read_commit, require_sound
from hansard.kernel.private_files import restrict

logger = logging.getLogger(__name__)

BRANCH = "refs/heads/main"
"""What people see. Only Hansard moves it."""

OWN = "refs/hansard/main"
"""Where the branch belongs: tells our commits from those that somebody else put there."""

FOREIGN = "refs/heads/foreign-"
"""Where commits that somebody else put on our branch are kept, with a number."""

LOCK_STALE_S = 2.0
"""After this long unchanged, a lock on our own references was left by a dead process."""

LOCK_POLL_S = 0.02
LOCK_TRIES = 3
"""How many locks to wait for, one after the other, before the decision has to wait."""


def put_branch_right(repo: pygit2.Repository, tip: pygit2.Oid) -> None:
    """Point the branch at our last commit, and keep what somebody else put there."""
    branch = find_reference(repo, BRANCH)
    if branch is not None and not _leads_to(repo, branch, tip):
        kept = keep_foreign(repo, branch)
        logger.warning("Somebody moved main of %s: kept as %s, put back", repo.path, kept)
    point(repo, BRANCH, tip)


def find_reference(repo: pygit2.Repository, name: str) -> pygit2.Reference | None:
    """Look a reference up; `None` if there is none of that name."""
    try:
        return repo.references.get(name)
    except pygit2.GitError as error:
        raise UnsoundError(f"{name} cannot be read") from error


def _leads_to(repo: pygit2.Repository, branch: pygit2.Reference, tip: pygit2.Oid) -> bool:
    """Whether everything on a branch is on ours too."""
    at: pygit2.Oid | None = tip
    while at is not None:
        if at == branch.raw_target:
            return True
        parents = read_commit(repo, at).parent_ids
        at = parents[0] if parents else None
    return False


def remove_stale_locks(repo: pygit2.Repository) -> None:
    """Remove the locks of a process that died after moving one of our references."""
    for name in (OWN, BRANCH):
        lock = Path(repo.path, f"{name}.lock")
        if lock.exists():
            _wait_out(lock)


def keep_foreign(repo: pygit2.Repository, reference: pygit2.Reference) -> str:
    """Keep what a reference leads to under a free name; gives that name."""
    number = 1
    while find_reference(repo, f"{FOREIGN}{number}") is not None:
        number += 1
    name = f"{FOREIGN}{number}"
    try:
        target = target_of(reference.resolve())
        require_sound(repo, target)
        repo.references.create(name, target)
        _restrict_reference(repo, name)
    except (UnsoundError, KeyError, ValueError, pygit2.GitError):
        return "nothing, since it led nowhere"
    return name.removeprefix("refs/heads/")


def point(repo: pygit2.Repository, name: str, target: pygit2.Oid) -> None:
    """Move one of our references, past a lock that a dead process left."""
    lock = Path(repo.path, f"{name}.lock")
    for _ in range(LOCK_TRIES):
        try:
            return _move(repo, name, target)
        except OSError:
            if not lock.exists():
                raise
            _wait_out(lock)
    return _move(repo, name, target)


def _move(repo: pygit2.Repository, name: str, target: pygit2.Oid) -> None:
    present = find_reference(repo, name)
    if present is None or present.type != ReferenceType.DIRECT:
        repo.references.create(name, target, force=True)
    elif present.target != target:
        # Refused if it has moved since it was read.
        present.set_target(target)
    _restrict_reference(repo, name)


def _restrict_reference(repo: pygit2.Repository, name: str) -> None:
    """Make private what libgit2 creates with the umask's permissions, within folders of ours."""
    top = Path(repo.path)
    for path in (file := top / name, *file.parents):
        if path == top:
            return
        if path.exists():
            restrict(path)


def _wait_out(lock: Path) -> None:
    """Wait until a lock is gone; remove it if it is too old to be anybody's."""
    deadline = time.monotonic() + LOCK_STALE_S
    try:
        first = lock.stat()
        while time.time() - first.st_mtime < LOCK_STALE_S and time.monotonic() < deadline:
            time.sleep(LOCK_POLL_S)
            if lock.stat().st_mtime_ns != first.st_mtime_ns:
                return
    except FileNotFoundError:
        return
    lock.unlink(missing_ok=True)
    logger.warning("Removed %s, which a dead process had left", lock)


def target_of(reference: pygit2.Reference) -> pygit2.Oid:
    """Give the commit that one of our references names."""
    target = reference.raw_target
    if not isinstance(target, pygit2.Oid):
        raise UnsoundError(f"{reference.name} names another reference")
    return target
