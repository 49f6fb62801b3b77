"""A look at a project on PostgreSQL: the seam's reading verbs as SQL."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, TypeVar, cast

import orjson
import psycopg

from hansard.engines.postgres.connections import Connection, pipelined
from hansard.engines.postgres.heads import Marked, find_head
from hansard.engines.postgres.hot_rows import HotRows, Place, Unknown
from hansard.engines.postgres.objects import Objects, none_is_set
from hansard.engines.postgres.schema import Names, column, filing
from hansard.engines.postgres.search import Question, Search, having, known
from hansard.engines.postgres.text import is_short_for_another, short
from hansard.kernel.blob import Blob, Digest
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
from hansard.kernel.event import Actor, Entry, Head
from hansard.kernel.words import query_terms

K = TypeVar("K", str, Blob)

ENTRY_COLUMNS = (
    "seq, tick, at, clock, kind, session, actor_kind, actor_id, actor_role, "
    "payload, payload_digest, hash"
)
_ARRAYS: dict[FieldType, str] = {
    "text": "text[]",
    "integer": "bigint[]",
    "real": "double precision[]",
    "boolean": "boolean[]",
}


BEGIN_LOOK = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class MovedError(Exception):
    """The project was changed between two parts of one look, which must then begin anew."""


class PostgresReadTx:
    """One project's look on one connection.

    It begins with the head alone, and what is remembered of a project with that head is not asked
    for. Only what is not remembered needs a transaction, and that must find the same head.
    """

    def __init__(
        self,
        connection: Connection,
        names: Names,
        project: str,
        hot: HotRows,
        *,
        is_begun: bool = False,
        objects: Objects | None = None,
    ) -> None:
        self.project = project
        self._connection = connection
        self._names = names
        self._hot = hot
        self._found: Marked | None = None
        self._is_begun = is_begun
        self._objects = objects

    def head(self) -> Head:
        return self._at()[0]

    def _at(self) -> Marked:
        if self._found is None:
            if not self._is_begun and not self._hot.knows(self.project):
                return self._begun()
            self._found = find_head(self._connection, self._names, self.project)
        return self._found

    def _begin(self) -> None:
        if not self._is_begun:
            self._begun()

    def _begun(self) -> Marked:
        """Begin the transaction that sees one state: the one whose head was found, if any was."""
        seen = self._found
        with pipelined(self._connection):
            self._connection.execute(BEGIN_LOOK)
            self._found = find_head(self._connection, self._names, self.project)
        self._is_begun = True
        if seen is not None and seen[1] != self._found[1]:
            raise MovedError
        return self._found

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
            f"SELECT {ENTRY_COLUMNS} FROM {self._names.journal} WHERE {' AND '.join(clauses)} "
            f"ORDER BY seq {_direction(descending)} LIMIT %s",
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
        [[seq]] = self._all(statement, self.head().seq, wanted, wanted, self.project)
        return int(seq)

    def get(self, table: Table, key: str, *, as_of: int | None = None) -> Row | None:
        if as_of is not None:
            body = self._body(table, key, as_of)
            return orjson.loads(body) if body else None
        place = self._names.table(table), short(key)
        body = self._remembered(place, lambda: self._body(table, key))
        return orjson.loads(body) if body else None

    def _body(self, table: Table, key: str, as_of: int | None = None) -> str | None:
        standing, values = _standing(table, as_of)
        # Of what stands now, a writer knows the rows it has changed itself.
        ask = self._ask if as_of is None else self._all
        rows = ask(
            f"SELECT body FROM {self._names.table(table)} "
            f"WHERE project = %s AND key = %s{standing}",
            self.project,
            short(key),
            *values,
        )
        return rows[0][0] if rows else None

    def versions(
        self, table: Table, key: str, *, after: int | None = None, limit: int | None = None
    ) -> list[Version]:
        assert table.history, f"{table.name} keeps no history"
        since = "" if after is None else f" AND from_seq > {int(after)}"
        rows = self._all(
            f"SELECT body, from_seq, to_seq FROM {self._names.table(table)} "
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
        ordered = [_known(table, order), "key"] if order else ["key"]
        if after is not None:
            place: list[Scalar] = [short(after.key)]
            if order and after.value is not None:
                place.insert(0, stored(table.fields[order], after.value))
            beyond = "<" if descending else ">"
            clauses += f" AND ({', '.join(ordered)}) {beyond} ({marks(place)})"
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
        self._begin()
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

    def having(self, topic: Topic, words: Sequence[str]) -> tuple[int, list[int]]:
        return having(self._planned, self._names, topic, self.project, words)

    def known(self, topic: Topic, words: Sequence[str]) -> dict[str, int]:
        return known(self._planned, self._names, topic, self.project, words)

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

    def _remembered(self, place: Place, ask: Callable[[], K | None]) -> K | None:
        """Give what is remembered of a project with this head, or ask, and remember it."""
        found = self._hot.find(self.project, self._at()[1], place)
        if isinstance(found, Unknown):
            asked = ask()
            self._hot.learn(self.project, self._at()[1], {place: asked})
            return asked
        return cast("K | None", found)

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

    def _all(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._ask(statement, *values)

    def _ask(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        self._begin()
        return self._connection.execute(statement.encode(), values, binary=True).fetchall()

    def _planned(self, questions: Sequence[Question]) -> list[list[tuple[Any, ...]]]:
        """Run statements whose best plans depend on their values, together: none is prepared."""
        self._begin()
        run = partial(self._connection.execute, binary=True, prepare=False)
        with pipelined(self._connection):
            cursors = [run(statement.encode(), values) for statement, values in questions]
        return [cursor.fetchall() for cursor in cursors]


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
        values = [stored(kind, value) for value in wanted.values]
        return f"{name} = ANY(%s::{_ARRAYS[kind]})", [values]
    if isinstance(wanted, Range):
        sides = ((">=", wanted.at_least), ("<", wanted.below))
        given = [(sign, stored(kind, side)) for sign, side in sides if side is not None]
        clause = " AND ".join(f"{name} {sign} %s" for sign, _ in given)
        return clause or f"{name} IS NOT NULL", [side for _, side in given]
    return f"{name} = %s", [stored(kind, wanted)]


def stored(kind: FieldType, value: Scalar) -> Scalar:
    """Give a field's value as its column has it."""
    if kind == "text":
        return short(str(value))
    return float(value) if kind == "real" else value


def _known(table: Table, field: str) -> str:
    assert field in table.fields, f"{table.name} does not declare {field}"
    return column(field)


def _direction(descending: bool) -> str:  # noqa: FBT001 - named by its callers' parameter
    return "DESC" if descending else "ASC"


def marks(values: Collection[object]) -> str:
    """Give a place for each value of a statement."""
    return ", ".join(["%s"] * len(values))
