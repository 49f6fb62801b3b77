"""MCP over Streamable HTTP, for clients on this machine, and elsewhere for those with a token."""

import asyncio
import errno
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from types import FrameType
from typing import Any, Protocol

import mcp_types as types
import uvicorn
from mcp.server.context import CallNext, HandlerResult
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from hansard.app.application import Application
from hansard.app.bounded import Bounded
from hansard.app.settings import LOOPBACK, Settings, allowed_hosts
from hansard.app.start import who_is_there
from hansard.kernel.limits import REQUEST_BYTES_MAX
from hansard.kernel.problem import InvalidInput
from hansard.mcp.bodies import Bodies
from hansard.mcp.callers import RequestContext, http_door
from hansard.mcp.guard import Guard
from hansard.mcp.instructions import instructions
from hansard.mcp.last_resort import GIVE_UP_S, LastResort
from hansard.mcp.origins import in_url
from hansard.mcp.server import HansardServer, require_first

PATH = "/mcp"

GRACE_S = int(GIVE_UP_S) - 1
"""How long open requests may take to finish before their connections are cut."""

SIGNALS = (signal.SIGTERM, signal.SIGINT)

CONNECTIONS_MAX = 1_000
"""Clients of the handshake era that may be connected at once."""


def asgi_app(application: Application, settings: Settings) -> ASGIApp:
    """Make the web application: MCP under /mcp, and /healthz."""
    return mounted(HttpServer(application, settings))


INTRODUCTIONS = ("initialize", "server/discover")
"""How a client begins, in one era and the other."""


class HttpServer(HansardServer):
    """The server object for many callers, each as what its token says."""

    def __init__(self, application: Application, settings: Settings) -> None:
        """Let in whoever comes; what stands before it refuses who must not."""
        away_s = who_is_there(settings).limits.away_s
        door = http_door(settings.session, application.store, away_s=away_s)
        super().__init__(Bounded(application), settings, door)
        self.middleware.append(self._introduce)

    async def _introduce(self, ctx: RequestContext, call_next: CallNext) -> HandlerResult:
        """Tell whoever begins, by a handshake or without one, of the tools that are theirs."""
        answer = await call_next(ctx)
        if ctx.method not in INTRODUCTIONS or not isinstance(answer, dict):
            return answer
        if ctx.method == "server/discover":
            self._door.begins(ctx)
        listed = self._toolbox.names(self._door.actor_of(ctx))
        return {**answer, "instructions": instructions(listed)}

    async def _list_tools(
        self, context: RequestContext, page: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        require_first(page)
        return types.ListToolsResult(tools=self._toolbox.listed(self._door.actor_of(context)))


class Beside(Protocol):
    """What is served beside MCP on the same address."""

    def routes(self) -> list[Route]:
        """List what is answered where."""

    def announce(self, base: str, port: int) -> str:
        """Say where it is, in a line."""

    def end(self) -> None:
        """End what would keep the server from ending."""


def mounted(
    server: HansardServer,
    routes: Sequence[Route] = (),
    *,
    hosts: Sequence[str] = (),
    **options: Any,
) -> ASGIApp:
    """Put a server object behind HTTP, reached by this machine's own names and by `hosts`.

    `options` are the SDK's own, for tests of the protocol.
    """
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=REQUEST_BYTES_MAX,
        max_sessions=CONNECTIONS_MAX,
        # `Guard` asks, on every path and exactly; the SDK would compare how the names begin.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=[Route("/healthz", _healthz), *routes],
        **options,
    )
    guard = Guard(app, path=PATH, hosts=hosts, catalog=server.application.catalog)
    return Bodies(guard, messages=PATH)


def serve(
    application: Application,
    settings: Settings,
    beside: Beside | None = None,
    *,
    front: Callable[[ASGIApp, Callable[[ASGIApp], ASGIApp]], ASGIApp] | None = None,
    listener: socket.socket | None = None,
) -> int:
    """Serve until a signal comes. Closes the application. Returns the exit code.

    `front` puts what admits callers before everything but what it is given second; without it only
    this machine is served.
    `listener` is the port to serve on, if it is open already.
    """
    with LastResort() as last_resort, closing(application):
        if front is None:
            _require_loopback(settings.host)
        listener = listener or listen(settings.host, settings.port)
        server = HttpServer(application, settings)

        def start_ending() -> None:
            last_resort.start()
            server.notices.end_streams()
            if beside:
                beside.end()

        routes = beside.routes() if beside else ()
        app = mounted(server, routes, hosts=allowed_hosts(settings) if front else ())
        if front:
            app = front(app, partial(Bodies, messages=PATH))
        _Uvicorn(app, settings.host, start_ending, beside).run(sockets=[listener])
    return 0


class _Uvicorn(uvicorn.Server):
    """Uvicorn that says where it listens, and ends without raising the signal again."""

    def __init__(
        self, app: ASGIApp, host: str, start_ending: Callable[[], None], beside: Beside | None
    ) -> None:
        config = uvicorn.Config(
            app,
            # httptools, where installed, lets through whitespace that the protocol forbids.
            http="h11",
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE_S,
        )
        super().__init__(config)
        self._host = host
        self._start_ending = start_ending
        self._beside = beside

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        assert sockets, "the listener is opened before the server starts"
        port = sockets[0].getsockname()[1]
        base = f"http://{in_url(self._host)}:{port}"
        sys.stderr.write(f"Hansard listens on {base}{PATH}\n")
        if self._beside:
            sys.stderr.write(f"{self._beside.announce(base, port)}\n")
        sys.stderr.flush()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take signals as orders to end."""
        # Event streams find this server by looking whose method the signal handler is.
        before = {number: signal.signal(number, self._told_to_end) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _told_to_end(self, _: int, _frame: FrameType | None) -> None:
        if not self.should_exit:
            self.should_exit = True
            asyncio.get_running_loop().call_soon_threadsafe(self._start_ending)


def _require_loopback(host: str) -> None:
    """Refuse to be reached from elsewhere with nobody to admit callers."""
    if host not in LOOPBACK:
        raise InvalidInput(
            f"Hansard listens only on this machine here, and {host} is not its own address",
            hint=f"Use one of {', '.join(LOOPBACK)}",
            argument="host",
        )


class PortTaken(InvalidInput):
    """Another program listens on the port."""


def listen(host: str, port: int) -> socket.socket:
    """Open the port, or say in a sentence why not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise PortTaken(
                f"Port {port} of {host} is taken by another program",
                hint="Choose another with --port",
                argument="port",
            ) from error
        raise InvalidInput(
            f"Cannot listen on {host} port {port}: {error}",
            hint="Choose another port or address",
            argument="port",
        ) from error
    # Connections inherit it. The event loop would set it, but does not know ours for TCP, and an
    # answer in two parts then waits 40 ms for the caller to acknowledge the first.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


async def _healthz(_: Request) -> PlainTextResponse:
    return PlainTextResponse("ok")
