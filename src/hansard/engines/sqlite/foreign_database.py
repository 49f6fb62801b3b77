"""Opens another program's SQLite file read-only."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from hansard.kernel.problem import InvalidInput

MAGIC = b"SQLite format 3\0"
BUSY_TIMEOUT_MS = 5_000

Row = dict[str, Any]


class ForeignDatabase:
    """A database that another program made, and may be writing to."""

    def __init__(self, connection: apsw.Connection) -> None:
        """Ask an open connection."""
        self._connection = connection

    def columns(self, table: str) -> list[str]:
        """Name the columns of a table; none if there is no such table."""
        found = self._connection.execute("select name from pragma_table_info(?)", (table,))
        return [name for (name,) in found]

    def rows(
        self, table: str, wanted: Sequence[str], order: Sequence[str], where: str = ""
    ) -> Iterator[Row]:
        """Go through a table's rows; columns that it does not have are `None`."""
        there = set(self.columns(table))
        picked = ", ".join(_name(one) if one in there else "null" for one in wanted)
        sorted_by = ", ".join(_name(one) for one in order if one in there) or "rowid"
        chosen = f"where {where}" if where else ""
        query = f"select {picked} from {_name(table)} {chosen} order by {sorted_by}"
        for row in self._connection.execute(query):
            yield dict(zip(wanted, row, strict=True))


@contextmanager
def looking_at(path: Path) -> Iterator[ForeignDatabase]:
    """Open a database to look at it. What its file says is data: no trigger or view of it runs."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_NOFOLLOW
    try:
        with closing(apsw.Connection(f"file:{quote(str(path))}?mode=ro", flags=flags)) as found:
            found.set_busy_timeout(BUSY_TIMEOUT_MS)
            found.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, True)
            found.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, False)
            found.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, False)
            found.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, False)
            yield ForeignDatabase(found)
    except apsw.Error as error:
        raise InvalidInput(f"{path} cannot be read as a SQLite database: {error}") from error


def has_tables(path: Path, *tables: str) -> bool:
    """Whether a file is a SQLite database with these tables."""
    try:
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                return False
        with looking_at(path) as database:
            return all(database.columns(table) for table in tables)
    except (OSError, InvalidInput):
        return False


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
