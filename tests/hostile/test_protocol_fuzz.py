"""Thousands of broken messages at a real server: one answer each, and it lives as it lived."""

import json
import threading
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from hansard.kernel.limits import MIB
from tests.app.kept import faults
from tests.hostile.fuzzing import lines, owed
from tests.hostile.serving import HansardServer, findings, serving_stdio
from tests.mcp.processes import WAIT_S, HttpServer, Json

SEED = 20261115
PAGE = 500
BODIES = 500
GROWTH_MAX = 64 * MIB
"""What a server may hold more after all of it than after the first of it."""


def resident(pid: int) -> int:
    """Say how much memory a process has."""
    words = Path(f"/proc/{pid}/statm").read_text().split()
    return int(words[1]) * 4096


def exchange(server: HansardServer, page: list[bytes]) -> list[Json]:
    """Send lines and a ping, all at once; gives what came until the ping was answered."""
    sentinel = "the end of this page"
    closing = json.dumps({"jsonrpc": "2.0", "id": sentinel, "method": "ping"}).encode()
    writing = threading.Thread(target=server.write, args=[b"\n".join([*page, closing, b""])])
    writing.start()
    due = Counter([sentinel, *(request_id for line in page for request_id in owed(line))])
    answers = [server.answer() for _ in range(due.total())]
    writing.join()
    assert Counter(answer["id"] for answer in answers) == due
    return answers


def pages(seed: int, count: int) -> Iterable[list[bytes]]:
    page = []
    for line in lines(seed, count):
        page.append(line)
        if len(page) == PAGE:
            yield page
            page = []
    if page:
        yield page


@pytest.mark.timeout(1_800)
@pytest.mark.holds("ALL-06.9", "ALL-06.10")
@pytest.mark.parametrize(
    "count", [3_000, pytest.param(100_000, marks=pytest.mark.slow("sends 100,000 lines"))]
)
def test_every_broken_line_that_is_owed_an_answer_has_one(tmp_path: Path, count: int) -> None:
    outcomes: Counter[str] = Counter()
    with serving_stdio(tmp_path) as server:
        early = 0
        for page in pages(SEED, count):
            for answer in exchange(server, page):
                outcomes[str(answer.get("error", {}).get("code", "result"))] += 1
            early = early or resident(server.process.pid)
        grown = resident(server.process.pid) - early
        assert server.end() == 0
        assert server.rest() == []
        said = server.said()

    assert outcomes["-32603"] == 0, said[-4_000:]
    assert "Traceback" not in said
    # The fuzzer reaches all of it: what cannot be read, what does not fit, and what is done.
    assert {"-32700", "-32600", "-32602", "result"} <= {*outcomes}
    assert grown < GROWTH_MAX
    assert findings(tmp_path / "store") == []


def told(status: int, body: bytes) -> Json | None:
    """Read the one message that came back over HTTP; `None` where none was due."""
    if not body:
        return None
    if body.startswith((b"event:", b"data:", b":")):
        [data] = [line for line in body.splitlines() if line.startswith(b"data: {")]
        body = data.removeprefix(b"data: ")
    answer: Json = json.loads(body)
    assert answer["jsonrpc"] == "2.0", (status, body)
    return answer


@pytest.mark.holds("ALL-06.9")
@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
def test_every_broken_body_has_one_answer_over_http(tmp_path: Path, era: str) -> None:
    statuses: Counter[int] = Counter()
    settings = {"store": str(tmp_path / "store"), "workspace": str(tmp_path), "toolsets": "all"}
    with HttpServer(settings) as server:
        usual = {"mcp_protocol_version": era}
        if era == "2025-11-25":
            usual["mcp_session_id"] = entered(server)
        for body in lines(SEED + 1, BODIES):
            status, back = server.post(body, **usual, **headers_for(body))
            statuses[status] += 1
            assert status < 500, (body, back)
            answer = told(status, back)
            if due := owed(body):
                assert answer
                assert answer["id"] in {due[0], None}, (body, back)
            else:
                assert answer is None or answer["id"] is None
        assert server.request("GET", "/healthz") == (200, b"ok")

    assert {200, 400} <= {*statuses}
    assert faults(tmp_path / "store") == []


def entered(server: HttpServer) -> str:
    """Do the handshake of the older era; gives the session it made."""
    info = {"name": "test", "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
    }
    with closing(HTTPConnection(server.address.netloc, timeout=WAIT_S)) as connection:
        connection.request("POST", "/mcp", json.dumps(hello), headers)
        session = connection.getresponse().headers["mcp-session-id"]
    assert session
    return session


def headers_for(body: bytes) -> dict[str, str]:
    """Name in the headers what the body asks for, as the newer era wants it."""
    try:
        message = json.loads(body)
        named = {"mcp_method": message["method"], "mcp_name": message["params"]["name"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return {key: name for key, name in named.items() if _is_plain(name)}


def _is_plain(name: object) -> bool:
    return isinstance(name, str) and name.isascii() and name.isprintable() and name.strip() == name
