"""The small world that is measured, and the engines it lives in."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import ClassVar
from unittest.mock import patch

import psycopg
from psycopg.conninfo import conninfo_to_dict

from hansard.app.catalog import Catalog
from hansard.app.start import MEMORY, POSTGRES_SCHEMES, open_engine
from hansard.kernel.blob import Digest
from hansard.kernel.engine import Engine, Table, Topic, WriteTx
from hansard.kernel.event import SYSTEM, Entry, Event, Stamp
from hansard.kernel.operation import Capability
from hansard.kernel.store import Store
from hansard.kernel.view import Derivation, View
from hansard.sessions import capability as sessions
from tests import postgres_server

PROJECT = "bench"
STAMP = Stamp(SYSTEM, "2026-01-01T00:00:00.000000Z")

NOTES = Table(
    "bench_notes",
    {"state": "text", "size": "integer"},
    (("state", "size"), ("size",)),
    history=True,
)
WORDS = Topic("bench_words", NOTES, {"title": 4.0, "body": 1.0})

DURABLE = ("-cmax_connections=200",)
"""The tests' server does not sync; what is measured here must."""


class Noted(Event):
    """A note was taken; the usual small write."""

    kind: ClassVar[str] = "bench.noted.v1"
    advances_tick: ClassVar[bool] = True

    id: str
    text: str
    body: Digest | None = None


def _noted(event: Noted, derivation: Derivation) -> None:
    size = len(event.text)
    derivation.put(NOTES, event.id, {"state": "open", "size": size, "text": event.text})


@cache
def catalog() -> Catalog:
    """List what the measured stores know."""
    views = (View("bench", 1, (NOTES,), on={Noted: _noted}, topics=(WORDS,)),)
    return Catalog([sessions.capability(), Capability("bench", (), (Noted,), views)])


def store_on(engine: Engine) -> Store:
    """Make a store of an engine."""
    return Store(engine, catalog().kinds, catalog().views)


def note(store: Store, identifier: str, text: str = "a short note") -> Entry:
    """Do the usual small write."""

    def work(tx: WriteTx) -> Entry:
        return store.record(tx, Noted(id=identifier, text=text), STAMP)

    return store.write(PROJECT, work)


@contextmanager
def locations() -> Iterator[dict[str, str]]:
    """Name an empty store for each engine there is, and say which one there is not."""
    with tempfile.TemporaryDirectory(prefix="hansard-bench-") as folder:
        found = {"memory": MEMORY, "sqlite": str(Path(folder) / "store")}
        with patch.object(postgres_server, "CARELESS", DURABLE):
            running = postgres_server.postgres_server()
            try:
                url = running.__enter__()
            except postgres_server.NoPostgresError as reason:
                print(f"No PostgreSQL: {reason}")
                yield found
                return
            yield found | {"postgresql": _new_database(url)}
            running.__exit__(None, None, None)


@contextmanager
def opened(location: str) -> Iterator[Store]:
    """Open a store for a while."""
    store = store_on(open_engine(location, catalog().schema))
    try:
        yield store
    finally:
        store.engine.close()


def tidy(location: str) -> None:
    """Do at once what a PostgreSQL server does by itself within minutes after many writes."""
    if location.startswith(POSTGRES_SCHEMES):
        with psycopg.connect(location, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")


def _new_database(url: str) -> str:
    with psycopg.connect(url, autocommit=True) as connection:
        [number] = connection.execute("SELECT count(*) FROM pg_database").fetchone() or [0]
        connection.execute(f"CREATE DATABASE bench_{number}".encode())
    return f"postgresql://postgres@/bench_{number}?host={conninfo_to_dict(url)['host']}"
