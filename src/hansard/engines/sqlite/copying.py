"""A consistent copy of a store's folder, taken while others write."""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import apsw

from hansard.engines.sqlite.database import BUSY_TIMEOUT_MS, DATABASE, connect_to_look
from hansard.engines.sqlite.engine import LOCKS, WRITE_LOCK
from hansard.engines.sqlite.errors import refusals
from hansard.engines.sqlite.files import BLOBS, blob_path, is_any_held
from hansard.engines.sqlite.reserve import RESERVE
from hansard.kernel.blob import Digest
from hansard.kernel.private_files import FOLDER_MODE, make_folder, open_new, sync_folder
from hansard.kernel.problem import StorageUnavailable

Progress = Callable[[int, int], None]
"""Hears how many files are copied, and of how many."""

CHUNK_BYTES = 1 << 20


def copy_store(
    source: Path, target: Path, *, like: Path | None, progress: Progress = lambda *_: None
) -> int:
    """Copy a store into an empty folder, durably; returns how many files had to be copied.

    The database is copied as one reader sees it, which keeps no writer waiting. Files of blobs
    never change, so those that an earlier copy, `like`, has are linked to it rather than copied.
    """
    with refusals("The store cannot be copied"):
        make_folder(target)
        _copy_database(source / DATABASE, target / DATABASE)
        digests = list(_in_files(target / DATABASE))
        copied = 0
        for number, digest in enumerate(digests, start=1):
            copied += _place(digest, source, target, like)
            progress(number, len(digests))
        _sync_folders(target)
        return copied


def copy_files(source: Path, target: Path) -> Path:
    """Copy a store that nobody uses, byte by byte, damage and all; returns the copy."""
    with refusals("The store cannot be copied"):
        make_folder(target.parent)
        target.mkdir(mode=FOLDER_MODE)
        for path in source.glob(f"{DATABASE}*"):
            _copy_file(path, target / path.name)
        for path in (source / BLOBS).glob("[0-9a-f][0-9a-f]/*"):
            make_folder(target / BLOBS / path.parent.name)
            _copy_file(path, target / BLOBS / path.parent.name / path.name)
        return target


def _copy_file(source: Path, target: Path) -> None:
    with source.open("rb") as here, open_new(target) as there:
        shutil.copyfileobj(here, there, CHUNK_BYTES)


def is_store(folder: Path) -> bool:
    """Whether there is a store in this folder."""
    return (folder / DATABASE).is_file()


@contextmanager
def claimed(folder: Path) -> Iterator[bool]:
    """Keep others from opening the store of this folder; false if somebody has it open already.

    Nothing of it is written. A process that opens it meanwhile waits, and finds that it moved.
    """
    with ExitStack() as stack:
        free = not is_any_held(folder / LOCKS) and _is_turn_taken(folder, stack)
        yield free and _is_database_taken(folder, stack)


def _is_turn_taken(folder: Path, stack: ExitStack) -> bool:
    """Take the write lock until the stack ends; false if somebody has it."""
    try:
        descriptor = os.open(folder / WRITE_LOCK, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    stack.callback(os.close, descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_database_taken(folder: Path, stack: ExitStack) -> bool:
    """Lock the database until the stack ends; false if somebody has it open."""
    if not is_store(folder):
        return True
    connection = apsw.Connection(str(folder / DATABASE), flags=apsw.SQLITE_OPEN_READWRITE)
    stack.enter_context(closing(connection))
    # SQLite finds the log by its name, which belongs to another store by the time this one is
    # closed.
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    # A process that has it open holds a lock, for which this one would have to wait.
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except apsw.BusyError:
        return False
    except apsw.Error:
        return True  # too damaged to be used
    return True


def tidy_up(folder: Path) -> None:
    """Remove what opening a copy has left in its folder."""
    for name in (WRITE_LOCK, RESERVE):
        (folder / name).unlink(missing_ok=True)
    if (folder / LOCKS).is_dir():
        (folder / LOCKS).rmdir()
    sync_folder(folder)


def _copy_database(source: Path, target: Path) -> None:
    if not source.is_file():
        raise StorageUnavailable(f"There is no store in {source.parent}")
    if os.access(source.parent, os.W_OK):
        connection = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READWRITE)
    else:
        connection = connect_to_look(source)
    # Made before SQLite makes it, which would let others read it; it takes a file that is empty.
    open_new(target).close()
    with closing(connection):
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        connection.execute("VACUUM INTO ?", (str(target),))
    with closing(apsw.Connection(str(target))) as copy:
        # The copy comes with a rollback journal, whatever the original had.
        assert copy.pragma("journal_mode", "wal") == "wal", "the copy refused write-ahead logging"
    _sync_file(target)


def _in_files(database: Path) -> Iterator[Digest]:
    """Name the blobs whose content lies in a file."""
    with closing(apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        rows = connection.execute(
            "SELECT DISTINCT digest FROM blobs WHERE packed IS NULL ORDER BY digest"
        )
        for (digest,) in rows:
            yield Digest(digest)


def _place(digest: Digest, source: Path, target: Path, like: Path | None) -> int:
    """Put one blob's file in place; says whether it had to be copied."""
    original, wanted = blob_path(source / BLOBS, digest), blob_path(target / BLOBS, digest)
    make_folder(wanted.parent)
    if like is not None and _is_linked(blob_path(like / BLOBS, digest), original, wanted):
        return 0
    if not original.is_file():
        # The store itself lacks it. Verifying the copy reports that, with its name.
        return 0
    with original.open("rb") as here, open_new(wanted) as there:
        shutil.copyfileobj(here, there, CHUNK_BYTES)
        there.flush()
        os.fsync(there.fileno())
    return 1


def _is_linked(earlier: Path, original: Path, wanted: Path) -> bool:
    """Link to the file of an earlier copy, if it is as long as the original."""
    try:
        if original.exists() and earlier.stat().st_size != original.stat().st_size:
            return False
        os.link(earlier, wanted)
    except OSError:
        # There is none, or this file system has no links: copy it.
        return False
    return True


def _sync_file(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_folders(folder: Path) -> None:
    for path in sorted(folder.rglob("*")):
        if path.is_dir():
            sync_folder(path)
    sync_folder(folder)
