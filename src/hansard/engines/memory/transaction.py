"""A transaction in memory: the seam's verbs on dictionaries, with an undo list."""

import heapq
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from hansard.engines.locks import UnderProcessLocks
from hansard.engines.memory.tables import IndexedDocument, Rows, Stored, Undo, Words
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
from hansard.kernel.event import Entry, Head, genesis
from hansard.kernel.words import query_terms


@dataclass(slots=True)
class Project:
    """All that one project has."""

    name: str
    head: Head = field(init=False)
    entries: list[Entry] = field(default_factory=list)
    tables: dict[tuple[str, int], Rows] = field(default_factory=dict)
    topics: dict[tuple[str, int], Words] = field(default_factory=dict)
    blobs: dict[Digest, Blob] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.head = genesis(self.name)

    def words(self, topic: Topic) -> Words:
        """Give a topic's words, of which there may be none."""
        return self.topics.setdefault((topic.name, topic.table.version), Words())


class MemoryReadTx:
    """A consistent look, since the lock is held."""

    def __init__(self, state: Project, tables: Collection[tuple[str, int]]) -> None:
        self.project = state.name
        self._state = state
        self._tables = tables

    def head(self) -> Head:
        return self._state.head

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
        last = self._state.head.seq if before is None else min(self._state.head.seq, before - 1)
        seqs = range(max(after, 0) + 1, last + 1)
        entries = (self._entry(seq) for seq in (reversed(seqs) if descending else seqs))
        matching = (
            entry
            for entry in entries
            if (kinds is None or entry.kind in kinds) and session in (None, entry.session)
        )
        return list(islice(matching, limit))

    def seek(self, *, tick: int | None = None, at: str | None = None) -> int:
        assert (tick is None) != (at is None), "seek by tick or by time, not both"
        # Neither ever falls, and seq counts entries from 1.
        if tick is not None:
            return bisect_right(self._state.entries, tick, key=lambda entry: entry.tick)
        return bisect_right(self._state.entries, at or "", key=lambda entry: entry.clock)

    def get(self, table: Table, key: str, *, as_of: int | None = None) -> Row | None:
        stored = self._rows(table, as_of).at(key, as_of)
        return stored.row() if stored else None

    def versions(
        self, table: Table, key: str, *, after: int | None = None, limit: int | None = None
    ) -> list[Version]:
        assert table.history, f"{table.name} keeps no history"
        stored = [
            each
            for each in self._rows(table).versions(key)
            if after is None or each.from_seq > after
        ]
        return [Version(each.row(), each.from_seq, each.to_seq) for each in stored[:limit]]

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
        placed = (
            ((stored.fields[order] if order else 0, key), stored)
            for key, stored in self._rows(table, as_of).matching(where or {}, as_of)
        )
        if after is not None:
            end = (after.value if order else 0, after.key)
            placed = (each for each in placed if (each[0] < end if descending else each[0] > end))
        first = heapq.nlargest if descending else heapq.nsmallest
        page = first(limit, placed, key=lambda each: each[0])
        return [Found(key, stored.row()) for (_, key), stored in page]

    def tally(
        self,
        table: Table,
        where: Where | None = None,
        *,
        by: str | None = None,
        as_of: int | None = None,
    ) -> dict[Scalar | None, int]:
        matching = self._rows(table, as_of).matching(where or {}, as_of)
        return dict(Counter(stored.fields[by] if by else None for _, stored in matching))

    def sum(self, table: Table, field: str) -> int:
        """Add up a field of the rows that there are."""
        rows = self._rows(table).matching({}, None)
        return sum(stored.fields[field] or 0 for _, stored in rows)

    def filed(self, table: Table, *, after: str = "", limit: int) -> dict[str, bool]:
        rows = self._rows(table)
        keys = sorted({key for key in (*rows.past, *rows.current) if key > after})
        return dict.fromkeys(keys[:limit], True)

    def search(
        self,
        topic: Topic,
        query: str,
        *,
        where: Where | None = None,
        limit: int,
        beginnings: bool = False,
    ) -> list[Hit]:
        rows = dict(self._rows(topic.table).matching(where or {}, None))
        hits = self._words(topic).ranked(query_terms(query, beginnings=beginnings))
        return [hit for hit in hits if hit.key in rows][:limit]

    def having(self, topic: Topic, words: Sequence[str]) -> tuple[int, list[int]]:
        return self._words(topic).having(words)

    def known(self, topic: Topic, words: Sequence[str]) -> dict[str, int]:
        return self._words(topic).known(words)

    def blob(self, digest: Digest) -> Blob | None:
        return self._state.blobs.get(digest)

    def kept(self, digests: Collection[Digest], *, sized: bool = False) -> dict[Digest, Kept]:
        found = ((digest, self._state.blobs.get(digest)) for digest in digests)
        return {digest: Kept.of(blob, sized=sized) for digest, blob in found if blob}

    def prefetch(self, *asks: Callable[[], object]) -> None:
        """Do nothing: queries take no time here."""

    def digests(self, *, after: str = "", limit: int) -> list[Digest]:
        return sorted(digest for digest in self._state.blobs if digest > after)[:limit]

    def _entry(self, seq: int) -> Entry:
        return self._state.entries[seq - 1]

    def _rows(self, table: Table, as_of: int | None = None) -> Rows:
        name = (table.name, table.version)
        assert name in self._tables, f"{table.name} is not in the schema"
        assert as_of is None or table.history, f"{table.name} keeps no history"
        if name not in self._state.tables:
            self._state.tables[name] = Rows(table)
        return self._state.tables[name]

    def _words(self, topic: Topic) -> Words:
        return self._state.words(topic)


