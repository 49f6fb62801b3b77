"""Several processes behind one port answer as one, and what befalls one of them harms nobody."""

import json
import os
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from hansard.kernel import paging
from hansard.records.events import RecordCreated
from tests.http.serving import (
    MODERN_META,
    Server,
    let_in,
    make_token,
    mcp_request,
    serving,
    store_in,
)
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.slow("workers start in interpreters of their own")

WORKERS = 3
AGENTS = 6
PROJECT = "ours"
RECORD = {"type": "note", "title": "t", "summary": "s", "body": "b", "project_id": PROJECT}


def until(seen: Callable[[], Any]) -> Any:
    """Ask until something is so, and give it."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := seen()):
        assert time.monotonic() < deadline, "it did not come to be so"
        time.sleep(0.02)
    return found


def workers_of(server: Server) -> set[int]:
    """List the processes that serve."""
    tasks = Path(f"/proc/{server.process.pid}/task").glob("*/children")
    return {int(pid) for one in tasks for pid in one.read_text().split()}


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return not state.startswith("Z")


def all_answer(server: Server) -> bool:
    return server.request("GET", "/readyz").body == b"ready"


@contextmanager
def several(home: Path, *flags: str) -> Iterator[tuple[Server, str]]:
    """Serve by workers, all of which answer, and give an agent's token too."""
    token, _ = make_token(home, "agent", name="ci", projects=[PROJECT])
    with serving(home, "--workers", str(WORKERS), "--rate-per-minute", "0", *flags) as server:
        until(lambda: all_answer(server))
        yield server, token


@dataclass
class Load:
    """Agents that write, each record until it is acknowledged."""

    server: Server
    token: str
    acknowledged: set[str] = field(default_factory=set)
    unanswered: Counter[str] = field(default_factory=Counter)
    ending: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def going_on(self) -> Iterator[None]:
        threads = [threading.Thread(target=self._work, args=[one]) for one in range(AGENTS)]
        for one in threads:
            one.start()
        try:
            self.more(AGENTS)
            yield
        finally:
            self.ending.set()
            for one in threads:
                one.join()

    def more(self, count: int) -> None:
        """Wait until so many more are acknowledged."""
        enough = len(self.acknowledged) + count
        until(lambda: len(self.acknowledged) >= enough)

    def _work(self, agent: int) -> None:
        number = 0
        while not self.ending.is_set():
            title = f"agent {agent} record {number}"
            number += self._is_acknowledged(title)

    def _is_acknowledged(self, title: str) -> bool:
        body = RECORD | {"title": title}
        headers = {
            "authorization": f"Bearer {self.token}",
            "content_type": "application/json",
            "idempotency_key": title.replace(" ", "-"),
        }
        path = "/api/v1/create_record"
        try:
            answer = self.server.request("POST", path, json.dumps(body).encode(), **headers)
        except (OSError, HTTPException) as error:
            self.unanswered[type(error).__name__] += 1
            return False
        if answer.status == 200:
            self.acknowledged.add(title)
            return True
        # A worker that is killed while another asks it is all that may be refused.
        assert answer.status == 503, answer.body
        self.unanswered[str(answer.status)] += 1
        return False


def written(home: Path) -> Counter[str]:
    """Count, by title, the records there are."""
    with store_in(home) as store:
        keys = [key for key in store.engine.heads() if not key.startswith("@")]
        return Counter(
            json.loads(entry.payload or b"{}")["title"]
            for key in keys
            for entry in store.read(
                key, lambda tx: [*paging.entries(tx, kinds={RecordCreated.kind})]
            )
        )


def require_each_once(home: Path, load: Load) -> None:
    there = written(home)
    assert load.acknowledged <= set(there)
    assert set(there.values()) == {1}


def test_a_killed_worker_is_replaced_and_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    with several(tmp_path) as (server, token):
        load, before = Load(server, token), workers_of(server)
        with load.going_on():
            os.kill(killed := min(before), signal.SIGKILL)
            load.more(20)
            until(lambda: len(workers_of(server) - {killed}) == WORKERS)
            until(lambda: all_answer(server))
        assert workers_of(server) > before - {killed}
    require_each_once(tmp_path, load)


