"""The wire format between stores: a line of JSON that gives the length of the bytes after it.

Over HTTP the bytes are inside the JSON: other content types are refused, so that no other site's
page can send them.
"""

import base64
import binascii
from collections.abc import Mapping
from typing import IO, Any

import orjson

from hansard.app.keeping.peer_store import PIECE_BYTES_MAX, Answer
from hansard.kernel.limits import MIB
from hansard.kernel.problem import Problem

LINE_BYTES_MAX = 8 * MIB
"""Room for all the digests that one message may name."""

SIZE = "_bytes"


class PeerRefused(Problem):
    """The other store refused; `details.code` says what it called that."""

    code, http_status = "PEER_REFUSED", 409
    hint = "Nothing was changed there by what was refused"


class PeerUnreachable(Problem):
    """The other store does not answer, or not as a store would."""

    code, http_status = "PEER_UNREACHABLE", 503
    hint = "Check the address, and that the same version of Hansard runs there"


def packed(told: Mapping[str, Any], body: bytes = b"") -> bytes:
    """Write a message."""
    assert len(body) <= PIECE_BYTES_MAX, "a message carries one piece"
    return orjson.dumps({**told, SIZE: len(body)}) + b"\n" + body


def read(stream: IO[bytes]) -> Answer | None:
    """Read a message; `None` if the stream has ended before it."""
    line = stream.readline(LINE_BYTES_MAX + 1)
    if not line:
        return None
    try:
        told = orjson.loads(line)
        size = told.pop(SIZE)
    except (orjson.JSONDecodeError, AttributeError, KeyError) as error:
        raise PeerUnreachable(f"What came is no message: {line[:80]!r}") from error
    if not isinstance(size, int) or not 0 <= size <= PIECE_BYTES_MAX:
        raise PeerUnreachable("What came says that it is longer than a message may be")
    body = stream.read(size)
    if len(body) < size:
        raise PeerUnreachable("The connection ended in the middle of a message")
    return told, body


def as_json(told: Mapping[str, Any], body: bytes = b"") -> bytes:
    """Write a message as JSON alone."""
    return orjson.dumps({"told": told, "body": base64.b64encode(body).decode()})


def from_json(text: bytes) -> Answer:
    """Read a message that is JSON alone, or a problem."""
    try:
        read_in = orjson.loads(text)
        if "error" in read_in:
            return read_in, b""
        told, body = read_in["told"], base64.b64decode(read_in["body"], validate=True)
    except (orjson.JSONDecodeError, binascii.Error, KeyError, TypeError, ValueError) as error:
        raise PeerUnreachable("What came is no message") from error
    if not isinstance(told, dict) or len(body) > PIECE_BYTES_MAX:
        raise PeerUnreachable("What came is no message, or a longer one than may be")
    return told, body


def refusal(problem: Problem) -> bytes:
    """Write a problem."""
    return packed({"error": problem.as_dict()})


def accepted(answer: Answer, whose: str) -> Answer:
    """Give an answer, or raise what the other side refused."""
    told, _ = answer
    error = told.get("error")
    if not isinstance(error, dict):
        return answer
    details = error.get("details")
    raise PeerRefused(
        f"{whose}: {error.get('message')}",
        hint=str(error.get("recovery_hint") or "") or None,
        **{**(details if isinstance(details, dict) else {}), "code": str(error.get("code"))},
    )
