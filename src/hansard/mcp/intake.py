"""Where messages from the reader's thread come in to the stdio server."""

from collections.abc import Callable

from mcp_types import JSONRPCError, JSONRPCMessage, JSONRPCRequest

from hansard.kernel.limits import REQUEST_BYTES_MAX
from hansard.mcp.in_flight import Traffic
from hansard.mcp.lines import Line, TooLong
from hansard.mcp.messages import Malformed, parse, too_long
from hansard.mcp.wire import UNHEARD


class StdioIntake:
    """Reads messages strictly, refuses what is none, and lets in what there is room for."""

    def __init__(
        self,
        traffic: Traffic,
        *,
        push: Callable[[JSONRPCMessage], None],
        refuse: Callable[[JSONRPCError], None],
        ended: Callable[[], None],
    ) -> None:
        """Push what is let in, in order."""
        self._traffic = traffic
        self._push = push
        self._refuse = refuse
        self.end = ended

    def take(self, line: Line) -> bool:
        """Take a message; false when no more are taken."""
        try:
            return self._let_in(_message(line), len(line) if isinstance(line, bytes) else 0)
        except Malformed as malformed:
            if malformed.owed:
                self._refuse(malformed.answer())
            return True

    def repeat(self, line: bytes) -> None:
        """Take a message that was answered already, for what it changes; nobody hears the rest."""
        message = parse(line)
        if isinstance(message, JSONRPCRequest):
            message = message.model_copy(update={"id": UNHEARD})
        self._let_in(message, len(line))

    def _let_in(self, message: JSONRPCMessage, size: int) -> bool:
        is_let_in = (
            self._traffic.enter(message, size)
            if isinstance(message, JSONRPCRequest)
            else not self._traffic.is_closed
        )
        if is_let_in:
            self._push(message)
        return is_let_in


def _message(line: Line) -> JSONRPCMessage:
    if isinstance(line, TooLong):
        raise too_long(line.head, line.tail, bytes_max=REQUEST_BYTES_MAX)
    return parse(line)
