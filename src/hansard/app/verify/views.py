"""The views: every table equals what the journal derives."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter

from pydantic import ValidationError

from hansard.app.verify.chain import DAMAGED, Journal
from hansard.app.verify.documents import WANTED, Documents, document_key
from hansard.app.verify.report import Findings, Progress, ViewDifference
from hansard.app.verify.scratch import room, scratch
from hansard.kernel import paging
from hansard.kernel.blob import Digest, canonical_json
from hansard.kernel.content import content
from hansard.kernel.engine import Engine, ReadTx, Table, Topic, WriteTx
from hansard.kernel.event import Entry, Event
from hansard.kernel.limits import ENTRIES_PAGE
from hansard.kernel.problem import BlobDamaged
from hansard.kernel.store import Store
from hansard.kernel.view import Derivation, is_newer, schema_of


def check_views(
    store: Store, journal: Journal, documents: Documents, findings: Findings, progress: Progress
) -> int | None:
    """Compare a project's tables and documents with a rebuild; returns how many rows.

    A damaged journal makes no views to compare with, and has been reported: then `None`.
    """
    project = journal.project
    views = store.engine.read(project, lambda tx: tx.head().views)
    if not (journal.is_sound and journal.is_known) or not _are_ours(
        store, journal, views, findings
    ):
        return None
    schema = schema_of(store.views, [WANTED])
    with scratch(schema, entries=journal.reached.seq) as aside:
        engine = aside.engine
        rebuilt = _Rebuilt(store, project, engine)
        try:
            # Only up to here: a writer may be faster than we are.
            while rebuilt.seq < journal.reached.seq:
                rebuilt.apply(store.engine.read(project, rebuilt.unread))
                progress(project, "views", rebuilt.seq, max(rebuilt.seq, journal.reached.seq))
            rows, differences = store.engine.read(project, rebuilt.compare)
        except _UndecodableError as undecodable:
            findings.broken("views", project, str(undecodable), seq=undecodable.seq)
            return None
        except BlobDamaged:
            # Found with the blobs already; what is derived from it cannot be compared.
            return None
        differences += engine.read(project, lambda tx: list(documents.differences(project, tx)))
    for each in differences:
        findings.broken("views", project, each.message, table=each.table, key=each.key)
    return rows


def _are_ours(store: Store, journal: Journal, views: str, findings: Findings) -> bool:
    """Whether the tables were derived by the views we would derive them by."""
    if journal.reached.seq == 0 or views == store.fingerprint:
        return True
    try:
        is_from_later = is_newer(views, store.fingerprint)
    except (AttributeError, *DAMAGED):
        message = "The head does not say by which versions of the views the tables are derived"
        findings.broken("head", journal.project, message)
        return False
    if is_from_later:
        message = "The views were derived by a newer Hansard and cannot be compared"
        findings.unreadable("views", journal.project, message)
    else:
        message = "The views are of other versions than ours; they are derived again on first use"
        findings.drift("views", journal.project, message)
    return False


class _Rebuilt:
    """A project derived again, into an engine of its own."""

    def __init__(self, store: Store, project: str, engine: Engine) -> None:
        self.seq = 0
        self._store = store
        self._project = project
        self._tables = [table for view in store.views for table in view.tables]
        self._engine = engine

    def unread(self, tx: ReadTx) -> list[Entry]:
        """Read the next page of entries."""
        return tx.entries(after=self.seq, limit=ENTRIES_PAGE)

    def apply(self, entries: Sequence[Entry]) -> None:
        """Derive what follows from these entries."""
        with room():
            self._engine.write(self._project, lambda tx: self._derive(tx, entries))
        self.seq = entries[-1].seq

    def _content(self, digest: Digest) -> bytes:
        """Read a blob where it is: the rebuild keeps none."""
        return self._store.engine.read(self._project, lambda tx: content(tx, digest))

    def compare(self, live: ReadTx) -> tuple[int, list[ViewDifference]]:
        """Catch up with the live project, then hold its tables against ours, in one look."""
        while late := self.unread(live):
            self.apply(late)

        def work(ours: ReadTx) -> tuple[int, list[ViewDifference]]:
            rows = sum(ours.tally(table).get(None, 0) for table in self._tables)
            return rows, [
                each for table in self._tables for each in self._differ(live, ours, table)
            ]

        return self._engine.read(self._project, work)

    def _derive(self, tx: WriteTx, entries: Sequence[Entry]) -> None:
        for entry in entries:
            # Its place alone: what it says is derived, and not looked up again.
            tx.append(replace(entry, payload=None))
            if event := self._decode(entry):
                derivation = _Noting(tx, entry, self._content, self._mark)
                for view in self._store.views:
                    view.apply(event, derivation)

    def _mark(self, topic: Topic, texts: Mapping[str, str]) -> str:
        return self._store.engine.mark(topic, texts)

    def _decode(self, entry: Entry) -> Event | None:
        try:
            return self._store.kinds.decode(entry)
        except ValidationError as error:
            raise _UndecodableError(entry.seq, entry.kind) from error

    def _differ(self, live: ReadTx, ours: ReadTx, table: Table) -> Iterator[ViewDifference]:
        try:
            yield from _rows_that_differ(live, ours, table)
            yield from _files_that_differ(live, ours, table)
        except DAMAGED:
            yield ViewDifference(table.name, f"{table.name}: a row cannot be read")


@dataclass(frozen=True, slots=True)
class _Noting(Derivation):
    """A derivation that reads blobs where they are, and notes documents.

    Of a document it notes only what stands for it: nobody will search the rebuild.
    """

    live_content: Callable[[Digest], bytes]
    mark: Callable[[Topic, Mapping[str, str]], str]

    def content(self, digest: Digest) -> bytes:
        return self.live_content(digest)

    def index(self, topic: Topic, key: str, texts: Mapping[str, str] | None) -> None:
        noted = {"mark": None if texts is None else self.mark(topic, texts), "seq": self.entry.seq}
        self.put(WANTED, document_key(topic, key), noted)


class _UndecodableError(Exception):
    """The journal holds an event that its own kind's shape does not fit."""

    def __init__(self, seq: int, kind: str) -> None:
        super().__init__(f"s:{seq} cannot be read as {kind}, though its hash is right")
        self.seq = seq


