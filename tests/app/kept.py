"""A store in a folder with something of every sort in it, and ways to open another like it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from hansard.app import start
from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.app.verify import verify
from hansard.kernel.blob import Blob, Digest, seal, seal_onto
from hansard.kernel.engine import Engine, Schema, WriteTx
from hansard.kernel.event import SYSTEM, Actor, Entry, Stamp
from hansard.kernel.operation import Caller, Seat
from hansard.kernel.reply import Replied
from hansard.kernel.store import Store
from tests import toy

AT = "2026-01-02T03:04:05.000000Z"
STAMP = Stamp(SYSTEM, AT)
PERSON = Stamp(Actor("human", "ada", "admin"), AT)
PROJECT = "default"
RECORD = {"type": "note", "title": "A record", "summary": "s", "body": "b" * 500}


def known(settings: Settings | None = None) -> Catalog:
    return Catalog([*start.catalog(settings).capabilities, toy.CAPABILITY])


@contextmanager
def opened(location: Path | str, **settings: Any) -> Iterator[Application]:
    chosen = Settings(store=str(location), **settings)
    app = start.start(chosen, known=known(chosen))
    try:
        yield app
    finally:
        app.close()


@contextmanager
def open_store(folder: Path) -> Iterator[Store]:
    """Open a store the way `back_up` and `restore_folder` want it opened."""
    catalog = known()
    engine = start.open_engine(str(folder), catalog.schema)
    try:
        yield Store(engine, catalog.kinds, catalog.views)
    finally:
        engine.close()


def store_on(engine: Engine) -> Store:
    catalog = known()
    return Store(engine, catalog.kinds, catalog.views)


def schema() -> Schema:
    return known().schema


def caller(key: str | None = None) -> Caller:
    return Caller(Actor("agent", "test", "agent"), seat=Seat(), idempotency_key=key)


def fill(app: Application, *, notes: int = 5) -> None:
    """Write notes, one of them under a key, records, and blobs of all sizes."""
    someone = caller()
    for number in range(notes):
        app.call("toy_note", {"text": f"note {number}"}, someone)
    app.call("toy_note", {"text": "answered once"}, caller("key"))
    app.call("create_record", RECORD, someone)
    keep(app.store, os.urandom(200_000))
    keep_line(app.store)


def keep(store: Store, data: bytes, project: str = PROJECT) -> Blob:
    """Keep a blob that an event names."""
    blob = seal(data)
    keep_blob(store, blob, project)
    return blob


def keep_line(store: Store, versions: int = 4) -> list[Digest]:
    """Keep blobs, each a patch of the one before."""
    data = os.urandom(3_000)
    blob = keep(store, data)
    digests = [blob.digest]
    for number in range(versions):
        longer = data + f" and {number}".encode()
        blob = seal_onto(longer, blob, data)
        keep_blob(store, blob)
        data = longer
        digests.append(blob.digest)
    return digests


def keep_blob(store: Store, blob: Blob, project: str = PROJECT) -> None:
    event = Replied(key=blob.digest, operation="x", arguments="y", reply=blob.digest)

    def work(tx: WriteTx) -> Entry:
        return store.record(tx, event, STAMP)

    store.write(project, work, blobs=[blob])


def faults(location: Path) -> list[str]:
    """Say what a whole verification finds."""
    with opened(location) as app:
        return [found.message for found in verify(app.store).findings]


def heads(location: Path) -> dict[str, tuple[int, str]]:
    with opened(location) as app:
        return {name: (head.seq, head.hash) for name, head in app.store.engine.heads().items()}


def sql(folder: Path, statement: str, *values: object) -> None:
    connection = apsw.Connection(str(folder / "hansard.db"))
    connection.execute(statement, values)
    connection.close()
