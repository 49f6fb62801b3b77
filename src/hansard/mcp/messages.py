"""Parses one JSON-RPC message strictly, and builds the error for a bad one. Pure.

The SDK's own reader does not answer what it cannot read, keeps the last of two equal keys and
replaces bytes that are not UTF-8. Here every fault has its code, and the request's id where it can
still be read. The SDK's types take long to load, so they are loaded when used.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from hansard.kernel.limits import ID_CHARS_MAX, INTEGER_BITS_MAX, KIB, NESTING_MAX
from hansard.kernel.problem import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    InvalidInput,
    Problem,
    RequestTooLarge,
)

if TYPE_CHECKING:
    from mcp_types import JSONRPCMessage

RequestId = int | str
Json = dict[str, Any]

PARSE_ERROR = -32700

ENVELOPE_LEVELS = 3
"""The message, its params and the arguments, around what a caller may nest."""

LEVELS_MAX = NESTING_MAX + ENVELOPE_LEVELS

INTEGER_CHARS_MAX = len(str(-(2**INTEGER_BITS_MAX)))
"""Longer literals are refused before they are turned into numbers, which takes quadratic time."""

ID_SEARCH_BYTES = 64 * KIB
"""How far into an unreadable message its id is looked for."""

ID_TAIL_BYTES = KIB
"""How much of the end of an unreadable message is searched, since some clients put the id last."""


class Malformed(Exception):
    """These bytes are no message we can serve. Says what to answer, and whether to at all."""

    def __init__(
        self,
        code: int,
        message: str,
        request_id: RequestId | None = None,
        *,
        owed: bool = True,
        problem: Problem | None = None,
    ) -> None:
        """Say the fault; `owed` is false for what must never be answered, such as notifications."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.request_id = request_id
        self.owed = owed
        self.problem = InvalidInput(message) if code == INVALID_PARAMS else problem

    def answer(self) -> bytes:
        """Make the error response."""
        error: Json = {"code": self.code, "message": self.message}
        if self.problem:
            error["data"] = self.problem.as_dict()
        return encoded({"jsonrpc": "2.0", "id": self.request_id, "error": error})


class NotJson(InvalidInput):
    """A value that some programs write into JSON, which does not have it."""

    code, rpc_code, fixable = "NOT_JSON", PARSE_ERROR, False
    hint = "Send null, or leave it out"


class _UnfitError(Exception):
    """A value that no request may hold."""

    def __init__(self, message: str, code: int = INVALID_PARAMS) -> None:
        super().__init__(message)
        self.code = code


def parse(raw: bytes) -> "JSONRPCMessage":
    """Read one message, or raise `Malformed`."""
    return typed(read(raw))


def read(raw: bytes) -> Json:
    """Read one message as plain JSON, or raise `Malformed`."""
    try:
        return _checked(_decoded(raw))
    except _UnfitError as unfit:
        named = NotJson(str(unfit)) if unfit.code == PARSE_ERROR else None
        request_id = find_id(raw, raw[-ID_TAIL_BYTES:])
        raise Malformed(unfit.code, str(unfit), request_id, problem=named) from None
    except RecursionError:
        fault = INVALID_PARAMS, _TOO_DEEP
    except UnicodeDecodeError as error:
        fault = PARSE_ERROR, f"The message is not UTF-8 at byte {error.start}"
    except json.JSONDecodeError as error:
        fault = PARSE_ERROR, f"The message is not JSON: {error.msg} at character {error.pos}"
    raise Malformed(*fault, find_id(raw, raw[-ID_TAIL_BYTES:]))


