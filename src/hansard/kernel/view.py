"""Views: tables and indexes derived from the journal in the transaction that appends to it.

A view derives, it never decides: no clock, no randomness, no settings, no refusal. What it reads
and writes is its own tables, through `Derivation`, which cannot append.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hansard.kernel.blob import Digest
from hansard.kernel.content import content
from hansard.kernel.engine import Found, Row, Schema, Table, Topic, Where, WriteTx
from hansard.kernel.event import Entry, Event


@dataclass(frozen=True, slots=True)
class Derivation:
    """The part of a transaction that a view may use while one entry is applied."""

    tx: WriteTx
    entry: Entry

    def derives(self, table: Table) -> bool:
        """Whether the table is being derived; `False` if it is ahead and must be left alone.

        A table of another view is ahead while some views are derived beside the live ones.
        """
        del table
        return True

    def get(self, table: Table, key: str) -> Row | None:
        """Read the present row."""
        return self.tx.get(table, key)

    def scan(self, table: Table, where: Where, *, limit: int) -> list[Found]:
        """Read present rows, in the order of their keys."""
        return self.tx.scan(table, where, limit=limit)

    def each(self, table: Table, where: Where, *, limit: int) -> Iterator[Found]:
        """Give every row that matches, in pages; the caller changes each so that it no longer does.

        So the next page is always the first.
        """
        while page := self.scan(table, where, limit=limit):
            yield from page

    def content(self, digest: Digest) -> bytes:
        """Read what a blob of the event holds."""
        return content(self.tx, digest)

    def put(self, table: Table, key: str, row: Row) -> None:
        """Set a row as of this entry."""
        self.tx.put(table, key, row, seq=self.entry.seq)

    def delete(self, table: Table, key: str) -> None:
        """Remove a row as of this entry."""
        self.tx.delete(table, key, seq=self.entry.seq)

    def index(self, topic: Topic, key: str, texts: Mapping[str, str] | None) -> None:
        """Set a document, or remove it with `None`."""
        self.tx.index(topic, key, texts)


Apply = Callable[[Any, Derivation], None]
"""What an event does to the view's tables."""


@dataclass(frozen=True, slots=True)
class View:
    """Some tables and how each kind of event changes them."""

    name: str
    version: int
    tables: tuple[Table, ...]
    on: Mapping[type[Event], Apply] = field(default_factory=dict)
    on_any: Apply | None = None
    """Applied to every event, after `on`."""
    for_any: Callable[[type[Event]], bool] | None = None
    """The classes of events that `on_any` handles; `None` means all."""
    topics: tuple[Topic, ...] = ()
    is_shared: bool = False
    """Whether other views put rows into its tables, so that it is not derived without them."""

    def __post_init__(self) -> None:
        """Refuse tables that would not move when the view does."""
        for table in self.tables:
            assert table.version == self.version, f"{table.name} is not of version {self.version}"

    def concerns(self, event: type[Event]) -> bool:
        """Whether events of this class may change its tables."""
        if event in self.on:
            return True
        return self.on_any is not None and (self.for_any is None or self.for_any(event))

    def apply(self, event: Event, derivation: Derivation) -> None:
        """Derive what follows from one event."""
        if apply := self.on.get(type(event)):
            apply(event, derivation)
        if self.on_any:
            self.on_any(event, derivation)


@dataclass(frozen=True, slots=True)
class DeclaredView(View):
    """A view as the catalog file lists it; its functions are loaded with the first event for it."""

    kinds: frozenset[str] | None = None
    """The kinds of events that it is for; `None` means all."""
    load: Callable[[], View] | None = None

    def concerns(self, event: type[Event]) -> bool:
        """Whether events of this class may change its tables, by the catalog file."""
        if self.kinds is not None:
            return event.kind in self.kinds
        return self._loaded().concerns(event)

    def apply(self, event: Event, derivation: Derivation) -> None:
        """Derive what follows from one event, if anything does."""
        if self.kinds is None or event.kind in self.kinds:
            self._loaded().apply(event, derivation)

    def _loaded(self) -> View:
        assert self.load, f"nobody knows where {self.name} lies"
        return self.load()


PASSES = Table("rebuilds")
"""By view and version: how far it is derived while it is not live. Itself not derived."""


def schema_of(views: Iterable[View], plain: Iterable[Table] = ()) -> Schema:
    """Build the schema of an engine for these views, and for tables that no view derives."""
    known = list(views)
    tables = [table for view in known for table in view.tables]
    topics = [topic for view in known for topic in view.topics]
    return Schema((*tables, PASSES, *plain), tuple(topics))


def fingerprint(views: Iterable[View]) -> str:
    """Give the versions of these views, for the head."""
    return " ".join(sorted(f"{view.name}:{view.version}" for view in views))


IN_PLACE = "rebuilding"
"""Listed in the head, like a view, while the live tables themselves are derived again."""

RETIRED: frozenset[str] = frozenset({IN_PLACE})
"""Views of earlier versions that this one no longer has; finding them does not mean newer."""


def is_newer(stored: str, ours: str) -> bool:
    """Whether a later Hansard derived the tables: by an unknown view, or an unknown version."""
    versions = dict(part.split(":") for part in ours.split())
    theirs = dict(part.split(":") for part in stored.split())
    known = {name: version for name, version in theirs.items() if name not in RETIRED}
    return any(int(version) > int(versions.get(name, -1)) for name, version in known.items())
