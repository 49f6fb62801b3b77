"""Looking at a file without touching it: is it plain, what does it hold, is it as expected."""

import os
from dataclasses import dataclass
from stat import S_IMODE, S_ISGID, S_ISLNK, S_ISREG, S_ISUID

from hansard.kernel.blob import Digest, digest_of
from hansard.kernel.limits import FILE_BYTES_MAX
from hansard.kernel.problem import Problem
from hansard.recorder import problems
from hansard.recorder.folder import Folder
from hansard.recorder.paths import FilePath
from hansard.recorder.problems import (
    FileChanged,
    FileExists,
    FileNotFound,
    PathNotRegular,
    PathOutsideWorkspace,
)


@dataclass(frozen=True, slots=True)
class FileState:
    """A file as it was when it was read, or as it was left."""

    content: bytes
    digest: Digest
    mode: int
    """Permission bits, without the kind of file."""


def state_of(folder: Folder, name: str, path: FilePath, limit_bytes: int) -> FileState | None:
    """Read a file if it is plain and small enough; `None` means nothing has this name.

    `path` is what refusals call it.
    """
    if _look(folder, name, path) is None:
        return None
    descriptor = folder.open(name)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor has no path
        # Asked again of what was opened: by now another file may have the name.
        stat = os.fstat(descriptor)
        _require_plain(stat, path)
        if stat.st_size > limit_bytes:
            raise problems.too_large(str(path), limit_bytes)
        content = file.read(stat.st_size + 1)
        if len(content) > stat.st_size:  # it grows as we read
            content += file.read(limit_bytes + 1 - len(content))
        if len(content) > limit_bytes:
            raise problems.too_large(str(path), limit_bytes)
    return FileState(content, digest_of(content), S_IMODE(stat.st_mode))


def require(folder: Folder, path: FilePath, expect: Digest | None) -> None:
    """Refuse unless the file is what the caller expects, `None` expecting no file."""
    if expect is None:
        if _look(folder, path.name, path) is not None:
            raise FileExists(f"{path} already exists", path=str(path))
        return
    state = state_of(folder, path.name, path, FILE_BYTES_MAX)
    if state is None:
        raise FileNotFound(f"{path} does not exist", path=str(path))
    if state.digest != expect:
        raise changed(path, "is not what was expected", state.digest)


def holds(folder: Folder, name: str, expect: Digest) -> bool:
    """Whether a name has a plain file with this content."""
    try:
        state = state_of(folder, name, FilePath((name,)), FILE_BYTES_MAX)
    except Problem:  # no plain file, or a larger one
        return False
    return state is not None and state.digest == expect


def changed(path: FilePath, what: str, digest: Digest | None = None) -> FileChanged:
    """Say that a file is not as expected, and what it is instead if that is known."""
    found = {} if digest is None else {"sha256": digest}
    return FileChanged(f"{path} {what}", path=str(path), **found)


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
