"""An update that names the version it was made to: a draft, a second tab, another session."""

import pytest

from hansard.app.application import Application
from tests.records.chats import Chat, refused
from tests.records.test_records_conflict import BODY, two_chats


@pytest.mark.holds("REC-conflict-22")
def test_a_session_that_has_seen_more_since_does_not_bury_it_by_an_older_change(
    app: Application,
) -> None:
    first, second, record = two_chats(app)
    first.update(record, body=BODY.replace("one", "ONE"))
    second.activate(record)

    answer = second.update(record, body=BODY.replace("one", "uno"), base_version=1)

    assert answer["conflict"]["base_version"]["version"] == 1
    assert answer["conflict"]["mergeable"] is False
    assert answer["record"]["body"] == BODY.replace("one", "ONE")


@pytest.mark.holds("REC-conflict-22")
def test_two_tabs_of_one_session_do_not_write_over_each_other(app: Application) -> None:
    chat = Chat(app)
    record = chat.create("Shared", body=BODY)["id"]
    chat.update(record, title="By the first tab", base_version=1)

    met = chat.update(record, title="By the second tab", base_version=1)
    merged = chat.update(record, summary="By the second tab", base_version=1, accept="merge")

    assert met["conflict"]["changed_fields"] == {"theirs": ["title"], "yours": ["title"]}
    assert merged["merged"]["fields"] == {"title": "theirs", "summary": "mine"}
    assert merged["record"]["title"] == "By the first tab"


def test_another_session_goes_on_with_a_change_that_was_begun_in_an_ended_one(
    app: Application,
) -> None:
    first, _, record = two_chats(app)
    first.update(record, body=BODY.replace("five", "FIVE"))
    later = Chat(app)
    later.activate(record)

    answer = later.update(record, body=BODY.replace("one", "ONE"), base_version=1, accept="merge")

    assert answer["record"]["body"] == BODY.replace("one", "ONE").replace("five", "FIVE")


def test_a_decision_against_the_latest_version_is_written(app: Application) -> None:
    first, second, record = two_chats(app)
    first.update(record, summary="Theirs")
    second.activate(record)

    answer = second.update(record, summary="Chosen", base_version=1, force=True, force_version=2)

    assert answer["record"]["summary"] == "Chosen"
    assert [one["version"] for one in answer["replaced"]] == [2]


@pytest.mark.parametrize("wrong", [0, -1, 3, 99, 2**53, 2**70])
def test_a_version_that_the_record_never_had_is_refused_and_changes_nothing(
    app: Application, wrong: int
) -> None:
    chat = Chat(app)
    record = chat.create("Shared")["id"]
    chat.update(record, title="Second")

    with refused("INVALID_INPUT"):
        chat.update(record, title="Third", base_version=wrong)

    assert chat.activate(record)["context"]["target"]["title"] == "Second"


def test_a_tick_at_which_another_record_was_written_is_no_version_of_this_one(
    app: Application,
) -> None:
    chat = Chat(app)
    record = chat.create("One")["id"]
    chat.create("Another")

    with refused("INVALID_INPUT"):
        chat.update(record, title="Changed", base_version=2)


def test_a_record_that_is_not_active_stays_closed_to_who_names_its_version(
    app: Application,
) -> None:
    record = Chat(app).create("Shared")["id"]
    stranger = Chat(app)
    stranger.create("Own")

    with refused("NOT_ACTIVATED"):
        stranger.update(record, title="Mine", base_version=1)
