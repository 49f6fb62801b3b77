"""The corpus through real servers: messages (P), HTTP (H) and queries (Q), with neighbours."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hansard.kernel.limits import NESTING_MAX
from tests.hostile.corpus import CASES, case, verdict
from tests.hostile.serving import HansardServer, code_of, findings, heads, serving_stdio
from tests.http.serving import Server, make_token, mcp_call, mcp_request, serving
from tests.launcher.programs import run
from tests.mcp.processes import ROOT, WAIT_S, HttpServer, environment
from tests.mcp.test_messages import nested, request

PARSE, REQUEST, PARAMS = -32700, -32600, -32602
RECORD = {"type": "note", "title": "A title", "summary": "s", "body": "b"}


# P: messages.

LINES: dict[str, tuple[bytes, int, int | None]] = {
    "P-01": (request("[" * 100_000), PARAMS, 7),
    "P-01 braces": (request('{"a":' * 100_000), PARAMS, 7),
    "P-01 closed": (request("[" * 50_000 + "]" * 50_000), PARAMS, 7),
    "P-05": (request(f'{{"n":{"9" * 5_000}}}'), PARAMS, 7),
    "P-05 negative": (request(f'{{"n":-{"1" * 5_000}}}'), PARAMS, 7),
    "P-05 an exponent": (request('{"n":1e5000}'), PARAMS, 7),
    "P-05 in the id": (request(request_id="9" * 5_000), PARAMS, None),
    "P-07": (request('{"path":"a","path":"../b"}'), PARAMS, 7),
    "P-07 escaped": (request(r'{"path":"a","p\u0061th":"../b"}'), PARAMS, 7),
    "P-07 of the message": (
        b'{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/list"}',
        PARAMS,
        7,
    ),
    "P-09": (request().replace(b'"x"', b'"\xff\xfe"'), PARSE, 7),
    "P-09 overlong": (request().replace(b'"x"', b'"\xc0\xaf"'), PARSE, 7),
    "P-09 half a character in the id": (
        b'{"jsonrpc":"2.0","id":"\\ud800","method":"\xff"}',
        PARSE,
        None,
    ),
    "P-09 UTF-16": ('{"jsonrpc":"2.0","id":7,"method":"ping"}'.encode("utf-16-le"), PARSE, None),
    "P-11": (b"[" + request() + b"]", REQUEST, None),
    "P-11 empty": (b"[]", REQUEST, None),
}


@case("P-01", "P-05", "P-07", "P-09", "P-11")
@pytest.mark.holds("ALL-06.9", "ALL-06.10")
@pytest.mark.parametrize("name", LINES)
def test_a_line_of_the_corpus_is_answered_and_changes_nothing(
    stdio: HansardServer, name: str
) -> None:
    line, code, request_id = LINES[name]
    before = heads(stdio.store)

    stdio.write(line + b"\n")
    answer = stdio.answer()

    assert (answer["error"]["code"], answer["id"]) == (code, request_id)
    assert stdio.ask("ping")["result"] == {}
    assert heads(stdio.store) == before


@case("P-03")
def test_an_argument_nested_to_the_limit_is_kept_and_comes_back(stdio: HansardServer) -> None:
    context = json.loads(nested(NESTING_MAX))

    saved = stdio.done("workflow_checkpoint_save", context=context)
    loaded = stdio.done("workflow_checkpoint_load", checkpointId=saved["checkpointId"])

    assert loaded["context"] == context


ARGUMENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "P-13": ("create_record", RECORD | {"role": "admin"}),
    "P-13 for a reader": ("list_records", {"actor_kind": "human"}),
    "P-13 an inner one": (
        "file_op",
        {"ops": [{"action": "create", "path": "a", "content": "b", "mode": "777"}]},
    ),
    "P-15 title": ("create_record", RECORD | {"title": "a\0b"}),
    "P-15 body": ("create_record", RECORD | {"body": "a\0b"}),
    "P-15 decision": (
        "record_decision",
        {"title": "a\0b", "target": "t", "rationale": "long enough a text"},
    ),
    "P-17 -1": ("list_records", {"limit": -1}),
    "P-17 1e9": ("list_records", {"limit": 1_000_000_000}),
    "P-17 as a float": ("list_records", {"limit": 1e9}),
    "P-17 a text": ("list_records", {"limit": "20;DROP"}),
    "P-17 offset": ("workflow_checkpoint_list", {"sessionId": "s", "offset": 2**63}),
    "P-17 depth": ("list_records", {"depth": -(2**63)}),
    "P-17 a step": ("audit_event", {"type": "x", "description": "y", "step": 2**63}),
}


@case("P-13", "P-15", "P-17")
@pytest.mark.holds("ALL-07.1")
@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_argument_of_the_corpus_is_refused_and_changes_nothing(
    stdio: HansardServer, name: str
) -> None:
    tool, arguments = ARGUMENTS[name]
    before = heads(stdio.store)

    assert stdio.code(tool, **arguments) == verdict(name.partition(" ")[0])
    assert heads(stdio.store) == before


@case("P-15")
def test_a_query_may_hold_what_stored_text_may_not(stdio: HansardServer) -> None:
    for tool in ("search_records", "search_decisions", "search"):
        assert stdio.code(tool, query="a\0b") is None


@case("P-19")
def test_a_client_that_leaves_in_mid_request_leaves_a_sound_store(tmp_path: Path) -> None:
    with serving_stdio(tmp_path) as server:
        whole = {"name": "create_record", "arguments": RECORD}
        message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": whole}
        line = json.dumps(message).encode() + b"\n"
        server.write(line + line.replace(b"7", b"8", 1)[:-40])

        assert server.end() == 0
        whole_one, cut_one = sorted(server.rest(), key=lambda answer: int(answer["id"]))

    assert "result" in whole_one
    assert cut_one["error"]["code"] == PARSE
    assert findings(tmp_path / "store") == []


# H: requests over HTTP.


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    with HttpServer({"store": str(tmp_path_factory.mktemp("http") / "store")}) as server:
        yield server


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that asks for tokens, though none was made yet."""
    with serving(tmp_path_factory.mktemp("guarded"), HANSARD_TOKENS="required") as server:
        yield server


