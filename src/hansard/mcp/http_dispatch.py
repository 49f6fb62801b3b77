"""Dispatches calls of the current protocol over HTTP, between the guard and the SDK.

Such a call is a request of its own: one message in, one out. What is plainly one is answered here
as the SDK answers it; everything else is passed on as it came.
"""

import asyncio
import json
from concurrent.futures import Executor
from functools import partial

from mcp.server.streamable_http import check_accept_headers
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
)
from mcp_types.version import LATEST_MODERN_VERSION
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from hansard.mcp.dispatch import (
    CALL,
    CALLS_AT_ONCE_MAX,
    Json,
    ToolDispatcher,
    asked_in_current_era,
    plain_call,
)
from hansard.mcp.handshake import is_of_current_era

MESSAGE_KEY = "hansard.message"
"""Where the scope of a request holds the message that was read from its body."""

PING_S = 15.0
"""How long an answer may take before a stream begins that tells the caller it is coming."""

OK = 200
STREAM_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"connection", b"keep-alive"),
    (b"x-accel-buffering", b"no"),
]
PING = b": ping\r\n\r\n"

ROUTING = {
    MCP_PROTOCOL_VERSION_HEADER.encode(): LATEST_MODERN_VERSION.encode(),
    MCP_METHOD_HEADER.encode(): CALL.encode(),
}
"""Headers that repeat what the message says."""

NAME = MCP_NAME_HEADER.encode()
OURS = b"mcp-"
ENCODED = "=?"
"""The prefix of an encoded name in a header."""


class HttpDispatcher:
    """Answers plain calls, and passes on the rest."""

    def __init__(self, app: ASGIApp, desk: ToolDispatcher, threads: Executor) -> None:
        """Stand before the SDK's application, and have calls run in threads that others end."""
        self._app = app
        self._desk = desk
        self._threads = threads
        self._open = 0
        """Calls that run in threads."""
        self._accepted: dict[str, bool] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        message: Json | None = scope.get(MESSAGE_KEY)
        found = plain_call(message) if message and "id" in message else None
        if (
            message is None
            or found is None
            or not is_of_current_era(found[2])
            or not _says_again(scope, found[0])
        ):
            await self._app(scope, receive, send)
            return
        name, given, meta = found
        request = Request(scope)
        if not self._is_accepted(request):
            await self._app(scope, receive, send)
            return
        asked = asked_in_current_era(meta, request)
        if self._desk.is_quick(name, given, asked):
            await _answer(message, self._desk.outcome(name, given, asked), send)
        elif self._open < CALLS_AT_ONCE_MAX:
            await self._in_thread(message, partial(self._desk.outcome, name, given, asked), send)
        else:
            # Calls that must wait for one of them to end are left to the SDK.
            await self._app(scope, receive, send)

    def _is_accepted(self, request: Request) -> bool:
        """Whether the caller takes both kinds of answers, as it must."""
        accept = request.headers.get("accept", "")
        if accept not in self._accepted:
            if len(self._accepted) >= CALLS_AT_ONCE_MAX:
                self._accepted.clear()
            self._accepted[accept] = all(check_accept_headers(request))
        return self._accepted[accept]

    async def _in_thread(self, message: Json, work: "partial[Json]", send: Send) -> None:
        self._open += 1
        call = asyncio.get_running_loop().run_in_executor(self._threads, work)
        call.add_done_callback(self._done)
        await asyncio.wait([call], timeout=PING_S)
        if call.done():
            await _answer(message, call.result(), send)
        else:
            await _answer_later(message, call, send)

    def _done(self, _: "asyncio.Future[Json]") -> None:
        self._open -= 1


async def _answer(message: Json, outcome: Json, send: Send) -> None:
    error = outcome.get("error")
    status = ERROR_CODE_HTTP_STATUS.get(error["code"], OK) if error else OK
    body = _body(message, outcome)
    headers = [(b"content-length", b"%d" % len(body)), (b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _answer_later(message: Json, call: "asyncio.Future[Json]", send: Send) -> None:
    """Begin a stream, and keep it alive until there is an answer."""
    await send({"type": "http.response.start", "status": OK, "headers": STREAM_HEADERS})
    while not call.done():
        await send({"type": "http.response.body", "body": PING, "more_body": True})
        await asyncio.wait([call], timeout=PING_S)
    event = b"event: message\r\ndata: %s\r\n\r\n" % _body(message, call.result())
    await send({"type": "http.response.body", "body": event, "more_body": False})


def _body(message: Json, outcome: Json) -> bytes:
    whole = {"jsonrpc": "2.0", "id": message["id"], **outcome}
    return json.dumps(whole, separators=(",", ":")).encode()


def _says_again(scope: Scope, name: str) -> bool:
    """Whether the headers say plainly, and once, what the message says, and nothing besides."""
    said = [one for one in scope["headers"] if one[0].startswith(OURS)]
    if len(said) != len(ROUTING) + 1 or not name.isascii() or name.startswith(ENCODED):
        return False
    return dict(said) == ROUTING | {NAME: name.encode()}
