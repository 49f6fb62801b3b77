"""A read transaction on PostgreSQL: the seam's reading verbs as SQL."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

import orjson
import psycopg

from hansard.engines.postgres.clauses import (
    condition,
    declared,
    direction_of,
    marks,
    standing_in,
    stored,
)
from hansard.engines.postgres.object_store import none_is_set
from hansard.engines.postgres.read_queries import PostgresReads
from hansard.engines.postgres.row_cache import Answer, Unknown
from hansard.engines.postgres.schema import column, filing
from hansard.engines.postgres.search import Search, having, known
from hansard.engines.postgres.text import is_short_for_another, short
from hansard.kernel.blob import Blob, Digest
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
from hansard.kernel.event import Actor, Entry
from hansard.kernel.words import query_terms

ENTRY_COLUMNS = (
    "seq, tick, at, clock, kind, session, actor_kind, actor_id, actor_role, "
    "payload, payload_digest, hash"
)


class PostgresReadTx(PostgresReads):
    """One project's read transaction: the verbs."""

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
            self._names.journal,
            f"SELECT {ENTRY_COLUMNS} FROM {self._names.journal} WHERE {' AND '.join(clauses)} "
            f"ORDER BY seq {direction_of(descending)} LIMIT %s",
            *values,
            limit,
        )
        return [_entry(self.project, row) for row in rows]

    def seek(self, *, tick: int | None = None, at: str | None = None) -> int:
        assert (tick is None) != (at is None), "seek by tick or by time, not both"
        # Neither ever falls along the journal, so halving finds the place without an index; it is
        # the server that halves, in one round trip.
        name, wanted = ("clock", at) if tick is None else ("tick", tick)
        statement = (
            "WITH RECURSIVE found(low, high) AS (SELECT 0::bigint, %s::bigint UNION ALL "
            f"SELECT CASE WHEN j.{name} <= %s THEN middle ELSE low END, "
            f"CASE WHEN j.{name} <= %s THEN high ELSE middle - 1 END "
            "FROM (SELECT low, high, (low + high + 1) / 2 AS middle FROM found "
            f"WHERE low < high) AS half JOIN {self._names.journal} j "
            "ON j.project = %s AND j.seq = middle) SELECT low FROM found WHERE low >= high"
        )
        [[seq]] = self._all(
            self._names.journal, statement, self.head().seq, wanted, wanted, self.project
        )
        return int(seq)

    def get(self, table: Table, key: str, *, as_of: int | None = None) -> Row | None:
        if as_of is not None:
            body = self._body(table, key, as_of)
            return orjson.loads(body) if body else None
        place = self._names.table(table), short(key)
        body = self._remembered(place, lambda: _only(self._row(place)))
        return orjson.loads(body) if body else None

    def _body(self, table: Table, key: str, as_of: int) -> str | None:
        standing, at = standing_in(table, as_of)
        name = self._names.table(table)
        statement = f"SELECT body FROM {name} WHERE project = %s AND key = %s{standing}"
        return _only(self._all(name, statement, self.project, short(key), *at))

    def versions(
        self, table: Table, key: str, *, after: int | None = None, limit: int | None = None
    ) -> list[Version]:
        assert table.history, f"{table.name} keeps no history"
        since = "" if after is None else f" AND from_seq > {int(after)}"
        name = self._names.table(table)
        rows = self._all(
            name,
            f"SELECT body, from_seq, to_seq FROM {name} "
            f"WHERE project = %s AND key = %s{since} ORDER BY from_seq LIMIT %s",
            self.project,
            short(key),
            limit,
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
        ordered = [declared(table, order), "key"] if order else ["key"]
        if after is not None:
            place: list[Scalar] = [short(after.key)]
            if order and after.value is not None:
                place.insert(0, stored(table.fields[order], after.value))
            beyond = "<" if descending else ">"
            clauses += f" AND ({', '.join(ordered)}) {beyond} ({marks(place)})"
            values += place
        direction = direction_of(descending)
        name = self._names.table(table)
        rows = self._all(
            name,
            f"SELECT coalesce(whole_key, key), body FROM {name} WHERE {clauses} "
            f" ORDER BY {', '.join(f'{name} {direction}' for name in ordered)} "
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
            [[count]] = self._all(name, f"SELECT count(*) FROM {name} WHERE {clauses}", *values)
            return {None: count} if count else {}
        field = declared(table, by)
        rows = self._all(
            name, f"SELECT {field}, count(*) FROM {name} WHERE {clauses} GROUP BY {field}", *values
        )
        return {self._in_full(table, by, value): count for value, count in rows}

    def filed(self, table: Table, *, after: str = "", limit: int) -> dict[str, bool]:
        statement = (
            f"SELECT max(coalesce(whole_key, key)), bool_and({filing(table)}) "
            f"FROM {self._names.table(table)} WHERE project = %s AND key > %s "
            "GROUP BY key ORDER BY key LIMIT %s"
        )
        self._begin()
        try:
            # On its own, since one row that is not JSON would fail the whole read.
            with self._connection.transaction():
                return dict(self._ask(statement, self.project, short(after), limit))
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
        asks = self._planned, partial(self._counted, topic)
        search = Search(*asks, self._names, topic, self.project, clauses, values)
        return search.hits(query_terms(query, beginnings=beginnings), limit)

    def having(self, topic: Topic, words: Sequence[str]) -> tuple[int, list[int]]:
        return having(partial(self._counted, topic), self._names, topic, self.project, words)

    def known(self, topic: Topic, words: Sequence[str]) -> dict[str, int]:
        return known(partial(self._counted, topic), self._names, topic, self.project, words)

    def blob(self, digest: Digest) -> Blob | None:
        place = self._names.blobs, digest
        return self._remembered(place, lambda: self._blob(digest))

    def _blob(self, digest: Digest) -> Blob | None:
        rows = self._ask(
            f"SELECT size, codec, packed, base, depth, object FROM {self._names.blobs} "
            "WHERE project = %s AND digest = %s",
            self.project,
            digest,
        )
        for size, codec, packed, base, depth, name in rows:
            whole = packed if name is None else self._fetched(digest, name)
            return Blob(digest, size, codec, whole, base, depth)
        return None

    def _fetched(self, digest: Digest, name: str) -> bytes:
        if self._objects is None:
            raise none_is_set()
        return self._objects.read(digest, name)

    def kept(self, digests: Collection[Digest], *, sized: bool = False) -> dict[Digest, Kept]:
        if sized:
            return self._kept_with_sizes(digests)
        known = {digest: self._known((self._names.blobs, digest)) for digest in digests}
        unknown = [digest for digest, blob in known.items() if isinstance(blob, Unknown)]
        found = self._kept(unknown) if unknown else {}
        for digest in unknown:
            if digest not in found:
                self._learn((self._names.blobs, digest), None)
        return found | {
            digest: Kept.of(blob) for digest, blob in known.items() if isinstance(blob, Blob)
        }

    def _kept(self, digests: Collection[Digest]) -> dict[Digest, Kept]:
        rows = self._all(
            self._names.blobs,
            f"SELECT digest, codec, depth, base FROM {self._names.blobs} "
            "WHERE project = %s AND digest = ANY(%s)",
            self.project,
            list(digests),
        )
        return {digest: Kept(codec, depth, base=base) for digest, codec, depth, base in rows}

    def _kept_with_sizes(self, digests: Collection[Digest]) -> dict[Digest, Kept]:
        rows = self._all(
            self._names.blobs,
            "SELECT digest, codec, depth, base, octet_length(packed), object "
            f"FROM {self._names.blobs} WHERE project = %s AND digest = ANY(%s)",
            self.project,
            list(digests),
        )
        return {
            digest: Kept(codec, depth, None, base, self._size_of(name) if name else length)
            for digest, codec, depth, base, length, name in rows
        }

    def _size_of(self, name: str) -> int:
        if self._objects is None:
            raise none_is_set()
        return self._objects.size(name)

    def digests(self, *, after: str = "", limit: int) -> list[Digest]:
        rows = self._all(
            self._names.blobs,
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
        name = self._names.table(table)
        [[body], *_] = self._all(
            name,
            f"SELECT body FROM {name} WHERE project = %s AND {column(field)} = %s LIMIT 1",
            self.project,
            value,
        )
        whole: str = orjson.loads(body)[field]
        return whole

    def _filter(
        self, table: Table, where: Where | None, as_of: int | None, *, alias: str = ""
    ) -> tuple[str, list[Any]]:
        standing, at = standing_in(table, as_of, alias)
        clauses, values = [f"{alias}project = %s{standing}"], [self.project, *at]
        for field, wanted in (where or {}).items():
            clause, more = condition(alias + declared(table, field), table.fields[field], wanted)
            clauses.append(clause)
            values += more
        return " AND ".join(clauses), values


def _only(rows: Answer) -> str | None:
    """Give the body of the one row, if it is there."""
    return rows[0][0] if rows else None


def _entry(project: str, row: tuple[Any, ...]) -> Entry:
    seq, tick, at, clock, kind, session, *who, payload, payload_digest, hashed = row
    return Entry(
        *(project, seq, tick, at, clock, kind, session),
        actor=Actor(*who),
        payload=payload,
        payload_digest=payload_digest,
        hash=hashed,
    )
