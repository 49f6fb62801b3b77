"""How often and how much a caller may ask."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hansard.app.quotas import CALLERS_MAX, DAY_S
from hansard.app.tokens import RateLimited
from hansard.http.rate_limits import RateLimits
from hansard.kernel.limits import MIB
from tests.http.serving import Server, let_in, make_token, mcp_call, serving


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def enters(rates: RateLimits, caller: str = "one") -> int:
    """Count how many requests come in at once."""
    for count in range(1_000):
        try:
            rates.enter(caller)
        except RateLimited:
            return count
    return 1_000


def test_a_burst_is_let_in_and_no_more_until_time_passes(clock: Clock) -> None:
    rates = RateLimits(60, 0, clock)

    assert enters(rates) == 10
    clock.now += 3.0
    assert enters(rates) == 3
    clock.now += 3_600.0
    assert enters(rates) == 10


def test_one_caller_does_not_use_up_anothers(clock: Clock) -> None:
    rates = RateLimits(60, 0, clock)

    assert enters(rates, "one") == enters(rates, "other") == 10


def test_a_refusal_says_how_long_to_wait(clock: Clock) -> None:
    rates = RateLimits(6, 0, clock)
    enters(rates)

    with pytest.raises(RateLimited) as refusal:
        rates.enter("one")

    clock.now += refusal.value.details["retry_after_s"]
    rates.enter("one")


def test_refusals_use_nothing_up(clock: Clock) -> None:
    rates = RateLimits(60, 0, clock)
    enters(rates)
    for _ in range(100):
        with pytest.raises(RateLimited):
            rates.enter("one")
    clock.now += 1.0

    assert enters(rates) == 1


def test_what_was_sent_counts_over_the_day(clock: Clock) -> None:
    rates = RateLimits(0, 2, clock)
    rates.sent("one", 2 * MIB + 1)

    with pytest.raises(RateLimited):
        rates.enter("one")
    rates.enter("other")
    clock.now += DAY_S / 2
    rates.enter("one")


def test_without_limits_nothing_is_refused(clock: Clock) -> None:
    rates = RateLimits(0, 0, clock)
    rates.sent("one", 1_000 * MIB)

    assert enters(rates) == 1_000


def test_callers_that_come_and_go_do_not_fill_the_memory(clock: Clock) -> None:
    rates = RateLimits(6, 0, clock)
    rates.enter("first")
    for number in range(CALLERS_MAX):
        rates.enter(str(number))

    assert enters(rates, "first") == 1


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("limited")


@pytest.fixture(scope="module")
def limited(home: Path) -> Iterator[Server]:
    """A server that lets each caller in about once."""
    make_token(home, "viewer", name="first")
    flags = ("--rate-per-minute", "1", "--allowed-hosts", "hansard.example")
    with serving(home, *flags) as running:
        yield running


@pytest.mark.holds("ALL-06.40")
@pytest.mark.parametrize("way", ["mcp", "api"])
def test_a_token_that_asks_too_often_is_told_when_to_come_back(
    limited: Server, home: Path, way: str
) -> None:
    text, _ = make_token(home, "viewer", name=f"busy-{way}")
    shown = {"authorization": f"Bearer {text}"}

    def ask() -> tuple[int, str | None, bytes]:
        answer = (
            mcp_call(limited, "list_projects", **shown)
            if way == "mcp"
            else limited.request(
                "POST", "/api/v1/list_projects", b"{}", content_type="application/json", **shown
            )
        )
        return answer.status, answer.headers["retry-after"], answer.body

    assert ask()[0] == 200
    status, wait_s, body = ask()
    assert status == 429
    assert 0 < int(wait_s or 0) <= 61
    assert b"RATE_LIMITED" in body


def test_where_others_are_served_those_without_a_token_are_limited_too(limited: Server) -> None:
    statuses = [limited.request("GET", "/api/v1").status for _ in range(3)]

    assert statuses[-1] == 429
    assert [limited.request("GET", "/healthz").status for _ in range(3)] == [200] * 3


def test_a_token_that_sent_its_quota_waits(tmp_path: Path) -> None:
    text, _ = make_token(tmp_path, "agent")
    shown = {"authorization": f"Bearer {text}"}
    with serving(tmp_path, "--quota-mib-per-day", "1") as server:
        assert mcp_call(server, "list_projects", **shown).status == 200
        mcp_call(server, "search", {"query": "x" * (2 * MIB)}, **shown)

        assert mcp_call(server, "list_projects", **shown).status == 429


def test_on_this_machine_nobody_without_a_token_is_limited(tmp_path: Path) -> None:
    with serving(tmp_path, "--rate-per-minute", "1") as server:
        assert {mcp_call(server, "list_projects").status for _ in range(5)} == {200}


RECORD = {"type": "note", "title": "t", "summary": "s", "body": "b"}


def codes(server: Server, way: str, times: int, **headers: str) -> list[str | None]:
    """Write into one session so often; gives the refusals' codes, `None` for what was done."""
    arguments = RECORD | {"session_id": f"flooded-{way}"}
    told: list[str | None] = []
    for _ in range(times):
        if way == "mcp":
            answer = mcp_call(server, "create_record", arguments, **headers)
            result = answer.json()["result"]["structuredContent"]
        else:
            body, path = json.dumps(arguments).encode(), "/api/v1/create_record"
            headers |= {"content_type": "application/json"}
            result = server.request("POST", path, body, **headers).json()
        told.append(result["error"]["code"] if "error" in result else None)
    return told


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose sessions hold little."""
    home = tmp_path_factory.mktemp("small")
    make_token(home, "agent", name="first")
    with serving(home, "--session-max-entries", "5", "--writes-per-day", "12") as running:
        yield running


@pytest.mark.parametrize("way", ["mcp", "api"])
def test_a_session_that_is_flooded_takes_no_more(small: Server, way: str) -> None:
    text, _ = make_token(small.home, "agent", name=f"flooder-{way}")
    shown = {"authorization": f"Bearer {text}"}
    begun = {"title": "t", "session_id": f"flooded-{way}"}
    assert mcp_call(small, "record_session_start", begun, **shown).status == 200

    told = codes(small, way, 8, **shown)

    assert told[0] is None
    assert set(told) == {None, "STORAGE_QUOTA_EXCEEDED"}
    assert told == sorted(told, key=lambda code: code is not None)


def test_a_token_that_begins_a_session_for_each_write_has_a_days_writes(small: Server) -> None:
    text, _ = make_token(small.home, "agent", name="many-sessions")
    shown = {"authorization": f"Bearer {text}"}

    def write() -> dict[str, Any]:
        answer = mcp_call(small, "create_record", RECORD, **shown)
        told: dict[str, Any] = answer.json()["result"]["structuredContent"]
        return told

    assert all("record" in write() for _ in range(12))
    refused = write()["error"]
    assert refused["code"] == "RATE_LIMITED"
    assert refused["details"]["limit"] == "writes a day"
    assert 0 < refused["details"]["retry_after_s"] <= DAY_S / 12 + 1


def test_everyone_on_this_machine_can_be_limited_too(tmp_path: Path) -> None:
    flags = ("--limit-everyone", "--writes-per-day", "2", "--rate-per-minute", "60")
    with serving(tmp_path, *flags) as server:
        person = let_in(server)
        told = [person.post("create_record", RECORD) for _ in range(3)]
        statuses = {mcp_call(server, "list_projects").status for _ in range(12)}

    assert [status for status, _ in told] == [200, 200, 429]
    assert statuses == {200, 429}
