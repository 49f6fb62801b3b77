"""Files beside the database: large blobs, and locks that end with their process."""

import errno
import fcntl
import os
import re
import stat
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from hansard.engines.locks import ProcessLock
from hansard.engines.sqlite.errors import can_write
from hansard.kernel.blob import Blob, Digest, is_digest
from hansard.kernel.engine import Lock
from hansard.kernel.limits import INLINE_BLOB_BYTES_MAX
from hansard.kernel.opener import OpeningProcess
from hansard.kernel.private_files import FILE_MODE, FOLDER_MODE, sync_folder
from hansard.kernel.problem import BlobDamaged, InvalidInput

BLOBS = "blobs"
RETRY_S = 0.01

_ONLY_FILES = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_NO_FILE = (errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EISDIR)
"""Errors of the system that mean that a name is a link, a socket or a folder."""

_LOCK_NAME = re.compile(r"[A-Za-z0-9-]{1,200}")
_TEMPORARY = re.compile(r"\.[0-9a-f]{64}\.[0-9a-f]{8}")


class BlobFiles:
    """A folder of files named by digest, written whole or not at all."""

    def __init__(self, folder: Path) -> None:
        """Use this folder; it is made when first written to."""
        self._folder = folder
        self._incoming = folder / "incoming"

    def write(self, digest: Digest, packed: bytes) -> None:
        """Make the file durable, with its name; one that is there already is left as it is."""
        path = self._path(digest)
        if os.path.lexists(path):
            # Its writer may not have synced the folder yet.
            sync_folder(path.parent)
            return
        # Without parents: where the store's folder is gone, no other is made in its place.
        for folder in (self._folder, path.parent, self._incoming):
            folder.mkdir(exist_ok=True, mode=FOLDER_MODE)
        while not self._brought(path, digest, packed):
            pass  # a sweep removed it just before it was locked; that does not repeat for long
        sync_folder(path.parent)
        sync_folder(self._folder)

    def _brought(self, path: Path, digest: Digest, packed: bytes) -> bool:
        """Write a file and give it its name; false if it was swept away before it was locked."""
        temporary = self._incoming / f".{digest}.{os.urandom(4).hex()}"
        try:
            with open(temporary, "xb", opener=partial(os.open, mode=FILE_MODE)) as file:
                # Locked while it is written, so that `sweep` can tell what nobody is writing.
                fcntl.flock(file, fcntl.LOCK_EX)
                if not temporary.exists():
                    return False
                file.write(packed)
                file.flush()
                os.fsync(file.fileno())
                _name_first(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
        return True

    def sweep(self) -> None:
        """Remove what processes that died had begun to write."""
        if not self._incoming.is_dir():
            return
        for path in _files_named(_TEMPORARY, self._incoming):
            if (descriptor := _take(path)) is not None:
                path.unlink(missing_ok=True)
                os.close(descriptor)

    def has(self, digest: Digest, packed: bytes) -> bool:
        """Whether a file of that name is there, and is what was to be written.

        It may be damaged, or written by another process that packed the same content in another
        way: earlier, at the same time, or after a collection. The caller has the write lock, so the
        result stays true.
        """
        try:
            return self.read(digest) == packed
        except BlobDamaged:
            return False

    def name(self, digest: Digest) -> str | None:
        """Say where in the store a file lies; `None` if it is not there."""
        path = self._path(digest)
        return str(path.relative_to(self._folder.parent)) if path.is_file() else None

    def read(self, digest: Digest) -> bytes | None:
        """Read a file; `None` if it is not there.

        Anything but a plain file is refused: a link leads to what others may change, and reading a
        pipe would never end.
        """
        try:
            descriptor = os.open(self._path(digest), _ONLY_FILES)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno not in _NO_FILE:
                raise
            raise BlobDamaged("A blob's file is not a file of its own", digest=digest) from error
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise BlobDamaged("A blob's file is not a file of its own", digest=digest)
        with os.fdopen(descriptor, "rb") as file:
            return file.read()

    def size(self, digest: Digest) -> int:
        """Say how large a file is; 0 if there is none."""
        try:
            return self._path(digest).stat().st_size
        except OSError:
            return 0

    def remove(self, digest: Digest) -> None:
        """Remove a file, if it is there, durably."""
        path = self._path(digest)
        if path.is_file():
            path.unlink()
            sync_folder(path.parent)

    def sizes(self, older_s: float) -> dict[Digest, int]:
        """Give the sizes of all files that are at least this old."""
        until = time.time() - older_s
        found: dict[Digest, int] = {}
        for path in self._folder.glob("[0-9a-f][0-9a-f]/*"):
            if not is_digest(path.parent.name + path.name):
                continue  # not ours
            try:
                seen = path.stat()
            except FileNotFoundError:
                continue  # removed since
            if seen.st_mtime <= until:
                found[Digest(path.parent.name + path.name)] = seen.st_size
        return found

    def _path(self, digest: Digest) -> Path:
        return blob_path(self._folder, digest)


def _name_first(temporary: Path, path: Path) -> None:
    """Give a file its name unless another came first: a file that a row needs is not replaced."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # A lock rather than a hard link, which not every file system has.
        fcntl.flock(folder, fcntl.LOCK_EX)
        if not os.path.lexists(path):
            temporary.rename(path)
    finally:
        os.close(folder)


def is_inline(blob: Blob) -> bool:
    """Whether a blob lies in the database rather than in a file."""
    return len(blob.packed) <= INLINE_BLOB_BYTES_MAX


def blob_path(folder: Path, digest: Digest) -> Path:
    """Say where the file of a blob lies; anything but a digest is refused."""
    if not is_digest(digest):
        raise BlobDamaged("A blob's digest is not one", digest=digest[:64])
    return folder / digest[:2] / digest[2:]


class LockFiles:
    """Advisory locks by name. The kernel releases them when their process dies."""

    def __init__(self, folder: Path, *, looking: bool = False) -> None:
        """Use this folder of a store; it is made when a lock is first taken, not by looking."""
        self._folder = folder
        self._is_looking = looking
        self._opener = OpeningProcess()
        self._held: dict[str, int] = {}

    def hold(self, name: str) -> Lock | None:
        """Take a lock until the end of a `with`; `None` if someone has it.

        Where nothing can be written there is nothing to protect: then it only tells whether someone
        has the lock.
        """
        if not _LOCK_NAME.fullmatch(name):
            raise InvalidInput("A lock is named with letters, digits and dashes", name=name[:200])
        if self._is_looking:
            return self._only_looked_at(name)
        try:
            descriptor = self._take(name)
        except OSError:
            if can_write(self._folder.parent):
                raise
            return self._only_looked_at(name)
        if descriptor is None:
            return None
        self._held[name] = descriptor
        is_held = partial(self._has, name, descriptor)
        return ProcessLock(is_held, partial(self._release, name))

    def held(self, names: Collection[str]) -> set[str]:
        """Say which of these somebody has; looking keeps nobody from taking any."""
        ours = (name for name in names if _LOCK_NAME.fullmatch(name))
        return {name for name in ours if is_held(self._folder / name)}

    def sweep(self) -> None:
        """Remove the files of locks whose holders died; a reader at that moment tries again."""
        if not self._folder.is_dir():
            return
        for path in _files_named(_LOCK_NAME, self._folder):
            if lock := self.hold(path.name):
                with lock:
                    pass

    def close(self) -> None:
        """Release all that are still held."""
        for name in list(self._held):
            self._release(name)

    def _only_looked_at(self, name: str) -> Lock | None:
        if is_held(self._folder / name):
            return None
        return ProcessLock(lambda: True, lambda: None)

    def _take(self, name: str) -> int | None:
        """Take a lock; its folder is there, but for the first."""
        try:
            return _take(self._folder / name)
        except FileNotFoundError:
            self._folder.mkdir(exist_ok=True, mode=FOLDER_MODE)
            return _take(self._folder / name)

    def _has(self, name: str, descriptor: int) -> bool:
        return self._held.get(name) == descriptor

    def _release(self, name: str) -> None:
        descriptor = self._held.pop(name, None)
        if descriptor is not None:
            # If the disk refuses to remove a name, the next process that opens the store does it.
            with suppress(OSError):
                path = self._folder / name
                # If the store was moved away, another process may hold this name. A fork releases
                # only its copy of the descriptor.
                if self._opener.is_this() and _is_at(descriptor, path):
                    path.unlink()
            os.close(descriptor)


def is_held(path: Path) -> bool:
    """Whether a living process holds a lock, found out without writing anything."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def is_any_held(folder: Path) -> bool:
    """Whether a living process holds a lock of this folder."""
    if not folder.is_dir():
        return False
    for path in _files_named(_LOCK_NAME, folder):
        descriptor = _take(path)
        if descriptor is None:
            return True
        path.unlink(missing_ok=True)
        os.close(descriptor)
    return False


def _files_named(form: re.Pattern[str], folder: Path) -> list[Path]:
    """List the files of a folder that are ours: others leave theirs there, such as .DS_Store."""
    with os.scandir(folder) as found:
        return [
            Path(one.path)
            for one in found
            if form.fullmatch(one.name) and one.is_file(follow_symlinks=False)
        ]


def _take(path: Path) -> int | None:
    """Lock a file and give its descriptor; `None` if someone has it locked."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        if _is_at(descriptor, path):
            return descriptor
        os.close(descriptor)  # its last holder removed the name just now; take the new one


class WriteLock:
    """The write lock: processes queue for it, which SQLite's own waiting does not do."""

    def __init__(self, path: Path) -> None:
        """Open the lock file."""
        self.path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        self._where = str(path)
        self._beside: list[tuple[str, os.stat_result]] = []

    def look_after(self, *paths: Path) -> None:
        """Remember which files lie beside it; they stay open as long as it does."""
        self._beside = [(str(path), path.stat()) for path in paths]

    def is_in_place(self) -> bool:
        """Whether opening the store now would find the same files, not others of the same names."""
        return self._descriptor < 0 or (
            _is_at(self._descriptor, self._where)
            and all(_is_same(seen, path) for path, seen in self._beside)
        )

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for the lock in the queue, and hold it for a while."""
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        try:
            yield
        finally:
            self.let_go()

    @contextmanager
    def turn_within(self, wait_s: float) -> Iterator[None]:
        """Wait for the lock at most this long, outside the queue; raises `TimeoutError`."""
        deadline = time.monotonic() + wait_s
        while not self.is_taken():
            if time.monotonic() > deadline:
                raise TimeoutError(errno.ETIMEDOUT, "another process holds it")
            time.sleep(RETRY_S)
        try:
            yield
        finally:
            self.let_go()

    def is_taken(self) -> bool:
        """Take the lock, if nobody has it."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def let_go(self) -> None:
        """Release the lock."""
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file; once is enough."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1


def _is_at(descriptor: int, path: Path | str) -> bool:
    return _is_same(os.fstat(descriptor), path)


def _is_same(seen: os.stat_result, path: Path | str) -> bool:
    """Whether the file that was seen is the one that now lies at this path."""
    try:
        # Called before each write: a `Path` takes longer.
        return os.path.samestat(seen, os.stat(path))  # noqa: PTH116
    except (FileNotFoundError, NotADirectoryError):
        return False
