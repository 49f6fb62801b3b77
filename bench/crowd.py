"""Many agents over HTTP on several servers of one PostgreSQL, while servers are killed.

`SECONDS=60 AGENTS=200 python -m bench crowd`. Each agent writes records under keys of its own,
and asks the next server when one does not answer. In the end every record that was acknowledged is
looked for, by its title, and each must be there once.
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
from contextlib import ExitStack
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
from hansard.kernel.clock import to_text, utc_now
from hansard.kernel.event import Actor, Stamp
from hansard.records.events import RecordCreated
from hansard.sessions.projects import make as make_project
from tests.http.serving import Server, serving

SECONDS = float(os.environ.get("SECONDS", "60"))
AGENTS = int(os.environ.get("AGENTS", "200"))
SERVERS = int(os.environ.get("SERVERS", "4"))
PROJECTS = 20
KILL_EVERY_S = 7.0
ANSWER_S = 60.0
SEED = 20261118
OK = 200


@dataclass
class Crowd:
    """The servers, as far as they run, and what was answered."""

    servers: list[Server | None]
    text: str
    acknowledged: dict[str, str] = field(default_factory=dict)
    took_s: list[float] = field(default_factory=list)
    codes: Counter[str] = field(default_factory=Counter)
    ending: threading.Event = field(default_factory=threading.Event)

    def work(self, agent: int) -> None:
        """Write until it is over; what was begun is brought to its end."""
        for number in itertools.count():
            if self.ending.is_set():
                return
            title, begun = f"agent {agent} record {number}", time.monotonic()
            for at in itertools.count(agent):
                if (made := self._ask(at, agent, title)) is not None:
                    self.acknowledged[title] = made
                    self.took_s.append(time.monotonic() - begun)
                    break

    def _ask(self, at: int, agent: int, title: str) -> str | None:
        server = self.servers[at % len(self.servers)]
        if server is None:
            time.sleep(0.05)
            return None
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
            return None
        finally:
            connection.close()
        if answer.status == OK:
            return json.dumps(told)
        self.codes[told["error"]["code"]] += 1
        time.sleep(0.05)
        return None


def main() -> None:
    """Let them work, and say what became of it."""
    with locations() as found, tempfile.TemporaryDirectory() as name:
        if "postgresql" in found:
            _run(found["postgresql"], Path(name))


def _run(url: str, home: Path) -> None:
    settings = Settings(store=url, workspace=str(home), embedder="none")
    crowd = Crowd([None] * SERVERS, _prepared(settings))
    kills = 0
    flags = ("--rate-per-minute", "0", "--writes-per-day", "0", "--session-max-entries", "0")
    with ExitStack() as running:

        def begin(place: int) -> None:
            server = serving(home, *flags, HANSARD_STORE=url)
            crowd.servers[place] = running.enter_context(server)

        for place in range(SERVERS):
            begin(place)
        threads = [threading.Thread(target=crowd.work, args=(n,)) for n in range(AGENTS)]
        for thread in threads:
            thread.start()
        until, chance = time.monotonic() + SECONDS, random.Random(SEED)
        while time.monotonic() + KILL_EVERY_S < until:
            time.sleep(KILL_EVERY_S)
            place = chance.randrange(SERVERS)
            victim, crowd.servers[place] = crowd.servers[place], None
            assert victim is not None, "whoever was killed has been started again"
            os.kill(victim.process.pid, signal.SIGKILL)
            kills += 1
            begin(place)
        crowd.ending.set()
        for thread in threads:
            thread.join()
        _tell(crowd, settings, kills)


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
        entries = app.store.read(
            project, lambda tx: tx.entries(limit=1_000_000, kinds={RecordCreated.kind})
        )
        found.update(json.loads(entry.payload or b"{}")["title"] for entry in entries)
    lost = crowd.acknowledged.keys() - found.keys()
    twice = [title for title, count in found.items() if count > 1]
    is_sound = not verify(app.store, quick=True).findings
    app.close()
    took = sorted(crowd.took_s)
    p50, p95, last = (took[int((len(took) - 1) * part)] * 1000 for part in (0.5, 0.95, 1.0))
    rows: list[list[Cell]] = [
        ["acknowledged", len(took)], ["a second", len(took) / SECONDS], ["servers killed", kills],
        ["lost", len(lost)], ["there twice", len(twice)], ["verify sound", str(is_sound)],
        ["p50 ms", p50], ["p95 ms", p95], ["longest ms", last],
        ["asked again", ", ".join(f"{code} {n}" for code, n in crowd.codes.most_common())],
    ]  # fmt: skip
    title = f"{AGENTS} agents, {SERVERS} servers, {PROJECTS} projects, {SECONDS:g} s"
    print_table(title, ["", ""], rows)
