"""A write transaction on PostgreSQL: the seam's writing verbs, sent together at the end."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import Any

from psycopg import errors

from hansard.engines.postgres.clauses import marks, stored
from hansard.engines.postgres.connections import Connection, pipelined
from hansard.engines.postgres.heads import ask_head, found_head, moving
from hansard.engines.postgres.leases import PostgresLock
from hansard.engines.postgres.object_store import Objects, is_outside
from hansard.engines.postgres.prefetch import LackingError
from hansard.engines.postgres.query_trails import Asking, Step, Trails
from hansard.engines.postgres.read_queries import T
from hansard.engines.postgres.row_cache import (
    ROW_BYTES_MAX,
    UNKNOWN,
    Answer,
    Mark,
    Place,
    Question,
    RowCache,
    Unknown,
)
from hansard.engines.postgres.row_cache import Kept as Remembered
from hansard.engines.postgres.schema import Names, column
from hansard.engines.postgres.search import Ask
from hansard.engines.postgres.text import length_of, short, tsvector
from hansard.engines.postgres.transaction import ENTRY_COLUMNS, PostgresReadTx
from hansard.engines.postgres.write_buffer import Insertion, RowVersions, Statement, WriteBuffer
from hansard.kernel.blob import Blob, Digest, canonical_json
from hansard.kernel.engine import Lock, Row, Scalar, Table, Topic, lock_lost
from hansard.kernel.event import Entry, Head


class UnderLockError(BaseException):
    """Work ahead of the lock cannot continue there. None of our code that writes may catch it."""


BLOB_BYTES_MAX = 1024 * 1024
"""How many bytes of blobs wait to be sent with the rest; larger ones are sent at once."""

CHANGES_MAX = 2_000
"""How many changes are buffered before they are sent: an import or a rebuild has any number."""


class PostgresWriteTx(PostgresReadTx):
    """One piece of work in a transaction that holds the project's lock.

    Changes are kept until something is asked that they could bear on, or until `send`. The head
    moves here and is stored by the owner of the transaction, once for all its work. Ahead of the
    lock there is no transaction yet, and what must be sent before the end cannot be done.
    """

    def __init__(
        self,
        connection: Connection,
        names: Names,
        project: str,
        hot: RowCache,
        *,
        at: Mark,
        head: Head,
        pending: WriteBuffer,
        is_ahead: bool = False,
        objects: Objects | None = None,
        trails: Trails | None = None,
    ) -> None:
        """Take the locked head, and the head and the changes that earlier work has left."""
        where = connection, names, project, hot
        super().__init__(*where, is_begun=not is_ahead, objects=objects, trails=trails)
        self._is_ahead = is_ahead
        self._found = at
        self._locked = at
        self._head = head
        self.pending = pending
        self._sends = False
        """Whether what is asked must be asked after what was changed."""
        self.has_changes = False
        self.changed: set[str] = set()
        """The tables that were changed, here or by earlier work of the same commit."""
        self.has_forgotten = False
        """Whether more was changed than can be said row by row: nothing remembered holds."""

    def head(self) -> Head:
        return self._head

    def send(self) -> None:
        """Send what was changed, and wait for the result."""
        if self.pending:
            self._require_lock()
            with self.sending():
                self.post()

    def is_unmoved(self) -> bool:
        """Whether the project is still what this was done on."""
        return found_head(ask_head(self._connection, self._names, self.project), self.project) == (
            self._locked
        )

    def _require_lock(self) -> None:
        if self._is_ahead:
            raise UnderLockError

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Send statements together; refuse what was done under a lock that somebody has had."""
        try:
            with pipelined(self._connection):
                yield
        except errors.DivisionByZero as error:
            raise lock_lost() from error

    def send_whole(self, after: Mark) -> None:
        """Send all that was done ahead of the lock, which only inserts, as one statement.

        That is a transaction of its own. It begins with the head, which it locks and moves on; if
        that has been moved since, it fails.
        """
        first, last = moving(self._names, self.project, self._locked, after)
        statement, values = self.pending.take_whole(first, last)
        self._connection.execute(statement.encode(), values)

    def post(self, last: Statement | None = None) -> None:
        """Send what was changed, and `last`; whoever began the pipeline gets the result."""
        while self.pending.fences:
            self._connection.execute(self._fence, self.pending.fences.pop())
        for statement, values in self.pending.take(last):
            self._connection.execute(statement.encode(), values)

    @property
    def _fence(self) -> bytes:
        """Fails if somebody else has had a lock, so that nothing sent after it is done."""
        held = f"SELECT 1 FROM {self._names.leases} WHERE name = %s AND number = %s FOR KEY SHARE"
        return f"SELECT 1 / count(*) FROM ({held}) AS held".encode()

    def require(self, lock: Lock) -> None:
        assert isinstance(lock, PostgresLock), "a lock of another engine"
        self.pending.fences.append((short(lock.name), lock.number))

    def release(self, lock: Lock) -> None:
        assert isinstance(lock, PostgresLock), "a lock of another engine"
        self.pending.released.append(lock)
        # Locked in the order in which all are renewed, so that neither waits for the other.
        going = (
            f"SELECT name FROM {self._names.leases} WHERE number = ANY(%s) ORDER BY name FOR UPDATE"
        )
        statement = f"DELETE FROM {self._names.leases} WHERE name IN ({going})"
        numbers = [one.number for one in self.pending.released]
        self.pending.add((self._names.leases, ""), (statement, [numbers]))

    def blob(self, digest: Digest) -> Blob | None:
        return self.pending.blobs.get(digest) or super().blob(digest)

    def append(self, entry: Entry) -> None:
        assert entry.project == self.project, "an entry of another project"
        assert entry.seq == self._head.seq + 1, "an entry that does not follow the head"
        who = entry.actor
        values = (
            *(entry.project, entry.seq, entry.tick, entry.at, entry.clock, entry.kind),
            *(entry.session, who.kind, who.id, who.role),
            *(entry.payload, entry.payload_digest, entry.hash),
        )
        into = f"INSERT INTO {self._names.journal} (project, {ENTRY_COLUMNS})"
        self._change(
            (self._names.journal, str(entry.seq)), Insertion(into, marks(values), values, "")
        )
        self._head = Head(entry.seq, entry.tick, entry.hash, entry.clock, self._head.views)

    def put(self, table: Table, key: str, row: Row, *, seq: int) -> None:
        body = canonical_json(row).decode()
        name, found_by = self._names.table(table), short(key)
        whole = None if found_by == key else key
        cells: list[Scalar | None] = [self.project, found_by, whole, body]
        for field, kind in table.fields.items():
            value = row.get(field)
            cells.append(None if value is None else stored(kind, value))
        if table.history:
            # Where it ends is said when it is sent, since something may yet follow it.
            cells.append(seq)
        into, places, otherwise = _putting(name, tuple(table.fields), has_past=table.history)
        insertion = Insertion(into, places, tuple(cells), otherwise)
        self._change_row(table, key, seq, body, insertion)

    def delete(self, table: Table, key: str, *, seq: int) -> None:
        self._change_row(table, key, seq, None, None)

    def index(self, topic: Topic, key: str, texts: Mapping[str, str] | None) -> None:
        name, values = self._names.topic(topic), (self.project, short(key))
        if texts is None:
            statement = f"DELETE FROM {name} WHERE project = %s AND key = %s"
            self._change((name, short(key)), (statement, values))
            return
        begun = self._names.lexemes_of(self.project)
        document = Insertion(
            f"INSERT INTO {name} (project, key, words, length)",
            "%s, %s, %s::tsvector, %s",
            (*values, tsvector(topic, texts, begun), length_of(topic, texts)),
            "ON CONFLICT (project, key) DO UPDATE "
            "SET words = EXCLUDED.words, number = EXCLUDED.number, length = EXCLUDED.length",
        )
        self._change((name, short(key)), document)

    def keep(self, blob: Blob) -> None:
        if self._objects is not None and is_outside(blob):
            self._keep_outside(blob, self._objects)
            return
        what = blob.digest, blob.size, blob.codec, blob.packed, blob.base, blob.depth
        insertion = Insertion(
            f"INSERT INTO {self._names.blobs} (project, digest, size, codec, packed, base, depth)",
            "%s, %s, %s, %s, %b, %s, %s",
            (self.project, *what),
            "ON CONFLICT DO NOTHING",
        )
        place = self._names.blobs, blob.digest
        # It may be there already, packed otherwise; that one stays, and holds the same.
        is_new = self._known(place) is None and len(blob.packed) <= ROW_BYTES_MAX
        self._change(place, insertion)
        self.pending.rows[place] = blob if is_new else UNKNOWN
        self.pending.blobs.setdefault(blob.digest, blob)
        self.pending.blob_bytes += len(blob.packed)
        if self.pending.blob_bytes > BLOB_BYTES_MAX:
            self.send()

    def _keep_outside(self, blob: Blob, objects: Objects) -> None:
        """Name the object, then check that it is there: a collector waits for us, or came before.

        If it was collected since it was staged, the bytes lie in the row, as small ones do.
        """
        name = objects.name(blob)
        statement = (
            f"INSERT INTO {self._names.blobs} (project, digest, size, codec, base, depth, object) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"
        )
        what = blob.digest, blob.size, blob.codec, blob.base, blob.depth
        self._run(self._names.blobs, statement, self.project, *what, name)
        if not objects.has(name):
            self._run(
                self._names.blobs,
                f"UPDATE {self._names.blobs} SET packed = %b, object = NULL "
                "WHERE project = %s AND digest = %s AND object = %s",
                *(blob.packed, self.project, blob.digest, name),
            )
        self.pending.rows[self._names.blobs, blob.digest] = UNKNOWN

    def repack(self, blob: Blob) -> None:
        self._forget()
        self._run(
            self._names.blobs,
            f"UPDATE {self._names.blobs} SET size = %s, codec = %s, packed = %b, base = %s, "
            "depth = %s, object = NULL WHERE project = %s AND digest = %s",
            *(blob.size, blob.codec, blob.packed, blob.base, blob.depth),
            *(self.project, blob.digest),
        )

    def drop(self, digest: Digest) -> None:
        self._forget()
        self._run(
            self._names.blobs,
            f"DELETE FROM {self._names.blobs} WHERE project = %s AND digest = %s",
            self.project,
            digest,
        )

    def redact(self, entry: Entry) -> None:
        assert entry.is_redacted, "an entry with its payload"
        self._run(
            self._names.journal,
            f"UPDATE {self._names.journal} SET payload = %s WHERE project = %s AND seq = %s",
            *(entry.payload, self.project, entry.seq),
        )

    def clear(self, tables: Sequence[Table], topics: Sequence[Topic]) -> None:
        self._forget()
        emptied = [self._names.table(table) for table in tables]
        for name in emptied + [self._names.topic(topic) for topic in topics]:
            self._run(name, f"DELETE FROM {name} WHERE project = %s", self.project)

    def mark_views(self, views: str) -> None:
        self._head = replace(self._head, views=views)
        self.has_changes = True

    def filed(self, table: Table, *, after: str = "", limit: int) -> dict[str, bool]:
        self._require_lock()
        self.send()
        return super().filed(table, after=after, limit=limit)

    def _known(self, place: Place) -> Remembered | Unknown:
        """Give what this work has seen or changed. What is still to be sent bears on no other."""
        rows = self.pending.rows
        if place not in rows and not self.has_forgotten:
            rows[place] = self._hot.find(self.project, self._locked, place)
        return rows.get(place, UNKNOWN)

    def _learn(self, place: Place, found: Remembered) -> None:
        self.pending.rows[place] = found

    def _forget(self) -> None:
        """Forget what was read before, since what is done now may change any of it."""
        self.send()
        self.pending.rows.clear()
        self.has_forgotten = True

    def _change_row(
        self, table: Table, key: str, seq: int, body: str | None, row: Insertion | None
    ) -> None:
        place = self._names.table(table), short(key)
        if not table.history:
            self.pending.add(place, row or self._deleting(table, key))
        elif versions := self.pending.versions(place):
            versions.put(seq, row)
        else:
            is_new = place in self.pending.rows and self.pending.rows[place] is None
            ending = None if is_new else self._ending(table, key, seq)
            versions = RowVersions(ending, self._deleting(table, key, begun=seq))
            versions.put(seq, row)
            self.pending.add(place, versions)
        self._note_change(place)
        self.pending.rows[place] = body

    def _deleting(self, table: Table, key: str, *, begun: int | None = None) -> Statement:
        """Take a row away; of one whose past is kept, the version that began then, if one did."""
        which = "" if begun is None else " AND to_seq IS NULL AND from_seq >= %s"
        statement = f"DELETE FROM {self._names.table(table)} WHERE project = %s AND key = %s{which}"
        return statement, (self.project, short(key), *([] if begun is None else [begun]))

    def _ending(self, table: Table, key: str, seq: int) -> Statement:
        """End the standing version of a row at `seq`, but not one that began there."""
        statement = (
            f"UPDATE {self._names.table(table)} SET to_seq = %s "
            "WHERE project = %s AND key = %s AND to_seq IS NULL AND from_seq < %s"
        )
        return statement, (seq, self.project, short(key), seq)

    def _change(self, place: Place, change: Insertion | Statement) -> None:
        self.pending.add(place, change)
        self._note_change(place)

    def _note_change(self, place: Place) -> None:
        self.has_changes = True
        self.changed.add(place[0])
        if len(self.pending) >= CHANGES_MAX:
            self._forget()

    def _run(self, about: str, statement: str, *values: Any) -> None:
        """Change a table at once, after all that was changed before."""
        self._require_lock()
        self.has_changes = True
        self.changed.add(about)
        with self.sending():
            self.post()
            self._connection.execute(statement.encode(), values)

    def _answers(self, about: str, questions: Sequence[Question], ask: Ask) -> list[Answer]:
        """Ask about a table; what is still to be sent is sent first, if it bears on that."""
        if not self.has_forgotten and about not in self.changed:
            return super()._answers(about, questions, ask)
        if self._prefetch.is_on:
            raise LackingError({})
        self._sends = True
        try:
            return ask(questions)
        finally:
            self._sends = False

    def _lacks(self, step: Step) -> bool:
        """Leave out what was changed, since the tables may not have it yet."""
        if isinstance(step, Asking) and (self.has_forgotten or step.about in self.changed):
            return False
        return super()._lacks(step)

    def _in_one_trip(self, send: Callable[[], T], *, count: int) -> T:
        if self._is_ahead or not self._sends:
            if self._sends:
                self.send()
            return super()._in_one_trip(send, count=count)
        with self.sending():
            self.post()
            return send()

    def _planned(self, questions: Sequence[Question]) -> list[Answer]:
        if not self._prefetch.is_on:
            self.send()
        return super()._planned(questions)


@lru_cache(maxsize=512)
def _putting(name: str, fields: tuple[str, ...], *, has_past: bool) -> tuple[str, str, str]:
    """Write down what puts a row into a table, its places, and what is done where it is there."""
    span = ["from_seq", "to_seq"] if has_past else []
    columns = ["project", "key", "whole_key", "body", *map(column, fields), *span]
    changes = ", ".join(f"{one} = EXCLUDED.{one}" for one in columns)
    identity = f"project, key{', from_seq' if has_past else ''}"
    return (
        f"INSERT INTO {name} ({', '.join(columns)})",
        marks(columns),
        f"ON CONFLICT ({identity}) DO UPDATE SET {changes}",
    )
