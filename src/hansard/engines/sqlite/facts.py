"""What one would want to know of a SQLite store before trusting it. Reads only."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import apsw

from hansard.engines.sqlite.engine import DATABASE
from hansard.engines.sqlite.schema import FORMAT
from hansard.kernel.problem import StorageUnavailable


@dataclass(frozen=True, slots=True)
class Facts:
    """How a store's database is set up."""

    sqlite: str
    format: int
    format_known: int
    """The newest layout that this Hansard can open."""
    journal_mode: str
    database_bytes: int


def facts(folder: Path) -> Facts:
    """Look at the database in this folder."""
    path = folder / DATABASE
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        with closing(connection):
            return Facts(
                sqlite=apsw.sqlite_lib_version(),
                format=connection.pragma("user_version"),
                format_known=FORMAT,
                journal_mode=connection.pragma("journal_mode"),
                database_bytes=path.stat().st_size,
            )
    except apsw.Error as error:
        raise StorageUnavailable(f"The database cannot be looked at: {error}") from error
