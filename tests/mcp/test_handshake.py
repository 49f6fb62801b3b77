"""The front: it answers what the full server would, in time, and leaves all else to it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import catalog, start
from hansard.mcp.handshake import (
    CAPABILITIES,
    CLIENT,
    DISCOVER,
    INITIALIZE,
    LIST_TOOLS,
    VERSION,
    StdioHandshake,
    made,
)
from hansard.mcp.instructions import TEXT, TOOL
from hansard.mcp.make_handshake import HANDSHAKE, LISTS, META, answers_of
from tests.mcp.conftest import StartStdio
from tests.mcp.processes import Json, StdioServer

COMMAND = "tests.clients.stdio_command"
"""The program as clients start it."""

CODEX = {"name": "codex-mcp-client", "title": "Codex", "version": "0.166.0"}
CLAUDE = {
    "name": "claude-code",
    "title": "Claude Code",
    "version": "2.1.325",
    "description": "An agentic coding tool",
    "websiteUrl": "https://example.com/claude-code",
}
DIALOGS: Json = {"form": {}, "url": {}}
UI = {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}


def handshake(
    info: Json | None = None, version: str = "2025-11-25", **capabilities: Any
) -> tuple[str, Json]:
    said = info or {"name": "test", "version": "1"}
    params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": said}
    return INITIALIZE, params


def envelope(info: Json | None = None, **capabilities: Any) -> Json:
    said = {CLIENT: info} if info else {}
    return {"_meta": {VERSION: "2026-07-28", CAPABILITIES: capabilities, **said}}


def ask(front: StdioHandshake, method: str, params: Json | None = None, request_id: Any = 1) -> Any:
    """Ask the front; gives its answer, or `None` if it leaves that to the server."""
    message: Json = {"jsonrpc": "2.0", "id": request_id, "method": method}
    line = json.dumps(message | ({"params": params} if params is not None else {})).encode()
    answer = front.answer(line)
    return None if answer is None else json.loads(answer)


def said(front: StdioHandshake, asked: list[tuple[str, Json | None]]) -> dict[str, Any]:
    """Ask several things; gives each result or error by method, `None` if it is left."""
    answers = {method: ask(front, method, params) for method, params in asked}
    return {
        method: answer and {key: answer[key] for key in ("result", "error") if key in answer}
        for method, answer in answers.items()
    }


@pytest.fixture(scope="module")
def plain() -> Iterator[Application]:
    """What Hansard can do, over an empty store in memory."""
    application = start(Settings(store="memory:"))
    yield application
    application.close()


EACH_ERA: dict[str, list[tuple[str, Json | None]]] = {
    "handshake": [(INITIALIZE, HANDSHAKE), *((one, None) for one in LISTS)],
    "current": [(one, META) for one in (DISCOVER, *LISTS)],
}

CHOICES: list[Json] = [
    *({"toolsets": one} for one in catalog().toolsets if one not in {"all", "decisions"}),
    {"toolsets": "core", "read_only": True},
    {"toolsets": "records,recorder,checkpoints,entities"},
    {"toolsets": "core", "tools": "record_file_op, metric_query"},
    {"toolsets": ""},
]


@pytest.mark.parametrize("era", EACH_ERA)
@pytest.mark.parametrize("chosen", CHOICES, ids=str)
def test_the_front_answers_what_the_full_server_does(
    plain: Application, era: str, chosen: Json
) -> None:
    settings = Settings(**chosen)

    by_front = said(StdioHandshake(settings, has_secret=False), EACH_ERA[era])

    assert by_front == answers_of(plain, EACH_ERA[era], settings)


@pytest.mark.parametrize("era", EACH_ERA)
@pytest.mark.parametrize("toolsets", ["all", "decisions"])
def test_with_a_secret_it_lists_what_can_be_accepted(
    monkeypatch: pytest.MonkeyPatch, era: str, toolsets: str
) -> None:
    monkeypatch.setenv("HANSARD_SECRET", "a secret that is long enough")
    settings = Settings(store="memory:", toolsets=toolsets)
    application = start(settings)

    by_front = said(StdioHandshake(settings, has_secret=True), EACH_ERA[era])

    assert by_front == answers_of(application, EACH_ERA[era], settings)
    assert "accept_proposal" in json.dumps(by_front)
    application.close()


@pytest.mark.parametrize("era", EACH_ERA)
def test_what_the_store_alone_knows_is_left_to_the_server(plain: Application, era: str) -> None:
    settings = Settings(toolsets="all")

    by_front = said(StdioHandshake(settings, has_secret=False), EACH_ERA[era])

    by_server = answers_of(plain, EACH_ERA[era], settings)
    assert by_front == by_server | {LIST_TOOLS: None}


def test_what_is_told_of_tools_never_depends_on_the_store() -> None:
    in_doubt = {card["tool"]["name"] for card in made()["cards"] if card["needs_secret"]}

    assert in_doubt
    assert not in_doubt & {*TOOL.findall(TEXT)}


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2099-01-01"])
def test_versions_are_agreed_as_the_server_does(plain: Application, version: str) -> None:
    asked = [handshake(version=version), (LIST_TOOLS, {}), ("resources/list", {"_meta": {}})]

    by_front = said(StdioHandshake(Settings(), has_secret=False), [*asked])

    assert by_front == answers_of(plain, [*asked])


OPENINGS: dict[str, list[tuple[str, Json | None]]] = {
    "claude-code": [
        (DISCOVER, envelope(CLAUDE, roots={"listChanged": True}, elicitation=DIALOGS)),
        handshake(CLAUDE, roots={"listChanged": True}, elicitation=DIALOGS),
        (LIST_TOOLS, None),
    ],
    "copilot-cli": [
        (DISCOVER, envelope({"name": "copilot-cli", "version": "1.0.102"}, sampling={})),
        (LIST_TOOLS, {"_meta": {**envelope(CODEX, sampling={})["_meta"], "progressToken": 0}}),
    ],
    "codex": [
        handshake(CODEX, "2025-06-18", experimental={"codex/auth-change": {}}, elicitation=DIALOGS),
        (LIST_TOOLS, {"_meta": {"progressToken": 0}}),
    ],
    "qwen-code": [handshake(None, extensions=UI, roots={}), ("prompts/list", {}), (LIST_TOOLS, {})],
    "cline-cli": [handshake({"name": "@cline/core", "version": "0.0.0"}, "2024-11-05")],
}


@pytest.mark.parametrize("opening", OPENINGS.values(), ids=OPENINGS)
def test_hosts_are_answered_all_that_they_begin_with(
    opening: list[tuple[str, Json | None]],
) -> None:
    answers = said(StdioHandshake(Settings(), has_secret=False), opening)

    assert None not in answers.values()


ODD: list[tuple[str, Json | None]] = [
    (INITIALIZE, None),
    (INITIALIZE, {}),
    (INITIALIZE, HANDSHAKE | {"protocolVersion": 1}),
    (INITIALIZE, HANDSHAKE | {"capabilities": None}),
    (INITIALIZE, HANDSHAKE | {"capabilities": {"roots": True}}),
    (INITIALIZE, HANDSHAKE | {"capabilities": {"roots": {"listChanged": {}}}}),
    (INITIALIZE, HANDSHAKE | {"capabilities": {"elicitation": {"form": 1}}}),
    (INITIALIZE, HANDSHAKE | {"capabilities": {"elicitation": {"form": {"x": 1}}}}),
    (INITIALIZE, HANDSHAKE | {"capabilities": {"experimental": {"x": 1}}}),
    (INITIALIZE, HANDSHAKE | {"capabilities": {"tasks": {"list": 1}}}),
    (INITIALIZE, HANDSHAKE | {"capabilities": {"sampling": {"tools": {}, "else": {}}}}),
    (INITIALIZE, HANDSHAKE | {"clientInfo": {"name": "x"}}),
    (INITIALIZE, HANDSHAKE | {"clientInfo": {"name": "x", "version": 1}}),
    (INITIALIZE, HANDSHAKE | {"clientInfo": {"name": "x", "version": "1", "icons": 1}}),
    (INITIALIZE, HANDSHAKE | {"_meta": {"progressToken": 1.5}}),
    (LIST_TOOLS, None),
    (LIST_TOOLS, META | {"cursor": "x"}),
    (LIST_TOOLS, {"_meta": META["_meta"] | {"progressToken": []}}),
    (LIST_TOOLS, {"_meta": META["_meta"] | {CLIENT: "x"}}),
    (LIST_TOOLS, {"_meta": META["_meta"] | {CAPABILITIES: []}}),
    (LIST_TOOLS, {"_meta": META["_meta"] | {"io.modelcontextprotocol/logLevel": "loud"}}),
    (LIST_TOOLS, {"_meta": META["_meta"] | {"else": {"a": [1]}}}),
    (LIST_TOOLS, {"_meta": {VERSION: "2026-07-28"}}),
    (LIST_TOOLS, {"_meta": "x"}),
    (DISCOVER, None),
    (DISCOVER, {"_meta": {VERSION: "2099-01-01", CAPABILITIES: {}}}),
    ("ping", None),
    ("nonsense", META),
]


@pytest.mark.parametrize(("method", "params"), ODD, ids=str)
def test_what_is_not_as_expected_is_left_or_answered_the_same(
    plain: Application, method: str, params: Json | None
) -> None:
    asked = [(method, params)]

    by_front = said(StdioHandshake(Settings(), has_secret=False), asked)

    assert by_front in ({method: None}, answers_of(plain, asked))


@pytest.mark.parametrize(
    "line",
    [
        b"hello",
        b"[]",
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"id":2,"method":"server/discover"}',
    ],
)
def test_what_is_no_request_is_left_to_the_server(line: bytes) -> None:
    front = StdioHandshake(Settings(), has_secret=False)

    assert front.answer(line) is None


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)


@given(data=st.data())
def test_whatever_stands_in_a_request_is_answered_or_left(data: st.DataObject) -> None:
    front = StdioHandshake(Settings(), has_secret=False)
    method, params = data.draw(st.sampled_from([handshake(CLAUDE, roots={}), (LIST_TOOLS, META)]))
    message: Json = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    path = data.draw(st.sampled_from(sorted(paths(message), key=str)))

    answer = front.answer(json.dumps(changed(message, path, data.draw(ANY_JSON))).encode())

    assert answer is None or answer == b"" or json.loads(answer).keys() >= {"jsonrpc", "id"}


def paths(value: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Name every place in an object."""
    yield above
    for key in value if isinstance(value, dict) else ():
        yield from paths(value[key], (*above, key))


