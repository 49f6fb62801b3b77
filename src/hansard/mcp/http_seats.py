"""Assigns a client over HTTP its seat, so that its unnamed calls share a session.

A client of the handshake era has a connection, which is one chat. One of the current era has none:
each request stands for itself, and says only which program asks. Two chats of one program look the
same, and must never be confused: one would silently overwrite the other's records. So such a client
is recognized by its beginning, `server/discover`, and only as long as no other that looks the same
is there.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hansard.app.tokens import Token
from hansard.kernel.operation import Seat
from hansard.mcp.request_metadata import Circumstances

CONNECTION = "mcp-session-id"

PASSED_ON = ("forwarded", "x-forwarded-for", "via")
"""Headers of a forwarded request: the client behind it may have begun at the other server."""

SEATS_MAX = 4_096
"""Connections, and kinds of clients, that are remembered: the latest."""

BEGINNINGS_MAX = 2
"""More are counted as two."""


@dataclass(slots=True)
class Beginning:
    """A chat that began, or that was met after it had; when something was last heard of it."""

    heard: float
    seat: Seat | None = None


class HttpSeats:
    """Remembers which client has which seat, for the life of this process."""

    def __init__(
        self,
        quiet_s: float,
        timer: Callable[[], float] = time.monotonic,
        *,
        meets_all: bool = True,
    ) -> None:
        """Treat a client that was silent for longer than `quiet_s` as gone.

        A process that does not meet everyone (`meets_all`) cannot know that a chat is the only one.
        """
        self._quiet_s = quiet_s
        self._meets_all = meets_all
        self._timer = timer
        self._lock = threading.Lock()
        self._connections: OrderedDict[tuple[str, ...], Seat] = OrderedDict()
        self._begun: OrderedDict[tuple[str, ...], list[Beginning]] = OrderedDict()

    def connected(self, *who: str) -> Seat:
        """Give the seat of a connection, which is its own also if another token names it."""
        with self._lock:
            seat = self._connections.setdefault(who, Seat(adopts=True))
            _keep_latest(self._connections, who)
            return seat

    def begin(self, *who: str) -> None:
        """Note that a chat of this kind begins."""
        with self._lock:
            self._add(who, Beginning(self._timer(), Seat(adopts=True)))

    def alone(self, *who: str) -> Seat | None:
        """Give the seat of the one chat of this kind; `None` if there may be another."""
        if not self._meets_all:
            return None
        with self._lock:
            there = self._there(who)
            if not there:
                # It began before this process did, or elsewhere: a client that begins now is
                # another.
                self._add(who, Beginning(self._timer()))
                return None
            # Whichever of them it is, all may still be there.
            for one in there:
                one.heard = self._timer()
            return there[0].seat if len(there) == 1 else None

    def _there(self, who: tuple[str, ...]) -> list[Beginning]:
        since = self._timer() - self._quiet_s
        return [one for one in self._begun.get(who, ()) if one.heard >= since]

    def _add(self, who: tuple[str, ...], beginning: Beginning) -> None:
        self._begun[who] = [*self._there(who), beginning][-BEGINNINGS_MAX:]
        _keep_latest(self._begun, who)


def seat_of(seats: HttpSeats, asked: Circumstances, token: Token | None) -> Seat | None:
    """Find the seat of a request's sender; `None` if that is unknown."""
    if asked.is_stateless:
        who = _looks(asked, token)
        return seats.alone(*who) if who else None
    connection = asked.request.headers.get(CONNECTION) if asked.request else None
    return seats.connected(token.id if token else "", connection) if connection else None


def note_beginning(seats: HttpSeats, asked: Circumstances, token: Token | None) -> None:
    """Note that a client of the current era begins."""
    if who := _looks(asked, token):
        seats.begin(*who)


def _looks(asked: Circumstances, token: Token | None) -> tuple[str, ...] | None:
    """Say what distinguishes a client of the current era; `None` if that is too little."""
    request, client = asked.request, asked.client
    if request is None or client is None or any(name in request.headers for name in PASSED_ON):
        return None
    host = request.client.host if request.client else ""
    return token.id if token else "", client.name, client.version or "", host


def _keep_latest(known: OrderedDict[tuple[str, ...], Any], who: tuple[str, ...]) -> None:
    known.move_to_end(who)
    while len(known) > SEATS_MAX:
        known.popitem(last=False)
