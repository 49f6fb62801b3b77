"""Who is there over HTTP: pages that are open, tokens that are good, clients by their names."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from hansard.app.local_user import login_name
from tests.http.serving import (
    MODERN_META,
    WAIT_S,
    Browser,
    Server,
    let_in,
    make_token,
    mcp_request,
    revoke,
    serving,
)

CLIENT = "io.modelcontextprotocol/clientInfo"
RECORD = {"type": "task", "title": "T", "summary": "s", "body": "b"}


@contextmanager
def page_open(browser: Browser) -> Iterator[None]:
    """Follow what happens, as a page does for as long as it is open."""
    connection = HTTPConnection(urlsplit(browser.server.base).netloc, timeout=WAIT_S)
    connection.request("GET", "/api/v1/stream", headers={"Cookie": browser.cookie})
    stream = connection.getresponse()
    assert stream.readline()
    try:
        yield
    finally:
        stream.close()
        connection.close()


def listed(browser: Browser, session: str, **where: str) -> dict[str, Any]:
    found = browser.call("list_sessions", **where)["sessions"]
    return dict(next(one for one in found if one["session_id"] == session))


def becomes(look: Callable[[], object], expected: object) -> bool:
    deadline = time.monotonic() + WAIT_S
    while look() != expected:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def wrote_as(server: Server, client: str, *, bearer: str | None = None) -> dict[str, Any]:
    """Have a client of the current era write a record; gives the answer."""
    meta = MODERN_META | {CLIENT: {"name": client, "version": "1.2"}}
    params = {"name": "create_record", "arguments": RECORD, "_meta": meta}
    headers = {"authorization": f"Bearer {bearer}"} if bearer else {}
    answer = mcp_request(server, "tools/call", params, mcp_name="create_record", **headers)
    content: dict[str, Any] = answer.json()["result"]["structuredContent"]
    return content


def test_a_page_that_was_closed_is_away_and_one_that_is_opened_again_is_back(
    server: Server,
) -> None:
    browser = let_in(server, server.token)
    other = Browser(server, browser.cookie)

    with page_open(browser):
        session = browser.call("create_record", **RECORD)["session_id"]
        there = listed(other, session)

    assert (there["status"], there["by"]) == ("active", f"human:{login_name()}")
    assert becomes(lambda: listed(other, session)["status"], "away")
    with page_open(browser):
        assert becomes(lambda: listed(other, session)["status"], "active")


def test_two_pages_of_a_browser_are_there_until_both_are_closed(browser: Browser) -> None:
    session = browser.call("create_record", **RECORD)["session_id"]

    with page_open(browser):
        with page_open(browser):
            pass
        assert listed(browser, session)["status"] == "active"

    assert becomes(lambda: listed(browser, session)["status"], "away")


def author_of(browser: Browser, made: dict[str, Any], **where: str) -> str:
    """Say who wrote a record, as its history has it."""
    _, told = browser.post("get_record_history", {"id": made["record"]["id"], **where})
    return str(told["history"][-1]["author"])


def test_clients_over_http_are_told_apart(server: Server, browser: Browser) -> None:
    made = [wrote_as(server, name) for name in ("claude-code", "cursor", "human:root")]

    authors = [author_of(browser, one) for one in made]
    seen = listed(browser, made[0]["session_id"])
    assert authors == ["agent:claude-code", "agent:cursor", "agent:http"]
    assert (seen["by"], seen["client"]) == ("agent:claude-code", "claude-code 1.2")


def test_a_server_that_was_killed_leaves_nobody_there(tmp_path_factory: Any) -> None:
    home = tmp_path_factory.mktemp("killed")
    with serving(home) as first:
        session = wrote_as(first, "cursor")["session_id"]
        first.process.kill()
        first.process.wait(WAIT_S)

    with serving(home) as second:
        assert listed(let_in(second), session)["status"] == "away"


def test_a_token_signs_with_its_name_and_its_end_leaves_it_away(tmp_path_factory: Any) -> None:
    home = tmp_path_factory.mktemp("tokens")
    text, identity = make_token(home, "agent", name="ci-bot")
    with serving(home) as server:
        browser = let_in(server)
        made = [wrote_as(server, name, bearer=text) for name in ("cursor", "ci-bot", "codex")]
        session = made[0]["session_id"]
        where = {"project_id": session.rpartition(".")[0]}
        before = listed(browser, session, **where)

        revoke(home, identity)

        after = listed(browser, session, **where)
        authors = [author_of(browser, one, **where) for one in made]
    assert authors == ["agent:ci-bot (cursor)", "agent:ci-bot", "agent:ci-bot (codex)"]
    assert (before["status"], after["status"]) == ("active", "away")
