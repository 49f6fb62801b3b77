"""MCP over stdin and stdout: one client, one process, nothing but JSON-RPC on the wire."""

import asyncio
import math
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.runner import serve_dual_era_loop
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import JSONRPCMessage, JSONRPCRequest

from hansard.app.application import Application
from hansard.app.leaving import leave_in_time
from hansard.app.settings import Settings
from hansard.hooks.places import hooks_folder
from hansard.mcp.callers import stdio_door
from hansard.mcp.cards import Card
from hansard.mcp.front import DISCOVER, VERSION
from hansard.mcp.in_flight import Traffic
from hansard.mcp.intake import StdioIntake
from hansard.mcp.last_resort import LastResort
from hansard.mcp.reading import LineReader, claim
from hansard.mcp.server import HansardServer
from hansard.mcp.wire import LineWriter

SIGNALS = (signal.SIGTERM, signal.SIGINT)


def serve(
    application: Application,
    settings: Settings,
    reader: LineReader | None = None,
    cards: Sequence[Card] | None = None,
) -> int:
    """Serve the client on stdin and stdout until it leaves or a signal comes.

    Takes over from a reader that has begun, with the catalog's cards if they are at hand. Closes
    the application. Returns the exit code.
    """
    folder = hooks_folder({"store": settings.store} if settings.store else {}, os.environ)
    door = stdio_door(settings.session, application.store, hooks_folder=folder)
    server = HansardServer(application, settings, door, cards=cards)
    if reader is None:
        reader = LineReader(*claim())
        reader.start()
    with LastResort() as last_resort, ExitStack() as ending:
        ending.callback(application.close)
        anyio.run(_serve, server, reader, last_resort.start)
        assert door.seat, "a pipe has one chat at its other end"
        if not leave_in_time(application, door.seat, door.lifeline):
            ending.pop_all()
    return 0


async def _serve(
    server: HansardServer, reader: LineReader, start_ending: Callable[[], None]
) -> None:
    loop = asyncio.get_running_loop()
    ending = asyncio.Event()
    traffic = Traffic()
    pipe = Pipe(traffic)

    def end() -> None:
        if not traffic.is_closed:
            loop.call_soon_threadsafe(ending.set)

    def push(message: JSONRPCMessage) -> None:
        loop.call_soon_threadsafe(pipe.push, message)

    writer = LineWriter(reader.wire_out, framed=reader.framed, answered=traffic.leave, broken=end)
    reader.hand_to(StdioIntake(traffic, push=push, refuse=writer.put, ended=end))
    for number in SIGNALS:
        loop.add_signal_handler(number, ending.set)
    async with anyio.create_task_group() as tasks:
        options = server.create_initialization_options()
        tasks.start_soon(server.run, pipe.from_client, writer, options)
        tasks.start_soon(_serve_probes, server, pipe, writer)
        await ending.wait()
        start_ending()
        server.notices.end_streams()
        # The SDK drops what is still open when its input ends, so it ends only after that.
        await traffic.settle()
        pipe.close()
    writer.finish()


async def _serve_probes(server: HansardServer, pipe: "Pipe", writer: LineWriter) -> None:
    await serve_dual_era_loop(server, pipe.probes, writer, lifespan_state=None)


class Pipe:
    """What came from the client, on its way to the SDK.

    The SDK takes the first request of a connection to settle its era. Mere discovery must not:
    hosts that are not answered at once go on with a handshake. So for the SDK, whatever discovers
    before anything else was asked is on a connection of its own.
    """

    def __init__(self, traffic: Traffic) -> None:
        """Begin with nothing settled."""
        self._traffic = traffic
        self._is_settled = False
        self._to_server, self.from_client = _stream()
        self._to_probes, self.probes = _stream()

    def push(self, message: JSONRPCMessage) -> None:
        """Pass a message on; runs on the event loop."""
        is_request = isinstance(message, JSONRPCRequest)
        is_probe = is_request and not self._is_settled and _discovers(message)
        self._is_settled |= is_request and not is_probe
        # A notification may come too late; a request holds the stream open until it is answered.
        with suppress(anyio.ClosedResourceError):
            to = self._to_probes if is_probe else self._to_server
            to.send_nowait(_framed(message, self._traffic))

    def close(self) -> None:
        """End both."""
        self._to_server.close()
        self._to_probes.close()


def _discovers(message: JSONRPCMessage) -> bool:
    """Whether it is discovery as the current era has it."""
    if not isinstance(message, JSONRPCRequest) or message.method != DISCOVER:
        return False
    meta = (message.params or {}).get("_meta")
    return isinstance(meta, dict) and VERSION in meta


def _stream() -> tuple[
    MemoryObjectSendStream[SessionMessage | Exception],
    MemoryObjectReceiveStream[SessionMessage | Exception],
]:
    return anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)


def _framed(message: JSONRPCMessage, traffic: Traffic) -> SessionMessage:
    if not isinstance(message, JSONRPCRequest):
        return SessionMessage(message)
    request_id = message.id

    async def unanswered() -> None:
        traffic.leave(request_id)

    return SessionMessage(message, ServerMessageMetadata(on_request_unanswered=unanswered))
