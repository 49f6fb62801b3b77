"""Deciding a conflict: by force over a version that is named, or by a merge that is asked for."""

import orjson
import pytest

from hansard.app.application import Application
from hansard.records import conflict, limits
from tests.records.chats import Chat, Json, refused
from tests.records.test_records_conflict import BODY, two_chats


def stored(chat: Chat, record: str) -> Json:
    """Read a record as anybody would."""
    target: Json = Chat(chat.app).activate(record)["context"]["target"]
    return target


@pytest.mark.holds("REC-conflict-17")
def test_force_does_not_bury_a_version_that_was_never_shown(app: Application) -> None:
    first, second, record = two_chats(app)
    first.update(record, body="Second\n")
    shown = second.update(record, body="Mine\n")["conflict"]["version"]
    first.update(record, body="Third, which nobody showed to the other\n")

    answer = second.update(record, body="Mine\n", force=True, force_version=shown)

    assert answer["conflict"]["version"] > shown
    assert answer["record"]["body"] == "Third, which nobody showed to the other\n"
    assert stored(first, record)["body"] == "Third, which nobody showed to the other\n"


@pytest.mark.holds("REC-conflict-17")
def test_force_that_names_no_version_is_a_conflict(app: Application) -> None:
    first, second, record = two_chats(app)
    first.update(record, body="Theirs\n")

    answer = second.update(record, body="Mine\n", force=True)

    assert answer["conflict"]["version"] == 2
    assert stored(first, record)["body"] == "Theirs\n"


