"""A transaction on PostgreSQL: the seam's verbs as SQL."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson
import psycopg

from hansard.engines.postgres.connections import Connection
from hansard.engines.postgres.schema import Names, column, filing
from hansard.engines.postgres.search import Search
from hansard.engines.postgres.text import is_short_for_another, length_of, short, tsvector
from hansard.kernel.blob import Blob, Digest, canonical_json
from hansard.kernel.engine import (
    AnyOf,
    FieldType,
    Found,
    Hit,
    Kept,
    Position,
    Range,
    Row,
    Scalar,
    Table,
    Topic,
    Version,
    Where,
)
from hansard.kernel.event import Actor, Entry, Head, genesis
from hansard.kernel.words import query_terms

_ENTRY_COLUMNS = (
    "seq, tick, at, clock, kind, session, actor_kind, actor_id, actor_role, "
    "payload, payload_digest, hash"
)
_ARRAYS: dict[FieldType, str] = {
    "text": "text[]",
    "integer": "bigint[]",
    "real": "double precision[]",
    "boolean": "boolean[]",
}


class PostgresReadTx:
    """One project's look on one connection, in a transaction that its owner began."""

    def __init__(self, connection: Connection, names: Names, project: str) -> None:
        self.project = project
        self._connection = connection
        self._names = names

    def head(self) -> Head:
        return find_head(self._connection, self._names, self.project) or genesis(self.project)

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
        clauses, values = ["project = %s", "seq > %s"], [self.project, after]
        for clause, value in (
            ("seq < %s", before),
            ("kind = ANY(%s::text[])", None if kinds is None else list(kinds)),
            ("session = %s", session),
        ):
            if value is not None:
                clauses.append(clause)
                values.append(value)
        rows = self._all(
            f"SELECT {_ENTRY_COLUMNS} FROM {self._names.journal} WHERE {' AND '.join(clauses)} "
            f"ORDER BY seq {_direction(descending)} LIMIT %s",
            *values,
            limit,
        )
        return [_entry(self.project, row) for row in rows]

    def seek(self, *, tick: int | None = None, at: str | None = None) -> int:
        assert (tick is None) != (at is None), "seek by tick or by time, not both"
        # Neither ever falls along the journal, so halving finds the place without an index.
        name, wanted = ("clock", at) if tick is None else ("tick", tick)
        statement = (
            f"SELECT {name} <= %s FROM {self._names.journal} WHERE project = %s AND seq = %s"
        )
        low, high = 0, self.head().seq
        while low < high:
            middle = (low + high + 1) // 2
            [[is_there_yet]] = self._all(statement, wanted, self.project, middle)
            low, high = (middle, high) if is_there_yet else (low, middle - 1)
        return low

    def get(self, table: Table, key: str, *, as_of: int | None = None) -> Row | None:
        standing, values = _standing(table, as_of)
        rows = self._all(
            f"SELECT body FROM {self._names.table(table)} "
            f"WHERE project = %s AND key = %s{standing}",
            self.project,
            short(key),
            *values,
        )
        return orjson.loads(rows[0][0]) if rows else None

    def versions(self, table: Table, key: str) -> list[Version]:
        assert table.history, f"{table.name} keeps no history"
        rows = self._all(
            f"SELECT body, from_seq, to_seq FROM {self._names.table(table)} "
            "WHERE project = %s AND key = %s ORDER BY from_seq",
            self.project,
            short(key),
        )
        return [Version(orjson.loads(body), start, end) for body, start, end in rows]

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
        ordered = [_known(table, order), "key"] if order else ["key"]
        if after is not None:
            place: list[Scalar] = [short(after.key)]
            if order and after.value is not None:
                place.insert(0, _stored(table.fields[order], after.value))
            beyond = "<" if descending else ">"
            clauses += f" AND ({', '.join(ordered)}) {beyond} ({_marks(place)})"
            values += place
        direction = _direction(descending)
        rows = self._all(
            f"SELECT coalesce(whole_key, key), body FROM {self._names.table(table)} "
            f"WHERE {clauses} ORDER BY {', '.join(f'{name} {direction}' for name in ordered)} "
            "LIMIT %s",
            *values,
            limit,
        )
        return [Found(key, orjson.loads(body)) for key, body in rows]

    def tally(
        self,
        table: Table,
        where: Where | None = None,
        *,
        by: str | None = None,
        as_of: int | None = None,
    ) -> dict[Scalar | None, int]:
        clauses, values = self._filter(table, where, as_of)
        name = self._names.table(table)
        if by is None:
            [[count]] = self._all(f"SELECT count(*) FROM {name} WHERE {clauses}", *values)
            return {None: count} if count else {}
        field = _known(table, by)
        rows = self._all(
            f"SELECT {field}, count(*) FROM {name} WHERE {clauses} GROUP BY {field}", *values
        )
        return {self._in_full(table, by, value): count for value, count in rows}

    def filed(self, table: Table, *, after: str = "", limit: int) -> dict[str, bool]:
        statement = (
            f"SELECT max(coalesce(whole_key, key)), bool_and({filing(table)}) "
            f"FROM {self._names.table(table)} WHERE project = %s AND key > %s "
            "GROUP BY key ORDER BY key LIMIT %s"
        )
        try:
            # Of its own, since one row that is not JSON would spoil the whole look.
            with self._connection.transaction():
                return dict(self._all(statement, self.project, short(after), limit))
        except psycopg.DataError as error:
            raise ValueError(f"{table.name}: a row is not JSON") from error

    def search(
        self,
        topic: Topic,
        query: str,
        *,
        where: Where | None = None,
        limit: int,
        beginnings: bool = False,
    ) -> list[Hit]:
        clauses, values = self._filter(topic.table, where, None, alias="r.")
        search = Search(self._planned, self._names, topic, self.project, clauses, values)
        return search.hits(query_terms(query, beginnings=beginnings), limit)

    def blob(self, digest: Digest) -> Blob | None:
        rows = self._all(
            f"SELECT digest, size, codec, packed, base, depth FROM {self._names.blobs} "
            "WHERE project = %s AND digest = %s",
            self.project,
            digest,
        )
        return Blob(*rows[0]) if rows else None

    def kept(self, digests: Collection[Digest]) -> dict[Digest, Kept]:
        rows = self._all(
            f"SELECT digest, codec, depth FROM {self._names.blobs} "
            "WHERE project = %s AND digest = ANY(%s)",
            self.project,
            list(digests),
        )
        return {digest: Kept(codec, depth) for digest, codec, depth in rows}

    def digests(self, *, after: str = "", limit: int) -> list[Digest]:
        rows = self._all(
            f"SELECT digest FROM {self._names.blobs} WHERE project = %s AND digest > %s "
            "ORDER BY digest LIMIT %s",
            self.project,
            after,
            limit,
        )
        return [Digest(digest) for (digest,) in rows]

    def _in_full(self, table: Table, field: str, value: Scalar | None) -> Scalar | None:
        """Give a field's value as it was put, where its column has it shortened."""
        if not isinstance(value, str) or not is_short_for_another(value):
            return value
        [[body], *_] = self._all(
            f"SELECT body FROM {self._names.table(table)} "
            f"WHERE project = %s AND {column(field)} = %s LIMIT 1",
            self.project,
            value,
        )
        whole: str = orjson.loads(body)[field]
        return whole

    def _filter(
        self, table: Table, where: Where | None, as_of: int | None, *, alias: str = ""
    ) -> tuple[str, list[Any]]:
        standing, at = _standing(table, as_of, alias)
        clauses, values = [f"{alias}project = %s{standing}"], [self.project, *at]
        for field, wanted in (where or {}).items():
            clause, more = _condition(alias + _known(table, field), table.fields[field], wanted)
            clauses.append(clause)
            values += more
        return " AND ".join(clauses), values

    def _run(self, statement: str, *values: Any) -> None:
        self._connection.execute(statement.encode(), values)

    def _all(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._connection.execute(statement.encode(), values, binary=True).fetchall()

    def _planned(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run a statement whose best plan depends on its values: it is not prepared."""
        cursor = self._connection.execute(statement.encode(), values, binary=True, prepare=False)
        return cursor.fetchall()


class PostgresWriteTx(PostgresReadTx):
    """One piece of work in a transaction that holds the project's lock.

    The head moves here and is stored by the owner of the transaction, once for all its work.
    """

    def __init__(self, connection: Connection, names: Names, project: str, head: Head) -> None:
        super().__init__(connection, names, project)
        self._head = head
        self.has_changes = False

    def head(self) -> Head:
        return self._head

    def append(self, entry: Entry) -> None:
        assert entry.project == self.project, "an entry of another project"
        assert entry.seq == self._head.seq + 1, "an entry that does not follow the head"
        who = entry.actor
        values = (
            *(entry.project, entry.seq, entry.tick, entry.at, entry.clock, entry.kind),
            *(entry.session, who.kind, who.id, who.role),
            *(entry.payload, entry.payload_digest, entry.hash),
        )
        self._run(
            f"INSERT INTO {self._names.journal} (project, {_ENTRY_COLUMNS}) "
            f"VALUES ({_marks(values)})",
            *values,
        )
        self._head = Head(entry.seq, entry.tick, entry.hash, entry.clock, self._head.views)

    def put(self, table: Table, key: str, row: Row, *, seq: int) -> None:
        cells: dict[str, Scalar | None] = {
            "project": self.project,
            "key": short(key),
            "whole_key": None if short(key) == key else key,
            "body": canonical_json(row).decode(),
        }
        identity = "project, key"
        if table.history:
            self._end(table, key, seq)
            cells |= {"from_seq": seq, "to_seq": None}
            identity += ", from_seq"
        for field, kind in table.fields.items():
            value = row.get(field)
            cells[column(field)] = None if value is None else _stored(kind, value)
        changes = ", ".join(f"{name} = EXCLUDED.{name}" for name in cells)
        self._run(
            f"INSERT INTO {self._names.table(table)} ({', '.join(cells)}) "
            f"VALUES ({_marks(cells)}) ON CONFLICT ({identity}) DO UPDATE SET {changes}",
            *cells.values(),
        )

    def delete(self, table: Table, key: str, *, seq: int) -> None:
        still_standing = ""
        if table.history:
            self._end(table, key, seq)
            still_standing = " AND to_seq IS NULL"
        self._run(
            f"DELETE FROM {self._names.table(table)} "
            f"WHERE project = %s AND key = %s{still_standing}",
            self.project,
            short(key),
        )

    def index(self, topic: Topic, key: str, texts: Mapping[str, str] | None) -> None:
        name = self._names.topic(topic)
        if texts is None:
            self._run(
                f"DELETE FROM {name} WHERE project = %s AND key = %s", self.project, short(key)
            )
            return
        self._run(
            f"INSERT INTO {name} (project, key, words, length) VALUES (%s, %s, %s::tsvector, %s) "
            "ON CONFLICT (project, key) DO UPDATE "
            "SET words = EXCLUDED.words, number = EXCLUDED.number, length = EXCLUDED.length",
            self.project,
            short(key),
            tsvector(topic, texts),
            length_of(topic, texts),
        )

    def keep(self, blob: Blob) -> None:
        self._run(
            f"INSERT INTO {self._names.blobs} "
            "(project, digest, size, codec, packed, base, depth) "
            "VALUES (%s, %s, %s, %s, %b, %s, %s) ON CONFLICT DO NOTHING",
            *(self.project, blob.digest, blob.size, blob.codec, blob.packed),
            *(blob.base, blob.depth),
        )

    def repack(self, blob: Blob) -> None:
        self._run(
            f"UPDATE {self._names.blobs} SET size = %s, codec = %s, packed = %b, base = %s, "
            "depth = %s WHERE project = %s AND digest = %s",
            *(blob.size, blob.codec, blob.packed, blob.base, blob.depth),
            *(self.project, blob.digest),
        )

    def drop(self, digest: Digest) -> None:
        self._run(
            f"DELETE FROM {self._names.blobs} WHERE project = %s AND digest = %s",
            self.project,
            digest,
        )

    def redact(self, entry: Entry) -> None:
        assert entry.is_redacted, "an entry with its payload"
        self._run(
            f"UPDATE {self._names.journal} SET payload = %s WHERE project = %s AND seq = %s",
            *(entry.payload, self.project, entry.seq),
        )

    def clear(self, tables: Sequence[Table], topics: Sequence[Topic]) -> None:
        emptied = [self._names.table(table) for table in tables]
        for name in emptied + [self._names.topic(topic) for topic in topics]:
            self._run(f"DELETE FROM {name} WHERE project = %s", self.project)

    def mark_views(self, views: str) -> None:
        self._head = replace(self._head, views=views)
        self.has_changes = True

    def _end(self, table: Table, key: str, seq: int) -> None:
        """End the standing version of a row at `seq`, but not one that began there."""
        self._run(
            f"UPDATE {self._names.table(table)} SET to_seq = %s "
            "WHERE project = %s AND key = %s AND to_seq IS NULL AND from_seq < %s",
            *(seq, self.project, short(key), seq),
        )

    def _run(self, statement: str, *values: Any) -> None:
        self.has_changes = True
        super()._run(statement, *values)


def find_head(
    connection: Connection, names: Names, project: str, *, locked: bool = False
) -> Head | None:
    """Read a project's head, on demand together with the lock that all its writers need."""
    found = connection.execute(
        f"SELECT seq, tick, hash, clock, views FROM {names.heads} WHERE project = %s"
        f"{' FOR UPDATE' if locked else ''}".encode(),
        (project,),
    ).fetchone()
    return Head(*found) if found else None


def lock_head(connection: Connection, names: Names, project: str) -> Head:
    """Take the project's lock, which is its head's row, and make that row if there is none."""
    head = find_head(connection, names, project, locked=True)
    if head is None:
        first = genesis(project)
        # Whoever else is inserting it now is waited for; then there is nothing left to do.
        connection.execute(
            f"INSERT INTO {names.heads} VALUES (%s, %s, %s, %s, %s, %s) "
            "ON CONFLICT DO NOTHING".encode(),
            (project, first.seq, first.tick, first.hash, first.clock, first.views),
        )
        head = find_head(connection, names, project, locked=True)
        assert head is not None, "a head that was just inserted is there"
    return head


def store_head(connection: Connection, names: Names, project: str, head: Head) -> None:
    """Store where the project's journal now ends, and have the commit tell all watchers."""
    connection.execute(
        f"UPDATE {names.heads} SET seq = %s, tick = %s, hash = %s, clock = %s, views = %s "
        "WHERE project = %s RETURNING pg_notify(%s, '')".encode(),
        (head.seq, head.tick, head.hash, head.clock, head.views, project, names.channel),
    )


def _entry(project: str, row: tuple[Any, ...]) -> Entry:
    seq, tick, at, clock, kind, session, *who, payload, payload_digest, hashed = row
    return Entry(
        *(project, seq, tick, at, clock, kind, session),
        actor=Actor(*who),
        payload=payload,
        payload_digest=payload_digest,
        hash=hashed,
    )


def _standing(table: Table, as_of: int | None, alias: str = "") -> tuple[str, list[int]]:
    """Choose the versions that stand now, or stood right after an entry."""
    if as_of is None:
        return (f" AND {alias}to_seq IS NULL" if table.history else ""), []
    assert table.history, f"{table.name} keeps no history"
    ended = f"({alias}to_seq IS NULL OR {alias}to_seq > %s)"
    return f" AND {alias}from_seq <= %s AND {ended}", [as_of, as_of]


def _condition(
    name: str, kind: FieldType, wanted: Scalar | AnyOf | Range | None
) -> tuple[str, list[Any]]:
    if wanted is None:
        return f"{name} IS NULL", []
    if isinstance(wanted, AnyOf):
        values = [_stored(kind, value) for value in wanted.values]
        return f"{name} = ANY(%s::{_ARRAYS[kind]})", [values]
    if isinstance(wanted, Range):
        sides = ((">=", wanted.at_least), ("<", wanted.below))
        given = [(sign, _stored(kind, side)) for sign, side in sides if side is not None]
        clause = " AND ".join(f"{name} {sign} %s" for sign, _ in given)
        return clause or f"{name} IS NOT NULL", [side for _, side in given]
    return f"{name} = %s", [_stored(kind, wanted)]


def _stored(kind: FieldType, value: Scalar) -> Scalar:
    """Give a field's value as its column has it."""
    if kind == "text":
        return short(str(value))
    return float(value) if kind == "real" else value


def _known(table: Table, field: str) -> str:
    assert field in table.fields, f"{table.name} does not declare {field}"
    return column(field)


def _direction(descending: bool) -> str:  # noqa: FBT001 - named by its callers' parameter
    return "DESC" if descending else "ASC"


def _marks(values: Collection[object]) -> str:
    return ", ".join(["%s"] * len(values))
