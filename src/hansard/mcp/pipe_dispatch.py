"""Dispatches stdio messages: plain calls are answered here, the rest by the SDK's server.

Calls, lists and pings are plain, as hosts send them, and most chats consist of nothing else. So the
SDK, which takes half of the memory and most of the start-up time, is loaded for the first other
message. From then on both answer: plain messages here, in the same threads as before.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from pydantic_core import PydanticSerializationError, to_json

from hansard.kernel.limits import REQUEST_BYTES_MAX
from hansard.mcp.answers import error_of
from hansard.mcp.client_names import Client
from hansard.mcp.dispatch import (
    CALL,
    CALLS_AT_ONCE_MAX,
    ToolDispatcher,
    asked_in_current_era,
    plain_call,
)
from hansard.mcp.handshake import INITIALIZE, KEPT_MAX, StdioHandshake
from hansard.mcp.lines import Line, TooLong
from hansard.mcp.messages import Json, Malformed, RequestId, read, too_long
from hansard.mcp.open_requests import Traffic
from hansard.mcp.pipe_writer import LineWriter
from hansard.mcp.request_metadata import Circumstances, introduced

INITIALIZED = "notifications/initialized"
CANCELLED = "notifications/cancelled"

Call = tuple[str, Json, Circumstances]


class Rest(Protocol):
    """The SDK's server, which answers all the rest."""

    def take(self, message: Json, size: int) -> bool:
        """Take a message; false when no more are taken."""

    def repeat(self, message: Json) -> None:
        """Take a message that was answered already."""


@dataclass(slots=True)
class _Flight:
    """A call that is being answered."""

    is_awaited: bool = True
    """Whether the client still wants the answer."""


class PipeDispatcher:
    """Takes messages from the reader's thread, in order."""

    def __init__(
        self,
        desk: ToolDispatcher,
        front: StdioHandshake | None,
        *,
        traffic: Traffic,
        writer: LineWriter,
        load: Callable[[], None],
        ended: Callable[[], None],
    ) -> None:
        """Answer plain calls; without a front none are plain.

        `load` loads the SDK's server, which then arrives through `hand_to`.
        """
        self._desk, self._front = desk, front
        self._traffic, self._writer = traffic, writer
        self._load = load
        self.end = ended
        self._threads = ThreadPoolExecutor(CALLS_AT_ONCE_MAX, "call")
        self._flying = threading.Lock()
        self._flights: dict[RequestId, _Flight] = {}
        self._introduced: tuple[Client | None, bool] | None = None
        """What the client said in its handshake."""
        self._rest: Rest | None = None
        self._has_rest = threading.Event()

    def hand_to(self, rest: Rest) -> None:
        """Give everything else to a server from now on."""
        self._rest = rest
        self._has_rest.set()

    def close(self) -> None:
        """End, after all admitted calls have been answered."""
        self._threads.shutdown()

    def repeat(self, line: bytes) -> None:
        """Take a message that was answered already; the handshake keeps its own."""
        if self._front is None:
            self._server().repeat(read(line))

    def take(self, line: Line) -> bool:
        """Take a message; false when no more are taken."""
        try:
            message, size = _message(line)
        except Malformed as malformed:
            if malformed.owed:
                self._writer.put(malformed.answer())
            return True
        if self._traffic.is_closed:
            return False
        if "method" not in message:
            return self._rest is None or self._rest.take(message, size)
        if "id" not in message:
            return self._notice(message, size)
        return self._request(message, line, size)

    def _notice(self, message: Json, size: int) -> bool:
        if message["method"] == CANCELLED and self._cancel(message.get("params") or {}):
            return True
        if self._rest or self._front is None:
            return self._server().take(message, size)
        if message["method"] == INITIALIZED and len(self._front.kept) < KEPT_MAX:
            self._front.kept.append(to_json(message))
        return True

    def _request(self, message: Json, line: Line, size: int) -> bool:
        front = self._front
        if front and (front.era or self._rest is None):
            assert isinstance(line, bytes), "it was read"
            if answer := front.answer_to(message, line):
                self._writer.put(answer)
                return True
            if call := self._plain_call(front, message):
                return self._begin(message["id"], call, size)
        if message["method"] == INITIALIZE:
            # A client that introduces itself again is known to that server only.
            self._front = None
        with self._flying:
            # From now on a cancellation of this id means this request.
            self._flights.pop(_known(message["id"]), None)
        return self._server(front).take(message, size)

    def _plain_call(self, front: StdioHandshake, message: Json) -> Call | None:
        found = plain_call(message)
        era = front.era_of_call(found[2]) if found else None
        if found is None or era is None:
            return None
        name, given, meta = found
        if era == "current":
            return name, given, asked_in_current_era(meta)
        if self._introduced is None:
            said = front.introduced
            self._introduced = introduced(said["clientInfo"], said["capabilities"])
        return name, given, Circumstances(meta, *self._introduced)

    def _begin(self, request_id: RequestId, call: Call, size: int) -> bool:
        if not self._traffic.enter(request_id, CALL, size):
            return False
        flight = _Flight()
        with self._flying:
            self._flights[_known(request_id)] = flight
        if self._desk.is_quick(*call):
            self._answer(request_id, call, flight)
        else:
            self._threads.submit(self._answer, request_id, call, flight)
        return True

    def _answer(self, request_id: RequestId, call: Call, flight: _Flight) -> None:
        try:
            outcome = self._desk.outcome(*call) if flight.is_awaited else {}
            with self._flying:
                if self._flights.get(_known(request_id)) is flight:
                    del self._flights[_known(request_id)]
            if flight.is_awaited:
                self._writer.put(_line(request_id, outcome))
        finally:
            self._traffic.leave(request_id)

    def _cancel(self, params: Json) -> bool:
        """Leave a call unanswered, as the client wishes; false if it is not being answered here."""
        told = params.get("requestId")
        if isinstance(told, bool) or not isinstance(told, int | str):
            return False
        with self._flying:
            flight = self._flights.get(_known(told))
            if flight is None:
                return False
            flight.is_awaited = False
            return True

    def _server(self, front: StdioHandshake | None = None) -> Rest:
        """Give the SDK's server, which knows by then all that the front has answered."""
        if not self._has_rest.is_set():
            self._load()
            self._has_rest.wait()
            for kept in front.kept if front else ():
                self._known_rest().repeat(read(kept))
        return self._known_rest()

    def _known_rest(self) -> Rest:
        assert self._rest, "the event says that there is one"
        return self._rest


def _message(line: Line) -> tuple[Json, int]:
    if isinstance(line, TooLong):
        raise too_long(line.head, line.tail, bytes_max=REQUEST_BYTES_MAX)
    return read(line), len(line)


def _line(request_id: RequestId, outcome: Json) -> bytes:
    try:
        return to_json({"jsonrpc": "2.0", "id": request_id, **outcome})
    except PydanticSerializationError as error:  # half a character in stored text: a bug
        return to_json({"jsonrpc": "2.0", "id": request_id, "error": error_of(error)})


def _known(request_id: RequestId) -> RequestId:
    """Give an id in the form for comparison: a number may come back as text."""
    if isinstance(request_id, str):
        try:
            return int(request_id)
        except ValueError:
            pass
    return request_id
