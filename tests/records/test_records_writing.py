"""Creating, updating and moving records, and their states."""

from typing import Any

import pytest

from hansard.app.application import Application
from hansard.kernel import limits as kernel_limits
from tests.records.chats import Chat, refused


@pytest.mark.holds(
    "000-create_record-1",
    "000-create_record-2",
    "000-create_record-3",
    "000-create_record-5",
    "000-create_record-7",
    "000-record-1",
    "000-record-3",
    "000-principles-2",
    "000-table-create_record",
)
def test_a_new_root_is_what_was_written_and_active_at_once(app: Application) -> None:
    chat = Chat(app)
    body = "  Först\r\nzweitens\t\n\n第三 🙂 \n"

    made = chat.ask(
        "create_record", parent_id=None, type="question", title="T", summary="S", body=body
    )

    record = made["record"]
    assert made["auto_activated"] is True
    assert record["body"] == body
    assert record["parent_id"] is None
    assert (record["id"], record["type"], record["title"]) == ("R001", "question", "T")
    assert (record["state"], record["version"]) == ("OPEN", 1)
    assert record["created"] == record["modified"]
    assert "resolved_by" not in record
    assert made["receipt"]["seq"] > 0
    assert chat.tick() == 1
    assert chat.activity() == ["session_started", "record_created"]
    chat.update("R001", title="Still active")


@pytest.mark.holds("000-create_record-4", "000-errors-PARENT_NOT_ACTIVATED")
def test_a_child_needs_its_parent_active_in_the_same_session(app: Application) -> None:
    mine, other = Chat(app), Chat(app)
    parent = mine.create("Parent")["id"]

    with refused("PARENT_NOT_ACTIVATED") as problem:
        other.create("Child", parent)

    assert "activate" in str(problem.recovery_hint)
    assert other.ask("list_records")["total"] == 1
    other.activate(parent)
    assert other.create("Child", parent)["parent_id"] == parent


def test_a_refused_first_write_begins_no_session(app: Application) -> None:
    parent = Chat(app).create("Parent")["id"]
    newcomer = Chat(app)

    with refused("PARENT_NOT_ACTIVATED"):
        newcomer.create("Child", parent)

    assert newcomer.ask("list_projects")["projects"][0]["open_sessions"] == 1


@pytest.mark.holds("000-create_record-6", "ALL-02.7")
def test_ids_rise_and_are_unique_in_the_whole_store(app: Application) -> None:
    here = Chat(app)
    here.ask("create_project", id="there", name="There")
    there = Chat(app, project_id="there")

    ours = [here.create(str(number))["id"] for number in range(3)]
    theirs = [there.create(str(number))["id"] for number in range(3)]

    assert ours == ["R001", "R002", "R003"]
    assert theirs == sorted(theirs)
    assert not set(ours) & set(theirs)


def test_more_ids_than_a_block_holds_can_be_given(app: Application) -> None:
    chat = Chat(app)

    made = [chat.create(str(number))["id"] for number in range(kernel_limits.ID_BLOCK_SIZE + 1)]

    assert len(set(made)) == len(made)
    assert made[-1] == f"R{kernel_limits.ID_BLOCK_SIZE + 1:03d}"


@pytest.mark.holds("ALL-02.9")
def test_a_record_of_another_project_is_nowhere_to_be_found(app: Application) -> None:
    here = Chat(app)
    here.ask("create_project", id="there", name="There")
    there = Chat(app, project_id="there")
    secret = there.create("Secret plan", body="zebra")["id"]
    mine = here.create("Mine")["id"]

    for operation in ("get_record_ref", "activate", "get_record_history"):
        with refused("RECORD_NOT_FOUND"):
            here.ask(operation, id=secret)
    with refused("RECORD_NOT_FOUND"):
        here.ask("create_record", parent_id=secret, type="t", title="t", summary="s", body="b")
    with refused("RECORD_NOT_FOUND"):
        here.update(mine, related=[secret])
    with refused("RECORD_NOT_FOUND"):
        here.move_state(mine, "RESOLVED", resolved_by=secret)
    with refused("RECORD_NOT_FOUND"):
        here.ask("move_record", id=mine, parent_id=secret)
    assert here.ask("search_records", query="zebra")["total"] == 0
    assert [one["id"] for one in here.ask("list_records")["records"]] == [mine]
    assert here.sync()["changes"] == []
    assert here.ask("get_project_overview")["counts"]["open_records"] == 1


