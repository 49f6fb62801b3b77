"""The state of a file: whether it is plain, what it holds, and whether it is as expected."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedReader
from stat import S_IMODE, S_ISGID, S_ISLNK, S_ISREG, S_ISUID

from hansard.kernel.blob import Digest, digest_of
from hansard.kernel.problem import Problem
from hansard.recorder import problems
from hansard.recorder.limits import LARGE_BYTES_MAX
from hansard.recorder.problems import (
    FileChanged,
    FileExists,
    FileNotFound,
    PathNotRegular,
    PathOutsideWorkspace,
)
from hansard.recorder.workspace.folder import Folder
from hansard.recorder.workspace.paths import FilePath

READ_AT_ONCE_BYTES = 128 * 1024
"""A file up to here is read at once: the library's way to a file's digest makes room for twice as
much each time, which takes longer than reading most files."""


@dataclass(frozen=True, slots=True)
class FileState:
    """A file as it was when it was read, or as it was left."""

    content: bytes
    digest: Digest
    mode: int
    """Permission bits, without the kind of file."""
    modified_ns: int = field(default=0, compare=False)
    """When it was last changed, even if only its permissions; 0 if we left it so."""

    @property
    def size(self) -> int:
        """How many bytes it holds."""
        return len(self.content)


@dataclass(frozen=True, slots=True)
class LargeFile:
    """A file that is too large to be read: its digest, not its content."""

    digest: Digest
    mode: int
    size: int
    modified_ns: int = field(default=0, compare=False)


Seen = FileState | LargeFile


def seen_at(
    folder: Folder, name: str, path: FilePath, limit_bytes: int, large_bytes_max: int
) -> Seen | None:
    """Read a plain file; of one over the limit, up to a second limit, take the digest.

    `None` means nothing has this name; `path` is what refusals call it.
    """
    with _opened(folder, name, path) as opened:
        if opened is None:
            return None
        file, stat = opened
        facts = {"mode": S_IMODE(stat.st_mode), "modified_ns": stat.st_ctime_ns}
        if stat.st_size <= limit_bytes:
            content = file.read(stat.st_size + 1)
            if len(content) > stat.st_size:  # it grows as we read
                content += file.read(limit_bytes + 1 - len(content))
            if len(content) <= limit_bytes:
                return FileState(content, digest_of(content), **facts)
        if stat.st_size > large_bytes_max or limit_bytes >= large_bytes_max:
            raise problems.too_large(str(path), max(limit_bytes, large_bytes_max))
        file.seek(0)
        digest = Digest(hashlib.file_digest(file, "sha256").hexdigest())
        return LargeFile(digest, size=file.tell(), **facts)


def require_there(folder: Folder, path: FilePath, *, is_expected: bool) -> None:
    """Refuse unless a plain file is there, or nothing is; what it holds is not looked at."""
    is_there = _look(folder, path.name, path) is not None
    if is_there and not is_expected:
        raise FileExists(f"{path} already exists", path=str(path))
    if is_expected and not is_there:
        raise FileNotFound(f"{path} does not exist", path=str(path))


def require(folder: Folder, path: FilePath, expect: Digest | None) -> None:
    """Refuse unless the file is what the caller expects, `None` expecting no file."""
    if expect is None:
        require_there(folder, path, is_expected=False)
        return
    digest = _digest_at(folder, path.name, path)
    if digest is None:
        raise FileNotFound(f"{path} does not exist", path=str(path))
    if digest != expect:
        raise changed(path, "is not what was expected", digest)


def holds(folder: Folder, name: str, expect: Digest) -> bool:
    """Whether a name has a plain file with this content."""
    try:
        return _digest_at(folder, name, FilePath((name,))) == expect
    except Problem:  # no plain file
        return False


def changed(path: FilePath, what: str, digest: Digest | None = None) -> FileChanged:
    """Say that a file is not as expected, and what it is instead if that is known."""
    found = {} if digest is None else {"sha256": digest}
    return FileChanged(f"{path} {what}", path=str(path), **found)


def _digest_at(folder: Folder, name: str, path: FilePath) -> Digest | None:
    with _opened(folder, name, path) as opened:
        if opened is None:
            return None
        file, stat = opened
        if stat.st_size > LARGE_BYTES_MAX:
            raise problems.too_large(str(path), LARGE_BYTES_MAX)
        content = file.read(READ_AT_ONCE_BYTES + 1)
        if len(content) <= READ_AT_ONCE_BYTES:
            return digest_of(content)
        file.seek(0)
        return Digest(hashlib.file_digest(file, "sha256").hexdigest())


@contextmanager
def _opened(
    folder: Folder, name: str, path: FilePath
) -> Iterator[tuple[BufferedReader, os.stat_result] | None]:
    """Open a plain file to read it; `None` means nothing has this name."""
    if _look(folder, name, path) is None:
        yield None
        return
    descriptor = folder.open(name)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor has no path
        # Checked again on the open file: by now another file may have the name.
        stat = os.fstat(descriptor)
        _require_plain(stat, path)
        yield file, stat


def _look(folder: Folder, name: str, path: FilePath) -> os.stat_result | None:
    """Refuse what is not a plain file before it is opened, since opening a device can do things."""
    stat = folder.stat(name)
    if stat is not None:
        _require_plain(stat, path)
    return stat


def _require_plain(stat: os.stat_result, path: FilePath) -> None:
    if S_ISLNK(stat.st_mode):
        raise PathOutsideWorkspace(f"{path} is a symbolic link", path=str(path))
    if not S_ISREG(stat.st_mode):
        raise PathNotRegular(f"{path} is not a plain file", path=str(path))
    if stat.st_nlink > 1:
        raise PathNotRegular(f"{path} has a second name (a hard link)", path=str(path))
    if stat.st_mode & (S_ISUID | S_ISGID):
        raise PathNotRegular(f"{path} runs with another's rights (set-uid)", path=str(path))