def test_a_write_between_the_decision_and_the_transaction_is_seen(
    app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, record = two_chats(app)
    first.update(record, body="Early\n")
    prepare, overtakes = conflict.prepare, ["Late\n"]

    def overtaken(*arguments: object) -> object:
        prepared = prepare(*arguments)  # type: ignore[arg-type]
        if overtakes:
            first.update(record, body=overtakes.pop())
        return prepared

    monkeypatch.setattr(conflict, "prepare", overtaken)

    answer = second.update(record, body="Mine\n", force=True, force_version=2)

    assert answer["conflict"]["version"] == 3
    assert stored(first, record)["body"] == "Late\n"


@pytest.mark.holds("REC-conflict-18")
def test_a_forced_write_names_every_version_that_it_replaced(app: Application) -> None:
    first, second, record = two_chats(app)
    third = Chat(app)
    third.activate(record)
    third.update(record, summary="Third's")
    first.activate(record)
    first.update(record, body="First's\n")
    first.move_state(record, "LATER", reason="x")

    answer = second.update(record, body="Mine\n", force=True, force_version=4)

    told = [
        (one["version"], one["session_id"], one["changed_fields"]) for one in answer["replaced"]
    ]
    assert told == [
        (4, first.session(), ["state", "reason"]),
        (3, first.session(), ["body"]),
        (2, third.session(), ["summary"]),
    ]
    assert {one["author"] for one in answer["replaced"]} == {"agent:test-agent"}
    assert all(one["at"] for one in answer["replaced"])


def test_a_forced_write_over_many_versions_counts_those_it_does_not_name(app: Application) -> None:
    first, second, record = two_chats(app)
    for number in range(limits.REPLACED_SHOWN_MAX + 3):
        first.update(record, title=f"Title {number}")
    version = stored(first, record)["version"]

    answer = second.update(record, body="Mine\n", force=True, force_version=version)

    assert len(answer["replaced"]) == limits.REPLACED_SHOWN_MAX
    assert answer["replaced_more"] == 3


@pytest.mark.holds("REC-conflict-20")
def test_a_forced_write_leaves_what_it_does_not_send_as_others_left_it(app: Application) -> None:
    first, second, record = two_chats(app, metadata={"a": 1, "b": 1})
    first.update(record, body="Theirs\n", summary="Theirs", metadata={"a": 2})

    second.update(record, title="Mine", metadata={"b": 2}, force=True, force_version=2)

    now = stored(first, record)
    assert (now["title"], now["summary"], now["body"]) == ("Mine", "Theirs", "Theirs\n")
    assert now["metadata"] == {"a": 2, "b": 2}


def test_a_forced_write_says_so_in_words(app: Application) -> None:
    first, second, record = two_chats(app)
    first.update(record, title="Theirs")
    decided = {"id": record, "title": "Mine", "force": True, "force_version": 2}

    text = app.call("update_record", decided, second.caller).text()

    assert "t:2" in text
    assert first.session() in text


def test_force_over_what_one_wrote_oneself_is_a_plain_update(app: Application) -> None:
    chat = Chat(app)
    record = chat.create()["id"]
    chat.update(record, title="One")

    answer = chat.update(record, title="Two", force=True, force_version=1)

    assert "conflict" not in answer
    assert "replaced" not in answer


@pytest.mark.holds("REC-conflict-19")
def test_an_accepted_merge_writes_both_and_says_whose_what_is(app: Application) -> None:
    first, second, record = two_chats(app)
    first.update(record, title="Theirs", body=BODY.replace("one", "ONE"))

    answer = second.update(
        record, summary="Mine", body=BODY.replace("five", "FIVE"), accept="merge"
    )

    now = stored(first, record)
    both = BODY.replace("one", "ONE").replace("five", "FIVE")
    assert (now["title"], now["summary"], now["body"]) == ("Theirs", "Mine", both)
    assert answer["merged"]["fields"] == {"title": "theirs", "summary": "mine", "body": "both"}
    [version] = answer["merged"]["versions"]
    assert (version["version"], version["session_id"]) == (2, first.session())
    assert second.activity(record_id=record)[-3:] == [
        "conflict_resolved",
        "record_updated",
        "activation",
    ]


@pytest.mark.holds("REC-conflict-19")
def test_who_merges_is_given_the_body_that_it_has_not_seen(app: Application) -> None:
    first, second, record = two_chats(app)
    first.update(record, body=BODY.replace("one", "ONE"))

    both = second.update(record, body=BODY.replace("five", "FIVE"), accept="merge")

    # Its next update begins from here: without this body it would take their line back unseen.
    assert both["record"]["body"] == BODY.replace("one", "ONE").replace("five", "FIVE")
    first.activate(record)
    first.update(record, body="All new\n")
    theirs = second.update(record, title="Mine", accept="merge")
    assert theirs["record"]["body"] == "All new\n"
    first.activate(record)
    first.update(record, summary="Theirs")
    mine = second.update(record, body="Mine again\n", accept="merge")
    assert "body" not in mine["record"]


@pytest.mark.holds("REC-conflict-19")
def test_a_merge_that_clashes_is_a_conflict_and_writes_nothing(app: Application) -> None:
    first, second, record = two_chats(app)
    first.update(record, title="Theirs", body=BODY.replace("one", "ONE"))

    answer = second.update(record, title="Mine", body=BODY + "six\n", accept="merge")

    assert answer["conflict"]["mergeable"] is False
    assert answer["conflict"]["merge"]["clean"] is True
    assert stored(first, record)["version"] == 2
    assert stored(first, record)["body"] == BODY.replace("one", "ONE")


def test_a_merge_is_of_what_is_stored_when_it_is_written(
    app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, record = two_chats(app)
    first.update(record, body=BODY.replace("one", "ONE"))
    prepare, overtakes = conflict.prepare, [BODY.replace("one", "ONE").replace("three", "THREE")]

    def overtaken(*arguments: object) -> object:
        prepared = prepare(*arguments)  # type: ignore[arg-type]
        if overtakes:
            first.update(record, body=overtakes.pop())
        return prepared

    monkeypatch.setattr(conflict, "prepare", overtaken)

    second.update(record, body=BODY.replace("five", "FIVE"), accept="merge")

    assert stored(first, record)["body"] == "ONE\ntwo\nTHREE\nfour\nFIVE\n"


def test_a_merge_without_a_conflict_is_a_plain_update(app: Application) -> None:
    chat = Chat(app)
    record = chat.create()["id"]

    answer = chat.update(record, title="New", accept="merge")

    assert "merged" not in answer
    assert "conflict_resolved" not in chat.activity()


def test_lists_and_metadata_merge_by_what_each_side_added_and_took_away(app: Application) -> None:
    first, second, record = two_chats(app, metadata={"a": 1, "b": 1, "c": 1})
    one, two, three = (first.create(title)["id"] for title in ("One", "Two", "Three"))
    first.update(record, related=[one, two])
    second.activate(record)
    first.update(record, related=[one, three], metadata={"a": 2, "c": None})

    second.update(record, related=[two, one, record], metadata={"b": 2}, accept="merge")

    now = stored(first, record)
    assert set(now["related"]) == {one, three, record}
    assert now["metadata"] == {"a": 2, "b": 2}


def test_a_key_of_metadata_that_both_set_is_a_clash(app: Application) -> None:
    first, second, record = two_chats(app, metadata={"a": 1, "b": 1})
    first.update(record, metadata={"a": 2})

    answer = second.update(record, metadata={"a": 3}, accept="merge")

    assert answer["conflict"]["merge"]["fields"]["metadata"] == {
        "kind": "clash",
        "base": {"a": 1},
        "theirs": {"a": 2},
    }


@pytest.mark.holds("REC-conflict-20")
def test_a_merge_leaves_what_it_does_not_send_as_others_left_it(app: Application) -> None:
    first, second, record = two_chats(app)
    first.update(record, body="Theirs\n", summary="Theirs")
    first.move_state(record, "LATER", reason="x")

    second.update(record, title="Mine", accept="merge")

    now = stored(first, record)
    assert (now["title"], now["summary"], now["body"]) == ("Mine", "Theirs", "Theirs\n")
    assert now["state"] == "LATER"


@pytest.mark.parametrize(
    "both", [{"force": True, "accept": "merge"}, {"force_version": 1}, {"accept": "mine"}]
)
def test_decisions_that_make_no_sense_are_refused(app: Application, both: Json) -> None:
    chat = Chat(app)
    record = chat.create()["id"]

    with refused("INVALID_INPUT"):
        chat.update(record, title="x", **both)


def test_an_answer_to_an_update_names_what_changed_and_repeats_no_body(app: Application) -> None:
    chat = Chat(app)
    record = chat.create()["id"]

    answer = chat.update(record, body="b" * 20_000, title="New")

    assert answer["changed_fields"] == ["title", "body"]
    assert "body" not in answer["record"]
    assert len(orjson.dumps(answer)) < 1_000
