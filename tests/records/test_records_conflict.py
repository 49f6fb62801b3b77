"""Two sessions and one record: nobody's words are lost in silence."""

from typing import Any

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
    assert answer["record"] == stored == conflict["other_version"]
    assert (stored["title"], stored["body"]) == ("Theirs", BODY.replace("one", "ONE"))
    assert conflict["base_version"]["body"] == BODY
    assert conflict["your_version"]["body"] == BODY.replace("five", "FIVE")
    assert conflict["your_version"]["title"] == "Shared"
    assert conflict["changed_fields"] == ["title", "body"]
    assert conflict["overlapping_fields"] == ["body"]
    assert conflict["merge"] == {
        "clean": True,
        "text": BODY.replace("one", "ONE").replace("five", "FIVE"),
    }
    assert first.session() in conflict["message"]
    assert second.tick() == tick
    assert second.activity(record_id=record).count("conflict_detected") == 1
    assert second.activity(record_id=record).count("record_updated") == 1


def test_a_merge_that_is_not_clean_has_markers(app: Application) -> None:
    first, second, record = two_chats(app)
    first.update(record, body=BODY.replace("two", "theirs"))

    merge = second.update(record, body=BODY.replace("two", "mine"))["conflict"]["merge"]

    assert merge["clean"] is False
    assert "<<<<<<< stored\ntheirs\n=======\nmine\n>>>>>>> yours\n" in merge["text"]


def test_changes_of_different_fields_conflict_too_but_say_that_they_do_not_clash(
    app: Application,
) -> None:
    first, second, record = two_chats(app)
    first.update(record, title="Theirs")

    conflict = second.update(record, body="Mine\n")["conflict"]

    assert conflict["changed_fields"] == ["title"]
    assert conflict["overlapping_fields"] == []
    assert conflict["merge"] == {"clean": True, "text": "Mine\n"}


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

    forced = second.update(record, title="Mine", force=True)

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

    told = second.sync()["changes"]

    assert [one["new_value"]["title"] for one in told] == ["Theirs"]
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

    assert conflict["changed_fields"] == ["state", "reason"]


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
    assert answer["conflict"]["merge"] == {"clean": True, "text": "Mine\n" + BODY + "Late\n"}


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
