"""The HTTP server as a process: both eras, hostile requests, and how it ends."""

import json
import signal
import threading
from pathlib import Path
from queue import Queue
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.http.server import serve
from hansard.kernel.limits import MIB
from hansard.kernel.problem import InvalidInput
from hansard.mcp.answers import RECEIPT_KEY
from tests.mcp.processes import WAIT_S, HttpServer
from tests.mcp.test_messages import nested, request
from tests.mcp.test_stdio import heads

PARSE, REQUEST, PARAMS = -32700, -32600, -32602
ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    mode: str = request.param
    return mode


@pytest.mark.anyio
async def test_a_client_of_either_era_lists_and_calls(http: HttpServer, era: str) -> None:
    async with Client(http.url, mode=era) as client:
        version = client.protocol_version
        tools = [tool.name for tool in (await client.list_tools()).tools]
        made = await client.call_tool("create_project", {"id": f"p-{era}", "name": "Project"})
        listed = await client.call_tool("list_projects", {})
        refused = await client.call_tool("close_session", {})

    assert version == ERAS[era]
    assert "get_project_overview" in tools
    assert made.meta
    assert made.meta[RECEIPT_KEY]["seq"] > 0
    assert f"p-{era}" in [one["id"] for one in listed.structured_content["projects"]]
    assert refused.structured_content["error"]["code"] == "SESSION_NOT_FOUND"


@pytest.mark.anyio
async def test_a_begun_session_is_named_by_its_id_from_then_on(http: HttpServer, era: str) -> None:
    async with Client(http.url, mode=era) as client:
        begun = await client.call_tool("toy_note", {"text": "one"})
        session = begun.structured_content["session_id"]
        went_on = await client.call_tool("toy_go_on", {"text": "two", "session_id": session})

    assert went_on.structured_content["session_id"] == session


@pytest.mark.holds("ALL-05.2")
@pytest.mark.anyio
async def test_the_idempotency_key_may_be_a_header(http: HttpServer, era: str) -> None:
    headers = {"Idempotency-Key": f"once-{era}"}
    async with (
        httpx2.AsyncClient(headers=headers) as connection,
        Client(streamable_http_client(http.url, http_client=connection), mode=era) as client,
    ):
        first = await client.call_tool("create_project", {"name": "Once"})
        second = await client.call_tool("create_project", {"name": "Once"})

    assert first.structured_content == second.structured_content


@pytest.mark.holds("ALL-06.9", "ALL-06.10")
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize(
    ("body", "code", "request_id"),
    [
        pytest.param(request("[" * 100_000), PARAMS, 7, id="P-01 nesting 100,000"),
        pytest.param(request(nested(70)), PARAMS, 7, id="nesting 70"),
        pytest.param(request(f'{{"n":{"9" * 5_000}}}'), PARAMS, 7, id="P-05 5,000 digits"),
        pytest.param(request('{"path":"a","path":"../b"}'), PARAMS, 7, id="P-07 duplicate key"),
        pytest.param(request().replace(b'"x"', b'"\xff"'), PARSE, 7, id="P-09 not UTF-8"),
        pytest.param(b"[" + request() + b"]", REQUEST, None, id="P-11 a batch"),
        pytest.param(request(r'{"t":"\ud800"}'), PARAMS, 7, id="a lone surrogate"),
        pytest.param(request('{"n":NaN}'), PARSE, 7, id="NaN"),
        pytest.param(b"hello", PARSE, None, id="garbage"),
        pytest.param(b"", PARSE, None, id="nothing"),
    ],
)
def test_a_hostile_body_has_a_clear_answer(
    http: HttpServer, version: str, body: bytes, code: int, request_id: int | None
) -> None:
    status, answer = http.post(body, mcp_protocol_version=version)

    error = json.loads(answer)
    assert (status, error["error"]["code"], error["id"]) == (400, code, request_id)


@pytest.mark.holds("CHK-size-1")
def test_a_body_that_is_too_long_is_refused_and_the_server_lives(http: HttpServer) -> None:
    status, answer = http.post(request(json.dumps({"t": "a" * 20 * MIB})))

    refused = json.loads(answer)
    assert (status, refused["id"]) == (413, 7)
    assert refused["error"]["data"]["code"] == "REQUEST_TOO_LARGE"
    assert http.request("GET", "/healthz") == (200, b"ok")


