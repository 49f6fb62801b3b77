"""What is answered without the SDK is answered as the SDK answers it, calls to the byte.

The same messages go to two servers over stdio, of which one leaves all of them to the SDK.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from hansard.app.start import catalog
from tests.hostile.fuzzing import META, lines, owed
from tests.hostile.nasty import fitting
from tests.mcp.conftest import StartStdio
from tests.mcp.processes import Json, StdioServer
from tests.mcp.programs import ONLY_SDK

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "1999-01-01")

HELD = re.compile(
    rb"[0-9a-f]{64}|\b[0-9a-f]{8,32}\b|(?<=[z9]-)[0-9a-f]{6}\b|\d{4}-\d\d-\d\dT[\d:.]+Z?"
)
"""What differs between two stores: digests, ids, times, references."""

BROKEN = 400
"""How many broken messages are tried in each era."""


def initialize(version: str = "2025-11-25", **said: Json) -> Json:
    info = {"name": "test", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": info} | said
    return {"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": params}


INITIALIZED: Json = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def calls(**params: Json) -> Iterator[Json]:
    """Call every tool as it must be called, and as it must not."""
    for number, one in enumerate(catalog()):
        for given in (fitting(one), {}, {"no_such": 1}):
            asked = {"name": one.name, "arguments": given} | params
            yield {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": asked}


ODD_PARAMS: tuple[Json, ...] = (
    {},
    {"name": "list_projects"},
    {"name": "list_projects", "arguments": None},
    {"name": "list_projects", "arguments": []},
    {"name": "list_projects", "arguments": {"project": 2**70, "x": 1e300}},
    {"name": 1, "arguments": {}},
    {"name": "nope", "arguments": {}},
    {"name": "hook_event", "arguments": {"hook_event_name": "Stop"}},
    {"name": "list_projects", "arguments": {}, "task": {"ttl": 1}},
    {"name": "list_projects", "arguments": {}, "extra": 1},
    {"name": "list_projects", "arguments": {}, "inputResponses": {}},
    {"name": "create_record", "arguments": {"type": "task", "title": "\u2028\x7f é 🙂"}},
)
ODD_META: tuple[Json | None, ...] = (
    None,
    {},
    {"progressToken": 1},
    {"progressToken": "one"},
    {"progressToken": True},
    {"progressToken": 1.5},
    {"progressToken": {"a": 1}},
    {"hansard/session": "none.such"},
    {"hansard/session": 1},
    {"hansard/idempotency-key": "one"},
    {"hansard/secret": "wrong"},
    {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
    {"io.modelcontextprotocol/logLevel": "debug"},
    {"io.modelcontextprotocol/related-task": {"taskId": "1"}},
    {"io.modelcontextprotocol/protocolVersion": "2025-11-25"},
    {"io.modelcontextprotocol/protocolVersion": 1},
    {"io.modelcontextprotocol/clientInfo": {"name": "other"}},
    {"io.modelcontextprotocol/clientInfo": {"name": "other", "version": "2", "icons": []}},
    {"io.modelcontextprotocol/clientCapabilities": {"extensions": {"x/y": {}}}},
    {"io.modelcontextprotocol/clientCapabilities": 1},
)
BETWEEN: tuple[Json, ...] = (
    {"method": "resources/read", "params": {"uri": "hansard://sessions"}},
    {"method": "tools/list"},
    {"method": "ping"},
    {"method": "tools/list", "params": {"cursor": "x"}},
    {"method": "server/discover"},
    {"method": "no/such"},
    {"method": "notifications/cancelled", "params": {"requestId": 3}},
    {"method": "tools/call", "params": {"name": "list_projects", "arguments": {}}},
)


def odd(meta: Json) -> Iterator[Json]:
    """Ask in every odd way, with this `_meta` besides; some of it brings the SDK in."""
    for number, params in enumerate(ODD_PARAMS):
        whole = params | ({"_meta": meta} if meta else {})
        yield {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": whole}
    for number, more in enumerate(ODD_META):
        given: Json = {"name": "list_projects", "arguments": {}}
        if more is not None:
            given["_meta"] = meta | more
        yield {"jsonrpc": "2.0", "id": str(number), "method": "tools/call", "params": given}
    for number, said in enumerate(BETWEEN):
        about = {} if said["method"].startswith("notifications/") else {"id": number}
        params = said.get("params", {}) | ({"_meta": meta} if meta else {})
        yield {"jsonrpc": "2.0", **about, "method": said["method"], "params": params}


SHOWS = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html"]}}}
TALKS: dict[str, list[Json]] = {
    **{f"calls at {one}": [initialize(one), INITIALIZED, *calls()] for one in VERSIONS},
    "calls of the current era": [*calls(_meta=META)],
    "calls for views": [initialize(capabilities=SHOWS), INITIALIZED, *calls()],
    "odd after a handshake": [initialize(), INITIALIZED, *odd({})],
    "odd in the current era": [*odd(META)],
    "odd before anything": [*odd({}), initialize(), *odd({})],
    "the eras mixed": [*odd(META), initialize(), *odd({})],
    "a handshake, then the other era": [initialize(), *odd(META)],
    "two handshakes": [initialize(), *odd({}), initialize("2024-11-05"), *odd({})],
    "an odd handshake": [initialize(clientInfo={"name": "x"}), *odd({}), initialize(), *odd({})],
    "another client in between": [
        initialize(),
        *calls(),
        initialize(clientInfo={"name": "other", "version": "2"}, capabilities=SHOWS),
        *calls(),
    ],
}


@pytest.mark.parametrize("talk", TALKS)
def test_the_same_is_answered_with_and_without_the_sdk(
    start_stdio: StartStdio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, talk: str
) -> None:
    said = [json.dumps(one, ensure_ascii=False).encode() for one in TALKS[talk]]

    ours, theirs = both(start_stdio, tmp_path, monkeypatch, said)

    assert ours == theirs
    assert len(ours) > len(said) / 2


@pytest.mark.parametrize("era", ["handshake", "current"])
def test_what_is_broken_is_answered_the_same(
    start_stdio: StartStdio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, era: str
) -> None:
    broken = [*lines(7, BROKEN)]
    if era == "handshake":
        plain = json.dumps(META)[1:-1].encode()
        broken = [
            json.dumps(initialize()).encode(),
            *(line.replace(b'"_meta": {' + plain + b"}", b'"_meta": {}') for line in broken),
        ]

    ours, theirs = both(start_stdio, tmp_path, monkeypatch, broken)

    assert ours == theirs
    assert any(b'"result"' in one for one in ours)


def both(
    start_stdio: StartStdio,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    said: list[bytes],
) -> tuple[list[bytes], list[bytes]]:
    """Say the same to two servers; gives what each answers, but for what differs by the store."""
    monkeypatch.delenv(ONLY_SDK, raising=False)
    ours = start_stdio(reads=False, store=str(tmp_path / "ours"))
    monkeypatch.setenv(ONLY_SDK, "1")
    theirs = start_stdio(reads=False, store=str(tmp_path / "theirs"))
    return [*answers(ours, said)], [*answers(theirs, said)]


def answers(server: StdioServer, said: Iterable[bytes]) -> Iterator[bytes]:
    """Say one thing after the other, each when the one before has been answered."""
    for line in said:
        server.write(line + b"\n")
        if owed(line):
            answer = HELD.sub(b"...", server.stdout.readline())
            # In what the front answers, keys have another order.
            is_list = b'"isError"' not in answer and b'"result"' in answer
            yield json.dumps(json.loads(answer), sort_keys=True).encode() if is_list else answer
    assert server.end() == 0
    assert server.stdout.read() == b""
