"""`hansard sessions`: who is there, and ending what nobody is in."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.event import Actor
from hansard.kernel.liveness_lock import Lifeline
from hansard.kernel.operation import Caller, Seat
from hansard.kernel.session_holder import Holder
from tests.cli.running import Hansard

STARTED = {"user_message": "Please"}
RECORD = {"type": "task", "title": "T", "summary": "s", "body": "b"}


@contextmanager
def opened(hansard: Hansard) -> Iterator[Application]:
    app = start(Settings(store=str(hansard.store), embedder="none"))
    try:
        yield app
    finally:
        app.close()


def begun(app: Application, title: str, name: str, **more: Any) -> tuple[str, Caller, Lifeline]:
    lifeline = Lifeline()
    holder = Holder(via="stdio", owner=lifeline.name, client=name, version="1.2")
    caller = Caller(Actor("agent", name, "agent"), seat=Seat(), holder=holder, lifeline=lifeline)
    answer = app.call("record_session_start", STARTED | {"title": title} | more, caller)
    return str(answer.model_dump()["session_id"]), caller, lifeline


@pytest.fixture
def peopled(hansard: Hansard) -> Iterator[tuple[Hansard, dict[str, str]]]:
    """A store with a session that somebody is in, one that is away and one that has ended."""
    with opened(hansard) as app:
        app.call(
            "create_project", {"id": "shop", "name": "Shop"}, Caller(Actor("agent", "x", "agent"))
        )
        active, caller, _ = begun(app, "Fix the parser", "claude-code")
        app.call("create_record", RECORD, caller)
        away, _, lifeline = begun(app, "Write the docs", "cursor", project_id="shop")
        lifeline.drop()
        ended, ending, _ = begun(app, "Old work", "codex")
        app.call("close_session", {}, ending)
        yield hansard, {"active": active, "away": away, "ended": ended}


Peopled = tuple[Hansard, dict[str, str]]


def rows(hansard: Hansard, *arguments: str) -> list[dict[str, Any]]:
    out = hansard("sessions", *arguments, "--json").out
    return [json.loads(line) for line in out.splitlines()]


def test_sessions_of_all_projects_are_listed_with_who_is_there_first(peopled: Peopled) -> None:
    hansard, ids = peopled

    lines = hansard("sessions").out.splitlines()

    assert [line.split()[0] for line in lines] == ["active", "away", "ended"]
    first = lines[0]
    for part in ("claude-code 1.2", "default", "R001", ids["active"], "Fix the parser"):
        assert part in first
    assert "shop" in lines[1]
    assert [one["session_id"] for one in rows(hansard)] == list(ids.values())


def test_one_project_can_be_named(peopled: Peopled) -> None:
    hansard, ids = peopled

    assert [one["session_id"] for one in rows(hansard, "--project", "shop")] == [ids["away"]]


@pytest.mark.parametrize("way", ["id", "beginning", "token", "title", "words", "latest"])
def test_a_session_is_found_by_what_a_person_knows_of_it(peopled: Peopled, way: str) -> None:
    hansard, ids = peopled
    named = {
        "id": ids["away"],
        "beginning": ids["away"][:8],
        "token": ids["away"].rpartition(".")[2][:6],
        "title": "write the docs",
        "words": "docs",
        "latest": "@latest",
    }[way]

    shown = hansard("sessions", "show", named, "--project", "shop")
    elsewhere = hansard("sessions", "show", named)

    assert (shown.code, ids["away"] in shown.out) == (0, True)
    # A name reaches into no other project; only an id that Hansard made leads there.
    assert (ids["away"] in elsewhere.out) == (way == "id")


def test_what_means_none_or_several_is_refused(peopled: Peopled) -> None:
    hansard, _ = peopled

    none, several = hansard("sessions", "show", "nothing"), hansard("sessions", "show", "r")

    assert (none.code, several.code) == (1, 2)
    assert "Fix the parser" in several.err
    assert "Old work" in several.err


def test_sessions_are_ended_by_name_and_all_that_are_away_at_once(peopled: Peopled) -> None:
    hansard, ids = peopled

    away = hansard("sessions", "end", "--away")
    again = hansard("sessions", "end", "--away")
    named = hansard("sessions", "end", "parser", ids["ended"])

    assert (away.code, again.code, named.code) == (0, 0, 0)
    assert (ids["away"] in away.out, ids["active"] in away.out) == (True, False)
    assert ids["away"] not in again.out
    assert {one["status"] for one in rows(hansard)} == {"ended"}
    assert {one["by"] for one in rows(hansard)} == {
        "agent:claude-code",
        "agent:cursor",
        "agent:codex",
    }


def test_nothing_is_ended_that_was_not_named(peopled: Peopled) -> None:
    hansard, _ = peopled

    refused = hansard("sessions", "end")
    unknown = hansard("sessions", "end", "parser", "nothing")

    assert (refused.code, unknown.code) == (2, 1)
    assert sorted(one["status"] for one in rows(hansard)) == ["active", "away", "ended"]


def test_a_story_is_found_by_its_title(peopled: Peopled) -> None:
    hansard, ids = peopled

    told = hansard("story", "fix the parser", "--json")

    assert ids["active"] in told.out
