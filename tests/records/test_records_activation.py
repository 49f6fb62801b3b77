"""Activating records: the context bundle, who else has them, what changed meanwhile."""

from typing import Any

import pytest

from hansard.app.application import Application
from hansard.records import limits
from tests.conftest import a_caller
from tests.records.chats import Chat, refused


def ids(records: list[dict[str, Any]]) -> list[str]:
    return [one["id"] for one in records]


@pytest.mark.holds(
    "000-bundle-1",
    "000-activate-1",
    "000-activate-2",
    "000-activate-3",
    "000-activate-4",
    "000-activate-5",
    "000-activate-6",
    "000-principles-3",
)
def test_a_bundle_holds_what_is_needed_to_reason_and_no_more(app: Application) -> None:
    chat = Chat(app)
    root = chat.create("Root")["id"]
    parent = chat.create("Parent", root)["id"]
    target = chat.create("Target", parent)["id"]
    chat.create("Sibling", parent)
    open_child, later_child = chat.create("Open", target)["id"], chat.create("Later", target)["id"]
    done_child = chat.create("Done", target, state="DISCARDED", reason="x")["id"]
    grand_open = chat.create("Grand open", later_child)["id"]
    grand_done = chat.create("Grand", open_child, state="LATER", reason="x")["id"]
    chat.create("Great-grandchild", grand_open)
    chat.move_state(later_child, "LATER", reason="x")

    answer = Chat(app).activate(target)

    bundle = answer["context"]
    assert bundle["target"]["body"] == "Body of Target\n"
    assert (bundle["parent"]["id"], bundle["parent"]["body"]) == (parent, "Body of Parent\n")
    assert ids(bundle["children"]["open"]) == [open_child]
    assert bundle["children"]["open"][0]["body"] == "Body of Open\n"
    assert ids(bundle["children"]["other"]) == [later_child, done_child]
    assert set(ids(bundle["grandchildren"])) == {grand_open, grand_done}
    refs = [*bundle["children"]["other"], *bundle["grandchildren"]]
    assert all("body" not in ref for ref in refs)
    counts = {ref["id"]: (ref["children_count"], ref["open_children_count"]) for ref in refs}
    assert counts[later_child] == counts[grand_open] == (1, 1)
    assert (bundle["children"]["open_count"], bundle["children"]["other_count"]) == (1, 2)
    assert bundle["grandchildren_count"] == 2
    assert "omitted" not in bundle


@pytest.mark.holds("000-activate-7", "000-activate-8", "000-activate-9", "ALL-01.3")
@pytest.mark.holds("000-table-activate")
def test_activating_begins_a_session_and_is_logged_and_does_not_tick(app: Application) -> None:
    record = Chat(app).create()["id"]
    chat = Chat(app, a_caller(seat=False))

    answer = chat.activate(record)

    session = answer["session_id"]
    assert answer["context"]["parent"] is None
    assert answer["already_loaded"] is False
    overview = chat.ask("get_project_overview")
    [seen] = [one for one in overview["open_sessions"] if one["id"] == session]
    assert seen["active_records"] == [record]
    assert chat.tick() == 1
    assert chat.activity()[-2:] == ["session_started", "activation"]


@pytest.mark.holds("000-activate-12", "000-notes-caching-1", "REC-activate-3")
def test_an_unchanged_record_activated_again_is_already_loaded(app: Application) -> None:
    chat = Chat(app)
    parent = Chat(app).create()["id"]

    first, again = chat.activate(parent), chat.activate(parent)

    assert (first["already_loaded"], again["already_loaded"]) == (False, True)
    assert "changed_since_load" not in again
    assert again["context"]["target"] == first["context"]["target"]
    chat.ask("deactivate", id=parent)
    assert chat.activate(parent)["already_loaded"] is False