class MemoryWriteTx(UnderProcessLocks, MemoryReadTx):
    """A write in progress, and how to undo it."""

    def __init__(self, state: Project, tables: Collection[tuple[str, int]]) -> None:
        super().__init__(state, tables)
        self._undo: list[Undo] = []

    @property
    def has_changes(self) -> bool:
        return bool(self._undo)

    def roll_back(self) -> None:
        while self._undo:
            self._undo.pop()()

    def append(self, entry: Entry) -> None:
        head = self._state.head
        assert entry.project == self.project, "an entry of another project"
        assert entry.seq == head.seq + 1, "an entry that does not follow the head"
        self._state.entries.append(entry)
        self._undo.append(self._state.entries.pop)
        self._move_head(Head(entry.seq, entry.tick, entry.hash, entry.clock, head.views))

    def put(self, table: Table, key: str, row: Row, *, seq: int) -> None:
        rows = self._rows(table)
        if table.history:
            self._retire(rows, key, seq)
        self._undo.append(rows.set(key, Stored.of(table, row, seq)))

    def delete(self, table: Table, key: str, *, seq: int) -> None:
        rows = self._rows(table)
        if table.history:
            self._retire(rows, key, seq)
        self._undo.append(rows.set(key, None))

    def index(self, topic: Topic, key: str, texts: Mapping[str, str] | None) -> None:
        document = None if texts is None else IndexedDocument.of(topic, texts)
        self._undo.append(self._words(topic).set(key, document))

    def keep(self, blob: Blob) -> None:
        if blob.digest not in self._state.blobs:
            self._state.blobs[blob.digest] = blob
            self._undo.append(lambda: self._state.blobs.pop(blob.digest))

    def repack(self, blob: Blob) -> None:
        before = self._state.blobs[blob.digest]
        self._set_blob(blob.digest, blob, before)

    def drop(self, digest: Digest) -> None:
        if before := self._state.blobs.get(digest):
            self._set_blob(digest, None, before)

    def redact(self, entry: Entry) -> None:
        assert entry.is_redacted, "an entry with its payload"
        place, entries = entry.seq - 1, self._state.entries
        before = entries[place]
        entries[place] = entry
        self._undo.append(lambda: entries.__setitem__(place, before))

    def _set_blob(self, digest: Digest, blob: Blob | None, before: Blob) -> None:
        blobs = self._state.blobs
        del blobs[digest]
        if blob is not None:
            blobs[digest] = blob
        self._undo.append(lambda: blobs.__setitem__(digest, before))

    def clear(self, tables: Sequence[Table], topics: Sequence[Topic]) -> None:
        state = self._state
        was_tables, was_topics = state.tables, state.topics
        emptied = {(table.name, table.version) for table in tables}
        silenced = {(topic.name, topic.table.version) for topic in topics}
        state.tables = {name: kept for name, kept in was_tables.items() if name not in emptied}
        state.topics = {name: kept for name, kept in was_topics.items() if name not in silenced}

        def undo() -> None:
            state.tables, state.topics = was_tables, was_topics

        self._undo.append(undo)

    def mark_views(self, views: str) -> None:
        self._move_head(replace(self._state.head, views=views))

    def _retire(self, rows: Rows, key: str, seq: int) -> None:
        """Keep the current version as a past one, unless this same entry made it."""
        standing = rows.at(key, None)
        if standing is not None and standing.from_seq < seq:
            self._undo.append(rows.shelve(key, replace(standing, to_seq=seq)))

    def _move_head(self, head: Head) -> None:
        old, self._state.head = self._state.head, head

        def undo() -> None:
            self._state.head = old

        self._undo.append(undo)