@case("H-02")
@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example", "file://"]
)
def test_another_sites_page_is_refused(http: HttpServer, origin: str) -> None:
    assert http.post(request(), origin=origin)[0] == 403


@case("H-04")
@pytest.mark.parametrize("kind", ["", "text/plain", "multipart/form-data", "application/jsonx"])
def test_a_message_is_posted_as_json(http: HttpServer, kind: str) -> None:
    assert http.post(request(), content_type=kind)[0] in {400, 415}


@case("H-06")
@pytest.mark.parametrize("shown", [{}, {"authorization": "Bearer "}, {"authorization": "Basic x"}])
def test_without_a_token_nothing_is_answered(guarded: Server, shown: dict[str, str]) -> None:
    before = heads(guarded.home / "store")
    asked = {"content_type": "application/json"} | shown

    answers = [
        mcp_call(guarded, "create_record", RECORD, **shown),
        mcp_request(guarded, "tools/list", None, **shown),
        guarded.request("POST", "/mcp", request(), **asked),
        guarded.request("POST", "/api/v1/create_record", json.dumps(RECORD).encode(), **asked),
        *(
            guarded.request("GET", path, None, accept="text/event-stream", **shown)
            for path in ("/mcp", "/api/v1", "/api/v1/stream", "/metrics")
        ),
    ]

    assert [answer.status for answer in answers] == [401] * len(answers)
    assert {answer.headers["www-authenticate"].split()[0] for answer in answers} == {"Bearer"}
    assert heads(guarded.home / "store") == before


