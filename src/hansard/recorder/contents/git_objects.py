"""Reads a file from Git's objects. No hook, filter or command of Git runs."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hansard.kernel.limits import FILE_BYTES_MAX
from hansard.recorder.contents.content_before import GitBlob

if TYPE_CHECKING:
    import pygit2

LARGE_FILE_POINTER = b"version https://git-lfs"
"""What Git stores in place of a file that is kept elsewhere."""


def kept_in_git(root: Path, path: str, now: bytes) -> Iterator[GitBlob]:
    """Give what Git has of a file of a workspace: what is staged, then what was committed.

    Left out is what the file cannot have held on this machine: a pointer, or other line ends.
    """
    import pygit2

    try:
        found = pygit2.discover_repository(str(root))
        repository = pygit2.Repository(found) if found else None
        if repository is None or repository.workdir is None:
            return
        name = (root.resolve() / path).relative_to(Path(repository.workdir).resolve()).as_posix()
        ids = [_staged(repository, name), _committed(repository, name)]
        blobs = [repository[each] for each in dict.fromkeys(filter(None, ids))]
    # No repository that can be read, a bare one, or one that belongs to somebody else.
    except (pygit2.GitError, KeyError, OSError, ValueError):
        return
    for blob in blobs:
        if isinstance(blob, pygit2.Blob) and blob.size <= FILE_BYTES_MAX and _fits(blob.data, now):
            yield GitBlob(str(blob.id), blob.data)


def _staged(repository: "pygit2.Repository", name: str) -> "pygit2.Oid | None":
    return repository.index[name].id if name in repository.index else None


def _committed(repository: "pygit2.Repository", name: str) -> "pygit2.Oid | None":
    import pygit2

    if repository.head_is_unborn:
        return None
    tree = repository.head.peel(pygit2.Tree)
    return tree[name].id if name in tree else None


def _fits(content: bytes, now: bytes) -> bool:
    is_pointer = content.startswith(LARGE_FILE_POINTER)
    return not is_pointer and (b"\r\n" in content) == (b"\r\n" in now)
