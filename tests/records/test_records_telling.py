"""What a sync is good for: one call, however busy the others were, and nothing known by halves."""

import orjson
import pytest

from hansard.app.application import Application
from hansard.app.settings import load
from hansard.app.start import staleness
from hansard.records import limits
from tests.conftest import OpenApp, a_caller
from tests.records.chats import Chat, refused
from tests.records.test_records_conflict import two_chats


@pytest.mark.holds("REC-sync-1")
def test_sixty_edits_of_a_long_record_are_one_call(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    lines = [f"line {number} of a long text\n" for number in range(800)]
    record = mine.create("Busy", body="".join(lines))["id"]
    other.activate(record)
    for number in range(60):
        lines[number] = f"edited {number}\n"
        other.update(record, body="".join(lines))

    told = mine.sync()

    [change] = told["changes"]
    assert (change["writes"], change["at_tick"], told["more"]) == (60, 61, False)
    assert change["diff"].count("+edited") == 60
    assert len(orjson.dumps(told)) < 12_000
    assert "conflict" not in mine.update(record, title="Mine")


@pytest.mark.holds("REC-sync-2")
def test_what_was_not_told_in_full_is_not_known(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    record = mine.create("Long", body="a" * 100_000)["id"]
    other.activate(record)
    other.update(record, body="b" * 100_000)

    told = mine.sync()

    [change] = told["changes"]
    assert change["changed_fields"] == ["body"]
    assert "diff" not in change
    assert "body" not in change.get("new_value", {})
    [omitted] = told["omitted"]
    assert omitted["how"] == f'activate {{"id": "{record}"}}'
    assert mine.update(record, body="Mine\n")["conflict"]["version"] == 2
    assert mine.sync()["changes"] == []
    assert mine.activate(record)["context"]["target"]["body"] == "b" * 100_000
    assert "conflict" not in mine.update(record, body="Mine\n")


def test_what_was_left_out_comes_with_the_next_change(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    record = mine.create("Long", body="a" * 100_000)["id"]
    other.activate(record)
    other.update(record, body="b" * 100_000)
    mine.sync()
    other.update(record, body="Short again\n")

    [change] = mine.sync()["changes"]

    assert change["new_value"] == {"body": "Short again\n"}
    assert "conflict" not in mine.update(record, body="Mine\n")


def test_the_records_one_works_on_are_told_in_full_before_others(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    record = mine.create("Mine")["id"]
    for number in range(4):
        other.create(str(number), body="x" * 10_000)
    other.activate(record)
    other.update(record, body="y" * 20_000)

    told = mine.sync()

    left_out = {one["what"] for one in told["omitted"]}
    assert left_out
    assert f"body of {record}" not in left_out


@pytest.mark.holds("REC-sync-3")
def test_a_sync_keeps_to_its_budget_and_goes_on_where_it_ended(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    mine.create()
    made = [other.create(f"Title {number}", summary="s" * 200)["id"] for number in range(40)]

    parts = [mine.ask("sync_session", budget_tokens=limits.BUDGET_TOKENS_MIN)]
    while parts[-1]["more"]:
        parts.append(mine.ask("sync_session", budget_tokens=limits.BUDGET_TOKENS_MIN))

    assert len(parts) > 2
    assert [one["record_id"] for part in parts for one in part["changes"]] == made
    assert all(len(orjson.dumps(part)) < limits.BUDGET_TOKENS_MIN * 4 for part in parts)
    assert {part["project_tick"] for part in parts} == {41}
    assert [part["session_tick_before"] for part in parts] == [1, *[41] * (len(parts) - 1)]


@pytest.mark.holds("REC-sync-4")
def test_ones_own_writes_never_make_one_stale(app: Application) -> None:
    chat = Chat(app)
    record = chat.create()["id"]
    for number in range(60):
        chat.update(record, title=str(number))

    [seen] = chat.ask("get_project_overview")["open_sessions"]

    assert (seen["status"], seen["tick_gap"], seen["last_sync_tick"]) == ("active", 0, 61)
    assert "warnings" not in chat.activate(record)["context"]
    told = chat.sync()
    assert (told["session_status"], told["tick_gap"], told["changes"]) == ("active", 0, [])


@pytest.mark.holds("REC-sync-4")
def test_foreign_writes_make_one_stale_whatever_one_wrote_oneself(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    record = mine.create()["id"]
    for number in range(12):
        other.create(str(number))
        mine.update(record, title=str(number))

    told = mine.sync()

    assert (told["session_status"], told["tick_gap"]) == ("stale", 12)


def test_how_far_behind_a_session_was_is_told_of_the_past_too(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    record = mine.create()["id"]
    other.create()
    mine.update(record, title="Own")
    branch = mine.ask("branch_session")["session"]["id"]
    now = app.store.engine.heads()["default"].seq
    seen = mine.ask("get_project_overview")["open_sessions"]
    mine.update(record, title="Later")
    mine.sync()

    then = mine.ask("get_project_overview", as_of=f"s:{now}")["open_sessions"]

    assert then == seen
    assert {one["id"]: one["tick_gap"] for one in then} == {
        mine.session(): 1,
        other.session(): 1,
        branch: 1,
    }


@pytest.mark.holds("REC-sync-5")
def test_what_a_parent_wrote_before_it_branched_is_no_news_to_the_branch(app: Application) -> None:
    grandparent = Chat(app)
    first = grandparent.create("First")["id"]
    parent_id = grandparent.ask("branch_session")["session"]["id"]
    parent = Chat(app, a_caller(seat=False), session_id=parent_id)
    parent.update(first, title="By the parent")
    branch_id = parent.ask("branch_session")["session"]["id"]
    branch = Chat(app, a_caller(seat=False), session_id=branch_id)

    assert branch.sync()["changes"] == []

    parent.update(first, title="After branching")
    [told] = branch.sync()["changes"]
    assert (told["title"], told["by_session"]) == ("After branching", parent_id)


def test_a_sync_says_in_words_what_was_before(app: Application) -> None:
    first, second, record = two_chats(app)
    first.update(record, title="New title", body="one\n2\nthree\nfour\nfive\n")
    first.move_state(record, "LATER", reason="no time")

    text = app.call("sync_session", {}, second.caller).text()

    for told in ("'Shared' -> 'New title'", "'OPEN' -> 'LATER'", "-two", "+2", first.session()):
        assert told in text


def test_everybody_who_changed_a_record_is_named(app: Application) -> None:
    first, second, record = two_chats(app)
    third = Chat(app)
    third.activate(record)
    third.update(record, title="Third's")
    first.activate(record)
    first.update(record, title="First's")
    first.update(record, summary="First's")

    [change] = second.sync()["changes"]

    assert [(one["session_id"], one["writes"]) for one in change["by"]] == [
        (third.session(), 1),
        (first.session(), 2),
    ]


@pytest.mark.holds("REC-stale-2")
def test_the_thresholds_are_settings(open_app: OpenApp) -> None:
    app = open_app(stale_ticks=2, stale_moderate_ticks=3, stale_severe_ticks=4)
    mine, other = Chat(app), Chat(app)
    mine.create()

    def level(writes: int) -> object:
        for _ in range(writes):
            other.create()
        return mine.sync()["staleness"]

    assert [level(writes) for writes in range(1, 5)] == ["fresh", "mild", "moderate", "severe"]


@pytest.mark.holds("REC-stale-2")
@pytest.mark.parametrize("asked", ["list_sessions", "get_project_overview"])
def test_whoever_lists_sessions_goes_by_the_same_thresholds(open_app: OpenApp, asked: str) -> None:
    app = open_app(stale_ticks=2)
    mine, other = Chat(app), Chat(app)
    mine.create()

    def is_stale() -> bool:
        told = mine.ask(asked)
        listed = told.get("sessions") or told["open_sessions"]
        [shown] = [
            one for one in listed if mine.session() in (one.get("session_id"), one.get("id"))
        ]
        return bool(shown.get("stale"))

    other.create()
    before = is_stale()
    other.create()

    assert not before
    assert is_stale()


def test_thresholds_come_from_variables_and_must_rise() -> None:
    variables = {"HANSARD_STALE_TICKS": "5", "HANSARD_STALE_MODERATE_TICKS": "4"}

    with refused("INVALID_INPUT"):
        staleness(load({}, variables))
    assert staleness(load({"stale_moderate_ticks": "6"}, variables)).mild_ticks == 5
