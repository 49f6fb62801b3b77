"""Looking at records: overview, lists, references, history, differences, the past."""

from typing import Any

import pytest

from hansard.app.application import Application
from hansard.records import limits
from tests.conftest import a_caller
from tests.records.chats import Chat, refused


def ids(answer: dict[str, Any], key: str = "records") -> list[str]:
    return [one["id"] for one in answer[key]]


def a_tree(chat: Chat) -> dict[str, str]:
    """Make a small tree; gives ids by title."""
    made: dict[str, str] = {}
    for title, parent in (
        ("a", None), ("a1", "a"), ("b", None), ("a1x", "a1"), ("a2", "a"), ("b1", "b"),
    ):  # fmt: skip
        made[title] = chat.create(title, made[parent] if parent else None)["id"]
    return made


@pytest.mark.holds(
    "000-get_project_overview-1",
    "000-get_project_overview-4",
    "000-get_project_overview-5",
    "000-get_project_overview-6",
    "000-get_project_overview-7",
)
def test_an_overview_shows_where_the_project_stands(app: Application) -> None:
    chat = Chat(app)
    tree = a_tree(chat)
    chat.move_state(tree["a1"], "LATER", reason="x")
    chat.move_state(tree["b1"], "DISCARDED", reason="x")
    chat.update(tree["a2"], title="newest")

    before = app.store.engine.heads()
    overview = Chat(app, a_caller("human", "viewer")).ask("get_project_overview")

    assert app.store.engine.heads() == before
    assert overview["project"] == {
        "id": "default",
        "name": "default",
        "description": "",
        "tick": 9,
    }
    assert ids(overview, "root_records") == [tree["a"], tree["b"]]
    assert ids(overview, "open_records")[0] == tree["a2"]
    assert set(ids(overview, "open_records")) == {tree[one] for one in ("a", "b", "a1x", "a2")}
    assert ids(overview, "later_records") == [tree["a1"]]
    assert overview["recent_activity"][0]["type"] == "record_updated"
    assert len(overview["recent_activity"]) == 9
    root = overview["root_records"][0]
    assert (root["children_count"], root["open_children_count"]) == (2, 1)
    assert "omitted" not in overview


@pytest.mark.holds("000-get_project_overview-8")
def test_an_overview_is_of_the_named_project_else_of_the_default_one(app: Application) -> None:
    chat = Chat(app)
    chat.ask("create_project", id="other", name="Other", description="Something else")
    chat.create("Here")

    assert chat.ask("get_project_overview")["project"]["id"] == "default"
    other = Chat(app).ask("get_project_overview", project_id="other")
    assert other["project"]["description"] == "Something else"
    assert other["root_records"] == other["open_records"] == other["open_sessions"] == []


def test_an_overview_names_more_sessions_the_more_it_may_spend(app: Application) -> None:
    for number in range(40):
        Chat(app).create(str(number))

    overview = Chat(app).ask("get_project_overview")
    larger = Chat(app).ask("get_project_overview", budget_tokens=100_000)

    assert "more_active" not in overview["open_sessions"][0]
    missing = {one["what"]: one["count"] for one in overview["omitted"]}
    assert missing["open_sessions"] == 40 - len(overview["open_sessions"]) > 0
    assert len(larger["open_sessions"]) == 40
    assert "omitted" not in larger


def test_an_overview_names_the_first_active_records_of_a_session(app: Application) -> None:
    chat = Chat(app)
    made = [chat.create(str(number))["id"] for number in range(12)]

    [session] = chat.ask("get_project_overview")["open_sessions"]

    assert session["active_records"] == made[:10]
    assert session["more_active"] is True


def test_the_text_of_an_empty_overview_says_how_to_begin(app: Application, agent: Any) -> None:
    assert "create_record" in app.call("get_project_overview", {}, agent).text()


@pytest.mark.holds("000-ref-1", "000-ref-2", "000-ref-3", "000-get_record_ref-1", "ALL-08.3")
def test_a_reference_has_no_body_and_counts_what_lies_beneath(app: Application) -> None:
    chat = Chat(app)
    tree = a_tree(chat)
    chat.move_state(tree["a2"], "LATER", reason="x")
    before = app.store.engine.heads()

    ref = Chat(app).ask("get_record_ref", id=tree["a"])

    assert ref == {
        "id": tree["a"],
        "type": "note",
        "title": "a",
        "summary": "About a",
        "state": "OPEN",
        "parent_id": None,
        "children_count": 2,
        "open_children_count": 1,
    }
    assert app.store.engine.heads() == before
    text = app.call("get_record_ref", {"id": tree["a"]}, a_caller()).text()
    assert text == f"[{tree['a']}] (OPEN, note, 2 children, 1 open) a: About a"


