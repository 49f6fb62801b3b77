"""Tells the client why the server cannot start; otherwise it would only see the pipe close."""

import json
import os
import select
import sys
import time
from queue import SimpleQueue

from hansard.kernel.problem import Problem
from hansard.mcp.lines import Line
from hansard.mcp.messages import ID_SEARCH_BYTES, Malformed, RequestId, find_id, read
from hansard.mcp.pipe_reader import LineReader
from hansard.mcp.pipes import write_all

FIRST_MESSAGE_S = 5.0
"""How long a client may take to say the first word."""

RETRY_S = 1.0
"""How often the store is tried at most, however often the client asks; a request waits for it."""

SAME_BREATH_S = 0.1
"""A message that arrives this soon after a try was waiting for it, and gets the same answer."""

KEPT_MAX = 16
"""How much is kept that a client says without asking."""


def refuse(problem: Problem) -> None:
    """Answer the first request on stdin with why nothing can be served."""
    if sys.stdin is None or sys.stdin.isatty():
        return
    try:
        line = _first_line(sys.stdin.fileno())
    except (OSError, ValueError):
        return  # nobody is there to answer
    if not line.strip():
        return
    write_all(1, _refusal(problem, find_id(line, b"")) + b"\n")


class Refusing:
    """Takes the server's place, and has the start tried again whenever the client asks.

    The reader's thread gives it messages; the thread that opens the store waits at `is_asked`, and
    says
    how it went.
    """

    def __init__(self, problem: Problem, reader: LineReader) -> None:
        """Answer with a problem, where the reader's client reads."""
        self._problem = problem
        self._reader = reader
        self._tried_at = time.monotonic()
        self._told_at: float | None = None
        """When a request was last told how a try had gone."""
        self._repeated: list[bytes] = []
        self._unasked: list[Line] = []
        """Notifications from the client, which the server gets first once it runs."""
        self._questions: SimpleQueue[bool] = SimpleQueue()
        self._verdicts: SimpleQueue[Problem | None] = SimpleQueue()
        reader.hand_to(self)

    def is_asked(self) -> bool:
        """Wait until the client asks for something again; false when it has left."""
        return self._questions.get()

    def refuse(self, problem: Problem) -> None:
        """Note that the problem is still there, or the new one."""
        self._verdicts.put(problem)

    def give_way(self) -> None:
        """Hand everything that was not refused to the server that comes next."""
        self._reader.take_back()
        self._verdicts.put(None)

    def repeat(self, line: bytes) -> None:
        """Keep it for a server that may start later."""
        self._repeated.append(line)

    def take(self, line: Line) -> bool:
        """Answer a request, unless by now it can be served; false when nobody listens."""
        request_id = _id_of(line)
        if request_id is None:
            self._unasked = [*self._unasked, line][-KEPT_MAX:]
            return True
        if self._is_served():
            return self._hand_on(line)
        answer = self._reader.framed(_refusal(self._problem, request_id))
        return write_all(self._reader.wire_out, answer)

    def end(self) -> None:
        """Tell the thread that waits for a question that there will be none."""
        self._questions.put(False)

    def _is_served(self) -> bool:
        """Try it again as soon as that may be, unless it was tried while this one waited."""
        now = time.monotonic()
        if self._told_at is not None and now < self._told_at + SAME_BREATH_S:
            return False
        time.sleep(max(0.0, self._tried_at + RETRY_S - now))
        self._questions.put(True)
        problem = self._verdicts.get()
        self._tried_at = self._told_at = time.monotonic()
        self._problem = problem or self._problem
        return problem is None

    def _hand_on(self, line: Line) -> bool:
        server = self._reader.wait_for_server()
        for kept in self._repeated:
            server.repeat(kept)
        return all(server.take(one) for one in (*self._unasked, line))


def _id_of(line: Line) -> RequestId | None:
    """Find what is to be answered; `None` if no answer is due."""
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
