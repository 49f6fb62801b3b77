"""The last word of a server that cannot start: said to the client, which would see only an end."""

import os
import select
import sys

from mcp_types import ErrorData, JSONRPCError

from hansard.kernel.problem import Problem
from hansard.mcp.messages import ID_SEARCH_BYTES, find_id

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
    error = ErrorData(code=problem.rpc_code, message=problem.message, data=problem.as_dict())
    answer = JSONRPCError(jsonrpc="2.0", id=find_id(line, b""), error=error)
    try:
        os.write(1, answer.model_dump_json(exclude_unset=True).encode() + b"\n")
    except OSError:
        return  # nobody listens


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
