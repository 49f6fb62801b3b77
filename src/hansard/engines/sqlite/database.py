"""The database file of a store: opening it, also read-only, and what remains if it is gone."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import apsw

from hansard.engines.sqlite.files import BLOBS
from hansard.engines.sqlite.interim_name import between_names
from hansard.engines.sqlite.reserve import RESERVE
from hansard.kernel.problem import StorageUnavailable

DATABASE = "hansard.db"
LOG = f"{DATABASE}-wal"
STATEMENTS_CACHED = 500
BUSY_TIMEOUT_MS = 10_000
"""For the few moments that our own lock does not cover: a checkpoint, a reader that recovers."""


def remains(folder: Path) -> list[str]:
    """Name what is left of a store whose database is gone; nothing if there never was one."""
    log = folder / f"{DATABASE}-wal"
    # The database is checked last, since a process that begins a store makes it first.
    left = _left(folder) + ([log.name] if log.is_file() and log.stat().st_size else [])
    database = folder / DATABASE
    return [] if database.is_file() and database.stat().st_size else left


def _left(folder: Path) -> list[str]:
    """Name what is made only once the database has its tables."""
    moved = [path.name for path in between_names(folder)]
    return moved + [name for name in (BLOBS, RESERVE) if (folder / name).exists()]


def require_nothing_left(folder: Path, left: Sequence[str] | None = None) -> None:
    """Refuse to begin a new store on what is left of another, the log of which may be lost."""
    if left := _left(folder) if left is None else left:
        raise StorageUnavailable(
            f"The database of this store is gone; left of it: {', '.join(left)}",
            hint="Bring it back with `hansard repair --from`, which takes a folder of backups, or "
            "move the store's folder away to begin a new one",
            outcome="not_written",
        )


def connected_to_write(connect: Callable[[int], apsw.Connection]) -> apsw.Connection:
    """Connect for writing, if that is possible at all; a new database is created.

    SQLite silently opens a file that it cannot write to for reading only. The cause may have
    passed, so it is tried once more; after that the first write is refused.
    """
    connection = connect(apsw.SQLITE_OPEN_CREATE)
    if connection.readonly("main"):
        connection.close()
        return connect(apsw.SQLITE_OPEN_CREATE)
    return connection


def connect_to_look(path: Path, *, may_change: bool = False) -> apsw.Connection:
    """Open a database where nothing can be written, not even what its log needs to be read.

    One that may change meanwhile is read along with its log, which is left as it is.
    """
    has_log = path.with_name(f"{path.name}-wal").exists()
    is_live = has_log or (may_change and os.access(path.parent, os.W_OK))
    never_changes = "" if is_live else "&immutable=1"
    connection = apsw.Connection(
        f"{path.absolute().as_uri()}?mode=ro{never_changes}",
        flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
        statementcachesize=STATEMENTS_CACHED,
    )
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    return connection
