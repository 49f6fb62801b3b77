"""Callers with tokens, over MCP and the API of a real server, and those who try without."""

import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from hansard.http.middleware import RECHECK_S
from tests.http.serving import (
    META_ONLY,
    Answer,
    Server,
    let_in,
    make_token,
    mcp_call,
    mcp_request,
    revoke,
    serving,
    store_in,
)
from tests.patience import PATIENCE_S, wait_until

SECRET = "a secret of the server's own"
TEXTS = {"type": "task", "title": "Hidden", "summary": "s", "body": "b"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("guarded")


@pytest.fixture(scope="module")
def texts(home: Path) -> dict[str, str]:
    """A token of each role, and one that sees one project."""
    made = {role: make_token(home, role, name=role)[0] for role in ("viewer", "agent", "admin")}
    bound = make_token(home, "admin", name="bound", projects=["ours"])[0]
    human = make_token(home, "agent", name="maria", is_human=True)[0]
    return made | {"bound": bound, "human": human}


@pytest.fixture(scope="module")
def guarded(home: Path, texts: dict[str, str]) -> Iterator[Server]:
    """A server whose store has tokens, so that it asks for them."""
    assert texts
    variables = {"HANSARD_SECRET": SECRET, "HANSARD_REVIEW_WINDOW_S": "0"}
    with serving(home, "--rate-per-minute", "0", **variables) as running:
        yield running


def bearer(text: str) -> dict[str, str]:
    return {"authorization": f"Bearer {text}"}


def api(server: Server, path: str, arguments: Any = None, **headers: str) -> Answer:
    """Post as a program does: without a cookie, a mark or an origin."""
    body = json.dumps(arguments or {}).encode()
    usual = {"content_type": "application/json"}
    return server.request("POST", f"/api/v1/{path}", body, **usual | headers)


def over(server: Server, way: str, name: str, arguments: Any = None, **headers: str) -> Answer:
    call = mcp_call if way == "mcp" else api
    return call(server, name, arguments, **headers)


def content(answer: Answer) -> Any:
    """Give what was answered, whichever way it came."""
    said = answer.json()
    return said["result"]["structuredContent"] if "result" in said else said


BOTH = pytest.mark.parametrize("way", ["mcp", "api"])


@pytest.mark.holds("ALL-10.13")
@BOTH
@pytest.mark.parametrize(("who", "actor"), [("agent", "agent:agent"), ("human", "human:maria")])
def test_the_actor_is_the_tokens(
    guarded: Server, texts: dict[str, str], way: str, who: str, actor: str
) -> None:
    made = content(over(guarded, way, "create_record", TEXTS, **bearer(texts[who])))

    shown = api(guarded, "get_timeline", {"session_id": made["session_id"]}, **bearer(texts[who]))
    assert {one["actor"] for one in shown.json()["timeline"]} == {actor}


@BOTH
@pytest.mark.parametrize(
    "shown",
    [
        {},
        {"authorization": "Bearer"},
        {"authorization": "Bearer hns_00000000_nobodys"},
        {"authorization": "Bearer \u00e9"},
        {"authorization": "Basic aHVtYW46eA=="},
        {"authorization": "hns_00000000_nobodys"},
        {"x_hansard_page": "1", "cookie": "hansard_page_1=x"},
    ],
)
def test_without_a_good_token_nobody_comes_in(
    guarded: Server, way: str, shown: dict[str, str]
) -> None:
    answer = over(guarded, way, "list_projects", **shown)

    challenge = answer.headers["www-authenticate"]
    assert (answer.status, answer.json()["error"]["code"]) == (401, "UNAUTHORIZED")
    assert challenge.startswith("Bearer ")
    assert ('error="invalid_token"' in challenge) == ("authorization" in shown)
    assert re.search(r'resource_metadata="(http://[^"]+)"', challenge)


@pytest.mark.parametrize(
    "path", ["/mcp", "/api/v1", "/api/v1/stream", "/metrics", "/mcp/", "//mcp", "/MCP", "/api/v1/"]
)
def test_no_path_is_a_way_around(guarded: Server, path: str) -> None:
    answer = guarded.request("GET", path, accept="text/event-stream")

    assert answer.status in (307, 401, 404, 405)
    assert answer.status == 401 or path not in ("/mcp", "/api/v1", "/api/v1/stream", "/metrics")


@BOTH
def test_a_token_in_the_address_is_not_looked_at(
    guarded: Server, texts: dict[str, str], way: str
) -> None:
    path = "/mcp" if way == "mcp" else "/api/v1/list_projects"
    for name in ("token", "access_token", "authorization"):
        answer = guarded.request(
            "POST", f"{path}?{name}={texts['admin']}", b"{}", content_type="application/json"
        )
        assert answer.status == 401


def test_the_server_describes_whom_it_lets_in(guarded: Server) -> None:
    challenge = mcp_call(guarded, "list_projects").headers["www-authenticate"]
    found = re.search('resource_metadata="([^"]+)"', challenge)
    assert found

    described = guarded.request("GET", urlsplit(found[1]).path).json()

    assert described["resource"] == f"{guarded.base}/mcp"
    assert described["bearer_methods_supported"] == ["header"]
    assert described["scopes_supported"] == ["hansard:read", "hansard:write", "hansard:admin"]


@BOTH
@pytest.mark.parametrize(
    ("who", "operation", "scope"),
    [
        ("viewer", "create_record", "hansard:write"),
        ("viewer", "accept_proposal", "hansard:admin"),
        ("agent", "accept_proposal", "hansard:admin"),
    ],
)
def test_a_role_that_does_not_reach_is_insufficient_scope(
    guarded: Server, texts: dict[str, str], *, way: str, who: str, operation: str, scope: str
) -> None:
    arguments = {"proposal_id": "P1"} if operation == "accept_proposal" else TEXTS
    answer = over(guarded, way, operation, arguments, **bearer(texts[who]))

    challenge = answer.headers["www-authenticate"]
    assert answer.status == 403
    assert 'error="insufficient_scope"' in challenge
    assert f'scope="{scope}"' in challenge


def test_tools_are_listed_as_the_role_may_use_them(guarded: Server, texts: dict[str, str]) -> None:
    listed = {
        who: {
            tool["name"]
            for tool in mcp_request(guarded, "tools/list", None, **bearer(texts[who])).json()[
                "result"
            ]["tools"]
        }
        for who in ("viewer", "agent")
    }

    assert "create_record" in listed["agent"] - listed["viewer"]
    assert "list_records" in listed["viewer"]


@pytest.mark.holds("ALL-10.10")
@BOTH
def test_an_admins_token_accepts_a_proposal_and_no_other_does(
    guarded: Server, texts: dict[str, str], way: str
) -> None:
    proposal = content(
        over(
            guarded,
            way,
            "propose_decision",
            {"title": f"Over {way}", "target": way, "rationale": "It was measured twice."},
            **bearer(texts["agent"]),
        )
    )["proposal_id"]
    accept = ("accept_proposal", {"proposal_id": proposal, "project_id": "default-agent"})

    assert over(guarded, way, *accept, **bearer(texts["agent"])).status == 403
    accepted = over(guarded, way, *accept, **bearer(texts["admin"]))

    assert content(accepted)["decision_id"]


@BOTH
def test_a_bound_token_sees_its_projects_only(
    guarded: Server, texts: dict[str, str], way: str
) -> None:
    hidden = content(over(guarded, way, "create_record", TEXTS, **bearer(texts["agent"])))
    mine = bearer(texts["bound"])

    listed = content(over(guarded, way, "list_projects", **mine))
    elsewhere = content(over(guarded, way, "get_project", {"id": "default"}, **mine))
    session = {"session_id": hidden["session_id"]}
    timeline = content(over(guarded, way, "get_timeline", session, **mine))
    record = content(over(guarded, way, "get_record_ref", {"id": "R1"}, **mine))

    assert [one["id"] for one in listed["projects"]] == ["ours"]
    assert elsewhere["error"]["code"] == "PROJECT_NOT_FOUND"
    assert timeline["error"]["code"] == "SESSION_NOT_FOUND"
    assert record["error"]["code"] == "RECORD_NOT_FOUND"


def test_a_bound_token_hears_and_verifies_nothing_of_others(
    guarded: Server, texts: dict[str, str]
) -> None:
    mine = bearer(texts["bound"])

    assert guarded.request("GET", "/api/v1/stream?project=default", None, **mine).status == 404
    assert guarded.request("GET", "/api/v1", None, **mine).json()["project"] == "ours"
    assert api(guarded, "verify", **mine).status == 403
    assert guarded.request("GET", "/metrics", None, **mine).status == 403
    read = mcp_request(
        guarded,
        "resources/read",
        {"uri": "hansard://activity", **META_ONLY},
        mcp_name="hansard://activity",
        **mine,
    )
    assert "Hidden" not in read.body.decode()
    assert read.status == 200


def test_verify_is_for_admins(guarded: Server, texts: dict[str, str]) -> None:
    assert api(guarded, "verify", **bearer(texts["agent"])).status == 403
    assert api(guarded, "verify", **bearer(texts["admin"])).json()["sound"] is True


@BOTH
def test_a_revoked_token_ends_at_once(guarded: Server, home: Path, way: str) -> None:
    text, identity = make_token(home, "agent", name=f"brief-{way}")
    assert over(guarded, way, "list_projects", **bearer(text)).status == 200

    revoke(home, identity)

    assert over(guarded, way, "list_projects", **bearer(text)).status == 401


def test_an_open_stream_ends_with_its_token(guarded: Server, home: Path) -> None:
    text, identity = make_token(home, "viewer", name="listener")
    admin = make_token(home, "agent", name="writer")[0]
    with closing(HTTPConnection(urlsplit(guarded.base).netloc, timeout=PATIENCE_S)) as connection:
        path = "/api/v1/stream?project=default-writer"
        api(guarded, "create_record", TEXTS, **bearer(admin))  # which makes its project
        connection.request("GET", path, headers={"Authorization": f"Bearer {text}"})
        stream = connection.getresponse()
        assert stream.readline() == b"event: hello\n"
        revoke(home, identity)
        time.sleep(RECHECK_S + 0.1)  # so that at the next word it looks again
        api(guarded, "create_record", TEXTS | {"title": "After the end"}, **bearer(admin))

        rest = stream.read()

    assert b"After the end" not in rest


def read_until(word: bytes, stream: HTTPResponse) -> None:
    while word not in (line := stream.readline()):
        assert line, "the stream ended before that was said"


def test_a_watched_resource_is_told_of_no_more_once_the_token_ended(
    guarded: Server, home: Path, texts: dict[str, str]
) -> None:
    text, identity = make_token(home, "viewer", name="watcher", projects=["watched"])
    write = partial(api, guarded, "create_record", {**TEXTS, "project_id": "watched"})
    wanted = {"notifications": {"resourceSubscriptions": ["hansard://activity"]}, **META_ONLY}
    message = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": wanted}
    headers = {
        "Authorization": f"Bearer {text}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Mcp-Protocol-Version": "2026-07-28",
        "Mcp-Method": "subscriptions/listen",
    }
    with closing(HTTPConnection(urlsplit(guarded.base).netloc, timeout=PATIENCE_S)) as connection:
        connection.request("POST", "/mcp", json.dumps(message).encode(), headers)
        stream = connection.getresponse()
        assert stream.status == 200
        read_until(b"acknowledged", stream)
        write(**bearer(texts["agent"]))
        read_until(b"resources/updated", stream)
        revoke(home, identity)
        time.sleep(RECHECK_S + 0.1)  # so that at the next word it looks again
        write(**bearer(texts["agent"]))

        rest = iter(stream.readline, b"")

        assert not any(b"resources/updated" in line for line in rest)


def test_a_token_that_expired_lets_in_no_more(guarded: Server, home: Path) -> None:
    text, _ = make_token(home, "agent", name="old", expires="2026-01-01T00:00:00.000000Z")

    assert mcp_call(guarded, "list_projects", **bearer(text)).status == 401


def test_the_page_still_lets_in_the_person_here(guarded: Server) -> None:
    browser = let_in(guarded)

    assert browser.call("list_projects")["projects"]
    assert browser.post("list_projects", x_hansard_page="")[0] == 401


def test_a_bad_token_is_not_made_good_by_a_cookie(guarded: Server) -> None:
    opened = guarded.run("open", "--port", str(guarded.port))
    browser = let_in(guarded, opened.stdout.strip().rpartition("token=")[2])

    assert browser.post("list_projects", authorization="Bearer hns_00000000_x")[0] == 401


@pytest.mark.anyio
async def test_another_tokens_connection_cannot_be_gone_on_with(
    guarded: Server, texts: dict[str, str]
) -> None:
    async with (
        httpx2.AsyncClient(headers=bearer(texts["agent"])) as connection,
        Client(
            streamable_http_client(f"{guarded.base}/mcp", http_client=connection), mode="legacy"
        ) as client,
    ):
        assert (await client.call_tool("list_projects", {})).structured_content
    body = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": _client()}
    begun = _legacy(guarded, "initialize", body, texts["agent"])
    session = begun.headers["mcp-session-id"]

    own = _legacy(guarded, "ping", {}, texts["agent"], mcp_session_id=session)
    others = _legacy(guarded, "ping", {}, texts["admin"], mcp_session_id=session)

    assert (own.status, others.status) == (200, 404)


def _client() -> dict[str, str]:
    return {"name": "test", "version": "1"}


def _legacy(
    server: Server, method: str, params: dict[str, Any], text: str, **headers: str
) -> Answer:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    usual = {
        "content_type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp_protocol_version": "2025-11-25",
    }
    body = json.dumps(message).encode()
    return server.request("POST", "/mcp", body, **usual | bearer(text) | headers)


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        pytest.param(["Authorization: Bearer {good}", "Authorization: Bearer x"], 401, id="two"),
        pytest.param(["Authorization: Bearer x", "Authorization: Bearer {good}"], 401, id="second"),
        pytest.param(["Authorization : Bearer {good}"], 400, id="a space before the colon"),
        pytest.param(["Authorization: Bearer {good}", "Host: evil.example"], 400, id="two hosts"),
        pytest.param(["X: y", " Authorization: Bearer {good}"], 401, id="a folded line"),
        pytest.param(["Authorization:\tbearer  {good}"], 200, id="other case and spaces"),
        pytest.param(["Authorization: Bearer {good}", "Content-Length: 9"], 400, id="two lengths"),
    ],
)
def test_smuggled_headers_do_not_let_in(
    guarded: Server, texts: dict[str, str], lines: list[str], status: int
) -> None:
    address = urlsplit(guarded.base)
    head = [
        "POST /api/v1/list_projects HTTP/1.1",
        f"Host: {address.netloc}",
        "Content-Type: application/json",
        "Content-Length: 2",
        "Connection: close",
        *(line.format(good=texts["agent"]) for line in lines),
    ]
    assert address.hostname
    with socket.create_connection((address.hostname, guarded.port), timeout=PATIENCE_S) as wire:
        wire.sendall("\r\n".join([*head, "", "{}"]).encode())
        answer = wire.recv(65536)

    assert int(answer.split()[1]) == status


