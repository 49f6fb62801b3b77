"""Reads Git objects that may be damaged.

libgit2 1.9 reads a loose object that was cut short without ever coming to an end. So whatever lies
in a file of its own is proved here first; what lies in a pack is left to libgit2.
"""

import hashlib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pygit2

from hansard.kernel.limits import BLOB_BYTES_MAX


class UnsoundError(Exception):
    """An object or a reference is missing, torn, or not what its name says."""


def read_commit(repo: pygit2.Repository, oid: pygit2.Oid) -> pygit2.Commit:
    """Read a commit."""
    with _losses_as_unsound():
        require_sound(repo, oid)
        return repo[oid].peel(pygit2.Commit)


def read_tree(repo: pygit2.Repository, oid: pygit2.Oid) -> pygit2.Tree:
    """Read a tree, but none beneath it."""
    with _losses_as_unsound():
        require_sound(repo, oid)
        return repo[oid].peel(pygit2.Tree)


def read_body(repo: pygit2.Repository, oid: pygit2.Oid) -> bytes:
    """Read what an object of any type holds."""
    with _losses_as_unsound():
        require_sound(repo, oid)
        return repo.read(oid)[1]


def require_sound(repo: pygit2.Repository, oid: pygit2.Oid) -> None:
    """Refuse an object that lies in a file of its own and is not what its name says."""
    try:
        packed = loose_file(repo, oid).read_bytes()
    except FileNotFoundError:
        return  # in a pack, or nowhere: libgit2 reports that
    unpacking = zlib.decompressobj()
    try:
        unpacked = unpacking.decompress(packed, BLOB_BYTES_MAX)
    except zlib.error as error:
        raise UnsoundError(f"object {oid} is damaged") from error
    if not unpacking.eof or _name_of(unpacked) != str(oid):
        raise UnsoundError(f"object {oid} is damaged")


def loose_file(repo: pygit2.Repository, oid: pygit2.Oid) -> Path:
    """Say where an object lies if it lies in a file of its own."""
    name = str(oid)
    return common_folder(repo) / "objects" / name[:2] / name[2:]


def common_folder(repo: pygit2.Repository) -> Path:
    """Give the folder of a repository that its worktrees share."""
    folder = Path(repo.path)
    shared = folder / "commondir"
    return folder / shared.read_text().strip() if shared.is_file() else folder


def _name_of(unpacked: bytes) -> str:
    return hashlib.sha1(unpacked, usedforsecurity=False).hexdigest()


@contextmanager
def _losses_as_unsound() -> Iterator[None]:
    """Translate libgit2's errors about objects that are missing or damaged."""
    try:
        yield
    except (pygit2.GitError, KeyError, ValueError) as error:
        raise UnsoundError(f"an object cannot be read: {error}") from error
