"""MCP over Streamable HTTP, for clients on this machine or with a token."""

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from hansard.app.application import Application
from hansard.app.bounded import Bounded
from hansard.app.settings import Settings
from hansard.app.start import who_is_there
from hansard.kernel.limits import REQUEST_BYTES_MAX
from hansard.mcp.body_limits import Bodies
from hansard.mcp.callers import http_door
from hansard.mcp.http_dispatch import HttpDispatcher
from hansard.mcp.instructions import instructions
from hansard.mcp.request_guard import RequestGuard
from hansard.mcp.sdk import RequestContext, asked_in
from hansard.mcp.server import HansardServer, require_first

PATH = "/mcp"

CONNECTIONS_MAX = 1_000
"""Clients of the handshake era that may be connected at once."""


INTRODUCTIONS = ("initialize", "server/discover")
"""The first request of a client, in one era and the other."""


class HttpServer(HansardServer):
    """The server object for many callers, each as what its token says."""

    def __init__(
        self, application: Application, settings: Settings, *, is_alone: bool = True
    ) -> None:
        """Accept every request; the middleware before it has refused the others.

        A server that is not `is_alone` shares its port with others, and does not see all of its
        clients.
        """
        away_s = who_is_there(settings).limits.away_s
        door = http_door(settings.session, application.store, away_s=away_s, is_alone=is_alone)
        super().__init__(Bounded(application), settings, door)
        self.middleware.append(self._introduce)

    async def _introduce(self, ctx: RequestContext, call_next: CallNext) -> HandlerResult:
        """Tell a new client, with a handshake or without one, of its own tools."""
        answer = await call_next(ctx)
        if ctx.method not in INTRODUCTIONS or not isinstance(answer, dict):
            return answer
        if ctx.method == "server/discover":
            self._door.begins(asked_in(ctx))
        listed = self._toolbox.names(self._door.actor_of(asked_in(ctx)))
        return {**answer, "instructions": instructions(listed)}

    async def _list_tools(
        self, context: RequestContext, page: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        require_first(page)
        return types.ListToolsResult(
            tools=self._toolbox.listed(self._door.actor_of(asked_in(context)))
        )


def mounted(
    server: HansardServer,
    routes: Sequence[Route] = (),
    *,
    hosts: Sequence[str] = (),
    threads: Executor | None = None,
    **options: Any,
) -> ASGIApp:
    """Put a server object behind HTTP, reached by this machine's own names and by `hosts`.

    With `threads` calls are answered in those, before the SDK; their owner ends them.
    `options` are the SDK's own, for tests of the protocol.
    """
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=REQUEST_BYTES_MAX,
        max_sessions=CONNECTIONS_MAX,
        # `RequestGuard` asks, on every path and exactly; the SDK would compare how the names begin.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=[Route("/healthz", _healthz), *routes],
        **options,
    )
    inner = HttpDispatcher(app, server.desk, threads) if threads else app
    guard = RequestGuard(inner, path=PATH, hosts=hosts, catalog=server.application.catalog)
    return Bodies(guard, messages=PATH)


async def _healthz(_: Request) -> PlainTextResponse:
    return PlainTextResponse("ok")
