"""THE SEAM: everything that Hansard asks of a database.

Work is a function of a transaction, not a `with` block, so that an engine may retry it or let
several share one commit. Therefore work touches nothing but its transaction: it may run twice.
A transaction belongs to one project, so no tenant filter can be forgotten.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from hansard.kernel.blob import Blob, Codec, Digest
from hansard.kernel.event import Entry, Head
from hansard.kernel.problem import StorageUnavailable

T = TypeVar("T")
Row = dict[str, Any]
Scalar = str | int | float | bool
FieldType = Literal["text", "integer", "real", "boolean"]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of JSON under a key, with the fields to filter and order by."""

    name: str
    fields: Mapping[str, FieldType] = field(default_factory=dict)
    indexes: tuple[tuple[str, ...], ...] = ()
    history: bool = False
    """Whether old versions of rows are kept, so that `as_of` and `versions` work."""
    version: int = 1
    """Moves with the view that derives it; two versions are two tables."""
    is_large: bool = False
    """Whether it may have a row for every entry, so that an engine may divide it by project."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A full-text index over some rows of a table, under their keys."""

    name: str
    table: Table
    columns: Mapping[str, float]
    """The texts of a document, each with the weight of a word found in it; at most four."""


@dataclass(frozen=True, slots=True)
class Schema:
    """All tables and topics a store has, declared by its views."""

    tables: tuple[Table, ...]
    topics: tuple[Topic, ...] = ()


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Matches a field that equals one of these."""

    values: Collection[Scalar]


@dataclass(frozen=True, slots=True)
class Range:
    """Matches a field that is at least `at_least` and below `below`; `None` leaves a side open."""

    at_least: Scalar | None = None
    below: Scalar | None = None


Where = Mapping[str, Scalar | AnyOf | Range | None]
"""The value that each field of a row must have; `None` means null."""


@dataclass(frozen=True, slots=True)
class Position:
    """Where a page ended: the value ordered by (`None` when ordered by key) and the key."""

    value: Scalar | None
    key: str


class Found(NamedTuple):
    """A row under its key."""

    key: str
    row: Row


@dataclass(frozen=True, slots=True)
class Version:
    """A row as it was from one entry until just before another (`None`: until now)."""

    row: Row
    from_seq: int
    to_seq: int | None


class Hit(NamedTuple):
    """A document that matched. Scores compare only within one answer; higher is better."""

    key: str
    score: float


@dataclass(frozen=True, slots=True)
class Kept:
    """How a project keeps a blob, without its bytes."""

    codec: Codec
    depth: int
    """How many bases it is packed on."""
    path: str | None = None
    """Its file, relative to the store, if it has a file of its own."""
    base: Digest | None = None
    """What it is packed against."""
    packed_bytes: int | None = None
    """How much room it takes, if that was asked; 0 for one whose bytes are lost."""

    @classmethod
    def of(cls, blob: Blob, *, sized: bool = False) -> "Kept":
        """Say of a blob that is at hand how it is kept."""
        packed_bytes = len(blob.packed) if sized else None
        return cls(blob.codec, blob.depth, base=blob.base, packed_bytes=packed_bytes)


class ReadTx(Protocol):
    """A consistent look at one project."""

    project: str

    def head(self) -> Head:
        """Give the end of the journal; without an entry, the genesis head."""

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
        """Read entries with `after` < seq < `before`, in ascending or descending order of seq."""

    def seek(self, *, tick: int | None = None, at: str | None = None) -> int:
        """Find the last seq at that tick, or at that time by the running clock; 0 if before all."""

    def get(self, table: Table, key: str, *, as_of: int | None = None) -> Row | None:
        """Read one row, as it is now or as it was right after entry `as_of`."""

    def versions(
        self, table: Table, key: str, *, after: int | None = None, limit: int | None = None
    ) -> list[Version]:
        """Read the versions of a row of a table with history, oldest first.

        `after` and `limit` select a page: versions that began after an entry.
        """

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
        """Read rows in the order of a field that is never null, then of their keys."""

    def tally(
        self,
        table: Table,
        where: Where | None = None,
        *,
        by: str | None = None,
        as_of: int | None = None,
    ) -> dict[Scalar | None, int]:
        """Count rows by the value of a field; with no field, all under the one key `None`."""

    def filed(self, table: Table, *, after: str = "", limit: int) -> dict[str, bool]:
        """Give each key that has or had a row, and whether its fields agree with the row.

        In the order of keys, from the first that comes after one on.
        Fields are what `scan` filters and orders by. Of a table with history, all versions count.
        """

    def search(
        self,
        topic: Topic,
        query: str,
        *,
        where: Where | None = None,
        limit: int,
        beginnings: bool = False,
    ) -> list[Hit]:
        """Find documents by words. Any string is a query, none is an error or an operator.

        With `beginnings`, a document also has a word if one of its own begins with it.

        What the words of a text and of a query are, `kernel.words` says; what they are worth,
        `engines.bm25`. Nothing of another project counts. Of a query of a few words, a document
        that has all comes before one that has some. Scores are at most 1, which is what a document
        could ideally score. Documents whose row does not match `where` are left out. Where
        thousands have all the words, an engine may rank only the newest thousand of them, or
        `limit` if that is more: words so common no longer tell good matches from bad ones.
        """

    def having(self, topic: Topic, words: Sequence[str]) -> tuple[int, list[int]]:
        """Count the newest documents, up to a thousand, and how many of them have each word.

        Words are stems. The counts show what a project is about, at a cost that does not grow with
        it.
        """

    def known(self, topic: Topic, words: Sequence[str]) -> dict[str, int]:
        """Say which of these words occur, and in how many documents; beyond a hundred, roughly.

        Words are stems, and there may be a thousand of them.
        """

    def blob(self, digest: Digest) -> Blob | None:
        """Fetch a blob that this project kept, else `None`. Damage is BLOB_DAMAGED."""

    def kept(self, digests: Collection[Digest], *, sized: bool = False) -> dict[Digest, Kept]:
        """Say how each of these blobs is kept, and leave out those that this project does not keep.

        No content is read: a blob listed here is kept, but not verified. How much room each takes
        is asked for by itself, where it lies outside the database.
        """

    def digests(self, *, after: str = "", limit: int) -> list[Digest]:
        """List the blobs this project has kept, in order."""

    def prefetch(self, *asks: Callable[[], object]) -> None:
        """Run these reads in advance, so that their answers are fetched all at once.

        Each of them reads from this transaction, perhaps several times; its result is ignored. An
        engine far from its database then has the answers at hand, after fewer round trips; one that
        is near does nothing.
        """


class Lock(Protocol):
    """A lock that was taken: released at the end of a `with`, or when this process dies."""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...

    def is_ours(self) -> bool:
        """Whether nobody else can have held it since it was taken; this asks the database.

        A database silently frees the locks of a connection that it loses.
        """

    def renew(self) -> bool:
        """Take it again if it was lost; `False` if somebody has it now."""


LOCK_LOST = "lock_lost"


def lock_lost() -> StorageUnavailable:
    """Make the problem for a caller that lost the lock under which it began."""
    return StorageUnavailable(
        "Another process has had the lock under which this was begun",
        hint="Nothing was changed; ask again",
        outcome="not_written",
        reason=LOCK_LOST,
    )


def is_lock_lost(problem: StorageUnavailable) -> bool:
    """Whether something was refused because a lock was lost: nothing of it was written."""
    return problem.details.get("reason") == LOCK_LOST


DERIVED_LOCK = "derived"
"""The lock for writing or removing files that are derived from a store."""


class WriteTx(ReadTx, Protocol):
    """A transaction that may also write. All of it lands, or nothing."""

    def append(self, entry: Entry) -> None:
        """Append the entry that follows the head, and make it the head."""

    def put(self, table: Table, key: str, row: Row, *, seq: int) -> None:
        """Set a row, as of entry `seq`. Fields are taken from the row's keys of the same name."""

    def delete(self, table: Table, key: str, *, seq: int) -> None:
        """Remove a row, as of entry `seq`. Its history, if kept, stays."""

    def index(self, topic: Topic, key: str, texts: Mapping[str, str] | None) -> None:
        """Set the document under this key, or remove it with `None`."""

    def require(self, lock: Lock) -> None:
        """Commit this transaction only if nobody else has held the lock since it was taken."""

    def release(self, lock: Lock) -> None:
        """Let go of a lock as this lands: nothing more is done under it.

        An engine that asks a database for locks saves asking once more; with others, the end of the
        lock's `with` lets go of it, as it does if this does not land.
        """

    def keep(self, blob: Blob) -> None:
        """Make a staged blob this project's. Keeping it twice has no further effect."""

    def repack(self, blob: Blob) -> None:
        """Set how a kept blob is packed: alone, on another base, or as its redacted rest."""

    def drop(self, digest: Digest) -> None:
        """Drop a blob; the caller knows that nothing depends on it."""

    def redact(self, entry: Entry) -> None:
        """Replace an entry by the same entry without its payload."""

    def clear(self, tables: Sequence[Table], topics: Sequence[Topic]) -> None:
        """Empty these for this project, history included, before they are derived again."""

    def mark_views(self, views: str) -> None:
        """Store in the head the versions of the views that derived the tables."""


