"""Who is let in to the page, and who is not."""

import re
from pathlib import Path

import pytest

from hansard.http.page_login import TOKEN_LIFE_S, TOKENS_MAX, VISIT_LIFE_S, PageDoor
from tests.http.serving import Browser, Server, let_in, serving


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def door(clock: Clock) -> PageDoor:
    return PageDoor(timer=clock, clock=clock)


def test_a_token_opens_once(door: PageDoor) -> None:
    token = door.issue()

    assert door.visit(door.enter(token)) is not None
    assert door.enter(token) is None


@pytest.mark.parametrize("wrong", ["", "x", "é", "\ud800"])
def test_another_token_opens_nothing(door: PageDoor, wrong: str) -> None:
    door.issue()

    assert door.enter(wrong) is None
    assert door.visit(wrong) is None
    assert not door.has_key(wrong)


def test_tokens_and_visits_come_to_an_end(door: PageDoor, clock: Clock) -> None:
    late, used = door.issue(), door.issue()
    cookie = door.enter(used)
    clock.now = TOKEN_LIFE_S

    assert door.enter(late) is None
    assert door.visit(cookie)
    clock.now = VISIT_LIFE_S
    assert door.visit(cookie) is None


def test_the_oldest_token_goes_when_there_are_too_many(door: PageDoor) -> None:
    first, *_, last = [door.issue() for _ in range(TOKENS_MAX + 1)]

    assert door.enter(first) is None
    assert door.enter(last)


def test_the_printed_token_lets_in_once_and_leaves_the_address(server: Server) -> None:
    browser = let_in(server)

    again = server.request("GET", f"/?token={server.token}")
    assert (again.status, again.headers["set-cookie"]) == (303, None)
    assert browser.call("list_projects")["projects"] is not None


def test_the_cookie_is_of_this_site_only_and_no_script_reads_it(server: Server) -> None:
    opened = server.run("open", "--port", str(server.port)).stdout
    answer = server.request("GET", f"/?token={opened.strip().rpartition('token=')[2]}")

    cookie = answer.headers["set-cookie"]
    assert re.match(r"hansard_page_[0-9a-f]{16}=\S+;", cookie)
    assert {"HttpOnly", "SameSite=strict", f"Max-Age={int(VISIT_LIFE_S)}"} <= set(
        cookie.split("; ")
    )


@pytest.mark.parametrize(
    "headers",
    [
        {"cookie": ""},
        {"cookie": "hansard_page_1=x"},
        {"x_hansard_page": ""},
    ],
)
def test_who_was_not_let_in_or_is_no_page_gets_nothing(
    browser: Browser, headers: dict[str, str]
) -> None:
    status, answer = browser.post("list_projects", **headers)

    assert (status, answer["error"]["code"]) == (401, "UNAUTHORIZED")
    assert "hansard open" in answer["error"]["recovery_hint"]


@pytest.mark.parametrize(
    "headers", [{"origin": "http://evil.example"}, {"host": "evil.example"}, {"origin": "null"}]
)
def test_another_sites_page_gets_nothing(browser: Browser, headers: dict[str, str]) -> None:
    answer = browser.server.request(
        "POST", "/api/v1/list_projects", b"{}",
        **{"content_type": "application/json", "x_hansard_page": "1", "cookie": browser.cookie}
        | headers,
    )  # fmt: skip

    assert answer.status in (403, 421)


@pytest.mark.parametrize("authorization", ["", "Bearer x", "Basic x", "Bearer"])
def test_only_the_key_gets_a_token(server: Server, authorization: str) -> None:
    headers = {"content_type": "application/json", "authorization": authorization}

    assert server.request("POST", "/api/v1/door", b"{}", **headers).status == 401


def test_without_a_server_open_says_so(server: Server) -> None:
    opened = server.run("open", "--port", "1")

    assert opened.returncode != 0
    assert "hansard serve" in opened.stderr


@pytest.mark.parametrize("given", ["", "long enough to be a secret"])
def test_a_server_without_a_secret_says_that_it_accepts_nothing(tmp_path: Path, given: str) -> None:
    with serving(tmp_path, HANSARD_SECRET=given) as server:
        server.process.terminate()
        assert server.process.stderr
        said = server.process.stderr.read()

    assert ("HANSARD_SECRET" in said) == (not given)
