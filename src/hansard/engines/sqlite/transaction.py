"""A read transaction on SQLite: the seam's reading verbs as SQL."""

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Any, cast

import apsw
import orjson

from hansard.engines.locks import UnderProcessLocks
from hansard.engines.sqlite.clauses import condition, known, marks, paged, standing, through
from hansard.engines.sqlite.files import BlobFiles
from hansard.engines.sqlite.schema import (
    CURRENT,
    NUMBER_BITS,
    documents_name,
    filing,
    is_unmade,
    is_without_index,
    table_name,
)
from hansard.kernel.blob import Blob, Codec, Digest
from hansard.kernel.engine import (
    Found,
    Hit,
    Kept,
    Position,
    Row,
    Scalar,
    Table,
    Topic,
    Version,
    Where,
)
from hansard.kernel.event import Actor, Entry, Head, genesis
from hansard.kernel.problem import BlobDamaged

ENTRY_COLUMNS = "number, tick, at, clock, kind, session, actor, payload, payload_digest, hash"
NUMBER_MASK = (1 << NUMBER_BITS) - 1


class SqliteTx(UnderProcessLocks):
    """One project's transaction on one connection."""

    def __init__(self, connection: apsw.Connection, files: BlobFiles, project: str) -> None:
        """Start nothing: the owner of the connection has begun the transaction."""
        self.project = project
        self._connection = connection
        self._files = files
        self._number, self._head = self._find_head()

    def head(self) -> Head:
        return self._head

    def entries(
        self,
        *,
        after: int = 0,
        before: int | None = None,
        limit: int,
        descending: bool = False,
        kinds: Collection[str] | None = None,
        session: str | None = None,
    ) -> list[Entry]:
        if self._number is None:
            return []
        low, high = (
            self._numbered(after),
            self._numbered(NUMBER_MASK if before is None else before),
        )
        where: list[str] = ["number > ?", "number < ?"]
        values: list[Any] = [low, high]
        if session is not None:
            where.append("session = ?")
            values.append(session)
        if kinds is not None:
            where.append(f"kind IN ({marks(kinds)})")
            values.extend(kinds)
        direction = "DESC" if descending else "ASC"
        rows = self._all(
            f"SELECT {ENTRY_COLUMNS} FROM journal WHERE {' AND '.join(where)} "
            f"ORDER BY number {direction} LIMIT ?",
            *values,
            limit,
        )
        return [self._entry(row) for row in rows]

    def seek(self, *, tick: int | None = None, at: str | None = None) -> int:
        # Both only ever rise along the journal, so halving finds the place without an index.
        column, wanted = ("tick", tick) if tick is not None else ("clock", at or "")
        low, high = 0, self._head.seq
        while low < high:
            middle = (low + high + 1) // 2
            after_wanted = self._one(
                f"SELECT 1 FROM journal WHERE number = ? AND {column} > ?",
                self._numbered(middle),
                wanted,
            )
            low, high = (low, middle - 1) if after_wanted else (middle, high)
        return low

    def get(self, table: Table, key: str, *, as_of: int | None = None) -> Row | None:
        row = self._standing(table, key, as_of)
        return None if row is None else orjson.loads(row)

    def versions(
        self, table: Table, key: str, *, after: int | None = None, limit: int | None = None
    ) -> list[Version]:
        assert table.history, f"{table.name} keeps no history"
        page, values = paged(after, limit)
        rows = self._all(
            f"SELECT row, from_seq, to_seq FROM {table_name(table)} "
            f"WHERE project = ? AND key = ?{page}",
            self._number,
            key,
            *values,
        )
        return [
            Version(orjson.loads(row), start, None if end == CURRENT else end)
            for row, start, end in rows
        ]

    def scan(
        self,
        table: Table,
        where: Where | None = None,
        *,
        order: str | None = None,
        descending: bool = False,
        after: Position | None = None,
        limit: int,
        as_of: int | None = None,
    ) -> list[Found]:
        clauses, values = self._filter(table, where, as_of)
        direction, beyond = ("DESC", "<") if descending else ("ASC", ">")
        ordered = f"f_{known(table, order)} {direction}, " if order else ""
        if after is not None and order:
            clauses += f" AND (f_{order}, key) {beyond} (?, ?)"
            values += [after.value, after.key]
        elif after is not None:
            clauses += f" AND key {beyond} ?"
            values.append(after.key)
        index = "" if order else through(table, where, as_of)
        rest = f" WHERE {clauses} ORDER BY {ordered}key {direction} LIMIT ?"
        try:
            found = f"SELECT key, row FROM {table_name(table)}{index}{rest}"
            rows = self._all(found, *values, limit)
        except apsw.SQLError as error:
            if not is_without_index(error):
                raise
            rows = self._all(f"SELECT key, row FROM {table_name(table)}{rest}", *values, limit)
        return [Found(key, orjson.loads(row)) for key, row in rows]

    def tally(
        self,
        table: Table,
        where: Where | None = None,
        *,
        by: str | None = None,
        as_of: int | None = None,
    ) -> dict[Scalar | None, int]:
        clauses, values = self._filter(table, where, as_of)
        name = table_name(table)
        if by is None:
            [count] = self._one(f"SELECT count(*) FROM {name} WHERE {clauses}", *values) or [0]
            return {None: count} if count else {}
        column = f"f_{known(table, by)}"
        rows = self._all(
            f"SELECT {column}, count(*) FROM {name} WHERE {clauses} GROUP BY {column}", *values
        )
        if table.fields[by] == "boolean":
            return {None if value is None else bool(value): count for value, count in rows}
        return dict(rows)

    def filed(self, table: Table, *, after: str = "", limit: int) -> dict[str, bool]:
        rows = self._all(
            f"SELECT key, min({filing(table)}) FROM {table_name(table)} WHERE project = ? "
            "AND key > ? GROUP BY key ORDER BY key LIMIT ?",
            *(self._number, after, limit),
        )
        return {key: bool(is_right) for key, is_right in rows}

    def search(
        self,
        topic: Topic,
        query: str,
        *,
        where: Where | None = None,
        limit: int,
        beginnings: bool = False,
    ) -> list[Hit]:
        from hansard.engines.sqlite.search import Scope, SqliteSearch

        needed = (documents_name(topic), table_name(topic.table))
        if self._number is None or not all(map(self._is_made, needed)):
            return []
        clauses, values = self._filter(topic.table, where, None, alias="r.")
        scope = Scope(topic, *self._documents(), clauses, values, is_filtered=bool(where))
        return SqliteSearch(self._all, scope, beginnings=beginnings).hits(query, limit)

    def having(self, topic: Topic, words: Sequence[str]) -> tuple[int, list[int]]:
        if self._number is None or not self._is_made(documents_name(topic)):
            return 0, [0] * len(words)
        from hansard.engines.sqlite.search import having

        return having(self._all, topic, *self._documents(), words)

    def known(self, topic: Topic, words: Sequence[str]) -> dict[str, int]:
        if self._number is None or not self._is_made(documents_name(topic)):
            return {}
        from hansard.engines.sqlite.search import known

        return known(self._all, topic, *self._documents(), words)

    def blob(self, digest: Digest) -> Blob | None:
        found = self._one(
            "SELECT size, codec, packed, base, depth FROM blobs WHERE project = ? AND digest = ?",
            *(self._number, digest),
        )
        if found is None:
            return None
        size, codec, packed, base, depth = found
        if packed is None:
            packed = self._files.read(digest)
        if packed is None:
            raise BlobDamaged("A blob's file is missing", digest=digest)
        if not (isinstance(packed, bytes) and isinstance(size, int) and isinstance(depth, int)):
            raise BlobDamaged("A blob's row is damaged", digest=digest)
        return Blob(digest, size, cast("Codec", codec), packed, base, depth)

    def kept(self, digests: Collection[Digest], *, sized: bool = False) -> dict[Digest, Kept]:
        if not digests:
            return {}
        rows = self._all(
            f"SELECT digest, codec, depth, base, length(packed) FROM blobs "
            f"WHERE project = ? AND digest IN ({marks(digests)})",
            *(self._number, *digests),
        )
        return {digest: self._kept_as(digest, *row, sized=sized) for digest, *row in rows}

    def _kept_as(
        self,
        digest: Digest,
        codec: Codec,
        depth: int,
        base: Digest | None,
        length: int | None,
        *,
        sized: bool,
    ) -> Kept:
        """Say how a blob is kept; one that has no length in the database has a file."""
        path = self._files.name(digest) if length is None else None
        if sized and length is None:
            length = self._files.size(digest)
        return Kept(codec, depth, path, base, length if sized else None)

    def prefetch(self, *asks: Callable[[], object]) -> None:
        """Do nothing: queries take no time here."""

    def digests(self, *, after: str = "", limit: int) -> list[Digest]:
        rows = self._all(
            "SELECT digest FROM blobs WHERE project = ? AND digest > ? ORDER BY digest LIMIT ?",
            self._number,
            after,
            limit,
        )
        return [Digest(digest) for (digest,) in rows]

    def _standing(self, table: Table, key: str, as_of: int | None = None) -> bytes | None:
        if as_of is None:
            found = self._one(_getting(table_name(table), table.history), self._number, key)
            return found[0] if found else None
        stands, values = standing(table, as_of)
        # From the newest down: what was current then is seldom far from the end.
        found = self._one(
            f"SELECT row FROM {table_name(table)} WHERE project = ? AND key = ?{stands} "
            "ORDER BY from_seq DESC LIMIT 1",
            self._number,
            key,
            *values,
        )
        return found[0] if found else None

    def _find_head(self) -> tuple[int | None, Head]:
        found = self._one(
            "SELECT number, seq, tick, hash, clock, views FROM heads WHERE project = ?",
            self.project,
        )
        return (found[0], Head(*found[1:])) if found else (None, genesis(self.project))

    def _numbered(self, seq: int) -> int:
        project = self._number
        assert project is not None, "a project without a head has no entries"
        # Any number may be asked for; none reaches into the next project's.
        return (project << NUMBER_BITS) + min(max(seq, 0), NUMBER_MASK)

    def _documents(self) -> tuple[int, int]:
        """Give the span of this project's document numbers."""
        return self._numbered(0), self._numbered(NUMBER_MASK)

    def _filter(
        self, table: Table, where: Where | None, as_of: int | None, *, alias: str = ""
    ) -> tuple[str, list[Any]]:
        stands, at = standing(table, as_of, alias)
        clauses = [f"{alias}project = ?{stands}"]
        values: list[Any] = [self._number, *at]
        for field, match in (where or {}).items():
            clause, more = condition(f"{alias}f_{known(table, field)}", match)
            clauses.append(clause)
            values.extend(more)
        return " AND ".join(clauses), values

    def _entry(self, row: tuple[Any, ...]) -> Entry:
        number, tick, at, clock, kind, session, actor, payload, payload_digest, hashed = row
        return Entry(
            self.project,
            number & NUMBER_MASK,
            tick,
            at,
            clock,
            kind,
            session,
            _actor(actor),
            payload,
            payload_digest,
            hashed,
        )

    def _is_made(self, name: str) -> bool:
        return self._one("SELECT 1 FROM sqlite_schema WHERE name = ?", name) is not None

    def _one(self, statement: str, *values: Any) -> tuple[Any, ...] | None:
        found = self._ask(statement, values)
        return found.fetchone() if found else None

    def _all(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        found = self._ask(statement, values)
        return found.fetchall() if found else []

    def _ask(self, statement: str, values: Sequence[Any]) -> apsw.Cursor | None:
        """Start a query; `None` if it is about a table that was never written to."""
        try:
            return self._connection.execute(statement, values)
        except apsw.SQLError as error:
            if not is_unmade(error):
                raise
            return None


@lru_cache(maxsize=512)
def _getting(name: str, has_history: bool) -> str:  # noqa: FBT001 - what is cached is asked by place
    """Write the statement that reads a current row."""
    stands = f" AND to_seq = {CURRENT}" if has_history else ""
    return f"SELECT row FROM {name} WHERE project = ? AND key = ?{stands}"


@lru_cache(maxsize=256)
def _actor(text: str) -> Actor:
    """Read an actor. The same few are behind nearly all entries, so they are kept."""
    return Actor(*orjson.loads(text))
