"""The stdio server as a process: what it answers, what it survives, and how it ends."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.app.start import catalog, start
from hansard.kernel.event import Head
from hansard.kernel.limits import MIB, REQUEST_BYTES_MAX
from hansard.mcp.answers import RECEIPT_KEY
from tests import toy
from tests.launcher.programs import Popen
from tests.mcp.conftest import StartStdio
from tests.mcp.processes import ROOT, WAIT_S, Json, StdioServer, environment
from tests.mcp.test_messages import nested, request

PARSE, REQUEST, PARAMS = -32700, -32600, -32602
HANDSHAKE = json.dumps(
    {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
).encode()


def heads(store: str) -> dict[str, Head]:
    """Look at the ends of a store's journals, as another process."""
    known = Catalog([*catalog().capabilities, toy.CAPABILITY])
    application = start(Settings(store=store), known=known)
    try:
        return application.store.engine.heads()
    finally:
        application.close()


def notes(server: StdioServer) -> list[str]:
    listed: list[str] = server.call("toy_list")["result"]["structuredContent"]["notes"]
    return listed


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[StdioServer, str]]:
    """A server that has written something, shared by tests that must not change that."""
    store = str(tmp_path_factory.mktemp("stdio") / "store")
    with StdioServer("tests.mcp.programs", {"store": store}) as server:
        server.open()
        server.call("toy_note", text="before")
        yield server, store


@pytest.mark.anyio
@pytest.mark.parametrize(
    "era", ["legacy", pytest.param("auto", marks=pytest.mark.cold("as a client starts it"))]
)
async def test_a_client_of_either_era_lists_and_calls(store: str, era: str) -> None:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "tests.mcp.programs", "stdio"],
        env=environment({"store": store}),
        cwd=ROOT,
    )

    async with Client(server, mode=era) as client:
        version = client.protocol_version
        tools = [tool.name for tool in (await client.list_tools()).tools]
        made = await client.call_tool("toy_note", {"text": "remember this"})
        listed = await client.call_tool("toy_list", {})

    assert version == ("2025-11-25" if era == "legacy" else "2026-07-28")
    assert "get_project_overview" in tools
    assert made.meta
    assert made.meta[RECEIPT_KEY]["seq"] > 0
    assert listed.structured_content == {"notes": ["remember this"]}


@pytest.mark.holds("ALL-06.9", "ALL-06.10")
@pytest.mark.parametrize(
    ("line", "code", "request_id"),
    [
        pytest.param(request("[" * 100_000), PARAMS, 7, id="P-01 nesting 100,000"),
        pytest.param(request("[" * 10_000 + "]" * 10_000), PARAMS, 7, id="nesting 10,000"),
        pytest.param(request(f'{{"n":{"9" * 5_000}}}'), PARAMS, 7, id="P-05 5,000 digits"),
        pytest.param(request('{"path":"a","path":"../b"}'), PARAMS, 7, id="P-07 duplicate key"),
        pytest.param(request().replace(b'"x"', b'"\xff"'), PARSE, 7, id="P-09 not UTF-8"),
        pytest.param(b"[" + request() + b"]", REQUEST, None, id="P-11 a batch"),
        pytest.param(request(r'{"t":"\ud800"}'), PARAMS, 7, id="a lone surrogate"),
        pytest.param(b"hello", PARSE, None, id="garbage"),
        pytest.param(b'{"jsonrpc":"2.0","id":7,"method":"no/such"}', -32601, 7, id="no method"),
        pytest.param(b'{"jsonrpc":"2.0","id":7,"method":"tools/call"}', PARAMS, 7, id="no params"),
        pytest.param(request(), PARAMS, 7, id="an unknown tool"),
        pytest.param(
            request('"text"').replace(b'"x"', b'"toy_note"'), PARAMS, 7, id="arguments in a text"
        ),
        pytest.param(
            b'{"jsonrpc":"2.0","id":7,"method":"x","params":{"t":"' + b"a" * 20 * MIB + b'"}}',
            REQUEST,
            7,
            id="20 MB, the id first",
        ),
        pytest.param(
            b'{"method":"x","params":{"t":"' + b"a" * 20 * MIB + b'"},"jsonrpc":"2.0","id":7}',
            REQUEST,
            7,
            id="20 MB, the id last",
        ),
        pytest.param(b"x" * 20 * MIB, REQUEST, None, id="20 MB of nothing"),
    ],
)
def test_a_hostile_line_has_one_answer_and_changes_nothing(
    shared: tuple[StdioServer, str], line: bytes, code: int, request_id: int | None
) -> None:
    server, store = shared
    before = heads(store)

    server.write(line + b"\n")
    answer = server.answer()

    assert (answer["error"]["code"], answer["id"]) == (code, request_id)
    assert server.ask("ping")["result"] == {}
    assert heads(store) == before


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"text": "x", "role": "admin"}, id="P-13 an argument too many"),
        pytest.param({"text": "a\0b"}, id="P-15 NUL in stored text"),
        pytest.param({"text": 5}, id="a wrong type"),
        pytest.param({}, id="an argument too few"),
        pytest.param({"text": "x" * 600}, id="too long a text"),
        pytest.param({"text": json.loads(nested(64))}, id="P-03 nesting 64, though not a text"),
    ],
)
def test_a_bad_argument_has_one_answer_and_changes_nothing(
    shared: tuple[StdioServer, str], arguments: Json
) -> None:
    server, store = shared
    before = heads(store)

    answer = server.call("toy_note", **arguments)

    assert answer["result"]["isError"] is True
    assert answer["result"]["structuredContent"]["error"]["code"] == "INVALID_INPUT"
    assert answer["result"]["structuredContent"]["error"]["rpc_code"] == PARAMS
    assert server.ask("ping")["result"] == {}
    assert heads(store) == before


