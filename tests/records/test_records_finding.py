"""Finding records by what they say anywhere, and by the beginning of a word."""

import pytest

from hansard.app.application import Application
from hansard.records.search import _by_words
from tests.records.chats import Chat, Json


def found(chat: Chat, query: str, **more: object) -> list[Json]:
    results: list[Json] = chat.ask("search_records", query=query, **more)["results"]
    return results


@pytest.mark.parametrize("state", ["LATER", "DISCARDED"])
def test_a_record_is_found_by_the_reason_why_it_was_put_away(app: Application, state: str) -> None:
    chat = Chat(app)
    moved = chat.create("Kafka", body="A log.\n")["id"]
    made = chat.create("Pulsar", state=state, reason="Too much operational burden")["id"]
    chat.move_state(moved, state, reason="The operational burden is too large")

    results = found(chat, "operational burden")

    assert {one["id"] for one in results} == {moved, made}
    assert all("operational burden" in one["snippet"] for one in results)


def test_the_reason_is_forgotten_when_the_record_is_opened_again(app: Application) -> None:
    chat = Chat(app)
    record = chat.create("Kafka")["id"]
    chat.move_state(record, "LATER", reason="A zebra stands in the way")

    chat.move_state(record, "OPEN")

    assert found(chat, "zebra") == []


@pytest.mark.parametrize(
    ("query", "body"),
    [("oauth", "We use OAuth2 here."), ("kube", "Kubernetes runs it."), ("postgre", "PostgreSQL.")],
)
def test_a_word_is_found_by_its_beginning(app: Application, query: str, body: str) -> None:
    chat = Chat(app)
    record = chat.create("One", body=body)["id"]
    chat.create("Other", body="Nothing of the kind.")

    [result] = found(chat, query)

    assert result["id"] == record
    assert 0 < result["relevance"] <= 1
    assert result["snippet"] == body


def test_what_has_the_word_itself_comes_before_what_begins_with_it(app: Application) -> None:
    chat = Chat(app)
    begun = chat.create("Kuberun and kubernetes", body="kubernetes " * 20)["id"]
    whole = chat.create("Plain", body="A kube among many other words of another kind.")["id"]

    results = found(chat, "kube")

    assert [one["id"] for one in results] == [whole, begun]
    assert results[0]["relevance"] > results[1]["relevance"]


def test_beginnings_count_only_where_little_is_found(app: Application) -> None:
    chat = Chat(app)
    whole = {chat.create(f"Number {n}", body="kube")["id"] for n in range(6)}
    chat.create("Begins", body="kubernetes")

    assert {one["id"] for one in found(chat, "kube")} == whole


def test_filters_hold_for_what_begins_like_a_word(app: Application) -> None:
    chat = Chat(app)
    chat.create("One", body="kubernetes", type="note")
    other = chat.create("Two", body="kubernetes", type="finding")["id"]

    assert [one["id"] for one in found(chat, "kube", types=["finding"])] == [other]


def test_a_snippet_is_of_one_text_and_runs_nothing_together(app: Application) -> None:
    chat = Chat(app)
    chat.create(
        "Which queue?",
        type="option",
        summary="Partitions and how they are balanced.",
        body="We compared brokers.\nThe zebra was fastest.\n",
        metadata={"area": "infra"},
    )

    [by_body], [by_summary] = found(chat, "zebra"), found(chat, "balanced")

    assert by_body["snippet"] == "We compared brokers. The zebra was fastest."
    assert by_summary["snippet"] == "Partitions and how they are balanced."
    for one in (by_body, by_summary):
        assert "R001" not in one["snippet"]
        assert "option" not in one["snippet"]


def test_a_word_that_only_begins_alike_scores_as_little_as_it_says(app: Application) -> None:
    chat = Chat(app)
    chat.create("The caretaker painted the door", body="In April.\n")

    hits = app.store.read(
        app.default_project, lambda tx: _by_words(tx, "who takes care of the greenery", {})
    )

    # Found, but of three words it has the beginning of one.
    assert [0 < hit.score < 0.25 for hit in hits] == [True]