@pytest.mark.holds("000-principles-1", "000-migration-1", "000-migration-2")
@pytest.mark.parametrize("kind", ["question", "thread", "日本", "x" * 100, "with space"])
def test_a_type_is_whatever_the_caller_says(app: Application, kind: str) -> None:
    chat = Chat(app)

    made = chat.create(type=kind)

    assert made["type"] == kind
    assert chat.activate(made["id"])["context"]["target"]["type"] == kind
    assert chat.create("Child", made["id"])["parent_id"] == made["id"]


@pytest.mark.holds(
    "000-update_record-1",
    "000-update_record-5",
    "000-update_record-6",
    "000-table-update_record",
    "000-record-5",
)
def test_an_update_changes_what_is_given_and_leaves_the_rest(app: Application) -> None:
    chat = Chat(app)
    other, before = chat.create("Other")["id"], chat.create("Before")

    after = chat.update(before["id"], body="New body", related=[other, other])["record"]

    assert chat.activate(before["id"])["context"]["target"]["body"] == "New body"
    assert after["related"] == [other]
    assert (after["title"], after["summary"]) == (before["title"], before["summary"])
    assert after["modified"] > before["modified"]
    assert after["created"] == before["created"]
    assert after["version"] == chat.tick() == 3
    assert chat.activity(record_id=before["id"])[-2:] == ["record_updated", "activation"]
    assert "related" not in chat.update(before["id"], related=[])["record"]


def test_an_update_that_changes_nothing_writes_nothing_and_says_so(app: Application) -> None:
    chat = Chat(app)
    record = chat.create(metadata={"k": 1})
    body = record.pop("body")
    same = {"id": record["id"], "title": record["title"], "body": body, "metadata": {}}

    answer = chat.app.call("update_record", same, chat.caller)

    shown = answer.model_dump(mode="json", exclude_none=True)
    assert shown == {"record": record, "changed_fields": []}
    assert "updated" not in answer.text()
    assert chat.tick() == 1


@pytest.mark.holds(
    "000-update_record-2", "000-transition-8", "000-errors-NOT_ACTIVATED", "REC-activate-7"
)
def test_what_is_not_active_here_cannot_be_changed(app: Application) -> None:
    mine, other, newcomer = Chat(app), Chat(app), Chat(app)
    record = mine.create()["id"]
    other.create()
    mine.ask("deactivate", id=record)

    for chat in (mine, other, newcomer):
        for operation, arguments in (
            ("update_record", {"title": "x"}),
            ("transition", {"to_state": "OPEN"}),
            ("move_record", {"parent_id": None}),
            ("deactivate", {}),
        ):
            with refused("NOT_ACTIVATED") as problem:
                chat.ask(operation, id=record, **arguments)
            assert "activate" in str(problem.recovery_hint)
    assert mine.activity(record_id=record) == ["record_created", "deactivation"]


def test_without_a_session_over_a_connection_that_has_none_the_session_is_missing(
    app: Application,
) -> None:
    from tests.conftest import a_caller

    record = Chat(app).create()["id"]
    http = Chat(app, a_caller(seat=False))

    with refused("SESSION_NOT_FOUND"):
        http.update(record, title="x")
    session = http.activate(record)["session_id"]
    assert http.update(record, title="x", session_id=session)["record"]["title"] == "x"


