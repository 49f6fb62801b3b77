"""What the parts of the suite share: how engines are opened, and a small world to store."""

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import ClassVar, TypeVar

import pytest

from hansard.kernel.blob import Digest
from hansard.kernel.engine import Engine, ReadTx, Row, Schema, Table, Topic, WriteTx
from hansard.kernel.event import Actor, Entry, Event, Stamp

T = TypeVar("T")
Opener = Callable[[], Engine]

PROJECT, OTHER = "alpha", "beta"

SOON_S = 600.0
"""What must happen has happened by then, however busy the machine."""

THINGS = Table(
    "things",
    {"color": "text", "size": "integer", "weight": "real", "is_new": "boolean"},
    indexes=(("color", "size"), ("size",)),
    is_large=True,
)
THINGS_NEXT = Table("things", {"color": "text"}, version=2)
DATED = Table("dated", {"state": "text", "size": "integer"}, indexes=(("state",),), history=True)
PAPERS = Topic("papers", THINGS, {"title": 4.0, "body": 1.0})
LABELS = Topic("labels", THINGS, {"label": 1.0})
SCHEMA = Schema((THINGS, THINGS_NEXT, DATED), (PAPERS, LABELS))
"""What the engines under test must be opened with."""


class Noted(Event):
    """Something that moves the clock."""

    kind: ClassVar[str] = "suite.noted.v1"
    advances_tick: ClassVar[bool] = True

    text: str = ""


class Glanced(Event):
    """Something that does not."""

    kind: ClassVar[str] = "suite.glanced.v1"


class SuiteBase:
    """How a part of the suite gets its engine."""

    across_processes: ClassVar[bool] = True
    """Whether another process can open the same store."""

    @pytest.fixture
    def opener(self) -> Opener:
        """Override: give what opens an engine with `SCHEMA`, each time on the same store.

        It must survive pickling if `across_processes` is so. A new test gets a new store.
        """
        raise NotImplementedError

    @pytest.fixture
    def open_engine(self, opener: Opener) -> Iterator[Opener]:
        """Give what opens an engine on this test's store; it is closed when the test ends."""
        with ExitStack() as stack:

            def opened() -> Engine:
                engine = opener()
                stack.callback(engine.close)
                return engine

            yield opened

    @pytest.fixture
    def engine(self, open_engine: Opener) -> Engine:
        """Give an engine on an empty store."""
        return open_engine()


def noise(count: int, seed: int) -> bytes:
    """Give bytes that do not compress, the same ones for the same seed."""
    return random.Random(seed).randbytes(count)  # noqa: S311 - nothing here is secret


def record(
    tx: WriteTx,
    event: Event,
    *,
    at: str = "2026-01-01T00:00:00Z",
    session: str | None = None,
) -> Entry:
    """Append an event as the store would, without views."""
    stamp = Stamp(Actor("agent", "ada", "agent"), at, session)
    entry = Entry.following(tx.head(), tx.project, event, stamp)
    tx.append(entry)
    return entry


def record_all(engine: Engine, *events: Event, project: str = PROJECT) -> list[Entry]:
    """Append events in one transaction."""
    return engine.write(project, lambda tx: [record(tx, event) for event in events])


def put_all(engine: Engine, rows: dict[str, Row], *, table: Table = THINGS) -> None:
    """Set rows in one transaction."""

    def work(tx: WriteTx) -> None:
        for key, row in rows.items():
            tx.put(table, key, row, seq=1)

    engine.write(PROJECT, work)


def is_chain(entries: Iterable[Entry], previous: Digest) -> bool:
    """Whether each entry hangs on the one before it."""
    for entry in entries:
        if entry.hash != entry.hash_after(previous):
            return False
        previous = entry.hash
    return True


def look(engine: Engine, work: Callable[[ReadTx], T], project: str = PROJECT) -> T:
    """Read from the project that most tests use."""
    return engine.read(project, work)


def entry_count(engine: Engine, project: str = PROJECT) -> int:
    """Count the entries a project has, by its head."""
    return engine.read(project, lambda tx: tx.head().seq)
