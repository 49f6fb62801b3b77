"""How many durable writes there are in a second, beside what the bare database does."""

import itertools
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import apsw
import psycopg

from bench.table import Cell, print_table
from bench.world import locations, note, opened

CALLERS = (1, 8, 32)
PROCESSES = 8
ROUNDS = 3
MEASURE_S = 1.0
PROCESSES_MEASURE_S = 4.0
"""Longer, since it is also about how evenly they share."""
BODY = b"x" * 500

Write = Callable[[str], object]
"""Does one durable write under a key."""

_numbers = itertools.count()

FLOORS = {
    "sqlite": "apsw: insert, commit, synchronous=FULL",
    "postgresql": "psycopg: insert, commit",
}


def main() -> None:
    """Measure all engines, each beside its floor, then many processes on one store."""
    rows: list[list[Cell]] = []
    shares: list[list[Cell]] = []
    with locations() as places:
        for name, location in places.items():
            with opened(location) as store, floor_of(name, location) as bare:
                floor, rates = rates_in_turn(bare, partial(note, store))
                rows.append([name, floor, *rates, *(_ratio(rate, floor) for rate in rates)])
                if bare is not None:
                    counts, floor = process_counts(location), callers_rate(1, bare)
                    total = sum(counts) / PROCESSES_MEASURE_S
                    shares.append([name, total, _ratio(total, floor), min(counts) / max(counts)])
    _print_rates(rows)
    print_table(
        f"Writes in a second by {PROCESSES} processes with one caller each",
        ["", "writes/s", "x floor", "least / most of one process"],
        shares,
    )


def rates_in_turn(bare: Write | None, ours: Write) -> tuple[float | None, list[float]]:
    """Measure the floor and each number of callers, a bit of each in turn, on a shared machine."""
    floors: list[float] = []
    rates: list[list[float]] = [[] for _ in CALLERS]
    for _ in range(ROUNDS):
        if bare is not None:
            floors.append(callers_rate(1, bare))
        for measured, count in zip(rates, CALLERS, strict=True):
            measured.append(callers_rate(count, ours))
    floor = statistics.mean(floors) if floors else None
    return floor, [statistics.mean(measured) for measured in rates]


@contextmanager
def floor_of(name: str, location: str) -> Iterator[Write | None]:
    """Give what inserts a row and commits, with nothing in between."""
    if name == "sqlite":
        connection = apsw.Connection(str(Path(location).parent / "floor.db"))
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", 2)
        connection.execute("CREATE TABLE floor(number INTEGER PRIMARY KEY, body BLOB)")
        yield lambda _: connection.execute("INSERT INTO floor(body) VALUES(?)", (BODY,))
        connection.close()
    elif name == "postgresql":
        with psycopg.connect(location, autocommit=True) as server:
            server.execute("CREATE TABLE floor(number bigserial PRIMARY KEY, body bytea)")
            yield lambda _: server.execute("INSERT INTO floor(body) VALUES(%s)", (BODY,))
    else:
        yield None


def callers_rate(count: int, write: Write, measure_s: float = MEASURE_S) -> float:
    """Measure callers that each write again as soon as they are answered."""
    counts = [0] * count
    until = time.monotonic() + measure_s

    def call(caller: int) -> None:
        while time.monotonic() < until:
            write(f"n{next(_numbers)}")
            counts[caller] += 1

    threads = [threading.Thread(target=call, args=(caller,)) for caller in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / measure_s


def process_counts(location: str) -> list[int]:
    """Let processes write to one store at the same time; returns how much each did."""
    command = [sys.executable, "-m", "bench.writes", location]
    started = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(PROCESSES)
    ]
    for process in started:
        assert process.stdout is not None, "asked for above"
        process.stdout.readline()
    # All are ready; now all begin.
    for process in started:
        assert process.stdin is not None, "asked for above"
        process.stdin.write("\n")
        process.stdin.flush()
    return [int(process.communicate()[0]) for process in started]


def write_here(location: str) -> None:
    """Write as one of those processes."""
    with opened(location) as store:
        note(store, "warm")
        print("ready", flush=True)
        sys.stdin.readline()
        rate = callers_rate(1, partial(note, store), PROCESSES_MEASURE_S)
        print(round(rate * PROCESSES_MEASURE_S))


def _ratio(rate: float, floor: float | None) -> float | None:
    return rate / floor if floor else None


def _print_rates(rows: list[list[Cell]]) -> None:
    head = [f"{count} callers" for count in CALLERS]
    ratios = [f"x floor, {count}" for count in CALLERS]
    print_table("Durable writes in a second", ["", "floor", *head, *ratios], rows)
    for name, floor in FLOORS.items():
        print(f"  floor of {name}: {floor}, one caller")


if __name__ == "__main__":
    write_here(sys.argv[1])