def test_a_closed_session_changes_nothing(app: Application) -> None:
    chat = Chat(app)
    record = chat.create()["id"]
    session = chat.session()
    chat.ask("close_session")

    with refused("SESSION_CLOSED"):
        chat.update(record, title="x", session_id=session)


@pytest.mark.holds("000-errors-RECORD_NOT_FOUND")
@pytest.mark.parametrize("unknown", ["R999", "r001", "R1", "nope", "🙈", "R001\n", "' OR 1=1"])
def test_an_unknown_id_of_any_form_is_not_found(app: Application, unknown: str) -> None:
    chat = Chat(app)
    chat.create()

    for operation in ("activate", "get_record_ref", "get_record_history", "deactivate"):
        with refused("RECORD_NOT_FOUND") as problem:
            chat.ask(operation, id=unknown)
        assert "spelling" in str(problem.recovery_hint)


@pytest.mark.holds(
    "000-transition-1",
    "000-transition-2",
    "000-transition-3",
    "000-transition-4",
    "000-transition-5",
    "000-transition-6",
    "000-transition-7",
    "000-transition-9",
    "000-transition-10",
    "000-record-2",
    "000-record-4",
    "000-table-transition",
    "REC-states-6",
)
def test_a_record_walks_all_seven_arrows(app: Application) -> None:
    chat = Chat(app)
    answer, record = chat.create("Answer")["id"], chat.create("Question")["id"]
    walk = [
        ("LATER", {"reason": "not now"}),
        ("OPEN", {}),
        ("RESOLVED", {"resolved_by": answer}),
        ("OPEN", {}),
        ("DISCARDED", {"reason": "moot"}),
        ("OPEN", {}),
        ("LATER", {"reason": "again"}),
        ("DISCARDED", {"reason": "never"}),
    ]

    seen = [chat.move_state(record, state, **more)["record"] for state, more in walk]

    assert [one["state"] for one in seen] == [state for state, _ in walk]
    assert [one.get("resolved_by") for one in seen] == [None, None, answer, *[None] * 5]
    assert [one["version"] for one in seen] == list(range(3, 11))
    times = [one["modified"] for one in seen]
    assert times == sorted(set(times))
    was = chat.ask("get_record_diff", id=record, **{"from": "t:5"})
    assert was["from_version"]["resolved_by"] == answer


@pytest.mark.holds("000-errors-INVALID_TRANSITION")
def test_an_arrow_that_is_not_there_is_refused_and_changes_nothing(app: Application) -> None:
    chat = Chat(app)
    answer, record = chat.create("Answer")["id"], chat.create("Question")["id"]
    chat.move_state(record, "RESOLVED", resolved_by=answer)

    with refused("INVALID_TRANSITION") as problem:
        chat.move_state(record, "LATER", reason="x")

    assert problem.details["allowed"] == ["OPEN"]
    assert chat.tick() == 3


@pytest.mark.holds("REC-states-3", "REC-states-4", "REC-states-5")
def test_a_transition_without_what_its_state_needs_is_refused(app: Application) -> None:
    chat = Chat(app)
    record = chat.create()["id"]

    for state, more in (
        ("LATER", {}),
        ("DISCARDED", {}),
        ("DISCARDED", {"reason": "  "}),
        ("RESOLVED", {}),
        ("RESOLVED", {"reason": "because"}),
        ("RESOLVED", {"resolved_by": record}),
    ):
        with refused("INVALID_INPUT"):
            chat.move_state(record, state, **more)
    with refused("RECORD_NOT_FOUND"):
        chat.move_state(record, "RESOLVED", resolved_by="R999")
    assert chat.tick() == 1


