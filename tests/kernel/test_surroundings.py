"""What is around a text, and what that is worth."""

from collections.abc import Collection
from datetime import date

import pytest

from hansard.kernel.dates import TOLD_LATER
from hansard.kernel.engine import Hit
from hansard.kernel.rank_fusion import MEANING_WEIGHT, UNSEEN, fuse
from hansard.kernel.surroundings import (
    BESIDE,
    FURTHER,
    LOOKED_AT,
    OF_WHOLE,
    SAID_BY,
    SAID_THEN,
    SAYS_NOTHING,
    Surroundings,
    TextPlace,
    remembered,
)
from hansard.kernel.surroundings import surroundings as of_question

TODAY = date(2026, 11, 18)
TALK = {
    "a": TextPlace(after="b", who="Ana", day=date(2023, 5, 7)),
    "b": TextPlace("a", "c", who="Boris", day=date(2023, 5, 7)),
    "c": TextPlace("b", "d", who="Ana", day=date(2023, 6, 7)),
    "d": TextPlace("c", None, who="Boris", day=date(2023, 6, 7)),
}


def places(keys: Collection[str]) -> dict[str, TextPlace]:
    return {key: TALK[key] for key in keys if key in TALK}


def scored(question: str, **scores: float) -> dict[str, float]:
    found = of_question(question, places, TODAY).scored(scores, 0.0)
    return {key: round(score, 6) for key, score in found.items()}


def test_a_hit_counts_for_what_stands_beside_it_and_one_further() -> None:
    excess = 0.6 - SAYS_NOTHING

    assert scored("what", a=0.6) == {
        "a": 0.6,
        "b": round(BESIDE * excess, 6),
        "c": round(FURTHER * excess, 6),
    }


def test_each_place_is_looked_up_once() -> None:
    asked: list[str] = []

    def look(keys: Collection[str]) -> dict[str, TextPlace]:
        asked.extend(keys)
        return places(keys)

    known = remembered(look)

    assert known(["a", "nowhere"]) == {"a": TALK["a"]}
    assert known(["a", "b", "nowhere"]) == {"a": TALK["a"], "b": TALK["b"]}
    assert sorted(asked) == ["a", "b", "nowhere"]


def test_what_is_hardly_found_says_nothing_of_its_neighbours() -> None:
    assert scored("what", a=SAYS_NOTHING).get("b", 0.0) == 0


def test_who_and_when_are_compared_with_what_the_question_names() -> None:
    found = scored("What did Ana say on 7 June 2023?", a=0.05, b=0.05, c=0.05, d=0.05)

    assert found == {
        "a": round(0.05 + SAID_BY, 6),
        "b": 0.05,
        "c": round(0.05 + SAID_BY + SAID_THEN, 6),
        "d": round(0.05 + SAID_THEN, 6),
    }


def test_without_meanings_nothing_is_found_that_has_no_word() -> None:
    around = of_question("what", places, TODAY)

    assert [hit.key for hit in fuse([Hit("b", 0.9)], [], around)] == ["b"]


def test_with_meanings_what_stands_beside_is_found() -> None:
    around = of_question("what", places, TODAY)

    assert [hit.key for hit in fuse([], [Hit("b", 0.9)], around)] == list("bacd")
    assert [hit.key for hit in fuse([], [Hit("b", 0.9)])] == ["b"]


def test_a_part_gains_by_a_whole_that_was_found_itself() -> None:
    there = {"part": TextPlace(whole="whole"), "other": TextPlace(whole="unfound")}
    around = Surroundings(
        lambda keys: {key: there[key] for key in keys & there.keys()}, frozenset(), ()
    )

    found = around.scored({"whole": 0.5, "part": 0.2, "other": 0.2}, 0.0)

    assert found["part"] == pytest.approx(0.2 + OF_WHOLE * (0.5 - SAYS_NOTHING))
    assert found["other"] == pytest.approx(0.2)
    assert found["whole"] == 0.5


def test_only_the_best_are_looked_at_in_their_surroundings() -> None:
    scores = {f"k{number:03}": 0.5 for number in range(LOOKED_AT + 1)}
    asked: list[Collection[str]] = []

    def places(keys: Collection[str]) -> dict[str, TextPlace]:
        asked.append(keys)
        return {}

    assert Surroundings(places, frozenset(), ()).scored(scores, 0.0) == scores
    assert asked[0] == sorted(scores)[:LOOKED_AT]


def test_what_was_not_found_itself_begins_where_nothing_is_seen() -> None:
    around = of_question("what", places, TODAY)

    found = {hit.key: hit.score for hit in fuse([], [Hit("b", 0.9)], around)}

    excess = MEANING_WEIGHT * 0.9 + (1 - MEANING_WEIGHT) * 0 - SAYS_NOTHING
    assert found["b"] == pytest.approx(MEANING_WEIGHT * 0.9)
    assert found["a"] == pytest.approx(MEANING_WEIGHT * UNSEEN + BESIDE * excess)
    assert found["d"] == pytest.approx(MEANING_WEIGHT * UNSEEN + FURTHER * excess)


def test_of_several_days_that_are_named_the_nearest_counts() -> None:
    found = scored("on 1 May 2023 or on 7 June 2023 or in 1999", c=0.05, a=0.05)

    assert found["c"] == round(0.05 + SAID_THEN, 6)
    assert found["a"] == round(0.05 + SAID_THEN * TOLD_LATER, 6)


def test_who_said_it_is_named_by_all_words_of_the_name() -> None:
    place = {"a": TextPlace(who="Ana Lopez"), "b": TextPlace(who=None), "c": TextPlace(who="Ana")}
    around = Surroundings(lambda keys: {k: place[k] for k in keys}, frozenset({"ana"}), ())

    found = around.scored({"a": 0.05, "b": 0.05, "c": 0.05}, 0.0)

    assert found == {"a": 0.05, "b": 0.05, "c": 0.05 + SAID_BY}
