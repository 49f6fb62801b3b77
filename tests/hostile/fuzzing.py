"""Messages made from real ones by breaking them, the same ones for the same seed."""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from mcp_types import JSONRPCRequest, RequestId

from hansard.app.start import catalog
from hansard.mcp.messages import Malformed, parse
from tests.hostile.nasty import ANYTHING, Json, fitting

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
METHODS: dict[str, Json] = {
    "ping": {},
    "tools/list": {"cursor": "x"},
    "resources/list": {},
    "resources/templates/list": {},
    "resources/read": {"uri": "hansard://sessions"},
    "logging/setLevel": {"level": "debug"},
    "prompts/get": {"name": "x"},
    "completion/complete": {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {}},
    "no/such": {},
}
SILENT = {"subscriptions/listen", "initialize"}
"""Methods that answer later or change what the connection is; no mutation may make one of them."""

TOKENS = [
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"null", b"true", b"NaN", b"1e999"),
    *(b"\x00", b"\xff", b"\xed\xa0\x80", b"\r", b"\t", b"\\ud800", b"-", b"0", b"9" * 400),
    *(b'"id":1,', b'"jsonrpc":"1.0",', b'"method":"x",', b"[" * 200, b'{"a":' * 100),
]

Mutation = Callable[[random.Random, bytes], bytes]


def seeds() -> list[Json]:
    """Give one real request for each tool and each method."""
    calls = [
        ("tools/call", {"name": one.name, "arguments": fitting(one), "_meta": META})
        for one in catalog()
    ]
    return [
        {"jsonrpc": "2.0", "id": 0, "method": method, "params": params}
        for method, params in [*calls, *METHODS.items()]
    ]


def _flip(chance: random.Random, line: bytes) -> bytes:
    place = chance.randrange(len(line))
    return line[:place] + bytes([line[place] ^ 1 << chance.randrange(8)]) + line[place + 1 :]


def _insert(chance: random.Random, line: bytes) -> bytes:
    place = chance.randrange(len(line) + 1)
    return line[:place] + chance.choice(TOKENS) + line[place:]


def _cut(chance: random.Random, line: bytes) -> bytes:
    return line[: chance.randrange(1, len(line) + 1)]


def _drop(chance: random.Random, line: bytes) -> bytes:
    start = chance.randrange(len(line))
    return line[:start] + line[start + chance.randrange(1, 20) :] or b"{"


def _repeat(chance: random.Random, line: bytes) -> bytes:
    start = chance.randrange(len(line))
    piece = line[start : start + chance.randrange(1, 40)]
    return line[:start] + piece * chance.choice((2, 3, 50)) + line[start:]


def _swap(chance: random.Random, line: bytes) -> bytes:
    start, end = sorted((chance.randrange(len(line)), chance.randrange(len(line))))
    return line[:start] + line[end:] + line[start:end]


BYTEWISE: list[Mutation] = [_flip, _insert, _cut, _drop, _repeat, _swap]


def mutated(chance: random.Random, message: Json, number: int) -> bytes:
    """Break a request: some of its values, then perhaps some of its bytes."""
    broken = json.loads(json.dumps(message)) | {"id": number}
    # Most reach a tool: what is broken in every part is refused at the door and tries little.
    is_readable = chance.random() < 0.5
    if is_readable:
        _change_value(chance, broken["params"])
    elif chance.random() < 0.3:
        _change_value(chance, broken)
    line = json.dumps(broken, ensure_ascii=chance.random() < 0.5).encode(errors="replace")
    for _ in range(0 if is_readable else chance.choice((0, 1, 1, 2, 5))):
        line = chance.choice(BYTEWISE)(chance, line)
    return line.replace(b"\n", b" ")


def _change_value(chance: random.Random, message: Json) -> None:
    """Put something else at a place of the message, or leave the place out, or add one."""
    place: Any = message
    while True:
        key = chance.choice([*place, "extra"]) if place else "extra"
        inner = place.get(key)
        if not isinstance(inner, dict) or chance.random() < 0.2:
            break
        place = inner
    if chance.random() < 0.2:
        place.pop(key, None)
    else:
        place[key] = chance.choice(ANYTHING)


def owed(line: bytes) -> list[RequestId | None]:
    """Give the id that a line must be answered under; none for what is never answered."""
    try:
        message = parse(line)
    except Malformed as malformed:
        return [malformed.request_id] if malformed.owed else []
    return [message.id] if isinstance(message, JSONRPCRequest) else []


def lines(seed: int, count: int) -> Iterator[bytes]:
    """Give broken requests that a server can be asked one after the other."""
    chance = random.Random(seed)
    whole = seeds()
    made = 0
    while made < count:
        line = mutated(chance, chance.choice(whole), made + 1)
        if line.strip() and not any(word.encode() in line for word in SILENT):
            made += 1
            yield line
