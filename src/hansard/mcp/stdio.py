"""MCP over stdin and stdout: one client, one process, nothing but JSON-RPC on the wire."""

import asyncio
import math
import os
import signal
from collections.abc import Callable
from contextlib import ExitStack, suppress

import anyio
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import JSONRPCMessage, JSONRPCRequest

from hansard.app.application import Application
from hansard.app.leaving import leave_in_time
from hansard.app.settings import Settings
from hansard.mcp.callers import stdio_door
from hansard.mcp.ending import LastResort
from hansard.mcp.server import HansardServer
from hansard.mcp.traffic import Traffic
from hansard.mcp.wire import LineReader, LineWriter

SIGNALS = (signal.SIGTERM, signal.SIGINT)


def serve(application: Application, settings: Settings) -> int:
    """Serve the client on stdin and stdout until it leaves or a signal comes.

    Closes the application. Returns the exit code.
    """
    door = stdio_door(settings.session, application.store)
    server = HansardServer(application, settings, door)
    with LastResort() as last_resort, ExitStack() as ending:
        ending.callback(application.close)
        anyio.run(_serve, server, *_claim(), last_resort.start)
        assert door.seat, "a pipe has one chat at its other end"
        if not leave_in_time(application, door.seat, door.lifeline):
            ending.pop_all()
    return 0


async def _serve(
    server: HansardServer, wire_in: int, wire_out: int, start_ending: Callable[[], None]
) -> None:
    loop = asyncio.get_running_loop()
    ending = asyncio.Event()
    traffic = Traffic()
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)

    def push(message: JSONRPCMessage) -> None:
        # A notification may come too late; a request holds the stream open until it is answered.
        with suppress(anyio.ClosedResourceError):
            to_server.send_nowait(_framed(message, traffic))

    def accept(message: JSONRPCMessage, size: int) -> bool:
        is_let_in = (
            traffic.enter(message, size)
            if isinstance(message, JSONRPCRequest)
            else not traffic.is_closed
        )
        if is_let_in:
            loop.call_soon_threadsafe(push, message)
        return is_let_in

    def end() -> None:
        if not traffic.is_closed:
            loop.call_soon_threadsafe(ending.set)

    writer = LineWriter(wire_out, answered=traffic.leave, broken=end)
    LineReader(wire_in, accept=accept, refuse=writer.put, ended=end).start()
    for number in SIGNALS:
        loop.add_signal_handler(number, ending.set)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.run, from_client, writer, server.create_initialization_options())
        await ending.wait()
        start_ending()
        server.notices.end_streams()
        # The SDK drops what is still open when its input ends, so it ends only after that.
        await traffic.settle()
        to_server.close()
    writer.finish()


def _framed(message: JSONRPCMessage, traffic: Traffic) -> SessionMessage:
    if not isinstance(message, JSONRPCRequest):
        return SessionMessage(message)
    request_id = message.id

    async def unanswered() -> None:
        traffic.leave(request_id)

    return SessionMessage(message, ServerMessageMetadata(on_request_unanswered=unanswered))


def _claim() -> tuple[int, int]:
    """Keep the wire to ourselves: what others print goes to stderr, and they have no input."""
    wire_in, wire_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        # Started without a stderr.
        os.dup2(nothing, 1)
    os.close(nothing)
    return wire_in, wire_out
