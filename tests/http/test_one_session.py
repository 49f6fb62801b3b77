"""A client over HTTP that names no session has one all the same, and never another's."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

from hansard.mcp.http_seats import SEATS_MAX, HttpSeats
from tests.http.serving import MODERN_META, Answer, Server, make_token, mcp_request, serving

RECORD = {"type": "task", "title": "T", "summary": "s", "body": "b", "project_id": "ours"}
ERAS = ["legacy", "auto"]

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("one-session")


@pytest.fixture(scope="module")
def tokens(home: Path) -> list[str]:
    return [make_token(home, "agent", name=name, projects=["ours"])[0] for name in ("ci", "dev")]


@pytest.fixture(scope="module")
def guarded(home: Path, tokens: list[str]) -> Iterator[Server]:
    assert tokens
    with serving(home, "--rate-per-minute", "0") as running:
        yield running


@asynccontextmanager
async def client(server: Server, token: str, era: str, name: str) -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers) as connection:
        way = streamable_http_client(f"{server.base}/mcp", http_client=connection)
        info = Implementation(name=name, version="1")
        async with Client(way, mode=era, client_info=info) as one:
            yield one


async def session_of(one: Client, **more: Any) -> str:
    """Write something without naming a session; gives the one it was written in."""
    answer = await one.call_tool("create_record", RECORD | more)
    assert not answer.is_error, answer
    return str(answer.structured_content["session_id"])


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("second", ["another token", "the same token"])
async def test_two_clients_keep_a_session_each(
    guarded: Server, tokens: list[str], era: str, second: str
) -> None:
    other = tokens[1] if second == "another token" else tokens[0]
    async with (
        client(guarded, tokens[0], era, f"{second} {era} one") as first,
        client(guarded, other, era, f"{second} {era} two") as last,
    ):
        in_turn = [await session_of(one) for one in (first, last, first, last, first)]

    assert in_turn[0] == in_turn[2] == in_turn[4]
    assert in_turn[1] == in_turn[3]
    assert in_turn[0] != in_turn[1]


async def test_two_chats_of_one_program_with_a_connection_each_have_a_session_each(
    guarded: Server, tokens: list[str]
) -> None:
    async with (
        client(guarded, tokens[0], "legacy", "twins") as first,
        client(guarded, tokens[0], "legacy", "twins") as last,
    ):
        in_turn = [await session_of(one) for one in (first, last, first, last)]

    assert in_turn[:2] == in_turn[2:]
    assert in_turn[0] != in_turn[1]


async def test_without_connections_nobody_is_taken_for_a_twin(
    guarded: Server, tokens: list[str]
) -> None:
    async with client(guarded, tokens[0], "auto", "pair") as first:
        alone = [await session_of(first), await session_of(first)]
        async with client(guarded, tokens[0], "auto", "pair") as last:
            of_last = [await session_of(last), await session_of(last)]
            unnamed = await session_of(first)
            named = await session_of(first, session_id=alone[0])

    assert alone[0] == alone[1] == named
    assert not {unnamed, alone[0]} & set(of_last)


def test_another_token_finds_no_session_by_the_id_of_a_connection(
    guarded: Server, tokens: list[str]
) -> None:
    def post(token: str, method: str, params: Any, **more: str) -> Answer:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {
            "content_type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp_protocol_version": "2025-11-25",
            "authorization": f"Bearer {token}",
        }
        return guarded.request("POST", "/mcp", json.dumps(message).encode(), **headers | more)

    info = {"name": "robbed", "version": "1"}
    opened = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
    connection = post(tokens[0], "initialize", opened).headers["mcp-session-id"]
    call = {"name": "create_record", "arguments": RECORD}

    def session(token: str) -> str | None:
        body = post(token, "tools/call", call, mcp_session_id=connection).body.decode()
        found = re.search(r'"session_id":"([^"]+)"', body)
        return found[1] if found else None

    mine, theirs, again = session(tokens[0]), session(tokens[1]), session(tokens[0])

    assert mine
    assert mine == again
    assert theirs != mine


async def test_what_is_needed_of_a_session_is_found_in_it(
    guarded: Server, tokens: list[str]
) -> None:
    async with client(guarded, tokens[0], "legacy", "worker") as one:
        made = await one.call_tool("create_record", RECORD)
        record = made.structured_content["record"]["id"]
        changed = await one.call_tool("update_record", {"id": record, "title": "Changed"})
        ended = await one.call_tool("close_session", {})
        anew = await session_of(one)

    session = made.structured_content["session_id"]
    assert not changed.is_error
    assert ended.structured_content["session_id"] == session
    assert anew != session


async def test_a_session_that_is_opened_by_its_name_is_gone_on_in(
    guarded: Server, tokens: list[str]
) -> None:
    async with client(guarded, tokens[0], "legacy", "namer") as one:
        context = {"context": {"a": 1}, "sessionId": "chosen", "project_id": "ours"}
        await one.call_tool("workflow_checkpoint_save", context)

        assert await session_of(one) == "chosen"


@pytest.mark.parametrize("header", ["x-forwarded-for", "forwarded", "via"])
def test_behind_a_proxy_nobody_is_known_by_looks(
    guarded: Server, tokens: list[str], header: str
) -> None:
    looks = {"io.modelcontextprotocol/clientInfo": {"name": header, "version": "1"}}
    headers = {"authorization": f"Bearer {tokens[0]}", header: "10.0.0.1"}

    def ask(method: str, params: dict[str, Any], **more: str) -> Any:
        asked = params | {"_meta": MODERN_META | looks}
        return mcp_request(guarded, method, asked, **headers, **more).json()["result"]

    ask("server/discover", {})
    call = {"name": "create_record", "arguments": RECORD}
    made = [ask("tools/call", call, mcp_name="create_record") for _ in range(2)]

    sessions = [one["structuredContent"]["session_id"] for one in made]
    assert sessions[0] != sessions[1]
    assert sessions[0] in made[0]["content"][0]["text"]


# The rule itself.


class Timer:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_whoever_was_long_quiet_is_gone_and_whoever_may_be_there_is_not() -> None:
    timer = Timer()
    seats = HttpSeats(60, timer)
    seats.begin("chat")
    first = seats.alone("chat")
    timer.now = 61
    seats.begin("chat")
    second = seats.alone("chat")
    timer.now = 100
    seats.begin("chat")

    assert first is not None
    assert second not in (None, first)
    for timer.now in range(110, 400, 50):
        assert seats.alone("chat") is None


def test_whoever_was_met_without_a_beginning_is_not_taken_for_the_next_to_begin() -> None:
    seats = HttpSeats(60, Timer())

    assert seats.alone("chat") is None
    seats.begin("chat")
    assert seats.alone("chat") is None


def test_so_many_seats_are_kept_and_no_more() -> None:
    seats = HttpSeats(60, Timer())
    first = seats.connected("", "connection 0")
    again = seats.connected("", "connection 0")
    for number in range(SEATS_MAX):
        seats.connected("", f"connection {number + 1}")

    assert again is first
    assert seats.connected("other", "connection 5") is not seats.connected("", "connection 5")
    assert seats.connected("", "connection 0") is not first


# What a client is told depends on who it is.


@pytest.mark.parametrize("era", ERAS)
async def test_whoever_may_only_look_is_told_of_no_tool_that_writes(
    guarded: Server, tokens: list[str], home: Path, era: str
) -> None:
    viewer, _ = make_token(home, "viewer", name=f"viewer-{era}", projects=["ours"])
    async with (
        client(guarded, viewer, era, "looks") as looking,
        client(guarded, tokens[0], era, "writes") as writing,
    ):
        told = [one.instructions or "" for one in (looking, writing)]

    assert "file_op" not in told[0]
    assert "file_op" in told[1]
    assert all("get_project_overview" in one for one in told)
