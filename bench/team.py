"""Writes of a team to PostgreSQL over a network: callers in several processes, beside raw psycopg.

`SECONDS=5 DELAY_MS=1 python -m bench team`. Raw does what a database cannot be spared for a record:
the project's row locked, as many inserts in one pipeline as a record takes, a commit.
"""

import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psycopg

from bench.delaying import delayed
from bench.table import print_table
from bench.world import STAMP, locations
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.sessions.projects import make as make_project
from tests.conftest import a_caller

SECONDS = float(os.environ.get("SECONDS", "5"))
DELAY_MS = float(os.environ.get("DELAY_MS", "1"))
CALLERS = (1, 4, 16)
PROCESSES_MAX = 4
INSERTS = 12
"""Of one record: an entry, a blob, and rows of the views."""

Write = Callable[[int, int], object]
"""Writes once, as a caller of a number, for the nth time."""


def main() -> None:
    """Print writes a second and how long they took."""
    with locations() as found, tempfile.TemporaryDirectory() as folder:
        if "postgresql" not in found:
            return
        host = parse_qs(urlsplit(found["postgresql"]).query)["host"][0]
        rows = []
        with delayed(f"{host}/.s.PGSQL.5432", DELAY_MS / 2_000) as port:
            url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
            start(Settings(store=url, workspace=folder, embedder="none")).close()
            for is_one in (True, False):
                for callers in CALLERS:
                    where = "one project" if is_one else "a project each"
                    ours = _measured(url, folder, callers, is_one=is_one, is_raw=False)
                    raw = _measured(url, folder, callers, is_one=is_one, is_raw=True)
                    rows.append([f"{callers} callers, {where}", *ours, *raw])
    columns = ["", "writes/s", "p50 ms", "p95 ms", "raw/s", "raw p50", "raw p95"]
    print_table(f"PostgreSQL, {DELAY_MS:g} ms a round trip, {SECONDS:g} s each", columns, rows)


@dataclass(frozen=True)
class Share:
    """What one process is to do: so many of the callers, from the first on."""

    url: str
    folder: str
    first: int
    callers: int
    is_one: bool
    is_raw: bool


def _measured(url: str, folder: str, callers: int, *, is_one: bool, is_raw: bool) -> list[str]:
    processes = min(callers, PROCESSES_MAX)
    each = callers // processes
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        shares = [
            Share(url, folder, number * each, each, is_one=is_one, is_raw=is_raw)
            for number in range(processes)
        ]
        took = sorted(one for part in pool.map(_work, shares, chunksize=1) for one in part)
    at = [took[int(len(took) * part)] * 1000 for part in (0.5, 0.95)]
    return [f"{len(took) / SECONDS:.0f}", *(f"{one:.1f}" for one in at)]


def _work(share: Share) -> list[float]:
    """Write from some threads of this process until the time is up; gives how long each took."""
    make = _raw if share.is_raw else _ours
    write, close = make(share.url, share.folder, is_one=share.is_one)
    numbers = range(share.first, share.first + share.callers)
    with ThreadPoolExecutor(share.callers) as threads:
        for number in numbers:
            write(number, -1)  # warm
        until = time.monotonic() + SECONDS
        parts = threads.map(lambda number: _repeat(write, number, until), numbers)
        took = [one for part in parts for one in part]
    close()
    return took


def _repeat(write: Write, caller: int, until: float) -> list[float]:
    took: list[float] = []
    while (begun := time.monotonic()) < until:
        write(caller, len(took))
        took.append(time.monotonic() - begun)
    return took


def _ours(url: str, folder: str, *, is_one: bool) -> tuple[Write, Callable[[], None]]:
    app = start(Settings(store=url, workspace=folder, embedder="none"))
    callers: dict[int, Any] = {}

    def write(caller: int, nth: int) -> object:
        if caller not in callers:
            callers[caller] = a_caller()
            if not is_one:
                make_project(app.store, f"{caller}-{os.getpid()}", STAMP)
        more = {} if is_one else {"project_id": f"{caller}-{os.getpid()}"}
        texts = {"type": "note", "title": f"{caller} {nth}", "summary": "s", "body": "b" * 500}
        return app.call("create_record", texts | more, callers[caller])

    return write, app.close


def _raw(url: str, folder: str, *, is_one: bool) -> tuple[Write, Callable[[], None]]:
    del folder
    connections: dict[int, psycopg.Connection[Any]] = {}

    def write(caller: int, nth: int) -> None:
        if caller not in connections:
            connections[caller] = psycopg.connect(url, autocommit=True)
            connections[caller].execute(
                "CREATE TABLE IF NOT EXISTS raw_heads (project int PRIMARY KEY, seq bigint);"
                "CREATE TABLE IF NOT EXISTS raw_rows (project int, key text, body text)"
            )
            connections[caller].execute(
                "INSERT INTO raw_heads VALUES (%s, 0) ON CONFLICT DO NOTHING",
                (0 if is_one else caller,),
            )
        connection, project = connections[caller], 0 if is_one else caller
        with connection.pipeline():
            connection.execute("BEGIN")
            locked = "SELECT seq FROM raw_heads WHERE project = %s FOR UPDATE"
            connection.execute(locked, (project,)).fetchone()
        with connection.pipeline():
            for row in range(INSERTS):
                values = project, f"{caller}-{nth}-{row}", "b" * 500
                connection.execute("INSERT INTO raw_rows VALUES (%s, %s, %s)", values)
            connection.execute("UPDATE raw_heads SET seq = seq + 1 WHERE project = %s", (project,))
        connection.execute("COMMIT")

    def close() -> None:
        for connection in connections.values():
            connection.close()

    return write, close