def changed(value: Any, path: tuple[str, ...], to: Any) -> Any:
    """Put something else in a place."""
    if not path:
        return to
    return value | {path[0]: changed(value[path[0]], path[1:], to)}


def test_the_server_is_given_what_settles_the_era_and_what_was_told() -> None:
    front = StdioHandshake(Settings(), has_secret=False)
    initialized = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'

    ask(front, DISCOVER, META)
    ask(front, *handshake())
    assert front.answer(initialized) == b""
    ask(front, LIST_TOOLS)
    ask(front, "ping")

    opening, told = front.kept
    assert json.loads(opening)["method"] == INITIALIZE
    assert told == initialized


def test_notices_without_end_are_not_kept_here() -> None:
    front = StdioHandshake(Settings(), has_secret=False)
    notice = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'

    answers = [front.answer(notice) for _ in range(100)]

    assert answers[0] == b""
    assert answers[-1] is None


@pytest.mark.cold("is about what a new process loads")
def test_a_client_that_only_lists_loads_neither_the_sdk_nor_a_store(store: str) -> None:
    script = (
        "import sys\n"
        "from hansard.cli import main, stdio\n"
        "stdio._serve = lambda settings, reader: reader.is_needed.wait() and 0\n"
        "main.run(sys.argv[1:])\n"
        "print([one for one in ('pydantic', 'mcp', 'mcp_types', 'anyio', 'asyncio', 'apsw')\n"
        "       if one in sys.modules], file=sys.stderr)\n"
    )

    ran = after_a_look("-c", script, "--store", store)

    assert [json.loads(line)["id"] for line in ran.stdout.splitlines()] == [1, 2]
    assert ran.stderr.splitlines()[-1] == "[]"


