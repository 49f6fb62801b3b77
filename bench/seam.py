"""What each verb of the seam costs on each engine."""

import random
import statistics
import time
from collections.abc import Callable
from functools import partial

from bench.table import Cell, print_table
from bench.world import NOTES, PROJECT, STAMP, WORDS, Noted, locations, note, opened, tidy
from hansard.kernel.blob import Blob, seal
from hansard.kernel.engine import Position, ReadTx, WriteTx
from hansard.kernel.event import Entry
from hansard.kernel.limits import INLINE_BLOB_BYTES_MAX
from hansard.kernel.store import Store

DOCUMENTS = 10_000
BATCH = 500
CALLS_MAX = 200
MEASURE_S = 0.4
"""How long one verb is measured at most."""
PAGE = 50
VOCABULARY = 2_000
WORDS_EACH = 40
COMMON, RARE = "w1", "needle"

SMALL = seal(b"a body of some sentences. " * 40)
LARGE = seal(random.Random(1).randbytes(4 * INLINE_BLOB_BYTES_MAX))

Times = dict[str, float]
"""Microseconds, the median, by what was measured."""


def main() -> None:
    """Measure all engines and print them side by side."""
    with locations() as places:
        measured = {}
        for name, location in places.items():
            with opened(location) as store:
                fill(store)
                tidy(location)
                measured[name] = read_times(store) | write_times(store) | durable_times(store)
    rows: list[list[Cell]] = [
        [verb, *(times.get(verb) for times in measured.values())]
        for verb in next(iter(measured.values()))
    ]
    print_table(
        f"What a verb costs, in µs (median), among {DOCUMENTS:,} documents",
        ["", *measured],
        rows,
    )


def fill(store: Store) -> None:
    """Put the documents, their versions and words, and two blobs where they are looked for."""
    chance = random.Random(2)
    for first in range(0, DOCUMENTS, BATCH):
        store.write(PROJECT, partial(_fill_some, store, chance.random(), first))
    for blob in (SMALL, LARGE):
        store.engine.stage(blob)
    store.write(PROJECT, _keep_both)


