"""A lock of the store: commands that copy, move or remove blobs take turns."""

import fcntl
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hansard.app.keeping.files import is_mounted
from hansard.engines.sqlite.interim_name import between_names
from hansard.kernel.engine import Engine
from hansard.kernel.private_files import make_folder, sync_folder
from hansard.kernel.problem import Problem, StorageUnavailable

LOCK = "keeping"

StillAlone = Callable[[], None]
"""Refuses if another process may be doing the same by now."""


class KeepingBusy(Problem):
    """Another process is backing up, exporting, collecting, redacting or repairing this store."""

    code, http_status = "KEEPING_BUSY", 409
    hint = "Wait until it is done, then try again"


@contextmanager
def alone(engine: Engine) -> Iterator[StillAlone]:
    """Lock this store for maintenance, or refuse.

    Gives a check to call before each step of the work; it refuses if the lock was lost meanwhile.
    """
    lock = engine.hold(LOCK, patiently=True)
    if lock is None:
        raise KeepingBusy("The store is being backed up, moved or mended by another process")

    def require() -> None:
        if not lock.is_ours():
            raise KeepingBusy("The lock on the store was lost, and another process may have it")

    with lock:
        yield require


@contextmanager
def building(location: Path) -> Iterator[Path]:
    """Give a folder beside a store, to build another in; what is left in it at the end is removed.

    One process at a time builds in a folder, and removes what a crash left there.
    """
    if is_mounted(location):
        raise StorageUnavailable(
            f"{location} is a mount point, and cannot be replaced",
            hint="Name a folder within it, or another one, with --store",
            outcome="not_written",
        )
    make_folder(location.parent)
    name = f".{location.name}.incoming-"
    incoming = location.with_name(f"{name}{secrets.token_hex(4)}")
    descriptor = os.open(location.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for left in location.parent.glob(f"{name}*"):
            shutil.rmtree(left)
        _put_back(location)
        yield incoming
    except BlockingIOError:
        raise KeepingBusy(f"Another store is being restored or mended beside {location}") from None
    finally:
        if incoming.exists():
            shutil.rmtree(incoming)
        os.close(descriptor)


def _put_back(location: Path) -> None:
    """Finish what was cut off while two stores changed names one after the other."""
    for between in between_names(location):
        aside = location.with_name(f"{location.name}.replaced-{secrets.token_hex(4)}")
        between.rename(aside if location.exists() else location)
        sync_folder(location.parent)
