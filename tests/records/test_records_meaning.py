"""Finding records by what they mean, with the real model, on every engine."""

from collections.abc import Sequence
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.embedders import vectors
from hansard.kernel.engine import Hit, WriteTx
from hansard.kernel.event import Stamp
from hansard.kernel.meaning import NoMeanings
from hansard.kernel.operation import Context
from hansard.kernel.similarity import Likeness
from hansard.records import limits
from hansard.records.contract import SearchRecords
from hansard.records.search import search_records
from tests.conftest import OpenApp, a_caller
from tests.embedders.following import embed_all
from tests.records.chats import Chat

PARAPHRASE = "prevent outdated pages being served"


def found(chat: Chat, query: str, **arguments: Any) -> list[str]:
    answer = chat.ask("search_records", query=query, **arguments)
    return [one["id"] for one in answer["results"]]


def create_cache_record(chat: Chat, **more: Any) -> str:
    """Create a record that means what `PARAPHRASE` asks for, and shares no word with it."""
    fields = {
        "summary": "",
        "body": "Invalidate cached content whenever the underlying article changes.",
    }
    made: str = chat.create("Cache invalidation", **fields | more)["id"]
    return made


def create_others(chat: Chat) -> None:
    for title, body in [
        ("Salaries", "Everybody is paid on the last Friday of a month."),
        ("Colours", "The logo is orange on a dark blue ground."),
        ("Lunch", "The kitchen closes at two."),
    ]:
        chat.create(title, summary="", body=body)


@pytest.mark.holds("REC-search-4")
def test_a_paraphrase_is_found_though_it_shares_no_word(app: Application) -> None:
    chat = Chat(app)
    create_others(chat)
    record = create_cache_record(chat)
    assert found(chat, PARAPHRASE) == []

    embed_all(app)
    answer = chat.ask("search_records", query=PARAPHRASE)

    assert [one["id"] for one in answer["results"]] == [record]
    assert answer["total"] == 1
    assert 0.25 < answer["results"][0]["relevance"] < 1
    assert answer["results"][0]["snippet"].startswith("Invalidate cached content")
    assert answer["index"] == "local minilm-l6"
    assert answer["index_lag"] == 0


def test_what_has_the_words_comes_before_what_only_means_the_same(app: Application) -> None:
    chat = Chat(app)
    meant = create_cache_record(chat)
    worded = chat.create("Outdated pages", body="Pages that are outdated are being served.")["id"]

    embed_all(app)

    assert found(chat, "outdated pages served") == [worded, meant]


def test_what_lies_far_from_the_query_is_not_found(app: Application) -> None:
    chat = Chat(app)
    create_others(chat)

    embed_all(app)

    assert found(chat, "xylophone repairs in Antarctica") == []


@pytest.mark.holds("REC-search-3", "REC-search-4")
def test_the_filters_hold_for_what_is_found_by_meaning(app: Application) -> None:
    chat = Chat(app)
    parent = chat.create("Servers", summary="", body="")["id"]
    inside = create_cache_record(chat, parent=parent)
    outside = create_cache_record(chat, type="risk")
    resolved = create_cache_record(chat, state="DISCARDED", reason="done elsewhere")

    embed_all(app)

    assert set(found(chat, PARAPHRASE)) == {inside, outside, resolved}
    assert found(chat, PARAPHRASE, parent_id=parent) == [inside]
    assert found(chat, PARAPHRASE, types=["risk"]) == [outside]
    assert found(chat, PARAPHRASE, states=["DISCARDED"]) == [resolved]
    assert found(chat, PARAPHRASE, types=["risk"], parent_id=parent) == []


def test_hits_by_words_and_meaning_are_paged_through_once_each(app: Application) -> None:
    chat = Chat(app)
    records = {create_cache_record(chat, summary=f"Variant {number}") for number in range(5)}
    embed_all(app)

    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        answer = chat.ask("search_records", query=PARAPHRASE, limit=2, **cursor)
        assert answer["total"] == 5
        seen += [one["id"] for one in answer["results"]]
        if "nextCursor" not in answer:
            break
        cursor = {"cursor": answer["nextCursor"]}

    assert len(seen) == 5
    assert set(seen) == records