@pytest.mark.holds("REC-states-7")
def test_a_record_created_in_another_state_needs_the_same(app: Application) -> None:
    chat = Chat(app)
    answer = chat.create("Answer")["id"]

    assert chat.create(state="LATER", reason="not now")["reason"] == "not now"
    assert chat.create(state="RESOLVED", resolved_by=answer)["resolved_by"] == answer
    for bad in (
        {"state": "LATER"},
        {"state": "DISCARDED"},
        {"state": "RESOLVED"},
        {"state": "OPEN", "resolved_by": answer},
        {"state": "DONE"},
    ):
        with refused("INVALID_INPUT"):
            chat.create(**bad)
    with refused("RECORD_NOT_FOUND"):
        chat.create(state="RESOLVED", resolved_by="R999")


@pytest.mark.holds("000-transition-11")
def test_the_log_says_why_a_state_changed(app: Application) -> None:
    chat = Chat(app)
    record = chat.create()["id"]

    chat.move_state(record, "LATER", reason="waiting for the budget")

    [entry] = chat.ask("get_recent_activity", types=["state_transition"])["activity"]
    assert "waiting for the budget" in entry["summary"]
    assert entry["record_id"] == record


@pytest.mark.holds("000-transition-12", "REC-states-8")
def test_open_children_are_named_and_left_as_they_are(app: Application) -> None:
    chat = Chat(app)
    parent = chat.create("Parent")["id"]
    child, done = chat.create("Child", parent)["id"], chat.create("Done", parent)["id"]
    chat.move_state(done, "DISCARDED", reason="x")

    answer = chat.move_state(parent, "DISCARDED", reason="moot")

    warning = answer["cascade_warning"]
    assert [one["id"] for one in warning["open_children"]] == [child]
    assert warning["message"]
    assert chat.ask("get_record_ref", id=child)["state"] == "OPEN"
    assert "cascade_warning" not in chat.move_state(parent, "OPEN")
    chat.move_state(child, "LATER", reason="x")
    assert "cascade_warning" not in chat.move_state(parent, "LATER", reason="x")


@pytest.mark.holds("REC-states-9")
def test_an_open_child_of_a_discarded_parent_is_an_orphan(app: Application) -> None:
    chat = Chat(app)
    parent = chat.create("Parent")["id"]
    child = chat.create("Child", parent)["id"]

    def orphans(identifier: str) -> list[str]:
        warnings = chat.activate(identifier)["context"].get("warnings", [])
        return [one["type"] for one in warnings]

    assert orphans(child) == []
    chat.move_state(parent, "DISCARDED", reason="moot")
    assert orphans(child) == ["orphan"]
    assert orphans(parent) == ["orphan"]
    chat.ask("move_record", id=child, parent_id=None)
    assert orphans(child) == []


@pytest.mark.holds("REC-states-10", "REC-states-11")
def test_a_record_moves_with_all_that_lies_under_it(app: Application) -> None:
    chat = Chat(app)
    top, other = chat.create("Top")["id"], chat.create("Other")["id"]
    middle = chat.create("Middle", top)["id"]
    leaf = chat.create("Leaf", middle)["id"]

    moved = chat.ask("move_record", id=middle, parent_id=other)

    assert moved["record"]["parent_id"] == other
    under = chat.ask("list_records", parent_id=other, depth=5)["records"]
    assert [one["id"] for one in under] == [middle, leaf]
    assert chat.ask("list_records", parent_id=top, depth=5)["total"] == 0
    assert chat.ask("get_record_ref", id=top)["children_count"] == 0
    assert chat.ask("get_record_ref", id=other)["open_children_count"] == 1
    bundle = chat.activate(other)["context"]
    assert [one["id"] for one in bundle["grandchildren"]] == [leaf]
    assert bundle["grandchildren_count"] == 1
    assert chat.activate(top)["context"]["grandchildren_count"] == 0
    for below in (middle, leaf):
        with refused("INVALID_INPUT"):
            chat.ask("move_record", id=middle, parent_id=below)
    assert chat.ask("move_record", id=middle, parent_id=None)["record"]["parent_id"] is None
    assert chat.tick() == 4
    assert chat.activity(record_id=middle).count("record_moved") == 2