def _rows_that_differ(live: ReadTx, ours: ReadTx, table: Table) -> Iterator[ViewDifference]:
    """Look each row up in the rebuild; only if that has more of them, look for those."""
    matched = 0
    for found in paging.rows(live, table):
        wanted = ours.get(table, found.key)
        if wanted is None:
            yield _difference(table, found.key, "is there, and a rebuild does not make it")
            continue
        matched += 1
        if canonical_json(found.row) != canonical_json(wanted):
            names = sorted(
                name for name in {*found.row, *wanted} if found.row.get(name) != wanted.get(name)
            )
            yield _difference(table, found.key, f"differs from a rebuild in {', '.join(names)}")
    if matched < ours.tally(table).get(None, 0):
        for found in paging.rows(ours, table):
            if live.get(table, found.key) is None:
                yield _difference(table, found.key, "is missing")


def _files_that_differ(live: ReadTx, ours: ReadTx, table: Table) -> Iterator[ViewDifference]:
    """Look that rows are filed as they say, and that they have been what they should have been."""
    matched = 0
    for key, is_right in all_filed(live, table):
        if not is_right:
            yield _difference(table, key, "has columns that are not what it says itself")
        if not table.history:
            continue
        has_any = bool(ours.versions(table, key, limit=1))
        matched += has_any
        if not has_any:
            yield _difference(table, key, "has a history, and a rebuild makes none")
        elif not _are_alike(live, ours, table, key):
            yield _difference(table, key, "has another history than a rebuild makes")
    if table.history:
        yield from _histories_missing(live, ours, table, matched)


def _are_alike(live: ReadTx, ours: ReadTx, table: Table, key: str) -> bool:
    """Whether a row has been the same in both, looked at in pages: some change with each entry."""
    after = None
    while page := ours.versions(table, key, after=after, limit=ENTRIES_PAGE):
        if live.versions(table, key, after=after, limit=ENTRIES_PAGE) != page:
            return False
        after = page[-1].from_seq
    return not live.versions(table, key, after=after, limit=1)


def _histories_missing(
    live: ReadTx, ours: ReadTx, table: Table, matched: int
) -> Iterator[ViewDifference]:
    if matched == sum(1 for _ in all_filed(ours, table)):
        return
    for key, _ in all_filed(ours, table):
        if not live.versions(table, key, limit=1):
            yield _difference(table, key, "has another history than a rebuild makes")


def all_filed(tx: ReadTx, table: Table) -> Iterator[tuple[str, bool]]:
    """Go through all keys of a table, and whether each is filed as its row says."""

    def read(after: str) -> list[tuple[str, bool]]:
        return list(tx.filed(table, after=after, limit=ENTRIES_PAGE).items())

    return chain.from_iterable(paging.pages(read, itemgetter(0), ""))


def _difference(table: Table, key: str, what: str) -> ViewDifference:
    return ViewDifference(table.name, f"{table.name}: the row {key!r} {what}", key)
