"""Reads commits of a user's repository, which may be damaged or hostile."""

import heapq
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import pygit2
from pydantic import ConfigDict
from pygit2.enums import RepositoryOpenFlag

from hansard.decisions.git.objects import UnsoundError, common_folder, read_commit, read_tree
from hansard.kernel.clock import to_text
from hansard.kernel.model import Model
from hansard.kernel.problem import InvalidInput

SUBJECT_CHARS_MAX = 500
AUTHOR_CHARS_MAX = 200
PATH_CHARS_MAX = 500

PATHS_MAX = 50
"""How many touched files of a commit are kept."""

TREES_MAX = 2_000
"""Folders that are compared to find them."""

TIME_MAX_S = 253_402_300_799
"""The end of the year 9999."""


class CommitNoted(Model):
    """What is kept about a commit."""

    model_config = ConfigDict(frozen=True)

    hash: str
    author: str
    at: str
    subject: str
    paths: list[str]
    has_more_paths: bool


class Commits:
    """The commits of a repository that lies in a workspace."""

    def __init__(self, workspace: Path, given: str) -> None:
        self._repo, self.place = _open(workspace, given)

    def latest(self, limit: int) -> list[str]:
        """Name the latest commits that HEAD leads to, the latest first."""
        with _damage_as_invalid():
            return [str(commit.id) for commit in islice(_latest(self._repo), limit)]

    def note(self, name: str) -> CommitNoted:
        """Give what is kept about a commit."""
        with _damage_as_invalid():
            return _note(self._repo, read_commit(self._repo, pygit2.Oid(hex=name)))


def _open(workspace: Path, given: str) -> tuple[pygit2.Repository, str]:
    """Open a repository that lies in the workspace with all that belongs to it."""
    root = workspace.resolve()
    try:
        folder = (root / given).resolve()
        repo = pygit2.Repository(str(folder), RepositoryOpenFlag.NO_SEARCH)
        parts = [folder, Path(repo.path).resolve(), common_folder(repo).resolve()]
    except (OSError, RuntimeError, ValueError, pygit2.GitError) as error:
        raise InvalidInput(
            "repo_path: no Git repository that can be opened", argument="repo_path"
        ) from error
    if not all(part.is_relative_to(root) for part in parts):
        raise InvalidInput("repo_path: lies outside the workspace", argument="repo_path")
    if (parts[-1] / "objects" / "info" / "alternates").exists():
        raise InvalidInput(
            "repo_path: borrows its objects from another repository",
            argument="repo_path",
            hint="`git repack -a -d` and deleting objects/info/alternates makes it whole",
        )
    return repo, folder.relative_to(root).as_posix()


def _latest(repo: pygit2.Repository) -> Iterator[pygit2.Commit]:
    """Go through the commits that HEAD leads to, the latest first."""
    if repo.head_is_unborn:
        return
    head = read_commit(repo, pygit2.Oid(hex=str(repo.head.target)))
    seen, waiting = {head.id}, [(-head.commit_time, 0, head)]
    while waiting:
        commit = heapq.heappop(waiting)[2]
        yield commit
        for parent in _parents(repo, commit):
            if parent.id not in seen:
                seen.add(parent.id)
                # Among equal times, in the order in which they were met.
                heapq.heappush(waiting, (-parent.commit_time, len(seen), parent))


def _parents(repo: pygit2.Repository, commit: pygit2.Commit) -> list[pygit2.Commit]:
    # At the end of a shallow clone, a commit names missing parents.
    return [read_commit(repo, parent) for parent in commit.parent_ids if repo.odb.exists(parent)]


def _note(repo: pygit2.Repository, commit: pygit2.Commit) -> CommitNoted:
    paths = list(islice(_touched(repo, commit), PATHS_MAX + 1))
    return CommitNoted(
        hash=str(commit.id),
        author=_text(commit.author.raw_name, AUTHOR_CHARS_MAX),
        at=_time(commit.author.time),
        subject=_text(commit.raw_message.lstrip().partition(b"\n")[0], SUBJECT_CHARS_MAX),
        paths=paths[:PATHS_MAX],
        has_more_paths=len(paths) > PATHS_MAX,
    )


def _touched(repo: pygit2.Repository, commit: pygit2.Commit) -> Iterator[str]:
    """Name the files that a commit changed; of a merge none, since its parents did."""
    parents = _parents(repo, commit)
    if len(parents) != len(commit.parent_ids) or len(parents) > 1:
        return iter(())
    return _differing(repo, parents[0].tree_id if parents else None, commit.tree_id)


def _differing(
    repo: pygit2.Repository, old: pygit2.Oid | None, new: pygit2.Oid | None
) -> Iterator[str]:
    """Name the files in which two trees differ, reading only where they do."""
    pending = [("", old, new)]
    # A few small trees can name each other so often that walking them would never end.
    for _ in range(TREES_MAX):
        if not pending:
            return
        prefix, old, new = pending.pop()
        before, after = _entries(repo, old), _entries(repo, new)
        for name in sorted(before.keys() | after.keys(), reverse=True):
            pair = before.get(name, _NOTHING), after.get(name, _NOTHING)
            if pair[0] == pair[1]:
                continue
            path = (prefix + _text(name, PATH_CHARS_MAX))[:PATH_CHARS_MAX]
            if any(one.oid is not None and not one.is_folder for one in pair):
                yield path
            if any(one.is_folder for one in pair):
                was, is_now = (one.oid if one.is_folder else None for one in pair)
                pending.append((f"{path}/", was, is_now))


@dataclass(frozen=True, slots=True)
class _Entry:
    """What a tree has under a name."""

    oid: pygit2.Oid | None
    is_folder: bool


_NOTHING = _Entry(None, is_folder=False)


def _entries(repo: pygit2.Repository, oid: pygit2.Oid | None) -> dict[bytes, _Entry]:
    if oid is None:
        return {}
    # An entry is not read until more than its id, its name and its type is needed.
    return {
        entry.raw_name or b"": _Entry(entry.id, isinstance(entry, pygit2.Tree))
        for entry in read_tree(repo, oid)
    }


def _text(given: bytes, chars_max: int) -> str:
    return given.decode(errors="replace").replace("\0", "").strip()[:chars_max]


def _time(seconds: int) -> str:
    return to_text(datetime.fromtimestamp(min(max(seconds, 0), TIME_MAX_S), UTC))


@contextmanager
def _damage_as_invalid() -> Iterator[None]:
    """Translate errors of reading a repository."""
    try:
        yield
    except (UnsoundError, OSError, KeyError, ValueError, pygit2.GitError) as error:
        raise InvalidInput(
            "repo_path: something in this repository cannot be read",
            argument="repo_path",
            hint="`git fsck` says what is damaged",
        ) from error