def read_times(store: Store) -> Times:
    """Measure what reads."""
    chance = random.Random(3)

    def key() -> str:
        return _key(chance.randrange(DOCUMENTS))

    verbs: dict[str, Callable[[ReadTx], object]] = {
        "head": lambda tx: tx.head(),
        "get": lambda tx: tx.get(NOTES, key()),
        "get, as of the middle": lambda tx: tx.get(NOTES, key(), as_of=DOCUMENTS // 2),
        "versions": lambda tx: tx.versions(NOTES, key()),
        f"scan {PAGE}, by key": lambda tx: tx.scan(NOTES, limit=PAGE),
        f"scan {PAGE}, filtered, by a field": lambda tx: tx.scan(
            NOTES, {"state": "open"}, order="size", descending=True, limit=PAGE
        ),
        f"scan {PAGE}, from the middle": lambda tx: tx.scan(
            NOTES, after=Position(None, _key(DOCUMENTS // 2)), limit=PAGE
        ),
        "tally, by a field": lambda tx: tx.tally(NOTES, by="state"),
        "search a rare word": lambda tx: tx.search(WORDS, RARE, limit=10),
        "search a common word": lambda tx: tx.search(WORDS, COMMON, limit=10),
        f"entries, {PAGE}": lambda tx: tx.entries(after=chance.randrange(DOCUMENTS), limit=PAGE),
        "seek a tick": lambda tx: tx.seek(tick=chance.randrange(DOCUMENTS)),
        "blob, small": lambda tx: tx.blob(SMALL.digest),
        "blob, large": lambda tx: tx.blob(LARGE.digest),
    }
    times = {"read (an empty one)": _median(lambda: store.engine.read(PROJECT, lambda _: None))}
    for name, verb in verbs.items():
        times[name] = store.engine.read(PROJECT, partial(_median_of, verb))
    return times


def write_times(store: Store) -> Times:
    """Measure what writes, inside one transaction that is then undone."""
    times: Times = {}

    def work(tx: WriteTx) -> None:
        entries = iter(_following(tx, CALLS_MAX + 1))
        keys = iter(range(10 * DOCUMENTS))
        blobs = iter([seal(f"{number} {'x' * 500}".encode()) for number in range(CALLS_MAX + 1)])
        seq, row = tx.head().seq, {"state": "open", "size": 12, "text": "a short note"}
        texts = {"title": "a short note", "body": "what a note says " * 10}
        verbs: dict[str, Callable[[], object]] = {
            "append": lambda: tx.append(next(entries)),
            "put": lambda: tx.put(NOTES, _key(next(keys)), row, seq=seq),
            "index": lambda: tx.index(WORDS, _key(next(keys)), texts),
            "delete": lambda: tx.delete(NOTES, _key(next(keys)), seq=seq),
            "keep, small": lambda: tx.keep(next(blobs)),
        }
        times.update({name: _median(verb) for name, verb in verbs.items()})
        raise _MeasuredError

    try:
        store.engine.write(PROJECT, work)
    except _MeasuredError:
        return times
    raise AssertionError("the engine swallowed what the work raised")


def durable_times(store: Store) -> Times:
    """Measure whole writes, from the call until they are durable."""
    bodies = [random.Random(number).randbytes(1000) for number in range(CALLS_MAX + 1)]
    small = iter([seal(body) for body in bodies])
    large = iter([_incompressible(number) for number in range(CALLS_MAX + 1)])
    numbers = iter(range(10 * CALLS_MAX))

    def with_blob(blob: Blob) -> Entry:
        event = Noted(id=f"b{next(numbers)}", text="with a body", body=blob.digest)
        return store.write(PROJECT, lambda tx: store.record(tx, event, STAMP), blobs=[blob])

    whole: dict[str, Callable[[], object]] = {
        "write (an empty one)": lambda: store.engine.write(PROJECT, lambda _: None),
        "write: entry and views": lambda: note(store, f"d{next(numbers)}"),
        "write: with a small blob": lambda: with_blob(next(small)),
        "write: with a large blob": lambda: with_blob(next(large)),
    }
    return {name: _median(verb) for name, verb in whole.items()}


class _MeasuredError(Exception):
    """Everything is measured; what was written for it is undone."""


def _fill_some(store: Store, seed: float, first: int, tx: WriteTx) -> None:
    chance = random.Random(seed)
    words = [f"w{number}" for number in range(VOCABULARY)]
    weights = [1 / (rank + 1) for rank in range(VOCABULARY)]
    for number in range(first, first + BATCH):
        body = " ".join(chance.choices(words, weights, k=WORDS_EACH))
        if number % (DOCUMENTS // 10) == 0:
            body += f" {RARE}"
        state = ("open", "open", "closed", "waiting")[number % 4]
        entry = store.record(tx, Noted(id=_key(number), text=body[:80]), STAMP)
        row = {"state": state, "size": number % 1000, "text": body[:80]}
        tx.put(NOTES, _key(number), row, seq=entry.seq)
        tx.index(WORDS, _key(number), {"title": f"note {number}", "body": body})


def _keep_both(tx: WriteTx) -> None:
    for blob in (SMALL, LARGE):
        tx.keep(blob)


def _following(tx: WriteTx, count: int) -> list[Entry]:
    """Make entries that may be appended one after the other."""
    made, head = [], tx.head()
    for number in range(count):
        entry = Entry.following(head, PROJECT, Noted(id=f"a{number}", text="appended"), STAMP)
        head = type(head)(entry.seq, entry.tick, entry.hash, entry.clock, head.views)
        made.append(entry)
    return made


def _incompressible(number: int) -> Blob:
    return seal(random.Random(1_000 + number).randbytes(2 * INLINE_BLOB_BYTES_MAX))


def _key(number: int) -> str:
    return f"n{number:06d}"


def _median_of(verb: Callable[[ReadTx], object], tx: ReadTx) -> float:
    return _median(lambda: verb(tx))


def _median(call: Callable[[], object]) -> float:
    """Give the median time of a call in microseconds, after one that warms up."""
    call()
    times: list[float] = []
    until = time.perf_counter() + MEASURE_S
    while len(times) < CALLS_MAX and (not times or time.perf_counter() < until):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return statistics.median(times) * 1e6