@pytest.mark.parametrize("limit", [-1, 1_000_000_000, 2**63, "20;DROP", 1.5, True])
def test_p_17_a_limit_that_is_none_is_refused(
    shared: tuple[StdioServer, str], limit: object
) -> None:
    answer = shared[0].call("get_recent_activity", limit=limit)

    assert answer["result"]["structuredContent"]["error"]["code"] == "INVALID_INPUT"


def test_notifications_and_blank_lines_are_never_answered(
    shared: tuple[StdioServer, str],
) -> None:
    server, _ = shared

    server.write(b"\n  \n\r\n")
    server.send({"jsonrpc": "2.0", "method": "notifications/no-such"})
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": [1]})
    server.send({"jsonrpc": "2.0", "id": 5, "result": {}})
    server.send({"jsonrpc": "2.0", "id": 5, "result": 5})

    assert server.ask("ping")["result"] == {}


@pytest.mark.holds("CHK-size-1")
def test_a_line_of_any_length_is_refused_in_bounded_memory(
    shared: tuple[StdioServer, str],
) -> None:
    server, _ = shared
    chunk = b"x" * MIB

    for _ in range(128):
        server.stdin.write(chunk)
    server.write(b"\n")

    error = server.answer()["error"]
    assert error["code"] == REQUEST
    assert f"longer than {REQUEST_BYTES_MAX} bytes" in error["message"]
    assert (error["data"]["code"], error["data"]["rpc_code"]) == ("REQUEST_TOO_LARGE", REQUEST)
    assert error["data"]["recovery_hint"]
    assert peak_bytes(server.process.pid) < 250 * MIB


def peak_bytes(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(peak.split()[1]) * 1024


@pytest.mark.holds("CHK-size-1")
def test_a_request_of_the_longest_size_is_served(shared: tuple[StdioServer, str]) -> None:
    server, _ = shared
    frame = b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"t":"%s"}}'

    assert REQUEST_BYTES_MAX == 16 * MIB
    server.write(frame % (b"a" * (REQUEST_BYTES_MAX - len(frame) + 2)) + b"\n")

    assert server.answer()["result"] == {}


def test_what_is_printed_by_accident_goes_to_stderr(stdio: StdioServer) -> None:
    answer = stdio.call("toy_note", text="print")

    assert answer["result"]["isError"] is False
    assert stdio.end() == 0
    assert "a stray line" in stdio.said()


@pytest.mark.holds("ALL-06.6")
def test_a_bug_is_logged_with_its_reference_and_kept_from_the_client(stdio: StdioServer) -> None:
    answer = stdio.call("toy_note", text="break")

    assert answer["error"]["code"] == -32603
    assert "hunter2" not in json.dumps(answer)
    assert stdio.ask("ping")["result"] == {}
    assert stdio.end() == 0
    said = stdio.said()
    assert "hunter2" in said
    assert answer["error"]["data"]["details"]["reference"] in said


def test_all_refusals_are_errors_where_that_is_asked_for(start_stdio: StartStdio) -> None:
    server = start_stdio(errors="jsonrpc")
    server.open()

    error = server.call("get_project", id="nowhere")["error"]

    assert (error["code"], error["data"]["code"]) == (-32000, "PROJECT_NOT_FOUND")


def test_the_end_of_input_ends_the_server(stdio: StdioServer) -> None:
    assert stdio.end() == 0
    assert stdio.rest() == []


def test_p_19_requests_already_sent_are_answered_after_the_end_of_input(
    stdio: StdioServer,
) -> None:
    ids = range(200)
    for number in ids:
        params = {"name": "toy_note", "arguments": {"text": f"note {number}"}}
        stdio.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})

    assert stdio.end() == 0
    answers = stdio.rest()
    assert sorted(answer["id"] for answer in answers) == list(ids)
    assert not [answer for answer in answers if answer["result"]["isError"]]


def test_a_last_line_without_its_end_is_served_if_it_is_whole(stdio: StdioServer) -> None:
    stdio.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')

    assert stdio.end() == 0
    assert stdio.rest() == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


