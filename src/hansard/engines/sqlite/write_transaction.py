"""A write transaction on SQLite."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import apsw
import orjson

from hansard.engines.sqlite.clauses import marks
from hansard.engines.sqlite.files import BlobFiles, is_inline
from hansard.engines.sqlite.schema import (
    CURRENT,
    NUMBER_BITS,
    documents_name,
    is_unmade,
    of_table,
    of_topic,
    table_name,
    topic_name,
)
from hansard.engines.sqlite.transaction import ENTRY_COLUMNS, NUMBER_MASK, SqliteTx
from hansard.kernel.blob import Blob, Digest
from hansard.kernel.engine import (
    Row,
    Table,
    Topic,
)
from hansard.kernel.event import Entry, Head

_ENTRY_MARKS = ", ".join("?" * 10)

ROWS_KNOWN_MAX = 256
"""How many rows a transaction remembers: a rebuild writes any number of them."""


class SqliteWriteTx(SqliteTx):
    """One project's transaction on the connection that writes."""

    def __init__(self, connection: apsw.Connection, files: BlobFiles, project: str) -> None:
        """Start with no rows remembered."""
        super().__init__(connection, files, project)
        self._known: dict[tuple[str, str], bytes | None] = {}
        """Rows that stand, by table and key, as they were last read or put here; `None`: no row."""

    def get(self, table: Table, key: str, *, as_of: int | None = None) -> Row | None:
        if as_of is not None:
            return super().get(table, key, as_of=as_of)
        place = table_name(table), key
        if place not in self._known:
            self._know(place, self._standing(table, key))
        row = self._known[place]
        return None if row is None else orjson.loads(row)

    def append(self, entry: Entry) -> None:
        assert entry.seq == self._head.seq + 1, "an entry follows the head"
        self._made_number()
        actor = orjson.dumps([entry.actor.kind, entry.actor.id, entry.actor.role]).decode()
        self._run(
            f"INSERT INTO journal({ENTRY_COLUMNS}) VALUES({_ENTRY_MARKS})",
            self._numbered(entry.seq),
            entry.tick,
            entry.at,
            entry.clock,
            entry.kind,
            entry.session,
            actor,
            entry.payload,
            entry.payload_digest,
            entry.hash,
        )
        self._set_head(Head(entry.seq, entry.tick, entry.hash, entry.clock, self._head.views))

    def put(self, table: Table, key: str, row: Row, *, seq: int) -> None:
        name, stored = table_name(table), orjson.dumps(row)
        before = self._known.get((name, key))
        self._know((name, key), stored)
        if before is not None and table.indexes and not table.history:
            was = orjson.loads(before)
            if all(was.get(field) == row.get(field) for field in table.fields):
                # Its place in the indexes does not change, and neither do their pages.
                rest = "SET row = ? WHERE project = ? AND key = ?"
                self._run(f"UPDATE {name} {rest}", stored, self._number, key)
                return
        span: tuple[int, ...] = ()
        if table.history:
            self._end(table, key, seq)
            span = seq, CURRENT
        put = _putting(name, tuple(table.fields), has_span=table.history)
        cells = map(row.get, table.fields)
        self._run(put, self._made_number(), key, stored, *cells, *span, making=of_table(table))

    def delete(self, table: Table, key: str, *, seq: int) -> None:
        self._know((table_name(table), key), None)
        if table.history:
            self._end(table, key, seq, is_gone=True)
            return
        self._run(
            f"DELETE FROM {table_name(table)} WHERE project = ? AND key = ?", self._number, key
        )

    def index(self, topic: Topic, key: str, texts: Mapping[str, str] | None) -> None:
        project = self._made_number()
        documents, words = documents_name(topic), topic_name(topic)
        found = self._one(
            f"SELECT number FROM {documents} WHERE project = ? AND key = ?", project, key
        )
        if found:
            self._run(f"DELETE FROM {words} WHERE rowid = ?", found[0])
        if texts is None:
            self._run(f"DELETE FROM {documents} WHERE project = ? AND key = ?", project, key)
            return
        from hansard.engines.sqlite.search import document, length_of

        columns = document(topic, texts)
        number = found[0] if found else self._next_document(documents, project)
        put = f"INSERT OR REPLACE INTO {documents} VALUES(?, ?, ?, ?)"
        self._run(put, number, project, key, length_of(topic, columns), making=of_topic(topic))
        names = ", ".join(topic.columns)
        put = f"INSERT INTO {words}(rowid, {names}) VALUES(?, {marks(columns)})"
        self._run(put, number, *columns)

    def keep(self, blob: Blob) -> None:
        # A blob that nobody staged has no file, however large it is.
        in_file = not is_inline(blob) and self._files.has(blob.digest, blob.packed)
        inline = None if in_file else blob.packed
        self._run(
            "INSERT OR IGNORE INTO blobs(project, digest, size, codec, base, depth, packed) "
            "VALUES(?, ?, ?, ?, ?, ?, ?)",
            self._made_number(),
            blob.digest,
            *(blob.size, blob.codec, blob.base, blob.depth, inline),
        )

    def repack(self, blob: Blob) -> None:
        # In the database, however large: the file of that name may be another project's, too.
        self._run(
            "UPDATE blobs SET size = ?, codec = ?, packed = ?, base = ?, depth = ? "
            "WHERE project = ? AND digest = ?",
            blob.size,
            blob.codec,
            blob.packed,
            blob.base,
            blob.depth,
            self._number,
            blob.digest,
        )

    def drop(self, digest: Digest) -> None:
        self._run("DELETE FROM blobs WHERE project = ? AND digest = ?", self._number, digest)

    def redact(self, entry: Entry) -> None:
        assert entry.is_redacted, "an entry with its payload"
        number = self._numbered(entry.seq)
        self._run("UPDATE journal SET payload = ? WHERE number = ?", entry.payload, number)

    def clear(self, tables: Sequence[Table], topics: Sequence[Topic]) -> None:
        self._known.clear()
        for table in tables:
            self._run(f"DELETE FROM {table_name(table)} WHERE project = ?", self._number)
        for topic in topics if self._number is not None else ():
            self._clear_topic(topic)

    def mark_views(self, views: str) -> None:
        head = self._head
        self._made_number()
        self._set_head(Head(head.seq, head.tick, head.hash, head.clock, views))

    def _set_head(self, head: Head) -> None:
        self._run(
            "UPDATE heads SET seq = ?, tick = ?, hash = ?, clock = ?, views = ? WHERE number = ?",
            head.seq,
            head.tick,
            head.hash,
            head.clock,
            head.views,
            self._number,
        )
        self._head = head

    def _made_number(self) -> int:
        """Give the project's number, which its first write assigns."""
        if self._number is None:
            head = self._head
            found = self._one(
                "INSERT INTO heads(project, seq, tick, hash, clock, views) "
                "VALUES(?, ?, ?, ?, ?, ?) RETURNING number",
                self.project,
                head.seq,
                head.tick,
                head.hash,
                head.clock,
                head.views,
            )
            assert found is not None, "an inserted row has a number"
            self._number = int(found[0])
        return self._number

    def _next_document(self, documents: str, project: int) -> int:
        low = project << NUMBER_BITS
        found = self._one(
            f"SELECT max(number) FROM {documents} WHERE number BETWEEN ? AND ?",
            low,
            low + NUMBER_MASK,
        )
        return int(found[0] if found and found[0] is not None else low) + 1

    def _clear_topic(self, topic: Topic) -> None:
        documents, words = documents_name(topic), topic_name(topic)
        first, last = self._documents()
        if self._one(f"SELECT 1 FROM {documents} WHERE number < ? OR number > ?", first, last):
            self._run(f"DELETE FROM {words} WHERE rowid BETWEEN ? AND ?", first, last)
        else:
            # No other project has any, and emptying the whole table is far quicker.
            self._run(f"INSERT INTO {words}({words}) VALUES('delete-all')")
        self._run(f"DELETE FROM {documents} WHERE number BETWEEN ? AND ?", first, last)

    def _know(self, place: tuple[str, str], row: bytes | None) -> None:
        if len(self._known) >= ROWS_KNOWN_MAX:
            self._known.clear()
        self._known[place] = row

    def _end(self, table: Table, key: str, seq: int, *, is_gone: bool = False) -> None:
        """End the standing version of a row at `seq`; one that began there never was.

        One that began there is taken away only if it `is_gone`: else another takes its place.
        """
        name = table_name(table)
        at = f"project = ? AND key = ? AND to_seq = {CURRENT}"
        if is_gone:
            self._run(f"DELETE FROM {name} WHERE {at} AND from_seq = ?", self._number, key, seq)
        ended = f"UPDATE {name} SET to_seq = ? WHERE {at} AND from_seq <> ?"
        self._run(ended, seq, self._number, key, seq)

    def _run(self, statement: str, *values: Any, making: Iterable[str] = ()) -> None:
        """Change rows. A missing table is made first, or has none to change."""
        try:
            self._connection.execute(statement, values)
        except apsw.SQLError as error:
            if not is_unmade(error):
                raise
            if statements := tuple(making):
                for each in statements:
                    self._connection.execute(each)
                self._connection.execute(statement, values)


@lru_cache(maxsize=512)
def _putting(name: str, fields: tuple[str, ...], *, has_span: bool) -> str:
    """Write the statement that puts a row into a table."""
    span = ["from_seq", "to_seq"] if has_span else []
    columns = ["project", "key", "row", *(f"f_{field}" for field in fields), *span]
    return f"INSERT OR REPLACE INTO {name}({', '.join(columns)}) VALUES({marks(columns)})"
