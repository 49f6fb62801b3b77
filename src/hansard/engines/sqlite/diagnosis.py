"""Facts about a SQLite store for `doctor`. Only reads."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import apsw

from hansard.engines.sqlite.database import DATABASE, connect_to_look
from hansard.engines.sqlite.engine import LOCKS, STOPPED
from hansard.engines.sqlite.errors import can_write
from hansard.engines.sqlite.files import is_held
from hansard.engines.sqlite.reserve import RESERVE, Reserve
from hansard.engines.sqlite.schema import FORMAT
from hansard.kernel.problem import StorageUnavailable


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    """How a store's database is set up."""

    sqlite: str
    format: int
    format_known: int
    """The newest layout that this Hansard can open."""
    journal_mode: str
    database_bytes: int
    has_reserve: bool
    """Whether space is reserved to record how an operation ended when the disk is full."""
    is_read_only: bool
    stopped: tuple[int, ...]
    """The ids of processes that stopped writing after a failure of the disk."""


def facts(folder: Path) -> DatabaseFacts:
    """Look at the database in this folder."""
    path = folder / DATABASE
    try:
        is_read_only = not can_write(folder)
        with closing(_connected(path, is_read_only=is_read_only)) as connection:
            return DatabaseFacts(
                sqlite=apsw.sqlite_lib_version(),
                format=connection.pragma("user_version"),
                format_known=FORMAT,
                journal_mode=connection.pragma("journal_mode"),
                database_bytes=path.stat().st_size,
                has_reserve=Reserve(folder / RESERVE, path).look(),
                is_read_only=is_read_only,
                stopped=tuple(_stopped(folder / LOCKS)),
            )
    except apsw.Error as error:
        raise StorageUnavailable(f"The database cannot be looked at: {error}") from error


def _connected(path: Path, *, is_read_only: bool) -> apsw.Connection:
    if is_read_only:
        return connect_to_look(path)
    return apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)


def _stopped(locks: Path) -> list[int]:
    held = [path.name for path in locks.glob(f"{STOPPED}*") if is_held(path)]
    return sorted(int(name.removeprefix(STOPPED)) for name in held)
