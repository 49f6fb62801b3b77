"""Finds a project's unused blobs in a temporary database instead of in memory.

What entries name goes in, and what is kept; what stays in the sieve is what may go.
"""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import apsw

from hansard.kernel.blob import Digest
from hansard.kernel.limits import ENTRIES_PAGE
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.temporary_files import temporary_root

_LAYOUT = """
CREATE TABLE named (digest BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE let_go (digest BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE kept (digest BLOB PRIMARY KEY, base BLOB, depth INTEGER, size INTEGER) WITHOUT ROWID;
CREATE INDEX kept_by_base ON kept (base) WHERE base IS NOT NULL;
CREATE TABLE needless (digest BLOB PRIMARY KEY, is_deleted INTEGER) WITHOUT ROWID;
CREATE TABLE spared (digest BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE unlooked (digest BLOB PRIMARY KEY) WITHOUT ROWID;
"""


@contextmanager
def sieve() -> "Iterator[Sieve]":
    """Make one for the length of the block."""
    made = tempfile.TemporaryDirectory(
        prefix="hansard-gc-", dir=temporary_root(), ignore_cleanup_errors=True
    )
    with made as folder, closing(apsw.Connection(str(Path(folder) / "sieve.db"))) as connection:
        try:
            connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            connection.execute(_LAYOUT)
            yield Sieve(connection)
        except apsw.FullError as error:
            # Refusals of the store were translated before they come here.
            raise StorageUnavailable(
                f"What nothing needs cannot be noted in temporary files in {folder}: it is full",
                hint="Make room there, or name another folder in TMPDIR",
                outcome="not_written",
            ) from error


class Sieve:
    """The blobs of one project, and what entries say of them."""

    def __init__(self, connection: apsw.Connection) -> None:
        """Use an empty database with its tables."""
        self._connection = connection

    def name(self, digests: Iterable[Digest]) -> None:
        """Note that these are needed."""
        self._put("INSERT OR IGNORE INTO named VALUES (?)", digests)

    def let_go(self, digests: Iterable[Digest]) -> None:
        """Note that these were needed by something that was deleted."""
        self._put("INSERT OR IGNORE INTO let_go VALUES (?)", digests)

    def collected(self, digests: Iterable[Digest]) -> None:
        """Note that an entry says these were collected, whatever had named them before."""
        self._put("DELETE FROM let_go WHERE digest = ?", digests)

    def keep(self, blobs: Iterable[tuple[Digest, Digest | None, int, int]]) -> None:
        """Note what is kept: its base, how many blobs it rests on, and its size."""
        rows = (
            (bytes.fromhex(digest), base and bytes.fromhex(base), depth, size)
            for digest, base, depth, size in blobs
        )
        with self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?)", rows)

    def choose(self) -> None:
        """Choose what nobody needs, and no remaining blob rests on."""
        self._connection.execute(
            "INSERT INTO needless SELECT digest, digest IN (SELECT digest FROM let_go) FROM kept "
            "WHERE digest NOT IN (SELECT digest FROM named)"
        )
        # What a remaining blob is packed against remains, down to the last base.
        self._connection.execute(
            "INSERT OR IGNORE INTO spared SELECT base FROM kept WHERE base IN "
            "(SELECT digest FROM needless) AND digest NOT IN (SELECT digest FROM needless)"
        )
        self._settle()
        # What nobody ever named may still be mentioned in a remaining blob's content.
        self._connection.execute(
            "INSERT OR IGNORE INTO unlooked SELECT digest FROM kept WHERE digest NOT IN "
            "(SELECT digest FROM needless WHERE NOT is_deleted)"
        )

    def unlooked(self) -> Iterator[list[Digest]]:
        """Give the remaining blobs that were not read for mentions yet, until there are none.

        Blobs that are spared meanwhile are included.
        """
        while self._ask("SELECT 1 FROM needless WHERE NOT is_deleted LIMIT ?", 1):
            page = self._ask("SELECT digest FROM unlooked ORDER BY digest LIMIT ?", ENTRIES_PAGE)
            if not page:
                return
            digests = [Digest(digest.hex()) for (digest,) in page]
            yield digests
            self._put("DELETE FROM unlooked WHERE digest = ?", digests)

    def spare_unnamed(self, mentioned: Iterable[Digest]) -> None:
        """Spare these of what nobody named; what was deleted may be mentioned all the same."""
        self._put(
            "INSERT OR IGNORE INTO spared SELECT digest FROM needless "
            "WHERE digest = ? AND NOT is_deleted",
            mentioned,
        )
        self._settle()

    def spare(self, digests: Iterable[Digest]) -> None:
        """Spare these, and what they rest on."""
        self._put("INSERT OR IGNORE INTO spared SELECT digest FROM kept WHERE digest = ?", digests)
        self._settle()

    def spare_deleted(self) -> None:
        """Spare all that was deleted."""
        self._connection.execute(
            "INSERT OR IGNORE INTO spared SELECT digest FROM needless WHERE is_deleted"
        )
        self._settle()

    def gone(self, digests: Iterable[Digest]) -> None:
        """Note that these are no longer kept."""
        went = list(digests)
        self._put("DELETE FROM needless WHERE digest = ?", went)
        self._put("DELETE FROM kept WHERE digest = ?", went)

    def next(self, limit: int, *, is_deleted: bool | None = None) -> dict[Digest, int]:
        """Give some of what may be removed, with sizes; a blob comes before the one it rests on.

        A limit of -1 is none.
        """
        rows = self._connection.execute(
            "SELECT digest, size FROM needless JOIN kept USING (digest) "
            "WHERE is_deleted = ?1 OR ?1 IS NULL ORDER BY depth DESC, digest LIMIT ?2",
            (is_deleted, limit),
        )
        return {Digest(digest.hex()): size for digest, size in rows}

    def deleted(self, digests: Iterable[Digest]) -> list[Digest]:
        """Say which of these something had named that was deleted."""
        asked = "SELECT 1 FROM let_go WHERE digest = ?"
        return [
            digest
            for digest in digests
            if self._connection.execute(asked, (bytes.fromhex(digest),)).fetchone()
        ]

    def _settle(self) -> None:
        """Keep what is spared, with what it rests on, and have all of it read for mentions."""
        beneath = (
            "INSERT OR IGNORE INTO spared SELECT base FROM kept WHERE digest IN spared "
            "AND base IN (SELECT digest FROM needless)"
        )
        self._connection.execute(beneath)
        while self._connection.changes():
            self._connection.execute(beneath)
        self._connection.execute("INSERT OR IGNORE INTO unlooked SELECT digest FROM spared")
        self._connection.execute("DELETE FROM needless WHERE digest IN spared")
        self._connection.execute("DELETE FROM spared")

    def _put(self, statement: str, digests: Iterable[Digest]) -> None:
        with self._connection:
            self._connection.executemany(statement, ((bytes.fromhex(one),) for one in digests))

    def _ask(self, query: str, limit: int) -> list[tuple[Any, ...]]:
        return self._connection.execute(query, (limit,)).fetchall()