def test_told_to_end_it_answers_what_is_asked_and_loses_nothing(tmp_path: Path) -> None:
    with several(tmp_path) as (server, token):
        load, workers = Load(server, token), workers_of(server)
        with load.going_on():
            load.more(10)
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(PATIENCE_S) == 0
        assert not [one for one in workers if is_running(one)]
    require_each_once(tmp_path, load)


def test_workers_begin_anew_one_after_the_other_while_others_answer(tmp_path: Path) -> None:
    with several(tmp_path) as (server, token):
        load, before = Load(server, token), workers_of(server)
        with load.going_on():
            server.process.send_signal(signal.SIGHUP)
            until(lambda: len(now := workers_of(server)) == WORKERS and not now & before)
            load.more(10)
        until(lambda: all_answer(server))
        # A worker that ends answers what it took, and the port is never closed.
        assert not [one for one in load.unanswered if one.isdecimal() or "Refused" in one]
    require_each_once(tmp_path, load)


def test_workers_end_with_who_started_them(tmp_path: Path) -> None:
    with several(tmp_path) as (server, _):
        workers = workers_of(server)
        server.process.kill()
        until(lambda: not [one for one in workers if is_running(one)])


def test_told_twice_to_end_it_ends_at_once(tmp_path: Path) -> None:
    with several(tmp_path) as (server, _):
        workers = workers_of(server)
        os.kill(min(workers), signal.SIGSTOP)  # it would never answer what is under way
        server.process.send_signal(signal.SIGTERM)
        until(lambda: len([one for one in workers if is_running(one)]) == 1)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE_S) == 1
        assert not [one for one in workers if is_running(one)]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str]]:
    with several(tmp_path_factory.mktemp("home")) as running:
        yield running


