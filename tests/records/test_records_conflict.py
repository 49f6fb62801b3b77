"""Two sessions and one record: nobody's words are lost in silence."""

from typing import Any

import orjson
import pytest

from hansard.app.application import Application
from hansard.records import conflict
from tests.conftest import OpenApp, SteppingClock, a_caller
from tests.records.chats import Chat, refused

BODY = "one\ntwo\nthree\nfour\nfive\n"


def two_chats(app: Application, **fields: Any) -> tuple[Chat, Chat, str]:
    """Give two chats that both have a record active."""
    first, second = Chat(app), Chat(app)
    record = first.create("Shared", body=BODY, **fields)["id"]
    second.activate(record)
    return first, second, record


@pytest.mark.holds(
    "REC-conflict-9",
    "REC-conflict-10",
    "REC-conflict-11",
    "REC-conflict-15",
    "000-update_record-3",
    "000-principles-4",
)
def test_an_update_from_an_old_version_is_not_applied_and_shows_both(app: Application) -> None:
    first, second, record = two_chats(app)
    first.update(record, body=BODY.replace("one", "ONE"), title="Theirs")
    tick = first.tick()

    answer = second.update(record, body=BODY.replace("five", "FIVE"), summary="Mine")

    conflict = answer["conflict"]
    stored = first.ask("activate", id=record)["context"]["target"]
    assert answer["record"] == stored
    assert (stored["title"], stored["body"]) == ("Theirs", BODY.replace("one", "ONE"))
    heads = {name: value for name, value in stored.items() if name != "body"}
    assert conflict["other_version"] == heads | {"session_id": first.session()}
    assert conflict["version"] == stored["version"]
    assert (conflict["base_version"]["title"], conflict["base_version"]["version"]) == ("Shared", 1)
    assert conflict["changed_fields"] == {"theirs": ["title", "body"], "yours": ["summary", "body"]}
    assert conflict["mergeable"] is True
    assert conflict["merge"] == {
        "clean": True,
        "fields": {
            "title": {"kind": "theirs", "base": "Shared", "theirs": "Theirs"},
            "summary": {"kind": "mine", "base": "About Shared", "theirs": "About Shared"},
        },
        "hunks": [
            {"kind": "theirs", "base": [1, 1], "mine": [1, 1], "theirs": [1, 1]},
            {"kind": "same", "base": [2, 3], "mine": [2, 3], "theirs": [2, 3]},
            {"kind": "mine", "base": [5, 1], "mine": [5, 1], "theirs": [5, 1]},
        ],
    }
    assert first.session() in conflict["message"]
    assert second.tick() == tick
    assert second.activity(record_id=record).count("conflict_detected") == 1
    assert second.activity(record_id=record).count("record_updated") == 1


def test_lines_that_both_changed_are_a_clash_and_nothing_else_is(app: Application) -> None:
    first, second, record = two_chats(app)
    first.update(record, body=BODY.replace("two", "theirs"))

    conflict = second.update(record, body=BODY.replace("two", "mine\nand mine"))["conflict"]

    assert conflict["mergeable"] is False
    assert conflict["merge"]["clean"] is False
    assert conflict["merge"]["hunks"] == [
        {"kind": "same", "base": [1, 1], "mine": [1, 1], "theirs": [1, 1]},
        {"kind": "clash", "base": [2, 1], "mine": [2, 2], "theirs": [2, 1]},
        {"kind": "same", "base": [3, 3], "mine": [4, 3], "theirs": [3, 3]},
    ]


def test_changes_of_different_fields_conflict_too_but_say_that_they_go_together(
    app: Application,
) -> None:
    first, second, record = two_chats(app)
    first.update(record, title="Theirs")

    conflict = second.update(record, body="Mine\n")["conflict"]

    assert conflict["changed_fields"] == {"theirs": ["title"], "yours": ["body"]}
    assert conflict["mergeable"] is True