def test_a_server_asks_for_tokens_once_one_was_made(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        assert mcp_call(server, "list_projects").status == 200
        text, _ = make_token(tmp_path, "viewer")
        wait_until(
            lambda: mcp_call(server, "list_projects").status != 200, "tokens were never asked for"
        )

        assert mcp_call(server, "list_projects", **bearer(text)).status == 200


@pytest.mark.parametrize(("mode", "status"), [("required", 401), ("optional", 200)])
def test_tokens_can_be_required_and_optional(tmp_path: Path, mode: str, status: int) -> None:
    if mode == "optional":
        make_token(tmp_path, "viewer")
    with serving(tmp_path, "--tokens", mode) as server:
        assert mcp_call(server, "list_projects").status == status


@pytest.mark.parametrize(
    ("flags", "has_token", "says"),
    [
        (["--host", "0.0.0.0"], False, ["hansard token create", "--allowed-hosts"]),
        (["--host", "0.0.0.0"], True, ["--allowed-hosts"]),
        (["--host", "0.0.0.0", "--allowed-hosts", "x"], False, ["hansard token create"]),
        (["--allowed-hosts", "x", "--tokens", "optional"], True, ["--tokens"]),
    ],
)
def test_an_unguarded_server_does_not_start(
    tmp_path: Path, flags: list[str], says: list[str], *, has_token: bool
) -> None:
    if has_token:
        make_token(tmp_path, "agent")
    else:
        with store_in(tmp_path):
            pass
    server = Server("http://localhost:1", "", tmp_path, None)  # type: ignore[arg-type]

    ran = server.run("serve", "--port", "0", *flags)

    assert ran.returncode == 2
    assert all(part in ran.stderr for part in says), ran.stderr


def test_a_revoked_token_does_not_let_a_server_start_elsewhere(tmp_path: Path) -> None:
    revoke(tmp_path, make_token(tmp_path, "agent")[1])
    server = Server("http://localhost:1", "", tmp_path, None)  # type: ignore[arg-type]

    ran = server.run("serve", "--port", "0", "--host", "0.0.0.0", "--allowed-hosts", "x")

    assert "hansard token create" in ran.stderr


def test_elsewhere_only_allowed_hosts_and_origins_are_served(tmp_path: Path) -> None:
    text, _ = make_token(tmp_path, "agent")
    flags = ("--host", "0.0.0.0", "--allowed-hosts", "hansard.example, other.example:8443")
    with serving(tmp_path, *flags) as server:

        def status(**headers: str) -> int:
            return mcp_call(server, "list_projects", **bearer(text) | headers).status

        assert status(host="hansard.example") == 200
        assert status(host="hansard.example:8377", origin="https://hansard.example") == 200
        assert status(host="other.example:8443") == 200
        assert status(host="other.example:1") == 421
        assert status(host="hansard.example.evil.example") == 421
        assert status(host="hansard.example", origin="https://evil.example") == 403
        assert mcp_call(server, "list_projects", host="hansard.example").status == 401
        opened = server.request("GET", f"/?token={server.token}", host="hansard.example")
        assert "Secure" in opened.headers["set-cookie"].split("; ")
