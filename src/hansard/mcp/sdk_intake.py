"""Passes messages from the reader thread to the SDK's server over stdio."""

from collections.abc import Callable

from mcp_types import JSONRPCMessage, JSONRPCRequest

from hansard.mcp.messages import Json, Malformed, typed
from hansard.mcp.open_requests import Traffic
from hansard.mcp.pipe_writer import UNHEARD


class SdkIntake:
    """Admits what there is room for, in the SDK's types."""

    def __init__(self, traffic: Traffic, *, push: Callable[[JSONRPCMessage], None]) -> None:
        """Push what is admitted, in order."""
        self._traffic = traffic
        self._push = push

    def take(self, message: Json, size: int) -> bool:
        """Take a message that was read; false when no more are taken."""
        try:
            return self._let_in(typed(message), size)
        except Malformed:  # an unreadable response, to which no answer is due
            return True

    def repeat(self, message: Json) -> None:
        """Take a message that was answered already, for its effects; the answer is dropped."""
        again = message | {"id": UNHEARD} if "id" in message else message
        self._let_in(typed(again), 0)

    def _let_in(self, message: JSONRPCMessage, size: int) -> bool:
        is_let_in = (
            self._traffic.enter(message.id, message.method, size)
            if isinstance(message, JSONRPCRequest)
            else not self._traffic.is_closed
        )
        if is_let_in:
            self._push(message)
        return is_let_in
