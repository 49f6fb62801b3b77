"""What sessions learn of each other: sync, save, close, branch."""

from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.records import capability as records
from hansard.records import limits
from hansard.sessions import capability as sessions
from hansard.sessions.rules import Staleness
from tests.conftest import a_caller
from tests.records.chats import Chat, refused


@pytest.mark.holds(
    "000-sync_session-1",
    "000-sync_session-2",
    "000-sync_session-3",
    "000-sync_session-4",
    "000-sync_session-9",
    "REC-stale-5",
    "000-table-sync_session",
)
def test_what_others_did_to_each_record_is_told_once_with_old_and_new(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    record = mine.create("Mine")["id"]
    other.activate(record)
    other.update(record, title="Theirs", body="New\n")
    made = other.create("Child", record)["id"]
    other.move_state(made, "LATER", reason="x")
    other.ask("move_record", id=made, parent_id=None)
    mine.update(mine.create("Own")["id"], title="Own too")

    told = mine.sync()

    changed, created = told["changes"]
    assert (changed["record_id"], changed["change_type"]) == (record, "modified")
    assert (changed["at_tick"], changed["version"], changed["writes"]) == (2, 2, 1)
    assert changed["changed_fields"] == ["title", "body"]
    assert changed["old_value"] == {"title": "Mine"}
    assert changed["new_value"] == {"title": "Theirs"}
    assert "-Body of Mine\n+New\n" in changed["diff"]
    assert (created["record_id"], created["change_type"]) == (made, "created")
    assert (created["at_tick"], created["writes"]) == (4, 3)
    assert created["new_value"]["state"] == "LATER"
    assert created["new_value"]["body"] == "Body of Child\n"
    assert "old_value" not in created
    writer = {"session_id": other.session(), "author": "agent:test-agent", "writes": 3}
    assert created["by"] == [writer]
    assert {one["by_session"] for one in told["changes"]} == {other.session()}
    assert (told["project_tick"], told["session_tick_before"], told["tick_gap"]) == (6, 3, 3)
    assert mine.sync()["changes"] == []
    assert mine.tick() == 6


@pytest.mark.holds("000-sync_session-5", "000-sync_session-6", "REC-stale-4")
@pytest.mark.holds("000-session-4", "000-project-3")
def test_a_sync_says_how_far_behind_the_session_was(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    mine.create()
    for number in range(10):
        other.create(str(number))

    stale, fresh = mine.sync(), mine.sync()

    assert (stale["session_status"], stale["staleness"], stale["tick_gap"]) == ("stale", "mild", 10)
    assert "10 writes occurred" in stale["warning"]
    assert (fresh["session_status"], fresh["tick_gap"]) == ("active", 0)
    assert "warning" not in fresh


@pytest.mark.holds("000-sync_session-7", "000-sync_session-8", "000-session-2")
@pytest.mark.holds("000-get_project_overview-2", "000-get_project_overview-3", "000-session-3")
def test_a_sync_moves_the_session_to_the_project(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    record = mine.create()["id"]
    other.create()

    def seen() -> dict[str, Any]:
        overview = other.ask("get_project_overview")["open_sessions"]
        return next(one for one in overview if one["id"] == mine.session())

    def last_activity() -> str:
        [session] = other.ask("get_active_sessions", record_id=record)["sessions"]
        return str(session["last_activity"])

    assert (seen()["last_sync_tick"], seen()["tick_gap"]) == (1, 1)
    assert seen()["active_records"] == [record]
    before = last_activity()
    mine.sync()
    assert (seen()["last_sync_tick"], seen()["tick_gap"]) == (2, 0)
    assert last_activity() > before


@pytest.mark.holds("REC-stale-2")
def test_the_thresholds_can_be_set() -> None:
    strict = Staleness(mild_ticks=1, moderate_ticks=2, severe_ticks=3)
    known = Catalog([sessions.capability(), records.capability(strict)])
    app = start(Settings(store="memory:"), known=known)
    mine, other = Chat(app), Chat(app)
    mine.create()

    def level() -> object:
        return mine.sync()["staleness"]

    assert level() == "fresh"
    other.create()
    assert level() == "mild"
    other.create()
    other.create()
    assert level() == "moderate"
    for _ in range(3):
        other.create()
    assert level() == "severe"
    app.close()


def test_a_long_sync_comes_in_parts_and_loses_nothing(
    app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SYNC_RECORDS_MAX", 3)
    mine, other = Chat(app), Chat(app)
    record = mine.create("Shared")["id"]
    other.activate(record)
    other.update(record, title="First")
    made = [other.create(str(number))["id"] for number in range(6)]
    other.update(record, title="Second")

    first = mine.sync()
    assert first["more"]
    assert "conflict" in mine.update(record, title="Mine")
    rest = [mine.sync(), mine.sync(), mine.sync()]

    parts = [first, *rest]
    assert [len(part["changes"]) for part in parts] == [3, 3, 2, 0]
    assert [part["more"] for part in parts] == [True, True, False, False]
    assert [one["record_id"] for part in parts for one in part["changes"]] == [
        record,
        *made,
        record,
    ]
    assert [part["session_tick_before"] for part in parts] == [1, 9, 9, 9]
    assert "conflict" not in mine.update(record, title="Mine")


def test_what_came_before_a_session_is_not_told(app: Application) -> None:
    Chat(app).create("Before")
    mine = Chat(app)

    mine.create("Mine")

    assert mine.sync()["changes"] == []


@pytest.mark.holds(
    "000-save_session-1",
    "000-save_session-2",
    "000-save_session-3",
    "000-save_session-4",
    "000-table-save_session",
    "REC-write_through-2",
    "REC-write_through-3",
)
def test_a_save_names_what_changed_and_leaves_the_session_as_it_is(app: Application) -> None:
    chat = Chat(app)
    first, second = chat.create("First")["id"], chat.create("Second")["id"]
    chat.update(first, title="Again")

    saved = chat.ask("save_session", summary="So far")

    assert saved["success"] is True
    assert saved["saved_records"] == [first, second]
    assert saved["last_save_tick"] == chat.tick() == 4
    [entry] = chat.ask("get_recent_activity", types=["session_saved"])["activity"]
    assert entry["timestamp"] == saved["last_save"]
    assert "So far" in entry["summary"]
    chat.update(second, title="Still active")
    chat.ask("move_record", id=first, parent_id=second)
    assert chat.ask("save_session")["saved_records"] == [second, first]
    assert chat.ask("save_session")["saved_records"] == []


@pytest.mark.holds("REC-write_through-4")
def test_a_save_moves_the_savers_tick_and_hides_nothing_from_its_next_sync(
    app: Application,
) -> None:
    mine, other = Chat(app), Chat(app)
    mine.create()
    made = other.create("Foreign")["id"]

    mine.ask("save_session")

    told = mine.sync()
    assert (told["session_tick_before"], told["tick_gap"]) == (3, 0)
    assert [one["record_id"] for one in told["changes"]] == [made]


@pytest.mark.holds("REC-write_through-1")
def test_a_write_is_seen_by_everyone_at_once(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    record = mine.create("Title")["id"]

    def seen() -> Any:
        ref = other.ask("get_record_ref", id=record)
        return ref["title"], ref["state"]

    assert seen() == ("Title", "OPEN")
    mine.update(record, title="New")
    assert seen() == ("New", "OPEN")
    mine.move_state(record, "LATER", reason="x")
    assert seen() == ("New", "LATER")


@pytest.mark.holds("000-close_session-2", "000-close_session-3")
def test_closing_lays_everything_aside_and_says_what_was_not_saved(app: Application) -> None:
    chat = Chat(app)
    first, second = chat.create("First")["id"], chat.create("Second")["id"]
    session = chat.session()

    ended = chat.ask("close_session")

    assert ended["deactivated_records"] == [first, second]
    assert first in ended["unsaved_warning"]
    assert chat.ask("get_active_sessions", record_id=first)["sessions"] == []
    again = Chat(app)
    again.create("Third")
    again.ask("save_session")
    assert "unsaved_warning" not in again.ask("close_session")
    with refused("SESSION_CLOSED"):
        chat.ask("sync_session", session_id=session)


@pytest.mark.holds("REC-stale-6")
def test_a_session_stays_open_however_far_behind(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    record = mine.create()["id"]
    other.create("Other")
    for _ in range(250):
        other.ask("save_session")

    told = mine.sync()

    assert told["staleness"] == "severe"
    assert mine.update(record, title="Still here")["record"]["title"] == "Still here"


@pytest.mark.holds(
    "REC-branch-1", "REC-branch-2", "000-session-5", "000-get_recent_activity-8", "000-session-1"
)
def test_a_branch_begins_where_its_parent_stands(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    first, second = mine.create("First")["id"], mine.create("Second")["id"]
    other.activate(first)
    other.update(first, title="Theirs")

    branched = mine.ask("branch_session")["session"]

    assert branched["parent_session"] == mine.session()
    assert branched["active_records"] == [first, second]
    assert branched["project_id"] == "default"
    assert branched["created"] == branched["last_activity"]
    assert branched["status"] == "active"
    assert branched["id"] != mine.session()
    assert mine.activity()[-1] == "session_branched"
    branch = Chat(app, a_caller(seat=False), session_id=branched["id"])
    assert "conflict" in branch.update(first, title="From the branch")
    assert "conflict" not in branch.update(second, title="From the branch")
    assert "conflict" in mine.update(second, title="From the trunk")
    told = branch.ask("sync_session")["changes"]
    assert [(one["record_id"], one["by_session"]) for one in told] == [(first, other.session())]
    assert [(one["record_id"], one["title"]) for one in mine.sync()["changes"]] == [
        (first, "Theirs"),
        (second, "From the branch"),
    ]


def test_a_branch_of_nothing_is_refused(app: Application) -> None:
    with refused("SESSION_NOT_FOUND"):
        Chat(app).ask("branch_session")
    with refused("SESSION_NOT_FOUND"):
        Chat(app).ask("branch_session", session_id="nope")


@pytest.mark.holds("000-project-2", "ALL-03.2", "ALL-03.3", "000-table-close_session")
def test_only_the_four_writes_of_the_source_tick(app: Application) -> None:
    chat = Chat(app)
    record, parent = chat.create()["id"], chat.create()["id"]

    def ticks(operation: str, **arguments: Any) -> int:
        before = chat.tick()
        chat.ask(operation, **arguments)
        return chat.tick() - before

    assert ticks("create_record", type="t", title="t", summary="s", body="b") == 1
    assert ticks("update_record", id=record, title="new") == 1
    assert ticks("transition", id=record, to_state="LATER", reason="x") == 1
    assert ticks("save_session") == 1
    assert ticks("activate", id=record) == 0
    assert ticks("sync_session") == 0
    assert ticks("move_record", id=record, parent_id=parent) == 0
    assert ticks("deactivate", id=record) == 0
    assert ticks("branch_session") == 0
    assert ticks("close_session") == 0


@pytest.mark.holds(
    "000-table-get_project_overview",
    "000-table-search_records",
    "000-table-list_records",
    "000-table-get_record_ref",
    "000-table-get_record_history",
    "000-table-get_record_diff",
    "000-table-get_active_sessions",
    "000-table-get_recent_activity",
)
def test_what_only_reads_writes_nothing_and_needs_no_activation(app: Application) -> None:
    record = Chat(app).create()["id"]
    newcomer = Chat(app)
    before = app.store.engine.heads()

    for operation, arguments in (
        ("get_project_overview", {}),
        ("search_records", {"query": "record"}),
        ("list_records", {}),
        ("get_record_ref", {"id": record}),
        ("get_record_history", {"id": record}),
        ("get_record_diff", {"id": record, "from": "t:1"}),
        ("get_active_sessions", {"record_id": record}),
        ("get_recent_activity", {}),
    ):
        newcomer.ask(operation, **arguments)
        assert app.store.engine.heads() == before, operation