def handshake(server: Server, token: str) -> dict[str, str]:
    """Begin a connection of the handshake era; gives the headers of what is asked on it."""
    info = {"name": "elder", "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
    headers = {"authorization": f"Bearer {token}", "mcp_protocol_version": "2025-11-25"}
    begun = mcp_request(server, "initialize", params, **headers)
    assert begun.status == 200, begun.body
    return headers | {"mcp_session_id": begun.headers["mcp-session-id"]}


def test_a_connection_of_the_handshake_era_is_one_session_whoever_is_asked(
    served: tuple[Server, str],
) -> None:
    server, token = served
    call = {"name": "create_record", "arguments": RECORD}

    def session(headers: dict[str, str]) -> str:
        answer = mcp_request(server, "tools/call", call, **headers)
        assert answer.status == 200, answer.body
        found = re.search(r'"session_id":"([^"]+)"', answer.body.decode())
        assert found, answer.body
        return found[1]

    elder, twin = handshake(server, token), handshake(server, token)
    # Each request is a connection of its own, which whichever worker is first takes.
    sessions = [(session(elder), session(twin)) for _ in range(8)]

    assert len(set(sessions)) == 1, sessions
    assert sessions[0][0] != sessions[0][1]


def test_a_connection_whose_worker_has_ended_is_not_known(served: tuple[Server, str]) -> None:
    server, token = served
    headers = handshake(server, token)
    unknown = headers | {"mcp_session_id": headers["mcp_session_id"][:-1] + "99"}
    assert mcp_request(server, "tools/list", {}, **unknown).status == 404

    for worker in workers_of(server):
        os.kill(worker, signal.SIGKILL)
    until(lambda: all_answer(server))

    assert mcp_request(server, "tools/list", {}, **headers).status == 404


def test_nobody_is_known_by_looks_where_not_everyone_is_met(served: tuple[Server, str]) -> None:
    server, token = served
    looks = {"io.modelcontextprotocol/clientInfo": {"name": "pair", "version": "1"}}
    call = {"name": "create_record", "arguments": RECORD}

    def ask(method: str, params: dict[str, Any], **more: str) -> Any:
        asked = params | {"_meta": MODERN_META | looks}
        headers = {"authorization": f"Bearer {token}", **more}
        return mcp_request(server, method, asked, **headers).json()["result"]

    ask("server/discover", {})
    made = [ask("tools/call", call, mcp_name="create_record") for _ in range(6)]

    assert len({one["structuredContent"]["session_id"] for one in made}) == 6


def test_a_browser_is_let_in_by_any_and_has_one_session(served: tuple[Server, str]) -> None:
    server, _ = served
    for _ in range(4):
        opened = server.run("open", "--port", str(server.port))
        assert opened.returncode == 0, opened.stderr
        browser = let_in(server, opened.stdout.strip().rpartition("token=")[2])
        made = [browser.call("create_record", **RECORD) for _ in range(4)]
        assert len({one["session_id"] for one in made}) == 1


def test_a_token_of_the_page_lets_in_once(served: tuple[Server, str]) -> None:
    server, _ = served
    token = server.run("open", "--port", str(server.port)).stdout.strip().rpartition("token=")[2]
    answers = [server.request("GET", f"/?token={token}") for _ in range(6)]

    assert [bool(one.headers["set-cookie"]) for one in answers] == [True] + [False] * 5


def counted(server: Server, token: str, line: str) -> float:
    headers = {"authorization": f"Bearer {token}"}
    text = server.request("GET", "/metrics", None, **headers).body.decode()
    found = [one for one in text.splitlines() if one.startswith(line)]
    return float(found[0].rpartition(" ")[2]) if found else 0.0


def test_what_they_count_adds_up_and_outlives_them(tmp_path: Path) -> None:
    admin, _ = make_token(tmp_path, "admin", name="admin")
    asked = 'hansard_requests_total{operation="/healthz",status="200"}'
    with several(tmp_path, "--log", "json") as (server, _):
        assert counted(server, admin, "hansard_workers_answering") == WORKERS
        starts = counted(server, admin, "hansard_worker_starts_total")
        for _ in range(30):
            assert server.request("GET", "/healthz").status == 200
        until(lambda: counted(server, admin, asked) == 30)

        for worker in workers_of(server):
            os.kill(worker, signal.SIGKILL)
        until(lambda: all_answer(server))

        assert counted(server, admin, asked) == 30
        assert counted(server, admin, "hansard_worker_starts_total") == starts + WORKERS


def test_how_often_is_counted_by_all_of_them(tmp_path: Path) -> None:
    with several(tmp_path, "--rate-per-minute", "60") as (server, token):
        headers = {"content_type": "application/json", "authorization": f"Bearer {token}"}
        path = "/api/v1/list_records"
        good = [server.request("POST", path, b"{}", **headers).status for _ in range(40)]
        wrong = headers | {"authorization": "Bearer hns_00000000_no"}
        bad = [server.request("POST", path, b"{}", **wrong).status for _ in range(60)]

    # Ten at once and one a second more; twenty wrong ones at once, and one each three seconds.
    assert good[:10].count(429) == 0
    assert 429 in good
    assert good.count(429) > 10
    assert bad[:20].count(401) == 20
    assert 429 in bad


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--workers", "0"], "There are 1 to 64 workers"),
        (["--workers", "65"], "There are 1 to 64 workers"),
        (["--workers", "2", "--store", "memory:"], "belongs to one process"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(
    served: tuple[Server, str], flags: list[str], said: str
) -> None:
    refused = served[0].run("serve", "--port", "0", *flags)

    assert refused.returncode == 2
    assert said in refused.stderr


def test_what_the_first_worker_refuses_is_said_once(served: tuple[Server, str]) -> None:
    refused = served[0].run("serve", "--port", "0", "--workers", "3", "--stale-ticks", "0")

    assert refused.returncode == 2
    assert refused.stderr.count("stale_moderate_ticks") == 1, refused.stderr
