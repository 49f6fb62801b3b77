"""A SQLite store with some history, and ways to damage it behind Hansard's back."""

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
from hansard.app.verify import Report, verify
from hansard.kernel.blob import Blob, seal
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import SYSTEM, Actor, Entry, Receipt, Stamp
from hansard.kernel.operation import Caller, Seat
from hansard.kernel.reply import Replied
from tests import toy

NUMBER_BITS = 40
NOTES = 8


class Damaged:
    """The store under test. `sql` and the files are there to be abused."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = "default"
        self.last = Receipt(0, seal(b"").digest)
        self.small = seal(b"")
        self.large = seal(b"")

    @contextmanager
    def opened(self) -> Iterator[Application]:
        app = start.start(
            Settings(store=str(self.folder)),
            known=Catalog([*start.catalog().capabilities, toy.CAPABILITY]),
        )
        try:
            yield app
        finally:
            app.close()

    def fill(self) -> None:
        """Write notes, revise one, and keep a small and a large blob."""
        agent = Caller(Actor("agent", "test", "agent"), seat=Seat())
        with self.opened() as app:
            for number in range(NOTES):
                app.call("toy_note", {"text": f"note {number}"}, agent)
            app.call("toy_note", {"text": "revised", "id": "T001"}, agent)
            self.small = self.keep(app, b"words " * 100)
            self.large = self.keep(app, os.urandom(200_000))
            head = app.store.engine.heads()[self.project]
            self.last = Receipt(head.seq, head.hash)

    def keep(self, app: Application, data: bytes) -> Blob:
        """Keep a blob that an event names."""
        blob = seal(data)
        event = Replied(key=blob.digest, operation="x", arguments="y", reply=blob.digest)
        stamp = Stamp(SYSTEM, "2026-01-01T00:00:00.000000Z")

        def work(tx: WriteTx) -> Entry:
            return app.store.record(tx, event, stamp)

        app.store.write(self.project, work, blobs=[blob])
        return blob

    def verify(self, **asked: Any) -> Report:
        with self.opened() as app:
            return verify(app.store, **asked)

    def sql(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        connection = apsw.Connection(str(self.folder / "hansard.db"))
        try:
            return connection.execute(statement, values).fetchall()
        finally:
            connection.close()

    def number(self, seq: int) -> int:
        """Give the journal row's number of an entry."""
        [[project]] = self.sql("SELECT number FROM heads WHERE project = ?", self.project)
        return (int(project) << NUMBER_BITS) + seq

    def set_entry(self, seq: int, **columns: Any) -> None:
        changes = ", ".join(f"{name} = ?" for name in columns)
        values = [*columns.values(), self.number(seq)]
        self.sql(f"UPDATE journal SET {changes} WHERE number = ?", *values)

    def entry(self, seq: int, column: str) -> Any:
        [[value]] = self.sql(f"SELECT {column} FROM journal WHERE number = ?", self.number(seq))
        return value

    def blob_file(self, blob: Blob) -> Path:
        return self.folder / "blobs" / blob.digest[:2] / blob.digest[2:]


def flipped(data: bytes, place: int = -3) -> bytes:
    """Turn one bit over."""
    changed = bytearray(data)
    changed[place] ^= 1
    return bytes(changed)
