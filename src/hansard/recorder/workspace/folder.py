"""Folders by descriptor: nothing follows a link, crosses a mount or resolves a path twice.

On Linux the kernel does the walking (openat2). Where it cannot (older kernels, some sandboxes,
macOS) each component is opened in turn without following links, and its mount compared. On macOS
this is untested; Windows has no descriptors of folders and is not served.
"""

import errno
import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from stat import S_ISDIR, S_ISLNK
from typing import Protocol, Self

from hansard.kernel.problem import StorageUnavailable
from hansard.recorder.workspace import linux

RESOLVE = (
    linux.RESOLVE_BENEATH
    | linux.RESOLVE_NO_SYMLINKS
    | linux.RESOLVE_NO_MAGICLINKS
    | linux.RESOLVE_NO_XDEV
)
UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.ENOTSUP}
"""Errors of kernels, sandboxes and file systems that mean that they lack a call or a flag."""

UNLOCKABLE = {errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP}
"""Errors of network file systems that mean that a folder cannot be locked; then only processes of
ours compete."""

TURN_WAIT_S = 5.0
"""The lock is held for microseconds; a holder that takes longer is suspended."""
TURN_LOOK_S = 0.001

_FOLDER = os.O_RDONLY | os.O_DIRECTORY
# A FIFO or a device that slips in must not make us wait.
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY


class Opener(Protocol):
    """Opens a path below a folder. ELOOP: there is a link in it; EXDEV: another mount."""

    def __call__(self, folder: int, path: str, flags: int) -> int: ...


class Folder:
    """An open folder and what can be done in it by name."""

    def __init__(self, descriptor: int, opener: Opener) -> None:
        """Take over the descriptor."""
        self.descriptor = descriptor
        self._opener = opener

    def folder(self, path: str) -> "Folder":
        """Open a folder below this one."""
        return Folder(self._opener(self.descriptor, path, _FOLDER), self._opener)

    def open(self, name: str) -> int:
        """Open a file for reading and give its descriptor; the caller checks what it is."""
        return self._opener(self.descriptor, name, _FILE)

    def is_open_to_write(self, name: str) -> bool:
        """Whether anybody has a file open for writing; `False` if that is unknown."""
        try:
            descriptor = self.open(name)
        except OSError:  # gone, or no plain file: others look at that
            return False
        try:
            return linux.is_open_to_write(descriptor)
        finally:
            os.close(descriptor)

    def create(self, name: str, mode: int) -> int:
        """Open a new file for writing."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        return os.open(name, flags, mode, dir_fd=self.descriptor)

    def stat(self, name: str) -> os.stat_result | None:
        """Stat what has this name, even a link; `None` if nothing has."""
        try:
            return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def entries(self) -> Iterator[tuple[str, bool]]:
        """Give each name in the folder and whether it is a folder itself."""
        with os.scandir(self.descriptor) as found:
            for entry in found:
                yield entry.name, entry.is_dir(follow_symlinks=False)

    def make_folder(self, name: str) -> bool:
        """Make a folder; `False` if something has this name."""
        try:
            os.mkdir(name, dir_fd=self.descriptor)
        except FileExistsError:
            return False
        return True

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        os.rmdir(name, dir_fd=self.descriptor)

    def unlink(self, name: str) -> None:
        """Remove a file, if it is there."""
        try:
            os.unlink(name, dir_fd=self.descriptor)
        except FileNotFoundError:
            return

    def place(self, name: str, folder: "Folder", new_name: str) -> None:
        """Rename a file, refusing with FileExistsError if something has the new name."""
        here, there = self.descriptor, folder.descriptor
        try:
            linux.renameat2(here, name, there, new_name, linux.RENAME_NOREPLACE)
        except OSError as error:
            if error.errno not in UNSUPPORTED:
                raise
            _link_over(here, name, there, new_name)

    def exchange(self, name: str, other: str) -> bool:
        """Swap two names atomically; `False` if the file system cannot."""
        here = self.descriptor
        try:
            linux.renameat2(here, name, here, other, linux.RENAME_EXCHANGE)
        except OSError as error:
            if error.errno not in UNSUPPORTED:
                raise
            return False
        return True

    def replace(self, name: str, other: str) -> None:
        """Rename a file over another."""
        os.replace(name, other, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def sync(self) -> None:
        """Make names durable."""
        sync(self.descriptor)

    def is_same(self, other: "Folder") -> bool:
        """Whether both are one folder."""
        return os.path.samestat(os.fstat(self.descriptor), os.fstat(other.descriptor))

    def is_at(self, path: str) -> bool:
        """Whether this folder still has that absolute path."""
        # Asked three times of each change: a `Path` takes longer.
        return os.path.samestat(os.fstat(self.descriptor), os.stat(path))  # noqa: PTH116

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self.descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def turn(*folders: Folder) -> Iterator[None]:
    """Wait until no other Hansard process changes names in these folders, and keep others out."""
    with ExitStack() as stack:
        # All take them in one order, so that no two wait for each other.
        for folder in sorted(folders, key=lambda folder: os.fstat(folder.descriptor).st_ino):
            if _lock(folder.descriptor):
                stack.callback(fcntl.flock, folder.descriptor, fcntl.LOCK_UN)
        yield


def open_root(path: Path, *, use_openat2: bool = True) -> Folder:
    """Open the folder from which everything else is opened, and choose how."""
    descriptor = os.open(path, _FOLDER)
    by_kernel = use_openat2 and _has_openat2(descriptor)
    return Folder(descriptor, open_by_kernel if by_kernel else open_by_component)


def open_by_kernel(folder: int, path: str, flags: int) -> int:
    """Open a path below a folder in one step that no rename can come between."""
    return linux.openat2(folder, path, flags, RESOLVE)


def open_by_component(folder: int, path: str, flags: int) -> int:
    """Open a path below a folder one name at a time, each from the folder before."""
    mount = _mount(folder)
    *parents, last = path.split("/")
    descriptor = os.dup(folder)
    for name, wanted in [*((parent, _FOLDER) for parent in parents), (last, flags)]:
        try:
            below = _open_name(descriptor, name, wanted)
        finally:
            os.close(descriptor)
        descriptor = below
        if _mount(descriptor) != mount:
            os.close(descriptor)
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    return descriptor


def sync(descriptor: int) -> None:
    """Make a file or folder durable, on macOS past the disk's own cache."""
    if sys.platform == "darwin":
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)


