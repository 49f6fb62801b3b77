"""Many agents over HTTP on several servers of one PostgreSQL, while servers are killed.

`SECONDS=60 AGENTS=200 python -m bench crowd`. Each agent writes records under keys of its own,
and asks the next server when one does not answer. In the end every record that was acknowledged is
looked for, by its title, and each must be there once. The rows are those of docs/scaling.md.
"""

import itertools
import json
import os
import random
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.table import Cell, print_table
from bench.world import locations
from hansard.app import tokens
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.app.verify import verify
from hansard.kernel import paging
from hansard.kernel.clock import to_text, utc_now
from hansard.kernel.engine import ReadTx
from hansard.kernel.event import Actor, Stamp
from hansard.records.events import RecordCreated
from hansard.sessions.projects import make as make_project
from tests.http.serving import Server, serving

SECONDS = float(os.environ.get("SECONDS", "60"))
AGENTS = int(os.environ.get("AGENTS", "200"))
SERVERS = int(os.environ.get("SERVERS", "4"))
PROJECTS = 23
"""No multiple of the servers, so that agents of one project begin at different ones."""
KILL_EVERY_S = 7.0
ANSWER_S = 60.0
SEED = 20261118
OK = 200


@dataclass
class Crowd:
    """The servers, as far as they run, and what was answered."""

    servers: list[Server | None]
    text: str
    acknowledged: set[str] = field(default_factory=set)
    took_s: list[float] = field(default_factory=list)
    codes: Counter[str] = field(default_factory=Counter)
    ending: threading.Event = field(default_factory=threading.Event)

    def work(self, agent: int) -> None:
        """Write until it is over; what is not acknowledged by then is not counted."""
        for number in itertools.count():
            title, begun = f"agent {agent} record {number}", time.monotonic()
            for at in itertools.count(agent):
                if self.ending.is_set():
                    return
                if self._ask(at, agent, title):
                    self.acknowledged.add(title)
                    self.took_s.append(time.monotonic() - begun)
                    break

    @contextmanager
    def working(self) -> Iterator[None]:
        """Have the agents work while the block lasts, and end whatever becomes of it."""
        threads = [
            threading.Thread(target=self.work, args=(number,), daemon=True)
            for number in range(AGENTS)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.ending.set()
            for thread in threads:
                thread.join()

    def _ask(self, at: int, agent: int, title: str) -> bool:
        server = self.servers[at % len(self.servers)]
        if server is None:
            time.sleep(0.05)
            return False
        texts = {"type": "note", "title": title, "summary": "s", "body": "b" * 500}
        body = json.dumps(texts | {"project_id": f"team-{agent % PROJECTS}"})
        headers = {
            "Authorization": f"Bearer {self.text}",
            "Content-Type": "application/json",
            "Idempotency-Key": title.replace(" ", "-"),
        }
        connection = HTTPConnection(urlsplit(server.base).netloc, timeout=ANSWER_S)
        try:
            connection.request("POST", "/api/v1/create_record", body, headers)
            answer = connection.getresponse()
            told: Any = json.loads(answer.read())
        except (OSError, HTTPException, ValueError) as error:
            self.codes[type(error).__name__] += 1
            return False
        finally:
            connection.close()
        if answer.status == OK:
            return True
        self.codes[_code(told) or f"{answer.status} without a code"] += 1
        time.sleep(0.05)
        return False


def _code(told: Any) -> str | None:
    error = told.get("error") if isinstance(told, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, str) else None


def main() -> None:
    """Let them work, and say what became of it."""
    with locations() as found, tempfile.TemporaryDirectory() as name:
        if "postgresql" in found:
            _run(found["postgresql"], Path(name))


def _run(url: str, home: Path) -> None:
    settings = Settings(store=url, workspace=str(home), embedder="none")
    crowd = Crowd([None] * SERVERS, _prepared(settings))
    flags = ("--rate-per-minute", "0", "--writes-per-day", "0", "--session-max-entries", "0")
    with ExitStack() as running, ThreadPoolExecutor(SERVERS) as starting:

        def begin(place: int) -> None:
            server = serving(home, *flags, HANSARD_STORE=url)
            crowd.servers[place] = running.enter_context(server)

        for place in range(SERVERS):
            begin(place)
        with crowd.working():
            begun = _kill(crowd, lambda place: starting.submit(begin, place))
        for one in begun:
            one.result()  # a server that could not be started again is told of, not passed over
        _tell(crowd, settings, len(begun))


def _kill(crowd: Crowd, begin: Callable[[int], "Future[None]"]) -> "list[Future[None]]":
    """Kill whichever server runs each time one is due, while those killed before may yet start."""
    since, chance = time.monotonic(), random.Random(SEED)
    begun: list[Future[None]] = []
    while (now := time.monotonic()) < since + SECONDS:
        running = [(n, server) for n, server in enumerate(crowd.servers) if server is not None]
        if not running or now < since + KILL_EVERY_S * (len(begun) + 1):
            time.sleep(0.05)
            continue
        place, victim = chance.choice(running)
        crowd.servers[place] = None
        os.kill(victim.process.pid, signal.SIGKILL)
        begun.append(begin(place))
    return begun


def _prepared(settings: Settings) -> str:
    app = start(settings)
    stamp = Stamp(Actor("human", "bench", "admin"), to_text(utc_now()))
    for number in range(PROJECTS):
        make_project(app.store, f"team-{number}", stamp)
    _, text = tokens.create(app.store, tokens.WantedToken("agent", name="crowd"), stamp, "proved")
    app.close()
    return text


def _tell(crowd: Crowd, settings: Settings, kills: int) -> None:
    app = start(settings)
    found: Counter[str] = Counter()
    for project in app.store.engine.heads():
        found.update(app.store.read(project, _titles))
    lost = crowd.acknowledged - found.keys()
    twice = [title for title, count in found.items() if count > 1]
    is_sound = not verify(app.store, quick=True).findings
    app.close()
    took = sorted(crowd.took_s) or [float("nan")]
    p50, p95 = (took[int((len(took) - 1) * part)] for part in (0.5, 0.95))
    count, again = len(crowd.took_s), crowd.codes.most_common()
    codes = ", ".join(f"{code} {n:,}" for code, n in again)
    rows: list[list[Cell]] = [
        ["acknowledged", f"{count:,} ({count / SECONDS:.0f} a second)"],
        ["servers killed", kills],
        ["asked again", f"{crowd.codes.total():,} ({codes})"],
        ["lost", len(lost)],
        ["there twice", len(twice)],
        ["verify afterwards", "sound" if is_sound else "not sound"],
        ["p50, p95", f"{p50:.1f} s, {p95:.1f} s"],
    ]
    title = f"{AGENTS} agents, {SERVERS} servers, {PROJECTS} projects, {SECONDS:g} s"
    print_table(title, ["", ""], rows)


def _titles(tx: ReadTx) -> list[str]:
    created = paging.entries(tx, kinds={RecordCreated.kind})
    return [json.loads(entry.payload or b"{}")["title"] for entry in created]