@pytest.mark.holds("000-notes-caching-2", "REC-activate-4", "000-principles-5")
def test_a_record_that_others_changed_comes_with_what_changed(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    record = mine.create("Title", body="one\ntwo\n")["id"]
    other.activate(record)
    other.update(record, body="one\nTWO\n", title="New title", metadata={"k": 1})
    other.move_state(record, "LATER", reason="later")

    answer = mine.activate(record)

    changed = answer["changed_since_load"]
    assert answer["context"]["target"]["body"] == "one\nTWO\n"
    assert (changed["from_version"], changed["to_version"]) == (1, 3)
    assert set(changed["diffs"]) == {"title", "body", "state", "metadata", "reason"}
    assert "-two\n+TWO\n" in changed["diffs"]["body"]
    assert "-Title" in changed["diffs"]["title"]
    assert "changed_since_load" not in mine.activate(record)


@pytest.mark.holds(
    "000-activate-10", "000-activate-11", "000-activate-13", "000-bundle-2", "REC-activate-1"
)
def test_a_record_active_elsewhere_is_activated_and_flagged(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    record = other.create()["id"]

    answer = mine.activate(record)

    conflict = answer["conflict"]
    assert conflict["session_id"] == other.session()
    assert (
        conflict["last_activity"] == other.ask("get_recent_activity")["activity"][-1]["timestamp"]
    )
    assert answer["context"]["target"]["id"] == record
    [warning] = answer["context"]["warnings"]
    assert warning["type"] == "conflict"
    assert warning["message"] == conflict["message"]
    assert warning["details"]["session_id"] == other.session()
    assert "conflict" in mine.activate(record)
    assert "conflict" not in mine.update(record, title="Goes on all the same")


@pytest.mark.holds("REC-activate-2")
def test_who_was_told_and_goes_on_is_not_told_again(app: Application) -> None:
    mine, other, third = Chat(app), Chat(app), Chat(app)
    record, second = other.create()["id"], other.create()["id"]

    acknowledged = mine.activate(record, override=True)

    assert "conflict" not in acknowledged
    assert "warnings" not in acknowledged["context"]
    assert "conflict" not in mine.activate(record)
    assert "conflict" not in mine.activate(record)
    assert "conflict" in mine.activate(second)
    assert "conflict" in third.activate(record)
    mine.ask("deactivate", id=record)
    assert "conflict" in mine.activate(record)


def test_a_session_that_closed_works_on_nothing(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    record = other.create()["id"]
    other.ask("close_session")

    assert "conflict" not in mine.activate(record)
    assert mine.ask("get_active_sessions", record_id=record)["total"] == 1


@pytest.mark.holds("000-activate-13")
def test_a_stale_session_is_warned_when_it_activates(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    record = mine.create()["id"]
    for number in range(10):
        other.create(str(number))

    [warning] = mine.activate(record)["context"]["warnings"]

    assert (warning["type"], warning["details"]["tick_gap"]) == ("stale", 10)
    mine.sync()
    assert "warnings" not in mine.activate(record)["context"]


@pytest.mark.holds("REC-closed-1", "000-close_session-6")
def test_a_closed_session_activated_again_starts_fresh(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    first, second = mine.create("First")["id"], mine.create("Second")["id"]
    session = mine.session()
    mine.ask("close_session")
    other.activate(first)
    other.update(first, title="Changed")

    answer = mine.activate(first, session_id=session)

    assert answer["session_id"] == session
    assert answer["already_loaded"] is False
    assert "changed_since_load" not in answer
    assert mine.ask("sync_session", session_id=session)["changes"] == []
    with refused("NOT_ACTIVATED"):
        mine.update(second, title="x", session_id=session)
    assert "conflict" not in mine.update(first, title="y", session_id=session)


@pytest.mark.holds("ALL-09.7")
def test_a_record_of_the_past_is_shown_and_nothing_is_written(app: Application) -> None:
    chat = Chat(app)
    parent = chat.create("Parent")["id"]
    child = chat.create("Child", parent)["id"]
    chat.update(parent, body="Later\n")
    chat.move_state(child, "LATER", reason="x")
    chat.create("Second child", parent)
    newcomer = Chat(app)
    before = app.store.engine.heads()

    was = newcomer.activate(parent, as_of="t:2")

    assert was["context"]["target"]["body"] == "Body of Parent\n"
    assert ids(was["context"]["children"]["open"]) == [child]
    assert was["context"]["children"]["other"] == []
    assert "session_id" not in was
    assert "receipt" not in was
    assert app.store.engine.heads() == before
    with refused("RECORD_NOT_FOUND"):
        newcomer.activate(child, as_of="t:1")
    with refused("INVALID_INPUT"):
        newcomer.activate(child, as_of="t:99")


@pytest.mark.holds("REC-activate-5", "REC-activate-6")
def test_children_and_grandchildren_are_capped_and_can_be_paged(app: Application) -> None:
    chat = Chat(app)
    root = chat.create("Root", body="")["id"]
    children = [chat.create(f"C{n}", root, body="", summary="")["id"] for n in range(103)]
    done = [
        chat.create(f"D{n}", root, body="", summary="", state="LATER", reason="x")["id"]
        for n in range(100)
    ]
    grand = [chat.create(f"G{n}", children[n % 3], body="", summary="")["id"] for n in range(202)]

    bundle = chat.activate(root, budget_tokens=200_000)["context"]

    shown = bundle["children"]
    assert ids(shown["open"]) == children
    assert ids(shown["other"]) == done[: limits.CHILDREN_MAX - 103]
    assert (shown["open_count"], shown["other_count"]) == (103, 100)
    assert len(bundle["grandchildren"]) == limits.GRANDCHILDREN_MAX
    assert bundle["grandchildren_count"] == 202
    rest = chat.ask(
        "list_records",
        parent_id=root,
        states=["LATER", "RESOLVED", "DISCARDED"],
        cursor=shown["other_cursor"],
    )
    assert ids(rest["records"]) == done[limits.CHILDREN_MAX - 103 :]
    onwards = chat.ask(
        "list_records", parent_id=root, depth=2, cursor=bundle["grandchildren_cursor"], limit=200
    )
    left = set(grand) - set(ids(bundle["grandchildren"]))
    assert left <= set(ids(onwards["records"]))
    whats = {one["what"]: one["count"] for one in bundle["omitted"]}
    assert whats == {"other children": 3, "grandchildren": 2}