@pytest.mark.cold("is about what a new process loads")
def test_a_client_that_leaves_after_a_look_makes_no_store(store: str) -> None:
    ran = after_a_look("-m", "hansard.cli.main", "--store", store)

    assert len(ran.stdout.splitlines()) == 2
    assert not Path(store).exists()


def after_a_look(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a server for a client that looks what there is and leaves."""
    asked = [{"id": 1, "method": DISCOVER}, {"id": 2, "method": LIST_TOOLS}]
    lines = [json.dumps({"jsonrpc": "2.0", "params": META} | one) for one in asked]
    return subprocess.run(
        [sys.executable, *command],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )


def name_of_client(server: StdioServer) -> str:
    """Say by which name the server knows its client, as it signs what that writes."""
    server.call("audit_event", type="note", description="x")
    shown: Json = server.call("list_sessions")["result"]["structuredContent"]
    return json.dumps(shown)


def test_a_client_that_discovers_may_still_shake_hands(start_stdio: StartStdio) -> None:
    server = start_stdio(COMMAND)

    found = server.ask(DISCOVER, envelope(CLAUDE))
    opened = server.ask(*handshake(CLAUDE))
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    assert found["result"]["supportedVersions"] == ["2026-07-28"]
    assert opened["result"]["protocolVersion"] == "2025-11-25"
    assert "claude-code" in name_of_client(server)
    assert server.end() == 0


@pytest.mark.parametrize("version", ["2026-07-28", "2099-01-01"])
def test_discovery_settles_no_era_for_the_full_server_either(
    start_stdio: StartStdio, version: str
) -> None:
    server = start_stdio()

    server.ask(DISCOVER, {"_meta": {VERSION: version, CAPABILITIES: {}}})
    opened = server.open()

    assert opened["protocolVersion"] == "2025-11-25"
    assert server.call("toy_list")["result"]["structuredContent"] == {"notes": []}


@pytest.mark.parametrize("program", [COMMAND, "tests.mcp.programs"])
def test_the_first_ordinary_request_settles_the_era(start_stdio: StartStdio, program: str) -> None:
    server = start_stdio(program)

    server.ask(DISCOVER, META)
    listed = server.ask(LIST_TOOLS, META)
    refused = server.ask(*handshake())
    called = server.ask("tools/call", META | {"name": "list_projects", "arguments": {}})

    assert listed["result"]["tools"]
    assert refused["error"]["code"] == -32022
    assert called["result"]["isError"] is False
    assert server.end() == 0


def test_a_handshake_refuses_requests_of_the_other_era(start_stdio: StartStdio) -> None:
    server = start_stdio(COMMAND)

    server.ask(*handshake())

    assert server.ask(LIST_TOOLS, META)["error"]["code"] == -32600
    assert server.ask(LIST_TOOLS)["result"]["tools"]


def test_all_that_is_sent_at_once_is_answered_in_order_and_once(start_stdio: StartStdio) -> None:
    server = start_stdio(COMMAND)
    method, params = handshake(CODEX)
    call = {"name": "audit_event", "arguments": {"type": "note", "description": "x"}}
    asked: list[Json] = [
        {"id": 0, "method": method, "params": params},
        {"method": "notifications/initialized"},
        {"id": 1, "method": LIST_TOOLS},
        {"id": 2, "method": "tools/call", "params": call},
    ]
    for message in asked:
        server.send({"jsonrpc": "2.0"} | message)

    # The call takes its time, and what comes after it is still answered, by the server.
    answers = [server.answer() for _ in range(3)]
    after = server.ask("ping")

    assert [one["id"] for one in answers] == [0, 1, 2]
    assert answers[2]["result"]["isError"] is False
    assert after["result"] == {}
    assert server.end() == 0
    assert server.rest() == []


def test_a_call_before_the_end_of_input_is_answered(start_stdio: StartStdio) -> None:
    server = start_stdio(COMMAND)
    server.ask(*handshake())
    params = {"name": "list_projects", "arguments": {}}

    server.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})

    assert server.end() == 0
    (answer,) = server.rest()
    assert (answer["id"], answer["result"]["isError"]) == (7, False)


def test_a_store_that_cannot_be_opened_is_told_of_at_every_call(
    start_stdio: StartStdio, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")
    server = start_stdio(COMMAND, store=str(tmp_path / "file"))

    opened = server.ask(*handshake())
    refusals = [server.call("list_projects"), server.call("list_projects")]

    assert "result" in opened
    assert [one["error"]["data"]["code"] for one in refusals] == ["INVALID_INPUT"] * 2
    assert server.end() == 2
    assert "is a file" in server.said()
    assert str(tmp_path) not in json.dumps(refusals)