@pytest.mark.parametrize("path", ["/mcp", "/healthz"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({"origin": "https://evil.example"}, 403, id="H-02 a foreign origin"),
        pytest.param({"origin": "null"}, 403, id="an opaque origin"),
        pytest.param({"host": "evil.example"}, 421, id="a foreign host"),
        pytest.param({"host": "127.0.0.1.evil.example"}, 421, id="a host that begins like ours"),
        pytest.param({"host": "127.0.0.1:1.evil.example"}, 421, id="a host with a port like ours"),
        pytest.param({"host": "localhost:1@evil.example"}, 421, id="a host as a user's name"),
        pytest.param({"origin": "http://127.0.0.1:1"}, 403, id="our machine, another port"),
        pytest.param({"origin": "http://127.0.0.1"}, 403, id="our machine, no port"),
    ],
)
def test_a_request_from_elsewhere_is_refused_on_every_path(
    http: HttpServer, path: str, headers: dict[str, str], status: int
) -> None:
    assert http.request("GET", path, None, **headers)[0] == status


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_h_04_a_message_is_posted_as_json(http: HttpServer, kind: str) -> None:
    assert http.post(request(), content_type=kind)[0] in {400, 415}


def test_our_own_page_may_ask(http: HttpServer) -> None:
    assert http.request("GET", "/healthz", origin=f"http://{http.address.netloc}")[0] == 200


def test_bad_arguments_change_nothing(http: HttpServer) -> None:
    store = http.settings["store"]
    http.post(modern("list_projects", {}), **modern_headers("list_projects"))
    before = heads(store)

    status, answer = http.post(
        modern("create_project", {"name": "x", "role": "admin"}),
        **modern_headers("create_project"),
    )

    result = json.loads(answer)["result"]
    assert (status, result["isError"]) == (200, True)
    assert result["structuredContent"]["error"]["code"] == "INVALID_INPUT"
    assert heads(store) == before


def modern(name: str, arguments: dict[str, Any]) -> bytes:
    params = {"name": name, "arguments": arguments, "_meta": MODERN_META}
    return json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    ).encode()


def modern_headers(name: str) -> dict[str, str]:
    return {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call", "mcp_name": name}


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org", ""])
def test_h_10_only_this_machine_is_served(application: Application, host: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        serve(application, Settings(host=host, port=0))

    assert "only on this machine" in refusal.value.message


def test_a_port_in_use_is_said_in_a_sentence(application: Application, http: HttpServer) -> None:
    assert http.address.port

    with pytest.raises(InvalidInput) as refusal:
        serve(application, Settings(port=http.address.port))

    assert str(http.address.port) in refusal.value.message


@pytest.mark.anyio
@pytest.mark.filterwarnings("ignore:resources/subscribe is removed")
@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_the_server_though_clients_listen(
    store: str, era: str, by: signal.Signals
) -> None:
    with HttpServer({"store": store}) as server:
        async with Client(server.url, mode=era) as client:
            if era == "legacy":
                await client.subscribe_resource("hansard://activity")
                code = server.end(by)
            else:
                async with client.listen(resource_subscriptions=["hansard://activity"]) as heard:
                    code = server.end(by)
                    assert [event async for event in heard] == []

    assert code == 0


def post_waiting(server: HttpServer, answers: Queue[tuple[int, bytes]]) -> threading.Thread:
    """Post a write that waits at the gate, and see it there."""
    thread = threading.Thread(
        target=lambda: answers.put(
            server.post(modern("toy_note", {"text": "wait"}), **modern_headers("toy_note"))
        ),
        daemon=True,
    )
    thread.start()
    assert server.errors.get(timeout=WAIT_S) == "waiting\n"
    return thread


@pytest.mark.fault("signals and ends")
@pytest.mark.cold("a signal")
def test_a_write_in_progress_is_finished_and_answered_before_the_end(
    gate: Path, store: str
) -> None:
    answers: Queue[tuple[int, bytes]] = Queue()
    with HttpServer({"store": store}) as server:
        post_waiting(server, answers)

        server.process.send_signal(signal.SIGTERM)
        gate.write_text("go on")

        status, answer = answers.get(timeout=WAIT_S)
        assert server.process.wait(WAIT_S) == 0
    assert (status, json.loads(answer)["result"]["isError"]) == (200, False)


@pytest.mark.fault("signals and ends")
@pytest.mark.slow("the server is given all the time it may take")
@pytest.mark.cold("ends by its own limit")
@pytest.mark.usefixtures("own_limits")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_write_that_never_finishes_does_not_keep_the_server(gate: Path, store: str) -> None:
    with HttpServer({"store": store}) as server:
        thread = post_waiting(server, Queue())

        assert server.end(signal.SIGTERM) == 1
        thread.join(WAIT_S)
