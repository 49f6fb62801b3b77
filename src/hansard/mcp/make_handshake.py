"""Generates what `handshake.py` answers, from the full server's own answers.

None of it is written by hand: the server is asked, in both eras.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.mcp.callers import stdio_door
from hansard.mcp.cards import Json
from hansard.mcp.handshake import CAPABILITIES, DISCOVER, INITIALIZE, LIST_TOOLS, VERSION
from hansard.mcp.make_cards import cards_of
from hansard.mcp.server import HansardServer

LISTS = (LIST_TOOLS, "resources/list", "resources/templates/list", "prompts/list", "ping")
"""What hosts ask for before their model says a word; some does not exist, which is an answer
too."""

HANDSHAKE = {
    "protocolVersion": HANDSHAKE_PROTOCOL_VERSIONS[-1],
    "capabilities": {},
    "clientInfo": {"name": "front", "version": "1"},
}
META = {"_meta": {VERSION: LATEST_MODERN_VERSION, CAPABILITIES: {}}}

Asked = tuple[str, Json | None]


def front_made(application: Application) -> Json:
    """Ask an application's server all that a client may begin with."""
    handshake = answers_of(application, [(INITIALIZE, HANDSHAKE), *((one, None) for one in LISTS)])
    current = answers_of(application, [(one, META) for one in (DISCOVER, *LISTS)])
    _leave_open(handshake, INITIALIZE, "instructions", "protocolVersion")
    _leave_open(current, DISCOVER, "instructions")
    for answers in (handshake, current):
        _leave_open(answers, LIST_TOOLS, "tools")
    return {
        "versions": list(HANDSHAKE_PROTOCOL_VERSIONS),
        "current_version": LATEST_MODERN_VERSION,
        "handshake": handshake,
        "current": current,
        "cards": cards_of(application.catalog),
    }


def answers_of(
    application: Application, asked: Sequence[Asked], settings: Settings | None = None
) -> dict[str, Json]:
    """Ask one server these things, one after the other; gives each result or error by method."""
    door = stdio_door("", application.store)
    server = HansardServer(application, settings or Settings(), door)
    return anyio.run(_ask, server, asked)


async def _ask(server: HansardServer, asked: Sequence[Asked]) -> dict[str, Json]:
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](math.inf)
    answers = {}
    async with anyio.create_task_group() as tasks, to_server, from_server:
        options = server.create_initialization_options()
        tasks.start_soon(server.run, from_client, to_client, options)
        for number, (method, params) in enumerate(asked):
            request = JSONRPCRequest(jsonrpc="2.0", id=number, method=method, params=params)
            await to_server.send(SessionMessage(request))
            answer = await from_server.receive()
            answers[method] = dict(_said(answer.message))
        to_server.close()
    return answers


def _said(message: Any) -> Iterator[tuple[str, Any]]:
    told = message.model_dump(by_alias=True, exclude_unset=True, mode="json")
    yield from ((key, told[key]) for key in ("result", "error") if key in told)


def _leave_open(answers: dict[str, Json], method: str, *names: str) -> None:
    """Take out what the front fills in."""
    for name in names:
        del answers[method]["result"][name]