def encoded(message: Json) -> bytes:
    """Write one message."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def too_long(head: bytes, tail: bytes, *, bytes_max: int) -> Malformed:
    """Refuse a message of which only the beginning and the end were kept."""
    message = f"The message is longer than {bytes_max} bytes"
    problem = RequestTooLarge(message, limit=bytes_max)
    return Malformed(INVALID_REQUEST, message, find_id(head, tail), problem=problem)


def find_id(head: bytes, tail: bytes) -> RequestId | None:
    """Find the id of the outermost object in a message that may be broken or cut.

    The whole of a short message is searched from its beginning. Of a longer one, the beginning and
    then the very end: an id right before the last brace is the outermost object's own.
    """
    found = _id_from_start(head[:ID_SEARCH_BYTES])
    if found is None and len(head) >= ID_SEARCH_BYTES and (last := _LAST_MEMBER.search(tail)):
        found = _id_value(last[1])
    return found


_TOO_DEEP = f"Nested deeper than {NESTING_MAX} levels"
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL)
_LAST_MEMBER = re.compile(rb'[,{]\s*"id"\s*:\s*(-?\d+|"[^"\\]*")\s*\}\s*$')


def _decoded(raw: bytes) -> Any:
    text = raw.decode()
    decoded = _DECODER.decode(text)
    # Only brackets can nest, and only escapes can make half a character: no need to look otherwise.
    if text.count("[") + text.count("{") > LEVELS_MAX or _SURROGATE.search(text):
        _check_inside(decoded)
    return decoded


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise _UnfitError(f"The key {_printable(twice)} occurs twice in one object")
    return made


def _integer(literal: str) -> int:
    if len(literal) > INTEGER_CHARS_MAX:
        raise _UnfitError(f"An integer of more than {INTEGER_BITS_MAX} bits")
    return int(literal)


def _real(literal: str) -> float:
    number = float(literal)
    if not math.isfinite(number):
        raise _UnfitError("A number too large to be held")
    return number


def _constant(name: str) -> NoReturn:
    raise _UnfitError(f"The message is not JSON: {name} is no JSON value", PARSE_ERROR)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_real, parse_constant=_constant
)


def _check_inside(decoded: Any) -> None:
    """Refuse what is nested too deep, and halves of characters, which are not text."""
    pending: list[tuple[Any, int]] = [(decoded, 1)]
    while pending:
        item, level = pending.pop()
        if isinstance(item, str):
            _check_text(item)
        elif isinstance(item, dict | list):
            if level > LEVELS_MAX:
                raise _UnfitError(_TOO_DEEP)
            inner: Iterable[Any] = [*item, *item.values()] if isinstance(item, dict) else item
            pending.extend((value, level + 1) for value in inner)


def _check_text(text: str) -> None:
    if not _is_text(text):
        raise _UnfitError("A text holds a lone surrogate, which is not a character")


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _printable(text: str) -> str:
    return text[:100].encode(errors="replace").decode()


def _checked(decoded: Any) -> Json:
    """Refuse what is neither a request, nor a notification, nor a response."""
    if isinstance(decoded, list):
        raise Malformed(INVALID_REQUEST, "Batches are not part of MCP: send one message at a time")
    if not isinstance(decoded, dict):
        raise Malformed(INVALID_REQUEST, "A message is a JSON object")
    request_id = _id_of(decoded)
    if decoded.get("jsonrpc") != "2.0":
        raise Malformed(INVALID_REQUEST, 'A message says "jsonrpc": "2.0"', request_id)
    if "method" in decoded:
        _check_call(decoded, request_id)
    elif not {"result", "error"} & decoded.keys():
        raise Malformed(INVALID_REQUEST, "A request names its method", request_id)
    return decoded


def _check_call(decoded: Json, request_id: RequestId | None) -> None:
    owed = "id" in decoded
    method, params = decoded["method"], decoded.get("params")
    if owed and request_id is None:
        raise Malformed(
            INVALID_REQUEST, f"An id is an integer or a string of up to {ID_CHARS_MAX} characters"
        )
    if not isinstance(method, str):
        raise Malformed(INVALID_REQUEST, "A method is a string", request_id, owed=owed)
    if params is not None and not isinstance(params, dict):
        raise Malformed(INVALID_PARAMS, "params is an object", request_id, owed=owed)


def typed(decoded: Json) -> "JSONRPCMessage":
    """Give a message in the SDK's types."""
    from mcp_types import JSONRPCNotification, JSONRPCRequest

    if "method" not in decoded:
        return _response(decoded)
    method, params = decoded["method"], decoded.get("params")
    if "id" not in decoded:
        return JSONRPCNotification(jsonrpc="2.0", method=method, params=params)
    return JSONRPCRequest(jsonrpc="2.0", id=decoded["id"], method=method, params=params)


def _response(decoded: Json) -> "JSONRPCMessage":
    from mcp_types import jsonrpc_message_adapter
    from pydantic import ValidationError

    try:
        return jsonrpc_message_adapter.validate_python(decoded, by_name=False)
    except ValidationError:
        raise Malformed(INVALID_REQUEST, "A response nobody can read", owed=False) from None


def _id_of(decoded: dict[str, Any]) -> RequestId | None:
    value: object = decoded.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and len(value) <= ID_CHARS_MAX and _is_text(value):
        return value
    return None


def _id_from_start(head: bytes) -> RequestId | None:
    """Walk the tokens of what may be an object, and take the value of its own member `id`."""
    level, before, key = 0, b"", b""
    for match in _TOKEN.finditer(head):
        token = match[0]
        if level == 1 and before == b":" and key == b'"id"':
            # A literal that touches the end may have been cut in the middle.
            return _id_value(token) if match.end() < len(head) else None
        if level == 1 and before in {b"{", b","}:
            key = token
        if level == 0 and token != b"{":
            return None
        level += _LEVEL_STEPS.get(token, 0)
        before = token
        if level == 0:
            return None
    return None


_LEVEL_STEPS = {b"{": 1, b"[": 1, b"}": -1, b"]": -1}


def _id_value(literal: bytes) -> RequestId | None:
    try:
        return _id_of({"id": _DECODER.decode(literal.decode())})
    except (ValueError, _UnfitError):
        return None
