"""What calls cost in a store that was filled (`bench.filling`), by the size of their project.

`python -m bench.large postgresql://… team-1000 large`. The projects take turns, so that a busy
machine is busy for all. Times are milliseconds of a call: on the clock, and of a processor in the
calling process and in the server's together.
"""

import argparse
import json
import os
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psycopg

from bench.filling import AGENT, BODY_WORDS
from bench.search import vocabulary
from bench.table import Cell, print_table
from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.engine import ReadTx
from hansard.kernel.operation import Caller, Seat
from hansard.records.events import RecordCreated

ROUNDS = 40
WARM = 3
TICKS_S = os.sysconf("SC_CLK_TCK")


class Asked:
    """An agent in one project, and what its calls took."""

    def __init__(self, app: Application, project: str, seed: int) -> None:
        """Begin a session, and choose records all over the project."""
        self._app = app
        self._project = project
        self._chance = random.Random(seed)
        self._words = vocabulary()
        self._caller = Caller(AGENT, seat=Seat())
        self.entries = app.store.engine.heads()[project].seq
        self._records = app.store.read(project, self._some)
        self.took: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)

    def _some(self, tx: ReadTx) -> list[str]:
        """Choose records that were created all over the journal."""
        kinds, ids = {RecordCreated.kind}, []
        for _ in range(WARM + ROUNDS):
            at = self._chance.randrange(self.entries * 9 // 10)
            [entry] = tx.entries(after=at, limit=1, kinds=kinds)
            ids.append(json.loads(entry.payload or b"{}")["id"])
        return ids

    def calls(self) -> dict[str, Callable[[int], object]]:
        """Give the calls that are measured, each told how often it was asked before."""
        return {
            "create_record": lambda _: self._ask(
                "create_record",
                type="note",
                title=self._text(5),
                summary=self._text(10),
                body=self._text(BODY_WORDS),
            ),
            "activate": lambda nth: self._ask("activate", id=self._records[nth]),
            "search_records, two words": lambda _: self._ask("search_records", query=self._text(2)),
            "search, over everything": lambda _: self._ask("search", query=self._text(2)),
            "get_timeline": lambda _: self._ask("get_timeline", limit=50),
            "get_recent_activity": lambda _: self._ask("get_recent_activity", limit=50),
            "get_project_overview": lambda _: self._ask("get_project_overview"),
        }

    def _ask(self, operation: str, **arguments: Any) -> object:
        return self._app.call(operation, {"project_id": self._project} | arguments, self._caller)

    def _text(self, count: int) -> str:
        return " ".join(self._chance.choice(self._words) for _ in range(count))


def main() -> None:
    """Ask in turn, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("projects", nargs="+")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(store=given.url, workspace=folder, embedder="none")
        with closing(start(settings)) as app:
            agents = [Asked(app, one, seed) for seed, one in enumerate(given.projects)]
            server = Server(given.url)
            for name in agents[0].calls():
                for nth in range(WARM + ROUNDS):
                    for agent in agents:
                        took = _timed(server, agent.calls()[name], nth)
                        if nth >= WARM:
                            agent.took[name].append(took)
    _tell(agents)


class Server:
    """The server's processes, and how much of a processor they have had."""

    def __init__(self, url: str) -> None:
        """Find them."""
        with psycopg.connect(url) as connection:
            rows = connection.execute("SELECT pg_backend_pid()").fetchall()
            [(pid,)] = rows
            self._parent = int(_stat(pid)[1])

    def seconds(self) -> float:
        """Say how long its processes have run, those that serve connections and their helpers."""
        total = 0.0
        for place in Path("/proc").iterdir():
            with suppress(OSError, ValueError):
                stat = _stat(int(place.name))
                if int(stat[1]) == self._parent:
                    total += (int(stat[11]) + int(stat[12])) / TICKS_S
        return total


def _stat(pid: int) -> list[str]:
    """Give what follows a process's name in its line."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _timed(server: Server, call: Callable[[int], object], nth: int) -> tuple[float, float]:
    before, theirs, begun = time.process_time(), server.seconds(), time.perf_counter()
    scanning = time.process_time() - before
    call(nth)
    wall = time.perf_counter() - begun
    ours = time.process_time() - before - scanning
    return wall * 1_000, (ours + server.seconds() - theirs) * 1_000


def _tell(agents: Sequence[Asked]) -> None:
    rows: list[list[Cell]] = []
    for name in agents[0].took:
        row: list[Cell] = [name]
        for agent in agents:
            walls = sorted(wall for wall, _ in agent.took[name])
            busy = [each for _, each in agent.took[name]]
            p50, p95 = (walls[int((len(walls) - 1) * part)] for part in (0.5, 0.95))
            row += [f"{p50:.1f}", f"{p95:.1f}", f"{sum(busy) / len(busy):.1f}"]
        rows.append(row)
    head = [part for one in agents for part in (f"{one.entries:,} p50", "p95", "processor")]
    load = ", ".join(f"{one:.0f}" for one in os.getloadavg())
    print_table(f"Calls by the size of their project, ms; load {load}", ["", *head], rows)


if __name__ == "__main__":
    main()
