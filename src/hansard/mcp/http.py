"""MCP over Streamable HTTP, for clients on this machine."""

import asyncio
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from types import FrameType
from typing import Any

import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.kernel.limits import REQUEST_BYTES_MAX
from hansard.kernel.problem import InvalidInput
from hansard.mcp.callers import http_door
from hansard.mcp.ending import GIVE_UP_S, LastResort
from hansard.mcp.guard import LOOPBACK, Guard, in_url, loopback_only
from hansard.mcp.server import HansardServer

PATH = "/mcp"

GRACE_S = int(GIVE_UP_S) - 1
"""How long open requests may take to finish before their connections are cut."""

SIGNALS = (signal.SIGTERM, signal.SIGINT)

CONNECTIONS_MAX = 1_000
"""Clients of the handshake era that may be connected at once."""


def asgi_app(application: Application, settings: Settings) -> ASGIApp:
    """Make the web application: MCP under /mcp, and /healthz."""
    return mounted(HansardServer(application, settings, http_door(settings.session)))


def mounted(server: HansardServer, **options: Any) -> ASGIApp:
    """Put a server object behind HTTP; `options` are the SDK's own, for tests of the protocol."""
    security = loopback_only()
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=REQUEST_BYTES_MAX,
        max_sessions=CONNECTIONS_MAX,
        transport_security=security,
        custom_starlette_routes=[Route("/healthz", _healthz)],
        **options,
    )
    return Guard(app, path=PATH, security=security)


def serve(application: Application, settings: Settings) -> int:
    """Serve until a signal comes. Closes the application. Returns the exit code."""
    with LastResort() as last_resort, closing(application):
        listener = _listener(settings.host, settings.port)
        server = HansardServer(application, settings, http_door(settings.session))

        def start_ending() -> None:
            last_resort.start()
            server.notices.end_streams()

        _Uvicorn(mounted(server), settings.host, start_ending).run(sockets=[listener])
    return 0


class _Uvicorn(uvicorn.Server):
    """Uvicorn that says where it listens, and ends without raising the signal again."""

    def __init__(self, app: ASGIApp, host: str, start_ending: Callable[[], None]) -> None:
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

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        assert sockets, "the listener is opened before the server starts"
        port = sockets[0].getsockname()[1]
        sys.stderr.write(f"Hansard listens on http://{in_url(self._host)}:{port}{PATH}\n")
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


def _listener(host: str, port: int) -> socket.socket:
    """Open the port, or say in a sentence why not."""
    if host not in LOOPBACK:
        raise InvalidInput(
            f"Hansard listens only on this machine for now, and {host} is not its own address",
            hint=f"Use one of {', '.join(LOOPBACK)}",
            argument="host",
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        raise InvalidInput(
            f"Cannot listen on port {port}: {error}",
            hint="Choose another port",
            argument="port",
        ) from error


async def _healthz(_: Request) -> PlainTextResponse:
    return PlainTextResponse("ok")
