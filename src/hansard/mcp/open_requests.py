"""Requests that are read and not answered yet: counted, bounded, and awaited at the end."""

import threading
from collections import defaultdict

from hansard.kernel.limits import KIB
from hansard.mcp.messages import RequestId

OPEN_WEIGHT_MAX = 64
"""Requests one client may have open before its next one is left in the pipe."""

WEIGHT_BYTES = 256 * KIB
"""A request weighs one more for each of these, so that long ones are few at a time."""

LISTEN = "subscriptions/listen"
"""A request that stays open for as long as the client likes, and therefore weighs nothing."""


class Traffic:
    """Admits requests while there is room, and knows when all of them are done."""

    def __init__(self) -> None:
        """Start with nothing open."""
        self._room = threading.Condition()
        self._weights: defaultdict[RequestId, list[int]] = defaultdict(list)
        self._weight = 0
        self._closed = False
        self._settled = threading.Event()

    def enter(self, request_id: RequestId, method: str, size: int) -> bool:
        """Wait for room, in the thread that reads; returns false when no more are admitted."""
        weight = 0 if method == LISTEN else 1 + size // WEIGHT_BYTES
        with self._room:
            while self._weight and self._weight + weight > OPEN_WEIGHT_MAX and not self._closed:
                self._room.wait()
            if self._closed:
                return False
            self._weights[request_id].append(weight)
            self._weight += weight
            return True

    def leave(self, request_id: RequestId) -> None:
        """Note that a request was answered, or never will be."""
        with self._room:
            weights = self._weights[request_id]
            assert weights, f"request {request_id!r} was answered twice"
            self._weight -= weights.pop()
            if not weights:
                del self._weights[request_id]
            self._room.notify()
            self._check_settled()

    @property
    def is_closed(self) -> bool:
        """Whether no more requests are admitted."""
        return self._closed

    def settle(self) -> None:
        """Admit no more requests, and wait until all open ones are done."""
        with self._room:
            self._closed = True
            self._room.notify_all()
            self._check_settled()
        self._settled.wait()

    def _check_settled(self) -> None:
        if self._closed and not self._weights:
            self._settled.set()