class Watch(Protocol):
    """Notices commits of this process and of others."""

    def wait(self, timeout_s: float) -> bool:
        """Return once something was committed since the last call, or when time is up."""

    def close(self) -> None:
        """Stop noticing."""


class Engine(Protocol):
    """A database that can hold a store."""

    name: str
    """What people call it: `memory`, `sqlite`, `postgresql`."""

    derived: Path | None
    """A folder beside the store's for derived files, which can be rebuilt at any time.

    `None` where there is none, or nothing is to be written. Writers hold `DERIVED_LOCK`. Erased
    content must not stay in it: `scrub` leaves it empty.
    """

    def read(self, project: str, work: Callable[[ReadTx], T]) -> T:
        """Run work on a consistent snapshot of the project."""

    def write(self, project: str, work: Callable[[WriteTx], T], *, urgent: bool = False) -> T:
        """Run work, perhaps twice, perhaps with others; return when its result is durable.

        If work raises, nothing of it lands and the same exception comes out. If the store cannot
        take it, that is STORAGE_UNAVAILABLE; `details.outcome` is `"unknown"` when the write may
        have landed all the same. `urgent` work records how an effect on the world went: an engine
        that reserves space for a full disk gives it to that, and to nothing else.
        """

    def stage(self, blob: Blob) -> None:
        """Make the bytes of a blob outside the database durable, before it is kept."""

    def hold(self, name: str, *, patiently: bool = False) -> Lock | None:
        """Take a lock until released or this process dies; `None` if another has it.

        `patiently` waits some seconds where it cannot be told at once whether that one still lives.
        """

    def are_ours(self, locks: Collection[Lock]) -> bool:
        """Whether each of these locks of this engine is still ours, asked together."""

    def held(self, names: Collection[str]) -> set[str]:
        """Say which of these locks are held, here or elsewhere, without taking any.

        A text that cannot be the name of a lock counts as free.
        """

    def heads(self) -> dict[str, Head]:
        """Give the head of every project that has entries, the catalog among them."""

    def steady(self) -> AbstractContextManager[None]:
        """Give all reads of a thread the state of each project's first read, while this lasts.

        Not beyond the next write of the thread, nor the next lock that it asks for: what others did
        before they released that is seen. An engine may ignore this.
        """

    def forget(self) -> None:
        """Answer from the database itself from now on, not from caches."""

    def total(self, *fields: tuple[Table, str]) -> int:
        """Add up integer fields over the rows that all projects have in their tables."""

    def loose(self, *, older_s: float) -> dict[Digest, int]:
        """Give the sizes of old staged blobs that no project keeps, by digest."""

    def discard(self, digests: Collection[Digest]) -> None:
        """Remove staged blobs, except those that a project has kept since."""

    def outdated(self) -> list[str]:
        """Name tables and topics of older versions than the schema's."""

    def scrub(self, *, dropping: Collection[str] = (), gently: bool = False) -> bool:
        """Rewrite the store's files without the bytes of redacted, dropped or replaced content.

        `dropping` are outdated tables that go as well. `gently` leaves what a database frees by
        itself to it, rather than make others wait: bytes may then stay for a while. `False` if a
        reader was in the way, so that something may be left.
        """

    def check(self, *, thorough: bool) -> list[str]:
        """Check the database itself and describe each fault in a sentence; writes nothing.

        Always looks for what belongs to a project that has no head. If thorough, also has the
        database prove its own pages and indexes, as far as it can.
        """

    def marks(self, topic: Topic, take: Callable[[str, str, str], None]) -> None:
        """Give project, key and mark of each document of a topic, from one snapshot.

        A document may be given twice, if the read had to begin again.

        A mark stands for all that a search can see of a document; it compares within one process,
        and with what processes make that it began for that (`engines/sqlite/mark_key.py`).
        A document without a project is given with an empty project name.
        """

    def mark(self, topic: Topic, texts: Mapping[str, str]) -> str:
        """Give the mark of a document with these texts."""

    def watch(self) -> Watch:
        """Start watching for commits."""

    def close(self) -> None:
        """Finish accepted work, then release everything."""