def test_what_can_be_paged_through_is_bounded_with_meanings_too(
    app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SEARCH_HITS_MAX", 3)
    chat = Chat(app)
    for number in range(3):
        create_cache_record(chat, summary=f"Variant {number}")
        chat.create(f"Outdated pages {number}", summary="", body="")
    embed_all(app)

    first = chat.ask("search_records", query=PARAPHRASE, limit=2)
    rest = chat.ask("search_records", query=PARAPHRASE, limit=2, cursor=first["nextCursor"])

    assert (first["total"], first["total_is_exact"]) == (3, False)
    assert len(first["results"] + rest["results"]) == 3
    assert "nextCursor" not in rest


def test_an_update_is_embedded_whole_though_it_names_one_field(app: Application) -> None:
    chat = Chat(app)
    record = create_cache_record(chat)
    embed_all(app)

    chat.activate(record)
    chat.update(record, title="Keeping fresh")
    embed_all(app)
    assert found(chat, PARAPHRASE) == [record]

    chat.update(record, body="The kitchen closes at two.", title="Lunch")
    embed_all(app)
    assert found(chat, PARAPHRASE) == []
    assert found(chat, "when can I eat something") == [record]


def test_until_it_is_embedded_again_a_changed_record_shows_what_it_says_now(
    app: Application,
) -> None:
    chat = Chat(app)
    record = create_cache_record(chat)
    embed_all(app)
    chat.activate(record)

    chat.update(record, title="Lunch", body="The kitchen closes at two.")
    answer = chat.ask("search_records", query=PARAPHRASE)

    assert answer["index_lag"] > 0
    for one in answer["results"]:
        assert one["title"] == "Lunch"
        assert "Invalidate" not in one["snippet"]


def test_a_vector_of_a_record_that_is_not_there_finds_nothing(app: Application) -> None:
    chat = Chat(app)
    record = create_cache_record(chat)
    embed_all(app)

    def haunt(tx: WriteTx) -> None:
        current = vectors.generation(tx)
        assert current is not None
        _, [change] = vectors.news(tx, "records", "", 0)
        ghost = vectors.VectorChange(
            "records", "R999", change.text, change.vectors, change.dimensions
        )
        vectors.save(tx, current, [ghost])

    app.store.write(app.default_project, haunt)

    assert found(chat, PARAPHRASE) == [record]


def test_the_lag_counts_what_is_yet_to_be_looked_at(app: Application) -> None:
    chat = Chat(app)
    create_cache_record(chat)
    head = app.store.engine.heads()[app.default_project].seq

    answer = chat.ask("search_records", query="cache")
    assert answer["index_lag"] == head
    assert [one["title"] for one in answer["results"]] == ["Cache invalidation"]

    embed_all(app)
    assert chat.ask("search_records", query="cache")["index_lag"] == 0


def test_what_one_process_embeds_another_finds_as_it_comes(open_app: OpenApp) -> None:
    ours, other = open_app(), open_app()
    chat = Chat(other)
    first = create_cache_record(Chat(ours))
    embed_all(ours)
    assert found(chat, PARAPHRASE) == [first]

    second = create_cache_record(Chat(ours))
    embed_all(ours)

    assert set(found(chat, PARAPHRASE)) == {first, second}


def test_projects_do_not_find_each_others_records(app: Application) -> None:
    create_cache_record(Chat(app))
    embed_all(app)
    Chat(app).ask("create_project", id="other", name="Other")

    assert found(Chat(app, project_id="other"), PARAPHRASE) == []


def test_without_an_embedder_the_answer_says_words_only(open_app: OpenApp) -> None:
    app = open_app(embedder="none")
    create_cache_record(Chat(app))

    result = app.call("search_records", {"query": "cached content"}, a_caller())

    assert "vectors" not in {follower.name for follower in app.followers}
    answer = result.model_dump()
    assert (answer["index"], answer["index_lag"], answer["total"]) == ("none", 0, 1)
    assert result.text().endswith("By words only: none.")


class Alike(NoMeanings):
    """Meanings that find six records, all of which are alike but for the fourth."""

    def __init__(self, keys: Sequence[str]) -> None:
        self.keys = keys

    def nearest(
        self, project: str, topic: str, query: str, *, limit: int, **others: object
    ) -> list[Hit]:
        del project, topic, query, limit, others
        scores = (0.92, 0.91, 0.9, 0.6, 0.59, 0.58)
        return [Hit(*one) for one in zip(self.keys, scores, strict=True)]

    def alike(self, project: str, topic: str, query: str, keys: Sequence[str]) -> Likeness:
        del project, topic, query
        lone = self.keys[-3]
        return [[float(lone not in (one, other)) for other in keys] for one in keys]


def test_what_is_like_good_hits_comes_before_what_stands_alone(app: Application) -> None:
    chat = Chat(app)
    keys = [chat.create(f"Record {number}", summary="", body="")["id"] for number in range(6)]
    caller = a_caller()
    stamp = Stamp(caller.actor, "2026-01-01T00:00:00.000Z")
    context = Context(app.store, app.default_project, caller, stamp)

    answer = search_records(SearchRecords(query="quite other words"), context, Alike(keys))

    assert [one.id for one in answer.results] == [*keys[:3], *keys[4:], keys[3]]
