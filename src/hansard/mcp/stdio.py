"""MCP over stdin and stdout: one client, one process, only JSON-RPC on the wire."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from queue import SimpleQueue
from typing import Literal

from hansard.app.application import Application
from hansard.app.session_end import leave_in_time
from hansard.app.settings import Settings
from hansard.hooks.locations import hooks_folder
from hansard.mcp.callers import stdio_door
from hansard.mcp.cards import Card
from hansard.mcp.dispatch import ToolDispatcher
from hansard.mcp.forced_exit import ForcedExit
from hansard.mcp.handshake import StdioHandshake
from hansard.mcp.open_requests import Traffic
from hansard.mcp.pipe_dispatch import PipeDispatcher
from hansard.mcp.pipe_reader import LineReader, claim
from hansard.mcp.pipe_writer import LineWriter

SIGNALS = (signal.SIGTERM, signal.SIGINT)

Order = Literal["load", "end"]


def serve(
    application: Application,
    settings: Settings,
    reader: LineReader | None = None,
    cards: Sequence[Card] | None = None,
    front: StdioHandshake | None = None,
) -> int:
    """Serve the client on stdin and stdout until it leaves or a signal comes.

    Takes over from a reader that has begun, with the catalog's cards if they are at hand, and the
    front that has answered so far. Closes the application. Returns the exit code.
    """
    folder = hooks_folder({"store": settings.store} if settings.store else {}, os.environ)
    door = stdio_door(settings.session, application.store, hooks_folder=folder)
    desk = ToolDispatcher(application, settings, door, cards=cards)
    if front:
        front.learn(has_secret=desk.has_secret)
    if reader is None:
        reader = LineReader(*claim())
        reader.start()
    with ForcedExit() as last_resort, ExitStack() as ending:
        ending.callback(application.close)
        _serve(desk, settings, reader, front, last_resort.start)
        assert door.seat, "a pipe has one chat at its other end"
        if not leave_in_time(application, door.seat, door.lifeline):
            ending.pop_all()
    return 0


def _serve(
    desk: ToolDispatcher,
    settings: Settings,
    reader: LineReader,
    front: StdioHandshake | None,
    start_ending: Callable[[], None],
) -> None:
    orders: SimpleQueue[Order] = SimpleQueue()
    traffic = Traffic()

    def end() -> None:
        orders.put("end")

    writer = LineWriter(reader.wire_out, framed=reader.framed, answered=traffic.leave, broken=end)
    pipe_desk = PipeDispatcher(
        desk,
        front,
        traffic=traffic,
        writer=writer,
        load=lambda: orders.put("load"),
        ended=end,
    )
    with _ended_by_signals(end):
        reader.hand_to(pipe_desk)
        if orders.get() == "load":
            from hansard.mcp.sdk_pipe import serve_rest
            from hansard.mcp.server import HansardServer

            server = HansardServer(desk.application, settings, desk.door, desk=desk)
            serve_rest(
                server,
                pipe_desk,
                traffic=traffic,
                writer=writer,
                wait=lambda: _wait_for_end(orders),
                start_ending=start_ending,
            )
        else:
            start_ending()
            traffic.settle()
    pipe_desk.close()
    writer.finish()


def _wait_for_end(orders: "SimpleQueue[Order]") -> None:
    while orders.get() != "end":
        pass


@contextmanager
def _ended_by_signals(end: Callable[[], None]) -> Iterator[None]:
    before = {number: signal.signal(number, lambda *_: end()) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