@pytest.mark.holds(
    "REC-list-1", "REC-list-2", "REC-list-3", "000-list_records-1", "000-list_records-4"
)
def test_lists_are_of_the_project_the_roots_or_a_subtree(app: Application) -> None:
    chat = Chat(app)
    tree = a_tree(chat)

    def titles(**arguments: Any) -> list[str]:
        listed = chat.ask("list_records", **arguments)
        assert listed["total"] == len(listed["records"])
        return [one["title"] for one in listed["records"]]

    assert titles() == ["a", "a1", "a1x", "a2", "b", "b1"]
    assert titles(parent_id=None) == ["a", "b"]
    assert titles(parent_id=None, depth=2) == ["a", "a1", "a2", "b", "b1"]
    assert titles(depth=1) == ["a", "b"]
    assert titles(depth=2) == ["a", "a1", "a2", "b", "b1"]
    assert titles(parent_id=tree["a"]) == ["a1", "a2"]
    assert titles(parent_id=tree["a"], depth=2) == ["a1", "a1x", "a2"]
    assert titles(parent_id=tree["a1"], depth=10) == ["a1x"]
    assert titles(parent_id=tree["a1x"]) == []
    with refused("RECORD_NOT_FOUND"):
        titles(parent_id="R999")
    with refused("RECORD_NOT_FOUND"):
        titles(parent_id="R999", depth=2)


@pytest.mark.parametrize("depth", [0, limits.LISTED_DEPTH_MAX + 1, 2**63 - 1])
def test_a_list_goes_so_deep_and_no_deeper(app: Application, depth: int) -> None:
    chat = Chat(app)
    root = chat.create("root")["id"]

    assert chat.ask("list_records", parent_id=root, depth=limits.LISTED_DEPTH_MAX)["records"] == []
    for parent in (None, root):
        with refused("INVALID_INPUT"):
            chat.ask("list_records", parent_id=parent, depth=depth)


@pytest.mark.holds("000-list_records-2", "000-list_records-3")
def test_lists_are_narrowed_by_state_and_type(app: Application) -> None:
    chat = Chat(app)
    root = chat.create("root", type="question")["id"]
    later = chat.create("later", root, state="LATER", reason="x")["id"]
    note = chat.create("note", root)["id"]

    def listed(**arguments: Any) -> list[str]:
        return ids(chat.ask("list_records", **arguments))

    assert listed(states=["LATER"]) == [later]
    assert listed(states=["OPEN", "LATER"]) == [root, later, note]
    assert listed(types=["note"]) == [later, note]
    assert listed(types=["note"], states=["OPEN"]) == [note]
    assert listed(parent_id=root, states=["OPEN"]) == [note]
    assert listed(states=[]) == listed(types=["none"]) == []


@pytest.mark.holds("REC-list-4", "ALL-08.3")
def test_an_outline_is_indented_as_the_tree_is(app: Application) -> None:
    chat = Chat(app)
    tree = a_tree(chat)

    listed = chat.ask("list_records", format="outline")

    assert "records" not in listed
    assert listed["outline"].splitlines() == [
        f"[{tree['a']}] (OPEN, note, 2 children, 2 open) a",
        f"  [{tree['a1']}] (OPEN, note, under {tree['a']}, 1 child, 1 open) a1",
        f"    [{tree['a1x']}] (OPEN, note, under {tree['a1']}) a1x",
        f"  [{tree['a2']}] (OPEN, note, under {tree['a']}) a2",
        f"[{tree['b']}] (OPEN, note, 1 child, 1 open) b",
        f"  [{tree['b1']}] (OPEN, note, under {tree['b']}) b1",
    ]
    under = chat.ask("list_records", format="outline", parent_id=tree["a"], depth=3)["outline"]
    assert under.splitlines()[0].startswith(f"[{tree['a1']}]")


@pytest.mark.holds("ALL-08.5")
def test_pages_of_a_list_meet_without_gap_or_overlap(app: Application) -> None:
    chat = Chat(app)
    a_tree(chat)
    whole = ids(chat.ask("list_records"))

    for arguments in ({}, {"states": ["OPEN"]}, {"as_of": "t:6"}):
        seen: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = chat.ask("list_records", limit=2, **arguments, **cursor)
            seen += ids(page)
            if "nextCursor" not in page:
                break
            cursor = {"cursor": page["nextCursor"]}
        assert seen == whole