def _lock(descriptor: int) -> bool:
    """Lock a folder, waiting no longer than `TURN_WAIT_S`; `False` if it cannot be locked."""
    deadline = time.monotonic() + TURN_WAIT_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise StorageUnavailable(
                    "Another process holds this folder and does not let go", outcome="unchanged"
                ) from None
            time.sleep(TURN_LOOK_S)
        except OSError as error:
            if error.errno not in UNLOCKABLE:
                raise
            return False


def _open_name(folder: int, name: str, flags: int) -> int:
    try:
        return os.open(name, flags | os.O_NOFOLLOW, dir_fd=folder)
    except NotADirectoryError:
        # Linux says this also of a link where a folder is wanted. A folder by now: it is swapping.
        stat = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if _is_link_or_folder(stat):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from None
        raise


def _is_link_or_folder(stat: os.stat_result) -> bool:
    return S_ISLNK(stat.st_mode) or S_ISDIR(stat.st_mode)


def _mount(descriptor: int) -> str:
    """Name the mount of an open file: a bind mount has the device number of its source."""
    try:
        facts = Path(f"/proc/self/fdinfo/{descriptor}").read_text()
    except OSError:  # no /proc in this sandbox, or no Linux
        facts = ""
    ids = [line for line in facts.splitlines() if line.startswith("mnt_id:")]
    return ids[0] if ids else f"device {os.fstat(descriptor).st_dev}"


def _has_openat2(folder: int) -> bool:
    try:
        os.close(open_by_kernel(folder, ".", _FOLDER))
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise
        return False
    return True


def _link_over(here: int, name: str, there: int, new_name: str) -> None:
    """Rename without replacing where no call does it: a second name first, then drop the old."""
    try:
        os.link(name, new_name, src_dir_fd=here, dst_dir_fd=there, follow_symlinks=False)
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise
    else:
        os.unlink(name, dir_fd=here)
        return
    # No hard links either: checking first is the best that such a file system allows.
    try:
        os.stat(new_name, dir_fd=there, follow_symlinks=False)
    except FileNotFoundError:
        os.rename(name, new_name, src_dir_fd=here, dst_dir_fd=there)
        return
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
