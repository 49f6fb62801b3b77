"""How recording and searching decisions over stdio grow with their number: `bench decisions`.

Words only: what finds by meaning is measured by `bench meaning` and `bench cranfield`.
"""

import itertools
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench import search, stdio
from bench.stdio import Client
from bench.table import Cell, print_table
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.decisions.events import DecisionRecorded
from hansard.decisions.reasons import Reasons, pack
from hansard.kernel.blob import Blob
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import Actor, Event, Stamp
from hansard.kernel.ids import BLOCKS, IdBlockGranted, IdBlockReserved
from hansard.kernel.operation import Caller, Seat
from hansard.kernel.store import CATALOG

SIZES = (100, 10_000, 100_000)
BATCH = 500
"""Decisions written in one transaction while a store is filled."""

ROUNDS = 100
PROJECT = "default"
AGENT = Actor("agent", "bench", "agent")
MIXES = ("rare rare", "rare common", "middling middling", "common common")


def main(sizes: Sequence[int] = SIZES) -> None:
    """Fill, measure, print."""
    words = search.vocabulary()
    rows: dict[str, list[Cell]] = {}
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "store")
        texts = search.corpus(words)
        next(texts)
        there = 0
        for size in sizes:
            there = fill(store, there, size, texts)
            for name, times in measure(store, size, words, texts).items():
                low, high = statistics.median(times), statistics.quantiles(times, n=20)[-1]
                rows.setdefault(name, [name]).extend([low, high])
            there += ROUNDS
    head = ["ms over stdio", *(f"{size:,} {part}" for size in sizes for part in ("p50", "p95"))]
    print_table("Decisions, by how many there are", head, list(rows.values()))


def fill(store: str, there: int, size: int, texts: Iterator[tuple[str, str]]) -> int:
    """Write decisions, many in one transaction; gives how many there are."""
    app = start(Settings(store=store, embedder="none"))
    app.call("get_project", {}, Caller(AGENT, seat=Seat()))
    stamp = Stamp(AGENT, "2026-01-01T00:00:00.000000Z")
    count = size - there
    first = app.store.write(CATALOG, lambda tx: reserve(app, tx, count, stamp))
    write_all(app, stamp, [IdBlockGranted(prefix="D", first=first, size=count)], [])
    for number in range(first, first + count, BATCH):
        some = range(number, min(number + BATCH, first + count))
        made = [a_decision(one, *next(texts)) for one in some]
        write_all(app, stamp, [event for event, _ in made], [blob for _, blob in made])
    app.close()
    return size


def reserve(app: Application, tx: WriteTx, count: int, stamp: Stamp) -> int:
    """Set ids aside in the catalog, as many as are needed at once."""
    row = tx.get(BLOCKS, "D")
    first: int = row["next"] if row else 1
    event = IdBlockReserved(prefix="D", first=first, size=count, for_project=PROJECT)
    app.store.record(tx, event, stamp)
    return first


def write_all(
    app: Application, stamp: Stamp, events: Sequence[Event], blobs: Sequence[Blob]
) -> None:
    """Record events in one transaction."""

    def work(tx: WriteTx) -> None:
        for event in events:
            app.store.record(tx, event, stamp)

    app.store.write(PROJECT, work, blobs=blobs)


def a_decision(number: int, title: str, body: str) -> tuple[DecisionRecorded, Blob]:
    """Make a decision of some text, on a target of its own."""
    blob = pack(Reasons(body))
    event = DecisionRecorded(
        id=f"D{number:03d}", title=title, target=f"part {number}", reasons=blob.digest
    )
    return event, blob


def measure(
    store: str, size: int, words: Sequence[str], texts: Iterator[tuple[str, str]]
) -> dict[str, list[float]]:
    """Time both operations through a server of its own."""
    os.environ["HANSARD_EMBEDDER"] = "none"
    client = Client(stdio.ours(), store)
    client.open()
    asked = [
        query
        for mix in MIXES
        for query in itertools.islice(search.queries(words, mix), ROUNDS // 4)
    ]
    client.ask("tools/call", name="search_decisions", arguments={"query": asked[0]})
    times = {
        "record_decision": [
            timed(
                client,
                "record_decision",
                {"title": title, "target": f"new {size} {number}", "rationale": body[:1_000]},
            )
            for number, (title, body) in enumerate(itertools.islice(texts, ROUNDS))
        ],
        "search_decisions": [timed(client, "search_decisions", {"query": one}) for one in asked],
    }
    client.close()
    return times


def timed(client: Client, name: str, arguments: dict[str, Any]) -> float:
    """Call a tool; gives milliseconds."""
    begun = time.perf_counter()
    answer = client.ask("tools/call", name=name, arguments=arguments)
    taken = (time.perf_counter() - begun) * 1_000
    assert not answer.get("isError"), answer
    return taken


if __name__ == "__main__":
    main()
