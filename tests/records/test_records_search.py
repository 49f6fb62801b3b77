"""Finding records by words, whatever the words are."""

import random
import sys
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.records import limits
from tests.conftest import a_caller
from tests.records.chats import Chat, refused


def found(chat: Chat, query: str, **arguments: Any) -> list[str]:
    answer = chat.ask("search_records", query=query, **arguments)
    assert answer["total"] >= len(answer["results"])
    return [one["id"] for one in answer["results"]]


@pytest.mark.holds(
    "000-search_records-1",
    "000-search_records-6",
    "000-search_records-7",
    "REC-search-1",
)
def test_records_are_found_by_title_summary_body_type_and_metadata(app: Application) -> None:
    chat = Chat(app)
    titled = chat.create("The zebra question")["id"]
    summed = chat.create("Two", summary="All about zebras.")["id"]
    bodied = chat.create("Three", body="Long before. " * 40 + "A zebra ran. " + "After. " * 40)
    typed = chat.create("Four", type="zebra")["id"]
    tagged = chat.create("Five", metadata={"animal": {"is": ["zebra"]}})["id"]
    chat.create("Horse")
    before = app.store.engine.heads()

    answer = Chat(app).ask("search_records", query="zebra")

    results = answer["results"]
    assert {one["id"] for one in results} == {titled, summed, bodied["id"], typed, tagged}
    assert results[0]["id"] == titled
    assert answer["total"] == 5
    assert answer["total_is_exact"] is True
    relevance = [one["relevance"] for one in results]
    assert relevance == sorted(relevance, reverse=True)
    assert relevance[0] == 1.0
    assert all(0 < one <= 1 for one in relevance)
    assert all("zebra" in one["snippet"].lower() for one in results)
    assert all(len(one["snippet"]) <= limits.SNIPPET_CHARS + 2 for one in results)
    assert "body" not in results[0]
    assert results[0]["open_children_count"] == 0
    assert app.store.engine.heads() == before


def test_a_record_is_found_by_its_id_and_so_is_what_speaks_of_it(app: Application) -> None:
    chat = Chat(app)
    record = chat.create("First")["id"]
    speaks = chat.create("Second", body=f"As {record} says")["id"]
    chat.create("Third")

    assert set(found(chat, record)) == {record, speaks}


def test_a_record_with_all_the_words_goes_before_one_with_some(app: Application) -> None:
    chat = Chat(app)
    some = chat.create("cache cache cache cache")["id"]
    everything = chat.create("Something", body="the cache needs invalidation one day")["id"]

    answer = chat.ask("search_records", query="cache invalidation")

    assert [one["id"] for one in answer["results"]] == [everything, some]
    assert answer["results"][0]["relevance"] == 1.0
    half = chat.ask("search_records", query="cache unicorn")
    assert half["results"][0]["relevance"] == 0.5


def test_what_is_found_is_what_the_records_now_say(app: Application) -> None:
    chat = Chat(app)
    record = chat.create("Old", body="ostrich")["id"]

    chat.update(record, body="penguin")

    assert found(chat, "ostrich") == []
    assert found(chat, "penguin") == [record]
    assert found(chat, "old") == [record]


@pytest.mark.holds(
    "000-search_records-2", "000-search_records-3", "000-search_records-4", "REC-search-3"
)
def test_a_search_is_narrowed_by_type_state_and_subtree(app: Application) -> None:
    chat = Chat(app)
    root = chat.create("zebra root", type="question")["id"]
    child = chat.create("zebra child", root)["id"]
    leaf = chat.create("zebra leaf", child, state="LATER", reason="x")["id"]
    other = chat.create("zebra elsewhere")["id"]

    assert set(found(chat, "zebra", types=["note"])) == {child, leaf, other}
    assert found(chat, "zebra", states=["LATER"]) == [leaf]
    assert set(found(chat, "zebra", states=["OPEN"], types=["note"])) == {child, other}
    assert set(found(chat, "zebra", parent_id=root)) == {root, child, leaf}
    assert set(found(chat, "zebra", parent_id=child)) == {child, leaf}
    assert found(chat, "zebra", states=[]) == []
    with refused("RECORD_NOT_FOUND"):
        found(chat, "zebra", parent_id="R999")
    chat.ask("move_record", id=child, parent_id=other)
    assert set(found(chat, "zebra", parent_id=root)) == {root}
    assert set(found(chat, "zebra", parent_id=other)) == {other, child, leaf}


