"""What a session may hold and a caller write, wherever the call comes from."""

from dataclasses import replace

import pytest

from hansard.app.application import Application
from hansard.app.bounded import TokenCaller
from hansard.app.quotas import Quotas, SessionFull
from hansard.app.tokens import RateLimited, Token
from hansard.kernel.event import Actor
from hansard.kernel.operation import Caller
from tests.conftest import OpenApp, a_caller

RECORD = {"type": "note", "title": "t", "summary": "s", "body": "b"}
FILLS = 6
"""Entries with which the tests' sessions are full; beginning one makes some of them."""


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def a_token_caller(name: str = "ci", session: str | None = None) -> Caller:
    actor = Actor("agent", name, "agent")
    token = Token(name, actor, None, "2026-01-01T00:00:00.000Z", None, None)
    return TokenCaller(actor, session=session, token=token)


def fill(app: Application, caller: Caller, session: str) -> int:
    """Write into a session until it is full; gives how often it took something."""
    for count in range(100):
        try:
            app.call("create_record", RECORD | {"session_id": session}, caller)
        except SessionFull:
            return count
    raise AssertionError("the session was never full")


def begin(app: Application, caller: Caller, session: str) -> None:
    app.call("record_session_start", {"session_id": session, "title": "t"}, caller)


def test_a_full_session_takes_no_more_but_can_be_read_and_ended(open_app: OpenApp) -> None:
    app, caller = open_app(session_max_entries=FILLS), a_token_caller()
    begin(app, caller, "flooded")

    took = fill(app, caller, "flooded")

    assert 0 < took < FILLS
    assert fill(app, caller, "flooded") == 0
    app.call("list_records", {"session_id": "flooded"}, caller)
    app.call("close_session", {"session_id": "flooded"}, caller)
    begin(app, caller, "fresh")
    app.call("create_record", RECORD | {"session_id": "fresh"}, caller)


def test_what_a_session_holds_is_counted_in_the_journal(open_app: OpenApp) -> None:
    first, caller = open_app(session_max_entries=FILLS), a_token_caller()
    begin(first, caller, "flooded")
    fill(first, caller, "flooded")

    second = open_app(session_max_entries=FILLS)

    assert fill(second, caller, "flooded") == 0


def test_another_process_fills_the_same_session(open_app: OpenApp) -> None:
    apps = [open_app(session_max_entries=FILLS) for _ in range(2)]
    caller = a_token_caller()
    begin(apps[0], caller, "shared")
    apps[1].call("create_record", RECORD | {"session_id": "shared"}, caller)

    took = fill(apps[0], caller, "shared")

    assert took + 1 < FILLS
    assert fill(apps[1], caller, "shared") == 0


def test_callers_without_a_token_are_not_limited_unless_everyone_is(open_app: OpenApp) -> None:
    caller = a_caller()
    free = open_app(session_max_entries=FILLS)
    begin(free, caller, "busy")
    for _ in range(2 * FILLS):
        free.call("create_record", RECORD | {"session_id": "busy"}, caller)

    limited = open_app(session_max_entries=FILLS, limit_everyone=True)
    assert fill(limited, caller, "busy") == 0


def test_a_first_answer_is_given_again_though_the_session_is_full(open_app: OpenApp) -> None:
    app = open_app(session_max_entries=FILLS)
    caller = replace(a_token_caller(), idempotency_key="once")
    begin(app, a_token_caller(), "flooded")
    arguments = RECORD | {"session_id": "flooded"}
    first = app.call("create_record", arguments, caller)
    fill(app, a_token_caller(), "flooded")

    assert app.call("create_record", arguments, caller) == first


@pytest.mark.holds("ALL-06.42")
def test_a_refusal_says_the_limit_and_leaves_no_trace(open_app: OpenApp) -> None:
    app, caller = open_app(session_max_entries=FILLS), a_token_caller()
    begin(app, caller, "flooded")
    fill(app, caller, "flooded")
    before = app.store.engine.heads()

    with pytest.raises(SessionFull) as refused:
        app.call("create_record", RECORD | {"session_id": "flooded"}, caller)

    full = refused.value
    assert (full.code, full.http_status) == ("STORAGE_QUOTA_EXCEEDED", 413)
    assert full.details == {"limit": FILLS, "session_id": "flooded"}
    assert app.store.engine.heads() == before


def test_writes_of_a_caller_are_counted_over_the_day_reads_are_not(open_app: OpenApp) -> None:
    clock = Clock()
    app = open_app()
    app.limit = Quotas(session_entries=0, writes_per_day=3, clock=clock)
    busy, other = a_token_caller("busy"), a_token_caller("other")

    for _ in range(3):
        app.call("create_record", RECORD, busy)
    with pytest.raises(RateLimited) as refused:
        app.call("create_record", RECORD, busy)
    app.call("list_records", {}, busy)
    app.call("create_record", RECORD, other)
    clock.now += refused.value.details["retry_after_s"]
    app.call("create_record", RECORD, busy)


def test_a_limit_of_none_is_no_limit(open_app: OpenApp) -> None:
    app = open_app(session_max_entries=0, writes_per_day=0, limit_everyone=True)
    caller = a_token_caller()
    begin(app, caller, "busy")

    for _ in range(2 * FILLS):
        app.call("create_record", RECORD | {"session_id": "busy"}, caller)