@pytest.mark.parametrize("field", ["title", "summary"])
def test_a_field_that_both_changed_is_a_clash(app: Application, field: str) -> None:
    first, second, record = two_chats(app)
    first.update(record, **{field: "Theirs"})

    conflict = second.update(record, **{field: "Mine"})["conflict"]

    assert conflict["mergeable"] is False
    assert conflict["merge"]["fields"][field]["kind"] == "clash"
    assert conflict["merge"]["fields"][field]["theirs"] == "Theirs"


@pytest.mark.holds("REC-conflict-21")
def test_a_conflict_holds_the_stored_body_once_and_nothing_of_what_was_sent(
    app: Application,
) -> None:
    first, second, record = two_chats(app, metadata={"kept": "k" * 1000})
    first.update(record, body="t" * 50_000)

    answer = second.update(record, body="m" * 50_000)

    shown = orjson.dumps(answer).decode()
    assert shown.count("t" * 50_000) == 1
    assert "m" * 100 not in shown
    assert len(shown) < 50_000 + 8_000
    assert answer["record"]["body"] == "t" * 50_000


@pytest.mark.holds("REC-conflict-1", "REC-conflict-2", "000-notes-conflicts")
def test_a_conflict_is_found_though_the_clock_stands_still(
    open_app: OpenApp, clock: SteppingClock
) -> None:
    app = open_app()
    first, second, record = two_chats(app)
    frozen = clock.now

    def at_once(chat: Chat, title: str) -> dict[str, object]:
        clock.now = frozen
        return chat.update(record, title=title)

    for number in range(3):
        at_once(first, f"Theirs {number}")
        assert "conflict" in at_once(second, f"Mine {number}")
        second.activate(record)
        assert "conflict" not in at_once(second, f"Mine {number}")
        first.activate(record)


@pytest.mark.holds("REC-conflict-3")
def test_activating_again_is_knowing_again(app: Application) -> None:
    first, second, record = two_chats(app)
    first.update(record, title="Theirs")
    assert "conflict" in second.update(record, title="Mine")

    second.activate(record)

    assert "conflict" not in second.update(record, title="Mine")


@pytest.mark.holds("REC-conflict-4", "REC-conflict-8", "REC-conflict-7")
def test_ones_own_writes_never_conflict(app: Application) -> None:
    first, second, record = two_chats(app)

    for number in range(3):
        assert "conflict" not in first.update(record, title=str(number))
    first.move_state(record, "LATER", reason="x")
    first.ask("save_session")
    first.create("Elsewhere")
    assert "conflict" not in first.update(record, body="again")

    assert "conflict" in second.update(record, title="Mine")


def test_writes_elsewhere_in_the_project_conflict_with_nothing(app: Application) -> None:
    first, second, record = two_chats(app)
    first.create("Another")
    first.ask("save_session")
    first.ask("move_record", id=record, parent_id=first.create("Parent")["id"])

    assert "conflict" not in second.update(record, title="Mine")


@pytest.mark.holds("REC-conflict-5", "REC-conflict-16", "000-update_record-4")
def test_force_applies_an_update_and_is_logged(app: Application) -> None:
    first, second, record = two_chats(app)
    first.update(record, title="Theirs", summary="Theirs")
    assert "conflict" in second.update(record, title="Mine")

    forced = second.update(record, title="Mine", force=True, force_version=2)

    assert "conflict" not in forced
    assert (forced["record"]["title"], forced["record"]["summary"]) == ("Mine", "Theirs")
    assert second.activity(record_id=record)[-3:] == [
        "conflict_detected",
        "conflict_resolved",
        "record_updated",
    ]
    assert "conflict" not in second.update(record, title="Mine again")
    assert "conflict" in first.update(record, title="Theirs again")


def test_force_without_a_conflict_is_a_plain_update(app: Application) -> None:
    chat = Chat(app)
    record = chat.create()["id"]

    chat.update(record, title="New", force=True)

    assert "conflict_resolved" not in chat.activity()