@pytest.mark.holds("000-search_records-5", "REC-search-2")
def test_the_total_counts_all_matches_and_pages_meet(app: Application) -> None:
    chat = Chat(app)
    made = {chat.create(f"zebra {number}")["id"] for number in range(25)}

    first = chat.ask("search_records", query="zebra")
    rest = chat.ask("search_records", query="zebra", cursor=first["nextCursor"])

    assert len(first["results"]) == 20
    assert first["total"] == rest["total"] == 25
    seen = [one["id"] for page in (first, rest) for one in page["results"]]
    assert len(seen) == len(set(seen)) == 25
    assert set(seen) == made
    assert "nextCursor" not in rest
    with refused("INVALID_INPUT"):
        chat.ask("search_records", query="zebra", cursor="WyJhIiwiYiJd")


def test_a_total_that_is_not_exact_says_so(
    app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SEARCH_HITS_MAX", 5)
    chat = Chat(app)
    for number in range(7):
        chat.create(f"zebra {number}")

    answer = chat.ask("search_records", query="zebra", limit=3)

    assert (answer["total"], answer["total_is_exact"]) == (5, False)
    assert (
        len(chat.ask("search_records", query="zebra", cursor=answer["nextCursor"])["results"]) == 2
    )


@pytest.mark.holds("ALL-09.11")
def test_a_search_of_the_past_is_refused_by_name(app: Application) -> None:
    with refused("INVALID_INPUT") as problem:
        Chat(app).ask("search_records", query="x", as_of="t:0")

    assert "as_of" in problem.message


PIECES = [
    '"', "'", "*", "(", ")", "AND", "OR", "NOT", "NEAR(", "NEAR/2", ":", "^", "-", "+", "{", "}",
    "\0", "\x01", "\n", "🙈", "👩\u200d👧", "日本語", "é", "\u202e", "\u200b", "%", "_", "\\",
    ";--", "title:", "body : zebra", "DROP TABLE", "1=1", "zebra", "the", "a", "\ud7ff", "ﬁ", "İ",
    "ß", "$1", "&", "|", "!", "<->", "''", "E'\\'", "/*", "*/", "?", ":x", "@", "#", "~", "`", "=",
    "<", ">", ",", ".",
]  # fmt: skip


def odd_queries(count: int) -> list[str]:
    """Make queries of every odd kind, the same each time."""
    chance = random.Random(4)
    fixed = ["", " ", "\0", "x" * 10_000, '"' * 10_000, "a b " * 2_500, "\ufffd", "zebra\0horse"]
    made = [
        chance.choice(["", " "]).join(chance.choices(PIECES, k=chance.randint(1, 8)))
        for _ in range(count // 2)
    ]
    random_text = [
        "".join(chr(_code_point(chance)) for _ in range(chance.randint(1, 40)))
        for _ in range(count - len(fixed) - len(made))
    ]
    return fixed + made + random_text


def _code_point(chance: random.Random) -> int:
    while True:
        point = chance.randrange(sys.maxunicode + 1)
        if not 0xD800 <= point <= 0xDFFF:
            return point


@pytest.mark.holds("ALL-07.8")
def test_a_thousand_odd_queries_are_answered_and_change_nothing(app: Application) -> None:
    chat = Chat(app)
    record = chat.create("The zebra", body="title: zebra AND horse")["id"]
    before = app.store.engine.heads()

    for query in odd_queries(1_000):
        for one in chat.ask("search_records", query=query)["results"]:
            assert one["id"] == record
            assert 0 <= one["relevance"] <= 1

    assert app.store.engine.heads() == before
    assert found(chat, "zebra") == [record]


@pytest.mark.parametrize(
    "query", ['zebra"', "zebra*", "-zebra", "(zebra", "zebra\0", "^zebra", "NOT zebra"]
)
def test_an_operator_is_only_a_character(app: Application, query: str) -> None:
    chat = Chat(app)
    record = chat.create("The zebra")["id"]

    assert found(chat, query) == [record]


def test_a_query_that_is_too_long_is_refused(app: Application) -> None:
    with refused("INVALID_INPUT"):
        Chat(app).ask("search_records", query="x" * 10_001)


def test_the_text_of_a_search_names_what_was_found_and_shows_where(app: Application) -> None:
    record = Chat(app).create("The zebra", summary="Stripes")["id"]

    text = app.call("search_records", {"query": "zebra"}, a_caller()).text()

    assert text.startswith(
        f"1 match\n[{record}] (OPEN, note) The zebra: Stripes (1.00)\n"
        "  by agent:test-agent: Body of The zebra"
    )