@pytest.mark.holds(
    "000-get_record_history-1",
    "000-get_record_history-2",
    "000-get_record_history-3",
    "REC-history-4",
)
def test_history_tells_every_change_newest_first(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    record, parent = mine.create("One", body="a\nb\n")["id"], mine.create("Parent")["id"]
    mine.update(record, title="Two")
    other.activate(record)
    other.update(record, body="a\nB\n")
    other.move_state(record, "LATER", reason="not now")
    other.ask("move_record", id=record, parent_id=parent)
    mine.sync()

    history = mine.ask("get_record_history", id=record)

    entries = history["history"]
    assert [one["change_type"] for one in entries] == [
        "moved", "state_changed", "modified", "modified", "created",
    ]  # fmt: skip
    assert [one["tick"] for one in entries] == [5, 5, 4, 3, 1]
    assert [one["session_id"] for one in entries] == [other.session()] * 3 + [mine.session()] * 2
    assert ["diff" in one for one in entries] == [False, False, True, False, False]
    assert "-b\n+B\n" in entries[2]["diff"]
    assert "not now" in entries[1]["summary"]
    assert history["total"] == 5
    page = mine.ask("get_record_history", id=record, limit=2)
    assert page["history"] == entries[:2]
    onwards = mine.ask("get_record_history", id=record, limit=9, cursor=page["nextCursor"])
    assert onwards["history"] == entries[2:]
    # A time counts itself in; a tick and a seq are what the caller has seen already.
    for since in (entries[1]["timestamp"], "t:4", f"s:{entries[2]['seq']}"):
        assert mine.ask("get_record_history", id=record, since=since)["history"] == entries[:2]
    with refused("INVALID_INPUT"):
        mine.ask("get_record_history", id=record, since="yesterday")


def test_the_diffs_of_a_history_are_not_too_much_together(app: Application) -> None:
    chat = Chat(app)
    record = chat.create(body="")["id"]
    for number in range(8):
        chat.update(record, body=f"{number} words of text\n" * 1_000)

    history = chat.ask("get_record_history", id=record)["history"]

    assert sum(len(one.get("diff", "")) for one in history) <= limits.HISTORY_DIFF_CHARS_MAX
    # A diff is whole, or named by the call that gives it.
    assert all(("diff" in one) != ("diff_how" in one) for one in history[:-1])
    assert any("diff_how" in one for one in history)
    whole = chat.ask("get_record_diff", id=record, **{"from": "t:1"})["diff"]["body"]
    assert whole.count("\n+7 words") == 1_000


@pytest.mark.holds(
    "000-get_record_diff-1",
    "000-get_record_diff-2",
    "000-get_record_diff-3",
    "000-get_record_diff-4",
    "REC-history-1",
    "REC-history-2",
    "REC-history-3",
)
def test_any_two_points_of_a_record_can_be_compared(app: Application) -> None:
    chat = Chat(app)
    record = chat.create("One", body="a\nb\n")
    chat.update(record["id"], title="Two", summary="New")
    saved = chat.ask("save_session")
    middle = chat.update(record["id"], body="a\nB\n")["record"]
    chat.move_state(record["id"], "LATER", reason="x")

    def diff(start: str, end: str | None = None) -> dict[str, Any]:
        points = {"from": start} | ({"to": end} if end else {})
        return chat.ask("get_record_diff", id=record["id"], **points)

    whole = diff("t:1")
    assert whole["from_version"]["title"] == "One"
    assert whole["to_version"]["state"] == "LATER"
    assert whole["diff"] == {
        "title": {"old": "One", "new": "Two"},
        "summary": {"old": "About One", "new": "New"},
        "body": "--- body at t:1\n+++ body at t:5\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n",
        "state": {"old": "OPEN", "new": "LATER"},
        "reason": {"old": None, "new": "x"},
    }
    assert set(diff("last_save")["diff"]) == {"body", "state", "reason"}
    assert set(diff(saved["last_save"])["diff"]) == {"body", "state", "reason"}
    assert set(diff(middle["modified"])["diff"]) == {"state", "reason"}
    assert set(diff("t:1", "t:2")["diff"]) == {"title", "summary"}
    assert diff("t:2", "t:3")["diff"] == {}
    assert set(diff("current", "t:4")["diff"]) == {"state", "reason"}
    assert diff("s:3", "t:1")["diff"] == {}


def test_points_that_cannot_be_are_refused(app: Application) -> None:
    chat = Chat(app)
    chat.create("First")
    record = chat.create("Second")["id"]

    for start, code in (
        ("t:1", "RECORD_NOT_FOUND"),
        ("1999-01-01", "RECORD_NOT_FOUND"),
        ("t:99", "INVALID_INPUT"),
        ("someday", "INVALID_INPUT"),
        ("last_save", "INVALID_INPUT"),
    ):
        with refused(code):
            chat.ask("get_record_diff", id=record, **{"from": start})
    with refused("SESSION_NOT_FOUND"):
        Chat(app).ask("get_record_diff", id=record, **{"from": "last_save"})
    with refused("INVALID_INPUT"):
        chat.ask("get_record_diff", id=record, from_="t:2")


@pytest.mark.holds("000-get_active_sessions-1", "000-get_active_sessions-2")
def test_the_sessions_that_work_on_a_record_are_listed(app: Application) -> None:
    mine, other, third = Chat(app), Chat(app), Chat(app)
    record = mine.create()["id"]
    other.activate(record)
    third.create()

    listed = other.ask("get_active_sessions", record_id=record)

    assert [one["session_id"] for one in listed["sessions"]] == [mine.session(), other.session()]
    assert [one["is_current"] for one in listed["sessions"]] == [False, True]
    assert all(one["last_activity"] for one in listed["sessions"])
    assert listed["total"] == 2
    page = other.ask("get_active_sessions", record_id=record, limit=1)
    rest = other.ask("get_active_sessions", record_id=record, limit=1, cursor=page["nextCursor"])
    assert page["sessions"] + rest["sessions"] == listed["sessions"]
    with refused("RECORD_NOT_FOUND"):
        other.ask("get_active_sessions", record_id="R999")


@pytest.mark.holds("000-get_recent_activity-5", "000-get_recent_activity-7")
def test_every_command_is_logged_under_its_name(app: Application) -> None:
    chat = Chat(app)
    record = chat.create()["id"]
    chat.activate(record)
    chat.update(record, title="x")
    chat.move_state(record, "LATER", reason="x")
    chat.ask("save_session")

    assert chat.activity() == [
        "session_started", "record_created", "activation", "record_updated", "state_transition",
        "session_saved",
    ]  # fmt: skip
    assert chat.activity(record_id=record) == [
        "record_created", "activation", "record_updated", "state_transition",
    ]  # fmt: skip


@pytest.mark.holds("ALL-09.4", "ALL-09.5", "ALL-09.6")
def test_the_past_is_answered_as_it_was_answered_then(app: Application) -> None:
    chat, other = Chat(app), Chat(app)
    watcher = Chat(app, a_caller("human", "viewer"))
    seen: dict[int, list[Any]] = {}

    def look(**when: str) -> list[Any]:
        overview = watcher.ask("get_project_overview", **when)
        listed = watcher.ask("list_records", **when)
        outline = watcher.ask("list_records", format="outline", **when)
        refs = [watcher.ask("get_record_ref", id=one["id"], **when) for one in listed["records"]]
        return [overview, listed, outline, refs]

    def remember() -> None:
        seen[app.store.engine.heads()["default"].seq] = look()

    a = chat.create("a")["id"]
    remember()
    b, c = chat.create("b", a)["id"], chat.create("c", a)["id"]
    remember()
    other.activate(b)
    remember()
    other.update(b, title="B", body="changed")
    chat.move_state(c, "LATER", reason="x")
    remember()
    chat.ask("move_record", id=c, parent_id=b)
    remember()
    chat.ask("close_session")
    other.ask("save_session")
    remember()
    other.sync()

    for seq, answers in seen.items():
        assert look(as_of=f"s:{seq}") == answers
    empty = watcher.ask("get_project_overview", as_of="s:0")
    assert (empty["project"]["tick"], empty["root_records"]) == (0, [])


@pytest.mark.holds("000-list_projects-3")
def test_the_open_records_of_a_project_are_counted_in_the_list_of_projects(
    app: Application,
) -> None:
    chat = Chat(app)
    first = chat.create()["id"]
    chat.create()
    chat.move_state(first, "LATER", reason="x")

    [project] = chat.ask("list_projects")["projects"]

    assert project["open_records"] == 1
