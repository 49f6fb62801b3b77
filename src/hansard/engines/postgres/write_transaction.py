"""A piece of work on PostgreSQL: the seam's writing verbs, sent together when it is done."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import psycopg

from hansard.engines.postgres.connections import Connection, pipelined
from hansard.engines.postgres.heads import Marked
from hansard.engines.postgres.hot_rows import (
    ROW_BYTES_MAX,
    UNKNOWN,
    HotRows,
    Place,
    Rows,
    Unknown,
)
from hansard.engines.postgres.leases import PostgresLock
from hansard.engines.postgres.objects import Objects, is_outside
from hansard.engines.postgres.pending import PendingChanges, Statement
from hansard.engines.postgres.schema import Names, column
from hansard.engines.postgres.search import Question
from hansard.engines.postgres.text import length_of, short, tsvector
from hansard.engines.postgres.transaction import ENTRY_COLUMNS, K, PostgresReadTx, marks, stored
from hansard.kernel.blob import Blob, Digest, canonical_json
from hansard.kernel.engine import Lock, Row, Scalar, Table, Topic, lock_lost
from hansard.kernel.event import Entry, Head

CHANGES_MAX = 2_000
"""So many changes are sent before there are more: an import or a rebuild has any number."""


class PostgresWriteTx(PostgresReadTx):
    """One piece of work in a transaction that holds the project's lock.

    Changes are kept until something is asked that they could bear on, or until `send`. The head
    moves here and is stored by the owner of the transaction, once for all its work.
    """

    def __init__(
        self,
        connection: Connection,
        names: Names,
        project: str,
        hot: HotRows,
        *,
        at: Marked,
        known: Rows,
        objects: Objects | None = None,
    ) -> None:
        """Take the head that was locked, and what earlier work of the same commit has left."""
        super().__init__(connection, names, project, hot, is_begun=True, objects=objects)
        self._found = at
        self._locked = at[1]
        self._head = at[0]
        self._pending = PendingChanges()
        self._pending.rows.update(known)
        self._blobs: dict[Digest, Blob] = {}
        self._fences: list[PostgresLock] = []
        """Locks under which this is done, to be asked for with the next statements."""
        self._proofs: list[psycopg.Cursor[tuple[Any, ...]]] = []
        self.has_changes = False
        self.has_forgotten = False
        """Whether more was changed than can be said row by row: nothing remembered holds."""

    @property
    def rows(self) -> Rows:
        """Every row that was seen or changed, as it stands now."""
        return self._pending.rows

    def head(self) -> Head:
        return self._head

    def send(self) -> None:
        """Send what was changed, and hear how it went."""
        if self._pending:
            with pipelined(self._connection):
                self.post()
        self.require_proved()

    def post(self) -> None:
        """Send what was changed; who has begun the pipeline hears how it went."""
        while self._fences:
            lock = self._fences.pop()
            statement = (
                f"SELECT 1 FROM {self._names.leases} WHERE name = %s AND number = %s FOR KEY SHARE"
            )
            asked = self._connection.execute(statement.encode(), (short(lock.name), lock.number))
            self._proofs.append(asked)
        for statement, values in self._pending.take():
            self._connection.execute(statement.encode(), values)

    def require(self, lock: Lock) -> None:
        assert isinstance(lock, PostgresLock), "a lock of another engine"
        self._fences.append(lock)

    def require_proved(self) -> None:
        """Refuse what was done under a lock that somebody else has had."""
        while self._proofs:
            if self._proofs.pop().fetchone() is None:
                raise lock_lost()

    def blob(self, digest: Digest) -> Blob | None:
        return self._blobs.get(digest) or super().blob(digest)

    def append(self, entry: Entry) -> None:
        assert entry.project == self.project, "an entry of another project"
        assert entry.seq == self._head.seq + 1, "an entry that does not follow the head"
        who = entry.actor
        values = (
            *(entry.project, entry.seq, entry.tick, entry.at, entry.clock, entry.kind),
            *(entry.session, who.kind, who.id, who.role),
            *(entry.payload, entry.payload_digest, entry.hash),
        )
        statement = (
            f"INSERT INTO {self._names.journal} (project, {ENTRY_COLUMNS}) VALUES ({marks(values)})"
        )
        self._change(("entry", entry.seq), (statement, values))
        self._head = Head(entry.seq, entry.tick, entry.hash, entry.clock, self._head.views)

    def put(self, table: Table, key: str, row: Row, *, seq: int) -> None:
        body = canonical_json(row).decode()
        cells: dict[str, Scalar | None] = {
            "project": self.project,
            "key": short(key),
            "whole_key": None if short(key) == key else key,
            "body": body,
        }
        identity = "project, key"
        if table.history:
            cells |= {"from_seq": seq, "to_seq": None}
            identity += ", from_seq"
        for field, kind in table.fields.items():
            value = row.get(field)
            cells[column(field)] = None if value is None else stored(kind, value)
        changes = ", ".join(f"{name} = EXCLUDED.{name}" for name in cells)
        statement = (
            f"INSERT INTO {self._names.table(table)} ({', '.join(cells)}) "
            f"VALUES ({marks(cells)}) ON CONFLICT ({identity}) DO UPDATE SET {changes}"
        )
        self._change_row(table, key, seq, body, (statement, tuple(cells.values())))

    def delete(self, table: Table, key: str, *, seq: int) -> None:
        still_standing = " AND to_seq IS NULL" if table.history else ""
        statement = (
            f"DELETE FROM {self._names.table(table)} "
            f"WHERE project = %s AND key = %s{still_standing}"
        )
        self._change_row(table, key, seq, None, (statement, (self.project, short(key))))

    def index(self, topic: Topic, key: str, texts: Mapping[str, str] | None) -> None:
        name, values = self._names.topic(topic), (self.project, short(key))
        if texts is None:
            statement = f"DELETE FROM {name} WHERE project = %s AND key = %s"
            self._change((name, short(key)), (statement, values))
            return
        statement = (
            f"INSERT INTO {name} (project, key, words, length) VALUES (%s, %s, %s::tsvector, %s) "
            "ON CONFLICT (project, key) DO UPDATE "
            "SET words = EXCLUDED.words, number = EXCLUDED.number, length = EXCLUDED.length"
        )
        document = tsvector(topic, texts), length_of(topic, texts)
        self._change((name, short(key)), (statement, (*values, *document)))

    def keep(self, blob: Blob) -> None:
        if self._objects is not None and is_outside(blob):
            self._keep_outside(blob, self._objects)
            return
        statement = (
            f"INSERT INTO {self._names.blobs} "
            "(project, digest, size, codec, packed, base, depth) "
            "VALUES (%s, %s, %s, %s, %b, %s, %s) ON CONFLICT DO NOTHING"
        )
        values = (self.project, blob.digest, blob.size, blob.codec, blob.packed)
        self._change(("blob", blob.digest), (statement, (*values, blob.base, blob.depth)))
        self._pending.rows[self._names.blobs, blob.digest] = UNKNOWN
        if len(blob.packed) > ROW_BYTES_MAX:
            self.send()
        else:
            # It may be there already, packed otherwise; that one stays, and holds the same.
            self._blobs.setdefault(blob.digest, blob)

    def _keep_outside(self, blob: Blob, objects: Objects) -> None:
        """Name the object, then see that it is there: who collects waits for one, or came before.

        If it was collected since it was staged, the bytes lie in the row, as small ones do.
        """
        name = objects.name(blob)
        statement = (
            f"INSERT INTO {self._names.blobs} (project, digest, size, codec, base, depth, object) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"
        )
        what = blob.digest, blob.size, blob.codec, blob.base, blob.depth
        self._run(statement, self.project, *what, name)
        if not objects.has(name):
            self._run(
                f"UPDATE {self._names.blobs} SET packed = %b, object = NULL "
                "WHERE project = %s AND digest = %s AND object = %s",
                *(blob.packed, self.project, blob.digest, name),
            )
        self._pending.rows[self._names.blobs, blob.digest] = UNKNOWN

    def repack(self, blob: Blob) -> None:
        self._forget()
        self._run(
            f"UPDATE {self._names.blobs} SET size = %s, codec = %s, packed = %b, base = %s, "
            "depth = %s, object = NULL WHERE project = %s AND digest = %s",
            *(blob.size, blob.codec, blob.packed, blob.base, blob.depth),
            *(self.project, blob.digest),
        )

    def drop(self, digest: Digest) -> None:
        self._forget()
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
        self._forget()
        emptied = [self._names.table(table) for table in tables]
        for name in emptied + [self._names.topic(topic) for topic in topics]:
            self._run(f"DELETE FROM {name} WHERE project = %s", self.project)

    def mark_views(self, views: str) -> None:
        self._head = replace(self._head, views=views)
        self.has_changes = True

    def filed(self, table: Table, *, after: str = "", limit: int) -> dict[str, bool]:
        self.send()
        return super().filed(table, after=after, limit=limit)

    def _remembered(self, place: Place, ask: Callable[[], K | None]) -> K | None:
        """Give what this work has seen or changed. What is still to be sent bears on no other."""
        rows = self._pending.rows
        if place not in rows and not self.has_forgotten:
            rows[place] = self._hot.find(self.project, self._locked, place)
        if isinstance(rows.get(place, UNKNOWN), Unknown):
            rows[place] = ask()
        return cast("K | None", rows[place])

    def _forget(self) -> None:
        """Rely on nothing that was seen before what is done now, which may change any of it."""
        self.send()
        self._pending.rows.clear()
        self._blobs.clear()
        self.has_forgotten = True

    def _change_row(
        self, table: Table, key: str, seq: int, body: str | None, statement: Statement
    ) -> None:
        place = self._names.table(table), short(key)
        if table.history:
            what = (*place, seq)
            # What one entry does to a row replaces what it did before, so that ends it here too.
            is_new = place in self._pending.rows and self._pending.rows[place] is None
            ends = () if is_new and what not in self._pending else (self._ending(table, key, seq),)
            self._change(what, *ends, statement)
        else:
            self._change(place, statement)
        self._pending.rows[place] = body

    def _ending(self, table: Table, key: str, seq: int) -> Statement:
        """End the standing version of a row at `seq`, but not one that began there."""
        statement = (
            f"UPDATE {self._names.table(table)} SET to_seq = %s "
            "WHERE project = %s AND key = %s AND to_seq IS NULL AND from_seq < %s"
        )
        return statement, (seq, self.project, short(key), seq)

    def _change(self, what: Hashable, *statements: Statement) -> None:
        self.has_changes = True
        self._pending.add(what, *statements)
        if len(self._pending) >= CHANGES_MAX:
            self._forget()

    def _run(self, statement: str, *values: Any) -> None:
        """Change something at once, after all that was changed before."""
        self.has_changes = True
        with pipelined(self._connection):
            self.post()
            self._connection.execute(statement.encode(), values)

    def _all(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with pipelined(self._connection):
            self.post()
            return self._ask(statement, *values)

    def _planned(self, questions: Sequence[Question]) -> list[list[tuple[Any, ...]]]:
        self.send()
        return super()._planned(questions)