@case("H-08")
@pytest.mark.parametrize("tool", ["get_timeline", "create_record", "close_session"])
def test_the_session_of_another_token_is_told_from_an_unknown_one_by_nothing(
    guarded: Server, tool: str
) -> None:
    owner, _ = make_token(guarded.home, "agent", name=f"owner-{tool}", projects=["ours"])
    other, _ = make_token(guarded.home, "agent", name=f"other-{tool}", projects=["theirs"])
    begun = {"title": "t", "session_id": f"mine-{tool}"}
    made = mcp_call(guarded, "record_session_start", begun, authorization=f"Bearer {owner}")
    assert not made.json()["result"].get("isError")
    arguments = RECORD if tool == "create_record" else {}

    told, unknown = (
        mcp_call(
            guarded, tool, arguments | {"session_id": session}, authorization=f"Bearer {other}"
        ).json()
        for session in (f"mine-{tool}", "nobody")
    )

    assert code_of(told) == code_of(unknown) == verdict("H-08")
    assert json.dumps(told).replace(f"mine-{tool}", "nobody") == json.dumps(unknown)


@case("H-08")
def test_a_session_of_elsewhere_is_told_from_an_unknown_one_by_nothing(
    stdio: HansardServer,
) -> None:
    stdio.done("create_project", id="secret-project", name="Secret")
    begun = stdio.done(
        "record_session_start", title="t", session_id="theirs", project_id="secret-project"
    )
    assert begun["session_id"] == "theirs"

    refusals = [
        stdio.asked("get_timeline", session_id=session, project_id="default")
        for session in ("theirs", "nobody")
    ]

    for answer in refusals:
        answer.pop("id")
        assert code_of(answer) == verdict("H-08")
    told, unknown = (json.dumps(answer) for answer in refusals)
    assert told.replace("theirs", "nobody") == unknown


def served(home: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Start `hansard serve` as something it must refuse; gives what it said."""
    return run(
        [sys.executable, "-m", "tests.hostile.command", "serve", "--port", "0"],
        env=environment({"store": str(home / "store"), "embedder": "none"} | settings),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )


@case("H-10")
def test_serving_others_without_saying_so_refuses_to_start(tmp_path: Path) -> None:
    done = served(tmp_path, host="0.0.0.0")

    assert done.returncode not in {0, None}
    assert "Traceback" not in done.stderr
    assert "listens on http" not in done.stderr


# Q: queries.

WORDS = "the quick foo bar hel near or and x a column title"
QUERIES = {name: found["input"] for name, found in CASES.items() if found["area"] == "Q"} | {
    "NOT": "NOT zebra",
    "column": "title:zebra",
    "column filter": "{title body} : zebra",
    "caret": "^zebra",
    "plus": "foo + bar",
    "quote": '"',
    "three quotes": '"""',
    "like": "_____",
    "glob": "*",
    "comment": "/* */ --",
    "semicolon": "'; DELETE FROM journal; --",
    "regex": "(a+)+$",
    "tsquery": "a & !b | c <-> d:*",
    "emoji": "\N{PILE OF POO}" * 500,
    "long": "foo " * 2_000,
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HansardServer]:
    """A server with something to find, and something that no query below speaks of."""
    with serving_stdio(tmp_path_factory.mktemp("library")) as server:
        server.done("create_record", **RECORD | {"title": "Words", "body": WORDS})
        server.done("create_record", **RECORD | {"title": "Zwieback", "body": "yttrium quince"})
        why = {"rationale": f"Because of {WORDS}."}
        server.done("record_decision", title="Words", target="words", **why)
        yield server


@case(*(name for name in QUERIES if name in CASES))
@pytest.mark.holds("ALL-07.8")
@pytest.mark.parametrize("name", QUERIES)
def test_a_query_means_its_words_and_changes_nothing(library: HansardServer, name: str) -> None:
    before = heads(library.store)

    records = library.done("search_records", query=QUERIES[name]).get("results", [])
    decisions = library.done("search_decisions", query=QUERIES[name]).get("results", [])
    library.done("search", query=QUERIES[name])

    # Were anything of it an operator, the record without a word of it would be found as well.
    assert "R002" not in [one["id"] for one in records]
    assert {one["id"] for one in decisions} <= {"D001"}
    assert heads(library.store) == before


@case("Q-02")
def test_a_hyphen_excludes_nothing(library: HansardServer) -> None:
    for query in ("foo-bar", "foo -bar", "-foo bar"):
        found = library.done("search_records", query=query)["results"]
        assert [one["id"] for one in found] == ["R001"]
