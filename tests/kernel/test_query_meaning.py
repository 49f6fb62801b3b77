"""What of a question is compared with meanings."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import ClassVar

import pytest

from hansard.engines.memory import MemoryEngine
from hansard.kernel import query_meaning
from hansard.kernel.engine import Hit, ReadTx, Table, Topic, WriteTx
from hansard.kernel.event import SYSTEM, Event, Kinds, Stamp
from hansard.kernel.meaning import NoMeanings
from hansard.kernel.operation import Caller, Context
from hansard.kernel.problem import BlobDamaged
from hansard.kernel.similarity import Likeness
from hansard.kernel.store import Store
from hansard.kernel.view import Derivation, View, schema_of

PROJECT = "default"
STAMP = Stamp(SYSTEM, "2026-11-18T10:00:00.000000Z")


class Said(Event):
    kind: ClassVar[str] = "test.said.v1"
    text: str


LINES = Table("lines", {}, ())
WORDS = Topic("words", LINES, {"text": 1.0})


def _said(event: Said, derivation: Derivation) -> None:
    key = str(derivation.entry.seq)
    derivation.put(LINES, key, {"text": event.text})
    derivation.index(WORDS, key, {"text": event.text})


VIEW = View("lines", 1, (LINES,), {Said: _said}, topics=(WORDS,))


class Nearest(NoMeanings):
    """Finds one thing, and says what it was asked."""

    name = "test"

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, str, int, bool]] = []
        self.about: list[str] = []

    def nearest(
        self,
        project: str,
        topic: str,
        query: str,
        *,
        limit: int,
        are_alike: bool = False,
        about: str = "",
    ) -> list[Hit]:
        self.asked.append((project, topic, query, limit, are_alike))
        self.about.append(about)
        return [Hit("1", 0.5)]

    def lag(self, project: str) -> int:
        del project
        return 0


@pytest.fixture
def context() -> Iterator[Context]:
    engine = MemoryEngine(schema_of([VIEW]))
    store = Store(engine, Kinds([Said]), [VIEW])
    yield Context(store, PROJECT, Caller(SYSTEM), STAMP)
    engine.close()


def say(context: Context, *texts: str) -> None:
    def work(tx: WriteTx) -> None:
        for text in texts:
            context.record(tx, Said(text=text))

    context.store.write(PROJECT, work)


def told(context: Context, query: str) -> str:
    return query_meaning.telling(query, WORDS, context)


def test_the_day_of_a_question_is_that_of_its_stamp(context: Context) -> None:
    assert query_meaning.today(context) == date(2026, 11, 18)


def test_a_name_that_a_tenth_of_the_texts_has_is_left_out(context: Context) -> None:
    say(context, *["Ana baked"] * 10, *["nothing"] * 90)

    assert told(context, "What did Ana bake?") == "What did bake?"
    assert told(context, "What did Ana's oven bake for Boris?") == "What did oven bake for Boris?"


def test_a_name_that_fewer_have_stays(context: Context) -> None:
    say(context, *["Ana baked"] * 10, *["nothing"] * 91)

    assert told(context, "What did Ana bake?") == "What did Ana bake?"


def test_in_a_small_project_no_name_is_common(context: Context) -> None:
    say(context, *["Ana baked"] * 9)

    assert told(context, "What did Ana bake?") == "What did Ana bake?"


def test_only_what_is_written_like_a_name_is_left_out(context: Context) -> None:
    say(context, *["Ana baked What"] * 20)

    assert told(context, "what has ana baked") == "what has ana baked"
    assert told(context, "What has Ana baked") == "What has baked"


def texts_of(tx: ReadTx, keys: Sequence[str]) -> Iterator[str]:
    rows = (tx.get(LINES, key) for key in keys)
    return (row["text"] for row in rows if row)


TALK = ["My bag is lost"] * 5 + ["I slept"] * 15 + ["So it goes"] * 77
"""A twentieth says `my` and three in twenty `I`, also of a hundred lines; not of more."""


def person(context: Context, query: str) -> str:
    return query_meaning.telling(query, WORDS, context, texts_of)


def test_whom_no_text_names_is_left_out_only_in_a_talk(context: Context) -> None:
    say(context, *TALK)
    assert person(context, "Where does Ana work?") == "Where does Ana work?"

    say(context, *["I ate, my friend"] * 10)
    assert person(context, "Where does Ana work?") == "Where does work?"
    assert person(context, "Where does OAuth work?") == "Where does OAuth work?"
    assert person(context, "Who hired Ana?") == "Who hired Ana?"
    assert told(context, "Where does Ana work?") == "Where does Ana work?"


def test_whom_others_address_is_left_out_wherever_it_stands(context: Context) -> None:
    say(context, *TALK, "Thanks, Ana!", "Ana was right", "Postgres was right")

    assert person(context, "Who hired Ana?") == "Who hired ?"
    assert person(context, "Who hired Postgres?") == "Who hired Postgres?"
    say(context, *["So it goes"] * 9)
    assert person(context, "Who hired Ana?") == "Who hired Ana?"


def test_a_name_in_what_cannot_be_read_stays(context: Context) -> None:
    def damaged(tx: ReadTx, keys: Sequence[str]) -> Iterator[str]:
        yield from texts_of(tx, keys)
        raise BlobDamaged("A blob is missing")

    say(context, *TALK, "Thanks, Ana!")

    kept = query_meaning.telling("Who hired Ana?", WORDS, context, damaged)

    assert kept == "Who hired Ana?"


def test_days_are_left_out_and_a_question_of_nothing_else_stays_whole(context: Context) -> None:
    say(context, *["Ana baked"] * 20)

    assert told(context, "What was baked on 7 May 2023?") == "What was baked ?"
    assert told(context, "Ana on 7 May 2023") == "Ana on 7 May 2023"


def test_what_is_nearest_is_asked_for_without_them(context: Context) -> None:
    say(context, *["Ana baked"] * 20)
    meanings = Nearest()

    found = query_meaning.near(meanings, WORDS, "What did Ana bake?", context, limit=7).hits

    assert found == [Hit("1", 0.5)]
    assert meanings.asked == [(PROJECT, "words", "What did bake?", 7, False)]


def test_among_texts_that_are_alike_it_is_told_what_a_question_is_about(context: Context) -> None:
    say(context, *["Retry calls of the billing engine"] * 12, *["Something else"] * 200)
    meanings, asked = Nearest(), "When are failed calls of the billing engine made again?"

    found = query_meaning.nearest_of_alike(meanings, WORDS, asked, context, limit=7)

    # `failed` is in none of them, `made` is a small word.
    assert found.hits == [Hit("1", 0.5)]
    assert found.about == {"call", "bill", "engin"}
    assert meanings.asked == [(PROJECT, "words", asked, 7, True)]
    assert meanings.about == ["the calls billing engine"]


def test_what_only_few_texts_have_is_what_is_asked_of_it(context: Context) -> None:
    say(context, *["Retry calls of the billing engine"] * 9, *["Something else"] * 20)
    meanings = Nearest()

    found = query_meaning.nearest_of_alike(meanings, WORDS, "billing engine", context, limit=7)

    assert (found.about, meanings.about) == (frozenset(), [""])


def test_a_name_that_is_not_embedded_is_not_taken_off_either(context: Context) -> None:
    say(context, *["Retry calls of Billing"] * 20)
    meanings = Nearest()

    found = query_meaning.nearest_of_alike(
        meanings, WORDS, "Retry in Billing later", context, limit=7
    )

    assert meanings.asked[0][2] == "in later" or "Billing" not in meanings.asked[0][2]
    assert meanings.about == ["the Retry"] or "Billing" not in meanings.about[0]
    assert found.about == {"retri", "bill"}


def test_without_words_or_meanings_nothing_is_near(context: Context) -> None:
    meanings = Nearest()

    assert query_meaning.near(meanings, WORDS, "?!", context, limit=7).hits == ()
    nothing = query_meaning.near(NoMeanings(), WORDS, "What is baked?", context, limit=7)
    assert nothing.hits == ()
    assert meanings.asked == []


def test_without_words_or_meanings_nothing_is_near_among_texts_that_are_alike(
    context: Context,
) -> None:
    say(context, *["Retry calls of the billing engine"] * 12)
    meanings, nothing = Nearest(), query_meaning.NearOfAlike()

    assert query_meaning.nearest_of_alike(meanings, WORDS, "?!", context, limit=7) == nothing
    asked = "What does the billing engine call?"
    found = query_meaning.nearest_of_alike(NoMeanings(), WORDS, asked, context, limit=7)
    assert found == nothing
    assert meanings.asked == []


def test_what_is_alike_is_asked_for_by_the_same_words(context: Context) -> None:
    say(context, *["Ana baked"] * 20)

    class AlikeToo(Nearest):
        def alike(self, project: str, topic: str, query: str, keys: Sequence[str]) -> Likeness:
            is_it = (project, topic, query) == (PROJECT, "words", "What did bake?")
            return [[float(is_it)] * len(keys)]

    near = query_meaning.near(AlikeToo(), WORDS, "What did Ana bake?", context, limit=7)

    assert near.hits == [Hit("1", 0.5)]
    assert near.alike
    assert near.alike(["1"]) == [[1.0]]
    assert (
        query_meaning.near(NoMeanings(), WORDS, "What is baked?", context, limit=7)
        == query_meaning.Near()
    )