@pytest.mark.fault("signals and ends")
def test_a_request_cut_in_the_middle_is_answered_as_such(stdio: StdioServer) -> None:
    stdio.write(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"na')

    assert stdio.end() == 0
    (answer,) = stdio.rest()
    assert (answer["id"], answer["error"]["code"]) == (1, PARSE)


def begin_waiting(server: StdioServer) -> None:
    """Send a write that waits at the gate, and see it there."""
    params = {"name": "toy_note", "arguments": {"text": "wait"}}
    server.send({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params})
    assert server.errors.get(timeout=WAIT_S) == "waiting\n"


def end_soon(server: StdioServer, by: signal.Signals | None) -> None:
    if by is None:
        server.stdin.close()
    else:
        server.process.send_signal(by)


@pytest.mark.parametrize("by", [None, signal.SIGTERM])
def test_a_listening_stream_is_ended_in_order(
    start_stdio: StartStdio, by: signal.Signals | None
) -> None:
    server = start_stdio()
    server.send(listen(1))
    acknowledged = server.answer()

    assert server.end(by) == 0
    (last,) = server.rest()
    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    assert (last["id"], last["result"]["resultType"]) == (1, "complete")


def test_a_stream_that_would_begin_after_the_end_is_refused(start_stdio: StartStdio) -> None:
    server = start_stdio()
    server.send(listen(1))

    assert server.end() == 0
    assert [answer["id"] for answer in server.rest() if "id" in answer] == [1]


def listen(request_id: int) -> Json:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    wish = {"resourceSubscriptions": ["hansard://activity"]}
    params = {"_meta": meta, "notifications": wish}
    return {"jsonrpc": "2.0", "id": request_id, "method": "subscriptions/listen", "params": params}


@pytest.mark.fault("signals and ends")
@pytest.mark.parametrize(
    "by", [None, pytest.param(signal.SIGTERM, marks=pytest.mark.cold("a signal")), signal.SIGINT]
)
def test_a_write_in_progress_is_finished_and_answered_before_the_end(
    gate: Path, stdio: StdioServer, by: signal.Signals | None
) -> None:
    begin_waiting(stdio)

    end_soon(stdio, by)
    gate.write_text("go on")

    assert stdio.process.wait(WAIT_S) == 0
    (answer,) = stdio.rest()
    assert (answer["id"], answer["result"]["isError"]) == (9, False)


@pytest.mark.slow("the server is given all the time it may take")
@pytest.mark.cold("ends by its own limit")
@pytest.mark.usefixtures("own_limits")
@pytest.mark.parametrize("by", [None, signal.SIGTERM])
def test_a_write_that_never_finishes_does_not_keep_the_server(
    gate: Path, stdio: StdioServer, store: str, start_stdio: StartStdio, by: signal.Signals | None
) -> None:
    begin_waiting(stdio)

    end_soon(stdio, by)

    assert stdio.process.wait(WAIT_S) == 1
    assert stdio.rest() == []
    after = start_stdio()
    after.open()
    assert notes(after) == []


def test_a_cancelled_write_is_finished_and_not_answered(
    gate: Path, stdio: StdioServer, start_stdio: StartStdio
) -> None:
    begin_waiting(stdio)

    stdio.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}})
    assert stdio.ask("ping")["result"] == {}
    gate.write_text("go on")

    assert stdio.end() == 0
    assert stdio.rest() == []
    after = start_stdio()
    after.open()
    assert notes(after) == ["wait"]


def test_a_client_that_stops_reading_ends_the_server(start_stdio: StartStdio) -> None:
    server = start_stdio()
    server.open()
    server.call("toy_note", text="kept")

    break_pipe(server)

    assert server.process.wait(WAIT_S) == 0


def break_pipe(server: StdioServer) -> None:
    """Close the reading end under the thread that reads it, then ask for something."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, server.stdout.fileno())
    os.close(null)
    # The thread may take one more answer, or several at once: ask until nobody answers.
    deadline = time.monotonic() + WAIT_S
    while server.process.poll() is None and time.monotonic() < deadline:
        with suppress(BrokenPipeError):
            server.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        time.sleep(0.05)


def test_a_client_that_reads_late_gets_every_answer(store: str) -> None:
    process: Popen[bytes] = Popen(
        [sys.executable, "-m", "tests.mcp.programs", "stdio"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment({"store": store}),
        cwd=ROOT,
    )
    assert process.stdin
    assert process.stdout
    asked = 10_000
    process.stdin.write(b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":%s}\n' % HANDSHAKE)
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline())]
    sender = threading.Thread(target=send_pings, args=(process.stdin, asked), daemon=True)

    # More is sent than pipes and queues hold: the server must hold back, not fail or forget.
    sender.start()
    sender.join(0.5)
    is_held_back = sender.is_alive()
    answers += [json.loads(line) for line in process.stdout]
    process.stdout.close()

    assert is_held_back
    assert process.wait(WAIT_S) == 0
    assert sorted(answer["id"] for answer in answers) == list(range(asked))


def send_pings(stdin: IO[bytes], asked: int) -> None:
    """Ask many times, then close."""
    for number in range(1, asked):
        stdin.write(b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % number)
    stdin.close()


def test_starting_the_server_imports_nothing_it_does_not_need() -> None:
    heavy = ["numpy", "pygit2", "psycopg", "rich", "typer", "starlette.testclient"]
    program = (
        "import sys, hansard.app.start, hansard.engines.sqlite, hansard.mcp.stdio\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )

    printed: Any = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout

    assert printed.strip() == "[]"
