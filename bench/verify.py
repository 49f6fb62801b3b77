"""How fast a store is verified: chain and blobs, without comparing views."""

import time
from functools import partial

from bench.table import Cell, print_table
from bench.world import PROJECT, STAMP, Noted, catalog, locations, opened
from hansard.app.verify import verify
from hansard.kernel.blob import seal
from hansard.kernel.engine import WriteTx
from hansard.kernel.store import Store
from hansard.sessions.projects import make as make_project

ENTRIES = {"memory": 100_000, "sqlite": 100_000, "postgresql": 30_000}
"""Fewer where filling the store would take longer than verifying it by far."""

BLOB_EVERY = 100
BATCH = 1_000


def main() -> None:
    """Fill a store of each engine and verify it."""
    rows: list[list[Cell]] = []
    with locations() as places:
        for name, location in places.items():
            with opened(location) as store:
                fill(store, ENTRIES[name])
                begun = time.perf_counter()
                report = verify(store, quick=True)
                took_s = time.perf_counter() - begun
            assert report.exit_code == 0, report.findings
            rows.append([name, ENTRIES[name], took_s, ENTRIES[name] / took_s])
    print_table("verify --quick", ["", "entries", "seconds", "entries/s"], rows)


def fill(store: Store, entries: int) -> None:
    """Append entries, now and then one with a blob; views are not looked at, so none is kept."""
    make_project(store, PROJECT, STAMP)
    bare = Store(store.engine, catalog().kinds, ())
    bare.fingerprint = store.fingerprint
    for first in range(0, entries, BATCH):
        store.engine.write(PROJECT, partial(_fill_some, bare, first))


def _fill_some(store: Store, first: int, tx: WriteTx) -> None:
    for number in range(first, first + BATCH):
        blob = seal(f"body {number} ".encode() * 50) if number % BLOB_EVERY == 0 else None
        if blob:
            tx.keep(blob)
        text = f"entry {number} with a text as long as most are"
        event = Noted(id=f"n{number}", text=text, body=blob.digest if blob else None)
        store.record(tx, event, STAMP)