@pytest.mark.holds("REC-conflict-6")
def test_a_sync_is_knowing_what_it_told(app: Application) -> None:
    first, second, record = two_chats(app)
    first.update(record, title="Theirs")

    told = second.sync()["changes"]

    assert told[-1]["new_value"]["title"] == "Theirs"
    assert "conflict" not in second.update(record, title="Mine")


def test_a_sync_of_old_news_takes_back_nothing_that_was_known(app: Application) -> None:
    first, second, record = two_chats(app)
    first.update(record, title="Theirs")
    second.activate(record)
    second.update(record, title="Mine")

    [told] = second.sync()["changes"]

    assert (told["title"], told["changed_fields"], told["writes"]) == ("Mine", [], 1)
    assert "conflict" not in second.update(record, title="Mine again")


def test_a_save_is_not_knowing(app: Application) -> None:
    first, second, record = two_chats(app)
    first.update(record, title="Theirs")

    second.ask("save_session")

    assert "conflict" in second.update(record, title="Mine")


@pytest.mark.holds("REC-conflict-14", "000-errors-CONFLICT")
def test_a_transition_from_an_old_version_is_refused_and_logged(app: Application) -> None:
    first, second, record = two_chats(app)
    first.update(record, title="Theirs")
    tick = first.tick()

    with refused("CONFLICT") as problem:
        second.move_state(record, "LATER", reason="x")

    assert "sync" in str(problem.recovery_hint)
    assert problem.details["by_session"] == first.session()
    assert second.ask("get_record_ref", id=record)["state"] == "OPEN"
    assert second.tick() == tick
    assert second.activity(record_id=record)[-1] == "conflict_detected"
    second.sync()
    assert second.move_state(record, "LATER", reason="x")["record"]["state"] == "LATER"


def test_a_transition_makes_others_updates_conflict(app: Application) -> None:
    first, second, record = two_chats(app)
    first.move_state(record, "LATER", reason="x")

    conflict = second.update(record, title="Mine")["conflict"]

    assert conflict["changed_fields"] == {"theirs": ["state", "reason"], "yours": ["title"]}
    assert conflict["mergeable"] is True


@pytest.mark.parametrize("knows_before", [False, True])
def test_a_write_between_the_merge_and_the_transaction_is_seen(
    app: Application, monkeypatch: pytest.MonkeyPatch, knows_before: bool
) -> None:
    first, second, record = two_chats(app)
    if knows_before:
        first.update(record, body="Early\n")
    prepare, overtakes = conflict.prepare, [BODY + "Late\n"]

    def overtaken(*arguments: Any) -> Any:
        prepared = prepare(*arguments)
        if overtakes:
            first.update(record, body=overtakes.pop())
        return prepared

    monkeypatch.setattr(conflict, "prepare", overtaken)

    # Only the second chat's update is overtaken: the first one's has nothing left to pop.
    answer = second.update(record, body="Mine\n" + BODY)

    assert answer["record"]["body"] == BODY + "Late\n"
    assert [hunk["kind"] for hunk in answer["conflict"]["merge"]["hunks"]] == [
        "mine",
        "same",
        "theirs",
    ]


def test_a_conflict_answered_under_a_key_is_answered_the_same_again(app: Application) -> None:
    first, second, record = two_chats(app)
    first.update(record, title="Theirs")
    assert second.caller.seat
    keyed = Chat(app, a_caller(idempotency_key="k", seat=True))
    keyed.caller.seat.sessions.update(second.caller.seat.sessions)  # type: ignore[union-attr]

    answer = keyed.update(record, body="Mine\n")

    assert "conflict" in answer
    second.sync()
    assert keyed.update(record, body="Mine\n") == answer


@pytest.mark.holds("ALL-01.21")
def test_what_a_session_knows_survives_a_restart(open_app: OpenApp) -> None:
    first, second, record = two_chats(open_app())
    first.update(record, title="Theirs")
    known = second.create("Known")["id"]

    after = Chat(open_app(), second.caller)

    assert "conflict" in after.update(record, title="Mine")
    assert "conflict" not in after.update(known, title="Mine")
