"""Translates errors of SQLite and the system, and decides when to stop writing."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw

from hansard.kernel.problem import StorageUnavailable

CANNOT_READ = "The store cannot be read"
CANNOT_WRITE = "The store cannot be written"

NO_WRITING = (errno.EROFS, errno.EACCES, errno.EPERM)
"""Errors of the system that mean that something cannot be written, now or by this user."""

DATABASE_TROUBLE = (
    *(apsw.IOError, apsw.FullError, apsw.CorruptError),
    *(apsw.ReadOnlyError, apsw.CantOpenError),
)
"""Errors that mean that nothing can be written to the database, whatever the work was."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Why writing has stopped, and what to do about it."""

    message: str
    hint: str

    def problem(self) -> StorageUnavailable:
        """Refuse a write."""
        return StorageUnavailable(self.message, hint=self.hint, outcome="not_written")


GONE = Stop(
    f"{CANNOT_WRITE}: its files were moved or removed while it was open",
    "Put it back, or set `store` to where it is now, then start Hansard again",
)


FULL = Stop("The store cannot be opened: the disk is full", "Make room, then start Hansard again")
READ_ONLY = Stop(
    "The store is read-only: its disk cannot be written to",
    "Reading goes on. Make the disk writable, then start Hansard again",
)
FAILED = Stop(
    f"{CANNOT_WRITE}: its disk failed, so writing has stopped until Hansard is started again",
    "Reading goes on. Look after the disk, then start Hansard again: it finds out what was written",
)
LOOK_AFTER_DISK = "Look after the disk, and try again", "not_written"
REPEAT_TO_KNOW = (
    "It may be written or not. Look after the disk, start Hansard again, and repeat the call with "
    "its idempotency key: then it is done once, and answered"
)


@contextmanager
def refusals(what: str, stop: Callable[[Stop], None] | None = None) -> Iterator[None]:
    """Turn SQLite's and the system's refusals into a problem; `stop` hears of a failed disk."""
    try:
        yield
    except (apsw.Error, OSError) as error:
        problem = refusal(what, error, writes=stop is not None)
        if problem is None:
            raise
        if stop and isinstance(error, apsw.IOError):
            stop(FAILED)
        raise problem from error


def refusal(what: str, error: Exception, *, writes: bool = True) -> StorageUnavailable | None:
    """Say what was refused, and why; `None` if it is a bug of ours.

    Only for work that `writes` to the journal can it be unknown whether it was written.
    """
    match error:
        case apsw.IOError():
            remedy, outcome = (REPEAT_TO_KNOW, "unknown") if writes else LOOK_AFTER_DISK
            return StorageUnavailable(f"{what}: the disk failed", hint=remedy, outcome=outcome)
        # Our statements fit our tables, unless somebody changed a table.
        case apsw.CorruptError() | apsw.NotADBError() | apsw.SQLError():
            return StorageUnavailable(
                f"{what}: the database file is damaged",
                hint="Run `hansard verify`, then `hansard repair`; do not delete anything",
                outcome="not_written",
            )
        case apsw.Error() if reason := _REASONS.get(type(error)):
            if isinstance(error, apsw.FullError) and _is_full(_temporary_folder()):
                reason, hint = TEMPORARY_FULL
            else:
                hint = None
            return StorageUnavailable(f"{what}: {reason}", hint=hint, outcome="not_written")
        case OSError(errno=errno.EROFS):
            return READ_ONLY.problem()
        # A closed pipe means that the reader has seen enough.
        case OSError() if not isinstance(error, BrokenPipeError):
            reason = error.strerror or "the system refused"
            return StorageUnavailable(f"{what}: {reason}", outcome="not_written")
    return None


def told(error: BaseException) -> BaseException:
    """Give the error for a caller whose work failed and was undone: a refusal, if it was one."""
    if isinstance(error, (apsw.Error, OSError)) and (problem := refusal(CANNOT_WRITE, error)):
        problem.__cause__ = error
        return problem
    return error


def is_lack_of_room(problem: BaseException) -> bool:
    """Whether a problem was made of a disk that is full."""
    cause = problem.__cause__
    if isinstance(cause, OSError):
        return cause.errno in (errno.ENOSPC, errno.EDQUOT)
    return isinstance(cause, apsw.Error) and is_without_room(cause)


TEMPORARY_FOLDERS = ("SQLITE_TMPDIR", "TMPDIR"), ("/var/tmp", "/usr/tmp", "/tmp")  # noqa: S108
"""Where SQLite sorts what does not fit in memory: the folders in these variables, else these."""

ROOM_BYTES_MIN = 1 << 20

TEMPORARY_FULL = (
    "the folder for temporary files is full",
    "Make room there, or name another in TMPDIR, and start Hansard again",
)


def _temporary_folder() -> str:
    variables, folders = TEMPORARY_FOLDERS
    named = (os.environ.get(name, "") for name in variables)
    return next((one for one in (*named, *folders) if one and Path(one).is_dir()), ".")


def _is_full(folder: str) -> bool:
    room = os.statvfs(folder)
    return room.f_bavail * room.f_frsize < ROOM_BYTES_MIN


def is_read_only(error: apsw.Error, connection: apsw.Connection) -> bool:
    """Whether a write failed, before anything was synced, as the file system is read-only now."""
    is_write = getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_WRITE
    return is_write and connection.system_errno == errno.EROFS


def is_without_room(error: apsw.Error) -> bool:
    """Whether a store could not be opened because the disk is full."""
    code = getattr(error, "extendedresult", 0)
    return isinstance(error, apsw.FullError) or code == apsw.SQLITE_IOERR_SHMSIZE


def can_write(folder: Path) -> bool:
    """Whether a folder can be written to, found out by trying: a failed disk may only claim so."""
    if folder.is_dir() and not os.access(folder, os.W_OK):
        return False
    try:
        os.utime(folder)
    except OSError as error:
        return error.errno not in NO_WRITING
    return True


_REASONS: dict[type[apsw.Error], str] = {
    apsw.FullError: "the disk is full",
    apsw.BusyError: "it was busy for too long",
    apsw.CantOpenError: "its files cannot be opened",
    apsw.ReadOnlyError: "it is read-only here",
}
