"""Calls over HTTP are answered at the desk as the SDK answers them: status, headers and body.

The same requests go to two servers, of which one leaves all of them to the SDK.
"""

import json
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.hostile.fuzzing import META, lines
from tests.mcp.processes import WAIT_S, HttpServer, Json
from tests.mcp.programs import ONLY_SDK
from tests.mcp.test_both_ways import HELD, calls, odd

Header = tuple[str, str]
Posted = tuple[bytes, list[Header]]

USUAL: list[Header] = [
    ("Content-Type", "application/json"),
    ("Accept", "application/json, text/event-stream"),
]
CURRENT: Header = ("Mcp-Protocol-Version", "2026-07-28")
CALLING: Header = ("Mcp-Method", "tools/call")
NAMED: Header = ("Mcp-Name", "list_projects")
OF_THE_MOMENT = {"date", "mcp-session-id"}

BROKEN = 300

LOOK: Json = {
    "jsonrpc": "2.0",
    "id": "é",
    "method": "tools/call",
    "params": {"name": "list_projects", "arguments": {}, "_meta": META},
}
ODD_HEADERS: tuple[list[Header], ...] = (
    [*USUAL, CURRENT, CALLING, NAMED],
    [*USUAL, CURRENT, CALLING],
    [*USUAL, CURRENT, NAMED],
    [*USUAL, CALLING, NAMED],
    [*USUAL],
    [*USUAL, CURRENT, CALLING, ("Mcp-Name", "other")],
    [*USUAL, CURRENT, CALLING, NAMED, NAMED],
    [*USUAL, CURRENT, CURRENT, CALLING, NAMED],
    [*USUAL, CURRENT, CALLING, ("Mcp-Name", "=?base64?bGlzdF9wcm9qZWN0cw==?=")],
    [*USUAL, CURRENT, ("Mcp-Method", "tools/list"), NAMED],
    [*USUAL, CURRENT, CALLING, NAMED, ("Mcp-Param-Project", "x")],
    [*USUAL, CURRENT, CALLING, NAMED, ("Mcp-Session-Id", "none")],
    [*USUAL, CURRENT, CALLING, NAMED, ("Mcp-Unheard-Of", "x")],
    [*USUAL, ("Mcp-Protocol-Version", "2025-11-25"), CALLING, NAMED],
    [*USUAL, ("Mcp-Protocol-Version", "2099-01-01"), CALLING, NAMED],
    [USUAL[0], CURRENT, CALLING, NAMED],
    [USUAL[0], ("Accept", "application/json"), CURRENT, CALLING, NAMED],
    [USUAL[0], ("Accept", "text/event-stream"), CURRENT, CALLING, NAMED],
    [USUAL[0], ("Accept", "*/*"), CURRENT, CALLING, NAMED],
    [USUAL[0], ("Accept", "APPLICATION/*;q=1, text/*"), CURRENT, CALLING, NAMED],
    [("Content-Type", "application/json; charset=utf-8"), USUAL[1], CURRENT, CALLING, NAMED],
    [("Content-Type", "text/plain"), USUAL[1], CURRENT, CALLING, NAMED],
    [*USUAL, CURRENT, CALLING, NAMED, ("Idempotency-Key", "one")],
    [*USUAL, CURRENT, CALLING, NAMED, ("X-Forwarded-For", "10.0.0.1")],
)


def with_headers(message: Json) -> Posted:
    """Post a message with the headers that say it again."""
    name = (message.get("params") or {}).get("name")
    about = [("Mcp-Name", name)] if isinstance(name, str) else []
    return json.dumps(message).encode(), [
        *USUAL,
        CURRENT,
        ("Mcp-Method", message["method"]),
        *about,
    ]


def broken(line: bytes) -> Posted:
    """Post what is broken under the headers of a whole one."""
    try:
        said = json.loads(line)
        name = said["params"]["name"].encode().decode("ascii")
    except (ValueError, KeyError, TypeError, AttributeError):
        name = "list_projects"
    plain = name if name.isprintable() and name == name.strip() else "list_projects"
    return line, [*USUAL, CURRENT, CALLING, ("Mcp-Name", plain)]


TALKS: dict[str, list[Posted]] = {
    "calls": [with_headers(one) for one in calls(_meta=META)],
    "odd": [with_headers(one) for one in odd(META)],
    "of the other era": [with_headers(one) for one in odd({})],
    "odd headers": [(json.dumps(LOOK).encode(), one) for one in ODD_HEADERS],
    "broken": [broken(one) for one in lines(11, BROKEN)],
}


@pytest.mark.parametrize("talk", TALKS)
def test_the_same_is_answered_at_the_desk_and_by_the_sdk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, talk: str
) -> None:
    monkeypatch.delenv(ONLY_SDK, raising=False)
    with HttpServer({"store": str(tmp_path / "ours")}) as server:
        ours = [*answers(server, TALKS[talk])]
    monkeypatch.setenv(ONLY_SDK, "1")
    with HttpServer({"store": str(tmp_path / "theirs")}) as server:
        theirs = [*answers(server, TALKS[talk])]

    assert ours == theirs
    assert any(status == 200 for status, _, _ in ours) or talk == "of the other era"


def answers(server: HttpServer, posted: list[Posted]) -> Iterator[tuple[int, list[Header], bytes]]:
    """Post one after the other over one connection; gives what differs by no store or moment."""
    assert server.address.hostname
    assert server.address.port
    with closing(
        HTTPConnection(server.address.hostname, server.address.port, timeout=WAIT_S)
    ) as to:
        for body, headers in posted:
            to.putrequest("POST", "/mcp")
            for name, value in [*headers, ("Content-Length", str(len(body)))]:
                to.putheader(name, value)
            to.endheaders(body)
            answer = to.getresponse()
            said = [
                (name, value)
                for name, value in answer.getheaders()
                if name.lower() not in OF_THE_MOMENT
            ]
            yield answer.status, said, HELD.sub(b"...", answer.read())
