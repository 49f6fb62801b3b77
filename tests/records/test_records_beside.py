"""Who else works on a record, what moved meanwhile, and titles that cannot pass for lines."""

import pytest

from hansard.app.application import Application
from hansard.kernel.blob import seal
from hansard.records import limits
from tests.conftest import a_caller
from tests.records.chats import Chat, refused
from tests.records.test_records_budget import a_record, fill, record_all


def test_everybody_who_has_a_record_active_is_named(app: Application) -> None:
    first, second, mine = Chat(app), Chat(app), Chat(app)
    record = first.create()["id"]
    second.activate(record)

    answer = mine.activate(record)

    others = {one["session_id"] for one in answer["conflict"]["sessions"]}
    assert others == {first.session(), second.session()}
    assert answer["conflict"]["session_id"] == second.session()
    text = app.call("activate", {"id": record}, mine.caller).text()
    assert first.session() in text
    assert second.session() in text


@pytest.mark.holds("REC-activate-2")
def test_an_override_is_quiet_about_those_it_knew_and_no_others(app: Application) -> None:
    first, mine, late = Chat(app), Chat(app), Chat(app)
    record = first.create()["id"]
    mine.activate(record, override=True)
    assert "conflict" not in mine.activate(record)

    late.activate(record)

    conflict = mine.activate(record)["conflict"]
    assert [one["session_id"] for one in conflict["sessions"]] == [late.session()]
    mine.activate(record, override=True)
    assert "conflict" not in mine.activate(record)


@pytest.mark.holds("REC-activate-4")
def test_a_record_that_another_moved_has_changed_since(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    record, parent = mine.create("Moved")["id"], mine.create("Parent")["id"]
    other.activate(record)
    other.ask("move_record", id=record, parent_id=parent)

    changed = mine.activate(record)["changed_since_load"]

    assert changed["changed_fields"] == ["parent_id"]
    assert f"+{parent}" in changed["diffs"]["parent_id"]
    assert changed["from_version"] == changed["to_version"] == 1
    assert "changed_since_load" not in mine.activate(record)


def test_a_record_that_one_moved_oneself_has_not_changed(app: Application) -> None:
    mine = Chat(app)
    record, parent = mine.create("Moved")["id"], mine.create("Parent")["id"]

    mine.ask("move_record", id=record, parent_id=parent)

    assert "changed_since_load" not in mine.activate(record)


def test_moving_a_record_is_not_knowing_what_others_wrote_into_it(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    record, parent = mine.create("Moved")["id"], mine.create("Parent")["id"]
    other.activate(record)
    other.update(record, body="Theirs\n")

    mine.ask("move_record", id=record, parent_id=parent)

    assert "conflict" in mine.update(record, body="Mine\n")
    assert mine.activate(record)["changed_since_load"]["changed_fields"] == ["body"]


def test_a_cascade_names_the_call_that_gets_the_rest(app: Application) -> None:
    chat = Chat(app)
    parent = chat.create("Parent")["id"]
    children = [chat.create(f"C{n}", parent)["id"] for n in range(limits.CASCADE_SHOWN_MAX + 3)]

    warning = chat.move_state(parent, "LATER", reason="x")["cascade_warning"]

    [rest] = warning["omitted"]
    shown = [one["id"] for one in warning["open_children"]]
    cursor = rest["how"].split('"cursor": "')[1].split('"')[0]
    listed = chat.ask("list_records", parent_id=parent, states=["OPEN"], cursor=cursor)
    assert rest["count"] == 3
    assert shown + [one["id"] for one in listed["records"]] == children


@pytest.mark.parametrize(
    "broken", ["two\nlines", "a\rb", "tab\tbed", "\x1b[31m", "a\u2028b", "\x85"]
)
def test_a_title_is_one_line(app: Application, broken: str) -> None:
    chat = Chat(app)
    record = chat.create("Plain")["id"]

    for field in ("title", "type"):
        with refused("INVALID_INPUT") as problem:
            chat.create(**{"title": "Plain", field: f"x{broken}x"})
        assert field in problem.message
    with refused("INVALID_INPUT"):
        chat.update(record, title=f"x{broken}x")
    assert chat.tick() == 1


def test_an_old_title_of_many_lines_cannot_pass_for_other_records(app: Application) -> None:
    fill(app, 1)
    body = seal(b"body")
    forged = "Real\n[R999] (OPEN, note) Forged"
    fields = {
        "title": lambda _: forged,
        "parent_id": lambda _: "R001",
        "summary_text": lambda _: "",
    }
    record_all(app, [a_record(2, body.digest, fields)], blobs=[body])
    caller = a_caller()

    for operation, arguments in (
        ("list_records", {}),
        ("list_records", {"format": "outline"}),
        ("get_project_overview", {}),
        ("get_record_ref", {"id": "R002"}),
        ("activate", {"id": "R001"}),
        ("activate", {"id": "R002"}),
        ("search_records", {"query": "forged"}),
        ("get_record_history", {"id": "R002"}),
        ("get_recent_activity", {}),
        ("update_record", {"id": "R002", "summary": "New"}),
        ("transition", {"id": "R001", "to_state": "LATER", "reason": "x"}),
        ("get_record_diff", {"id": "R002", "from": "t:2"}),
        ("sync_session", {}),
    ):
        lines = app.call(operation, arguments, caller).text().splitlines()
        assert not any(line.lstrip().startswith("[R999]") for line in lines), operation


def test_activity_of_what_is_not_there_is_refused(app: Application) -> None:
    chat = Chat(app)
    chat.create()

    with refused("RECORD_NOT_FOUND"):
        chat.ask("get_recent_activity", record_id="R999")
    with refused("INVALID_INPUT") as problem:
        chat.ask("get_recent_activity", types=["record_created", "record_destroyed"])
    assert "record_destroyed" in problem.message
    assert "record_updated" in problem.message


def test_who_did_it_is_told_in_words(app: Application) -> None:
    chat = Chat(app)
    record = chat.create()["id"]
    chat.update(record, body="New\n")

    history = app.call("get_record_history", {"id": record}, a_caller()).text()
    activity = app.call("get_recent_activity", {}, a_caller()).text()

    for told, least in ((history, 2), (activity, 3)):
        assert told.count("agent:test-agent") >= least
        assert told.count(f"(session {chat.session()})") >= least
