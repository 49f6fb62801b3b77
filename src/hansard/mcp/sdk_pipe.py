"""The SDK's server on a pipe, loaded when a message needs it."""

import asyncio
import math
from collections.abc import Callable
from contextlib import suppress

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.runner import serve_dual_era_loop
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import JSONRPCMessage, JSONRPCRequest

from hansard.mcp.handshake import DISCOVER, VERSION
from hansard.mcp.open_requests import Traffic
from hansard.mcp.pipe_dispatch import PipeDispatcher
from hansard.mcp.pipe_writer import LineWriter
from hansard.mcp.sdk_intake import SdkIntake
from hansard.mcp.server import HansardServer


def serve_rest(
    server: HansardServer,
    desk: PipeDispatcher,
    *,
    traffic: Traffic,
    writer: LineWriter,
    wait: Callable[[], None],
    start_ending: Callable[[], None],
) -> None:
    """Answer what the desk hands on until `wait` returns, and all that is open has been answered.

    From its event loop, `wait` is called in a thread.
    """

    async def serving() -> None:
        loop = asyncio.get_running_loop()
        pipe = Pipe(traffic)

        def push(message: JSONRPCMessage) -> None:
            loop.call_soon_threadsafe(pipe.push, message)

        async with anyio.create_task_group() as tasks:
            options = server.create_initialization_options()
            tasks.start_soon(server.run, pipe.from_client, writer, options)
            tasks.start_soon(_serve_probes, server, pipe, writer)
            desk.hand_to(SdkIntake(traffic, push=push))
            await anyio.to_thread.run_sync(wait)
            start_ending()
            server.notices.end_streams()
            # The SDK drops what is still open when its input ends, so it ends only after that.
            await anyio.to_thread.run_sync(traffic.settle)
            pipe.close()

    anyio.run(serving)


async def _serve_probes(server: HansardServer, pipe: "Pipe", writer: LineWriter) -> None:
    await serve_dual_era_loop(server, pipe.probes, writer, lifespan_state=None)


class Pipe:
    """What came from the client, on its way to the SDK.

    The SDK takes the first request of a connection to settle its era. Mere discovery must not:
    hosts that get no immediate answer continue with a handshake. So for the SDK, discovery before
    any other request has a connection of its own.
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
