"""Checks what Hansard needs from a machine, and explains what is missing."""

import errno
import os
import resource
from pathlib import Path

from hansard.kernel.problem import InvalidInput, Problem, StorageUnavailable

FILES_MIN = 64
"""Files that a process must be able to have open: connections to the database take three each,
the event loop, the locks and what Python imports the rest."""

STORE_PATH_BYTES_MAX = 480
"""SQLite opens no file whose whole path is longer than 512 bytes, and its logs have names too."""

REFUSED = {
    errno.EMFILE: "Too many files are open: raise the limit, with `ulimit -n`",
    errno.ENFILE: "Too many files are open on this machine: close some",
    errno.ENOSPC: "Make room on the disk, or where temporary files go (TMPDIR), and try again",
    errno.EDQUOT: "Make room on the disk, or where temporary files go (TMPDIR), and try again",
    errno.EROFS: "Make the disk writable, and try again",
    errno.EACCES: "Run this as the user whose files these are",
    errno.EPERM: "Run this as the user whose files these are",
    errno.EIO: "Look after the disk, and try again",
    errno.ENOMEM: "Close other programs, and try again",
    errno.ENAMETOOLONG: "Use a shorter path",
    errno.ENOTDIR: "Use another path: this one leads through a file",
    errno.ELOOP: "Use another path: the links in this one lead in a circle",
}
"""Errors of the system that mean a fault of the machine, not of ours, and what to do then."""


NAMED_WRONGLY = {
    errno.ENOENT: "Name a folder that is there, and is not being moved",
    errno.ENOTDIR: REFUSED[errno.ENOTDIR],
    errno.EISDIR: "Name a file: this is a folder",
    errno.EEXIST: "Name one that is not there yet",
    errno.ENAMETOOLONG: REFUSED[errno.ENAMETOOLONG],
    errno.ELOOP: REFUSED[errno.ELOOP],
}
"""Errors of the system that mean an impossible path, whatever state the machine is in."""


def require_files() -> None:
    """Refuse to begin what would fail halfway for lack of file descriptors."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < FILES_MIN:
        raise StorageUnavailable(
            f"This process may have {most} files open at once, and Hansard needs {FILES_MIN}",
            hint=f"Raise the limit, with `ulimit -n {FILES_MIN * 16}`",
            outcome="not_written",
        )


def require_place(folder: Path) -> None:
    """Refuse a path at which no store can lie, before any folder is made on the way there."""
    whole = os.fsencode(Path(os.path.abspath(folder)))  # noqa: PTH100 - links are not followed
    if len(whole) > STORE_PATH_BYTES_MAX:
        raise InvalidInput(
            f"The store's path is too long: {len(whole)} bytes, and at most {STORE_PATH_BYTES_MAX}",
            hint="Name another folder with --store",
            argument="store",
        )
    try:
        files = [one for one in (folder, *folder.parents) if one.exists() and not one.is_dir()]
    except OSError as error:
        problem = refusal(error, "The store's path cannot be used", outcome="not_written")
        if problem is None:
            raise
        raise problem from error
    if files:
        where = "is a file" if files[0] == folder else "leads through a file"
        raise InvalidInput(
            f"The store's path {where}, and a store is a folder",
            hint="Name another folder with --store",
            argument="store",
        )


def refused(error: OSError, what: str) -> Problem:
    """Say what the system refused where a person named a file or a folder to be written."""
    if error.errno in NAMED_WRONGLY:
        reason = os.strerror(error.errno or 0)
        return InvalidInput(f"{what}: {reason}", hint=NAMED_WRONGLY[error.errno or 0])
    problem = refusal(error, what, outcome="not_written")
    reason = error.strerror or "the system refused"
    return problem or StorageUnavailable(f"{what}: {reason}", outcome="not_written")


def refusal(error: OSError, what: str, *, outcome: str = "unknown") -> StorageUnavailable | None:
    """Say what the system refused; `None` if the mistake is ours."""
    hint = REFUSED.get(error.errno or 0)
    if hint is None:
        return None
    reason = os.strerror(error.errno or 0)
    return StorageUnavailable(f"{what}: {reason}", hint=hint, outcome=outcome)
