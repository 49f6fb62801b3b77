"""The last word of a server that cannot start: said to the client, which would see only an end."""

import json
import os
import select
import sys

from hansard.kernel.problem import Problem
from hansard.mcp.lines import Line
from hansard.mcp.messages import ID_SEARCH_BYTES, Malformed, RequestId, find_id, read
from hansard.mcp.pipes import write_all
from hansard.mcp.reading import LineReader

FIRST_MESSAGE_S = 5.0
"""How long a client may take to say the first word."""


def refuse(problem: Problem) -> None:
    """Answer the first request on stdin with why nothing can be served."""
    if sys.stdin is None or sys.stdin.isatty():
        return
    try:
        line = _first_line(sys.stdin.fileno())
    except (OSError, ValueError):
        return  # nobody is there to be told
    if not line.strip():
        return
    write_all(1, _refusal(problem, find_id(line, b"")) + b"\n")


def refuse_all(problem: Problem, reader: LineReader) -> None:
    """Answer whatever else a client asks with why it cannot be served, until it leaves."""
    reader.hand_to(Refusing(problem, reader))
    reader.join()


class Refusing:
    """Stands where the server would be."""

    def __init__(self, problem: Problem, reader: LineReader) -> None:
        """Answer with a problem, where the reader's client reads."""
        self._problem = problem
        self._reader = reader

    def repeat(self, line: bytes) -> None:
        """Leave it: there is nothing that it could change."""

    def take(self, line: Line) -> bool:
        """Answer a request; false when nobody listens."""
        request_id = _id_of(line)
        if request_id is None:
            return True
        answer = self._reader.framed(_refusal(self._problem, request_id))
        return write_all(self._reader.wire_out, answer)

    def end(self) -> None:
        """Have nothing more to do."""


def _id_of(line: Line) -> RequestId | None:
    """Find what is to be answered; `None` where nothing is owed."""
    if not isinstance(line, bytes):
        return find_id(line.head, line.tail)
    try:
        message = read(line)
    except Malformed as malformed:
        return malformed.request_id if malformed.owed else None
    return message.get("id") if "method" in message else None


def _refusal(problem: Problem, request_id: RequestId | None) -> bytes:
    error = {"code": problem.rpc_code, "message": problem.message, "data": problem.as_dict()}
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": error}).encode()


def _first_line(incoming: int) -> bytes:
    """Read what comes, up to the end of a line."""
    line = b""
    while b"\n" not in line and len(line) < ID_SEARCH_BYTES:
        if not select.select([incoming], [], [], FIRST_MESSAGE_S)[0]:
            break
        part = os.read(incoming, ID_SEARCH_BYTES)
        if not part:
            break
        line += part
    return line
