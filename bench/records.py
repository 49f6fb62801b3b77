"""How the operations on records grow with the number of records, and how long a search takes.

One store is filled up to each size in turn: `python -m bench records`.
"""

import itertools
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from bench import search
from bench.table import Cell, print_table
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.blob import Blob, seal
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import Actor, Event, Stamp
from hansard.kernel.ids import BLOCKS, IdBlockGranted, IdBlockReserved
from hansard.kernel.operation import Caller, Seat
from hansard.kernel.store import CATALOG
from hansard.records.events import RecordCreated
from hansard.records.shapes import STATES
from hansard.sessions.events import SessionStarted

SIZES = (100, 10_000, 100_000)
BATCH = 500
"""Records written in one transaction while a store is filled."""

FAN_OUT = 12
"""Children of each record but the last ones: a tree of a hundred thousand is five deep."""

ROUNDS = 100
PROJECT = "default"
FILLER = "filler"
AGENT = Actor("agent", "bench", "agent")
SEARCHES = (
    "rare rare",
    "rare common",
    "middling middling",
    "common common",
    "rare middling common",
    "common common common",
    "stop common rare",
)


@dataclass
class Bench:
    """A store, how many records it has, and what was measured at each size."""

    app: Application
    words: Sequence[str]
    ids: list[str] = field(default_factory=list)
    times: dict[str, dict[int, list[float]]] = field(default_factory=dict)
    caller: Caller = field(default_factory=lambda: Caller(AGENT, seat=Seat()))

    def ask(self, operation: str, **arguments: Any) -> Any:
        """Call an operation."""
        return self.app.call(operation, arguments, self.caller)

    def time(self, name: str, calls: Sequence[Callable[[], object]]) -> None:
        """Measure some calls, in milliseconds."""
        times = self.times.setdefault(name, {})[len(self.ids)] = []
        for call in calls:
            begun = time.perf_counter()
            call()
            times.append((time.perf_counter() - begun) * 1_000)


def main(sizes: Sequence[int] = SIZES) -> None:
    """Fill, measure, print."""
    with tempfile.TemporaryDirectory() as folder:
        app = start(Settings(store=str(Path(folder) / "store")))
        bench = Bench(app, search.vocabulary())
        texts = search.corpus(bench.words)
        next(texts)
        bench.ask("get_project")
        for size in sizes:
            fill(bench, size - len(bench.ids), texts)
            measure(bench, texts)
        report(bench)
        report_searches(bench)
        app.close()


def fill(bench: Bench, count: int, texts: Iterator[tuple[str, str]]) -> None:
    """Write records, many in one transaction."""
    store, stamp = bench.app.store, Stamp(AGENT, "2026-01-01T00:00:00.000000Z", FILLER)
    first = store.write(CATALOG, lambda tx: reserve(bench, tx, count, stamp))
    begin = [] if bench.ids else [SessionStarted(id=FILLER)]
    write_all(bench, stamp, [*begin, IdBlockGranted(prefix="R", first=first, size=count)], [])
    for start_number in range(first, first + count, BATCH):
        numbers = range(start_number, min(start_number + BATCH, first + count))
        made = [a_record(bench, number, *next(texts)) for number in numbers]
        write_all(bench, stamp, [event for event, _ in made], [blob for _, blob in made])


def reserve(bench: Bench, tx: WriteTx, count: int, stamp: Stamp) -> int:
    """Set ids aside in the catalog, as many as are needed at once."""
    row = tx.get(BLOCKS, "R")
    first: int = row["next"] if row else 1
    event = IdBlockReserved(prefix="R", first=first, size=count, for_project=PROJECT)
    bench.app.store.record(tx, event, stamp)
    return first


def write_all(bench: Bench, stamp: Stamp, events: Sequence[Event], blobs: Sequence[Blob]) -> None:
    """Record events in one transaction."""

    def work(tx: WriteTx) -> None:
        for event in events:
            bench.app.store.record(tx, event, stamp)

    bench.app.store.write(PROJECT, work, blobs=blobs)


def a_record(bench: Bench, number: int, title: str, body: str) -> tuple[RecordCreated, Blob]:
    """Make a record of some text, placed in a tree."""
    blob = seal(body.encode())
    place, state = len(bench.ids), STATES[number % len(STATES)]
    event = RecordCreated(
        id=f"R{number:03d}",
        parent_id=bench.ids[place // FAN_OUT - 1] if place >= FAN_OUT else None,
        type="note",
        title=title,
        summary_text=body[:120],
        body=blob.digest,
        state=state,
        reason=None if state == "OPEN" else "because",
        resolved_by=bench.ids[0] if state == "RESOLVED" and bench.ids else None,
        related=[],
        metadata={"part": number % 7},
        cites=[],
    )
    bench.ids.append(event.id)
    return event, blob


def measure(bench: Bench, texts: Iterator[tuple[str, str]]) -> None:
    """Time each operation at this size, on records all over the tree."""
    chosen = random.Random(len(bench.ids)).choices(bench.ids, k=ROUNDS)
    written = list(itertools.islice(texts, ROUNDS))
    overview = partial(bench.ask, "get_project_overview")
    bench.time("overview", [overview] * ROUNDS)
    bench.time("activate", [partial(bench.ask, "activate", id=one) for one in chosen])
    bench.time(
        "update",
        [
            partial(bench.ask, "update_record", id=one, body=body)
            for one, (_, body) in zip(chosen, written, strict=True)
        ],
    )
    fields = {"type": "note", "summary": "As it was written"}
    bench.time(
        "create",
        [
            partial(bench.ask, "create_record", title=title, body=body, **fields)
            for title, body in written
        ],
    )
    bench.ask("close_session")


def report(bench: Bench) -> None:
    """Print the times at each size, and how much the last median is of the first."""
    sizes = sorted(next(iter(bench.times.values())))
    head = ["ms", *(f"{size:,} {part}" for size in sizes for part in ("p50", "p95")), "growth"]
    rows: list[list[Cell]] = []
    for name, by_size in bench.times.items():
        medians = [statistics.median(by_size[size]) for size in sizes]
        figures = [f"{each:.2f}" for size in sizes for each in spread(by_size[size])]
        rows.append([name, *figures, f"{medians[-1] / medians[0]:.1f}x"])
    print_table("Operations on records, by how many there are", head, rows)


def report_searches(bench: Bench) -> None:
    """Print how long searches for two and three words take on all records."""
    rows: list[list[Cell]] = []
    everything: list[float] = []
    for kind in SEARCHES:
        asked = list(search.queries(bench.words, kind))
        name = f"search: {kind}"
        bench.time(name, [partial(bench.ask, "search_records", query=one) for one in asked])
        times = bench.times[name][len(bench.ids)]
        everything += times
        rows.append([kind, *spread(times)])
    rows.append(["all of them", *spread(everything)])
    print_table(f"search_records among {len(bench.ids):,} records", ["ms", "p50", "p95"], rows)


def spread(times: Sequence[float]) -> tuple[float, float]:
    """Give the median and the time that nineteen of twenty keep to."""
    return statistics.median(times), sorted(times)[int(len(times) * 0.95)]