def test_moving_a_record_where_it_is_writes_nothing(app: Application) -> None:
    chat = Chat(app)
    record = chat.create()["id"]

    assert "receipt" not in chat.ask("move_record", id=record, parent_id=None)


@pytest.mark.holds("REC-depth-1", "REC-depth-2", "000-errors-DEPTH_EXCEEDED")
def test_depth_is_warned_of_and_then_refused(app: Application) -> None:
    chat = Chat(app)
    chain = [chat.create("Root")["id"]]
    warned = []
    for level in range(2, 11):
        made = chat.ask(
            "create_record", parent_id=chain[-1], type="t", title=str(level), summary="", body=""
        )
        chain.append(made["record"]["id"])
        warned.append([one["type"] for one in made.get("warnings", [])])

    assert warned == [[]] * 4 + [["depth"]] * 5
    with refused("DEPTH_EXCEEDED") as problem:
        chat.create("Too deep", chain[-1])
    assert "flatten" in str(problem.recovery_hint)
    other = chat.create("Other")["id"]
    with refused("DEPTH_EXCEEDED"):
        chat.ask("move_record", id=chain[0], parent_id=other)
    chat.ask("move_record", id=chain[2], parent_id=other)
    assert chat.ask("list_records", parent_id=other, depth=9)["total"] == 8


@pytest.mark.holds("REC-metadata-1", "REC-metadata-2", "000-record-6")
def test_metadata_is_any_json_and_merges_by_key(app: Application) -> None:
    chat = Chat(app)
    metadata = {"a": {"b": [1, 2.5, True, "x"]}, "gone": 1, "ключ": "значение"}

    made = chat.create(metadata=metadata | {"never": None})
    updated = chat.update(made["id"], metadata={"gone": None, "new": [None]})["record"]

    assert made["metadata"] == metadata
    assert updated["metadata"] == {"a": metadata["a"], "ключ": "значение", "new": [None]}
    assert (
        "metadata"
        not in chat.update(made["id"], metadata={"a": None, "ключ": None, "new": None})["record"]
    )


@pytest.mark.holds("REC-related-1")
def test_what_is_related_must_exist(app: Application) -> None:
    chat = Chat(app)
    record = chat.create()["id"]

    assert chat.create("Second", related=[record])["related"] == [record]
    with refused("RECORD_NOT_FOUND"):
        chat.create("Third", related=[record, "R999"])
    with refused("RECORD_NOT_FOUND"):
        chat.update(record, related=["R999"])


def test_cites_are_kept_as_given(app: Application) -> None:
    chat = Chat(app)
    cites = ["D001", "path:src/a.py", "s:3"]

    record = chat.create(cites=cites)

    assert record["cites"] == cites
    assert chat.update(record["id"], cites=["R001"])["record"]["cites"] == ["R001"]


@pytest.mark.parametrize(
    "bad",
    [
        {"title": ""},
        {"title": "x" * 501},
        {"summary": "x" * 2001},
        {"body": "x" * (kernel_limits.BODY_BYTES_MAX + 1)},
        {"body": "a\0b"},
        {"type": ""},
        {"state": "open"},
        {"related": ["R001"] * 101},
        {"metadata": {"k": "x" * 70_000}},
        {"children": []},
    ],
)
def test_what_does_not_fit_is_refused_by_name(app: Application, bad: dict[str, Any]) -> None:
    with refused("INVALID_INPUT") as problem:
        Chat(app).create(**bad)

    assert next(iter(bad)) in problem.message


def test_a_body_of_the_largest_size_comes_back_whole(app: Application) -> None:
    chat = Chat(app)
    body = "é" * (kernel_limits.BODY_BYTES_MAX // 2)

    record = chat.create(body=body)["id"]

    seen = chat.activate(record, budget_tokens=1_000_000)["context"]
    assert seen["target"]["body"] == body
    assert "omitted" not in seen
