"""Real clients of both eras, on real wires, are told apart wherever an author is shown."""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import Implementation

from tests.mcp.processes import ROOT, HttpServer, environment

pytestmark = pytest.mark.anyio

RECORD = {"type": "task", "title": "T", "summary": "s", "body": "b"}
HOSTS = {"claude-code": "2.1.325", "cursor": "1.4.2"}
Connect = Callable[[str, str], Client]


@pytest.fixture(params=["stdio", "http"])
def connect(request: pytest.FixtureRequest, store: str) -> Iterator[Connect]:
    """Connect a client of a name and an era to a server process on the test's store."""
    settings = {"store": store, "embedder": "none", "toolsets": "all"}

    def client(where: Any, name: str, era: str) -> Client:
        info = Implementation(name=name, version=HOSTS[name])
        return Client(where, mode=era, client_info=info)

    if request.param == "stdio":
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "tests.mcp.programs", "stdio"],
            env=environment(settings),
            cwd=ROOT,
        )
        yield lambda name, era: client(parameters, name, era)
    else:
        with HttpServer(settings) as server:
            yield lambda name, era: client(server.url, name, era)


async def ask(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    answer = await client.call_tool(name, arguments)
    assert not answer.is_error, answer
    content: dict[str, Any] = answer.structured_content
    return content


@pytest.mark.parametrize("era", ["legacy", "auto"])
@pytest.mark.holds("ALL-10.14")
async def test_two_hosts_on_one_store_are_told_apart(connect: Connect, era: str) -> None:
    async with connect("claude-code", era) as one:
        made = await ask(one, "create_record", **RECORD)
        why = "One file is enough for one person."
        await ask(one, "record_decision", title="Use SQLite", target="db", rationale=why)
    record = made["record"]["id"]
    async with connect("cursor", era) as other:
        active = await ask(other, "activate", id=record, override=True)
        session = active["session_id"]
        await ask(other, "update_record", id=record, session_id=session, title="Mine")
        history = await ask(other, "get_record_history", id=record)
        decision = await ask(other, "get_decision", decision_id="D001")
        timeline = await ask(other, "get_timeline", session_id=session)
        sessions = await ask(other, "list_sessions")

    assert decision["decision"]["author"] == "agent:claude-code"
    authors = [change["author"] for change in history["history"]]
    assert authors == ["agent:cursor", "agent:claude-code"]
    assert {item["actor"] for item in timeline["timeline"]} == {"agent:cursor"}
    clients = {one["client"] for one in sessions["sessions"]}
    assert clients == {"claude-code 2.1.325", "cursor 1.4.2"}
