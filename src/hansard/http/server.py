"""The HTTP server: listens, serves MCP and the site, and shuts down."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from types import FrameType
from typing import Protocol

import anyio
import uvicorn
from starlette.routing import Route
from starlette.types import ASGIApp

from hansard.app.application import Application
from hansard.app.settings import LOOPBACK, Settings, allowed_hosts
from hansard.http.port import listen
from hansard.http.workers.worker_socket import AT_ONCE, BACKLOG, Worker, end_here
from hansard.kernel.problem import InvalidInput
from hansard.mcp.body_limits import Bodies
from hansard.mcp.dispatch import CALLS_AT_ONCE_MAX
from hansard.mcp.forced_exit import GIVE_UP_S, ForcedExit
from hansard.mcp.origins import in_url
from hansard.mcp.streamable_http import PATH, HttpServer, mounted

GRACE_S = int(GIVE_UP_S) - 1
"""How long open requests may take to finish before their connections are cut."""

LINGER_S, LINGER_TICKS = 0.25, 25
"""How long an idle connection is kept for a request that may be on its way already."""

SIGNALS = (signal.SIGTERM, signal.SIGINT)


EXIT_CUT_OFF = 1
"""The exit code of a server that was told twice to end."""


class Beside(Protocol):
    """What is served beside MCP on the same address."""

    def routes(self) -> list[Route]:
        """List what is answered where."""

    def announce(self, base: str, port: int) -> str:
        """Give its address, in a line."""

    def end(self) -> None:
        """End what would keep the server from ending."""


def serve(
    application: Application,
    settings: Settings,
    beside: Beside | None = None,
    *,
    front: Callable[[ASGIApp, Callable[[ASGIApp], ASGIApp]], ASGIApp] | None = None,
    listener: socket.socket | None = None,
    worker: Worker | None = None,
) -> int:
    """Serve until a signal comes. Closes the application. Returns the exit code.

    `front` puts what admits callers before everything but what it is given second; without it only
    this machine is served.
    `listener` is the port to serve on, if it is open already. `worker` is this process's
    place where several serve on it.
    """
    with (
        ForcedExit() as last_resort,
        closing(application),
        # Ended here, where the last resort still holds: at its own end the interpreter waits.
        ThreadPoolExecutor(CALLS_AT_ONCE_MAX, "call") as threads,
    ):
        if front is None:
            _require_loopback(settings.host)
        listener = listener or listen(settings.host, settings.port)
        server = HttpServer(application, settings, is_alone=worker is None)

        def start_ending() -> None:
            last_resort.start()
            server.notices.end_streams()
            if beside:
                beside.end()

        routes = beside.routes() if beside else ()
        hosts = allowed_hosts(settings) if front else ()
        app = mounted(server, routes, hosts=hosts, threads=threads)
        if front:
            app = front(app, partial(Bodies, messages=PATH))
        sockets = [listener, worker.listen()] if worker else [listener]
        _Uvicorn(app, settings.host, start_ending, beside, worker).run(sockets=sockets)
    return 0


class _Uvicorn(uvicorn.Server):
    """Uvicorn that says where it listens, and ends without raising the signal again."""

    def __init__(
        self,
        app: ASGIApp,
        host: str,
        start_ending: Callable[[], None],
        beside: Beside | None,
        worker: Worker | None,
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
            backlog=AT_ONCE if worker else BACKLOG,
        )
        super().__init__(config)
        self._host = host
        self._start_ending = start_ending
        self._beside = beside
        self._worker = worker

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        assert sockets, "the listener is opened before the server starts"
        port = sockets[0].getsockname()[1]
        base = f"http://{in_url(self._host)}:{port}"
        if self._worker:
            # The backlog stays: uvicorn was told how many connections to accept at once.
            for one in sockets:
                one.listen(BACKLOG)
            self._worker.follow(lambda: None if self.should_exit else end_here())
            self._worker.is_ready(self._beside.announce(base, port) if self._beside else "")
            return
        sys.stderr.write(f"Hansard listens on {base}{PATH}\n")
        if self._beside:
            sys.stderr.write(f"{self._beside.announce(base, port)}\n")
        sys.stderr.flush()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections, answer requests on the open ones, and close them."""
        for server in self.servers:
            server.close()
        # From now on answers ask clients to reconnect.
        closing_header = (b"connection", b"close")
        self.server_state.default_headers = [*self.server_state.default_headers, closing_header]
        began = anyio.current_time()
        for _ in range(LINGER_TICKS):
            if self.server_state.connections and anyio.current_time() - began < LINGER_S:
                await anyio.sleep(LINGER_S / LINGER_TICKS)
        # It is a part of the time that requests have to finish: the last resort counts already.
        left_s = GRACE_S - (anyio.current_time() - began)
        self.config.timeout_graceful_shutdown = left_s  # type: ignore[assignment]
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals by ending."""
        # Event streams find this server by looking whose method the signal handler is.
        before = {number: signal.signal(number, self._told_to_end) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _told_to_end(self, _: int, _frame: FrameType | None) -> None:
        if self.should_exit:
            # Acknowledged writes are on disk, and a second signal means: wait for nothing.
            os._exit(EXIT_CUT_OFF)
        self.should_exit = True
        asyncio.get_running_loop().call_soon_threadsafe(self._start_ending)


def _require_loopback(host: str) -> None:
    """Refuse to be reachable from elsewhere without anything that admits callers."""
    if host not in LOOPBACK:
        raise InvalidInput(
            f"Hansard listens only on this machine here, and {host} is not its own address",
            hint=f"Use one of {', '.join(LOOPBACK)}",
            argument="host",
        )
