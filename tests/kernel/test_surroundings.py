"""What is around a text, and what that is worth."""

from collections.abc import Collection
from datetime import date

from hansard.kernel.engine import Hit
from hansard.kernel.rank_fusion import fuse
from hansard.kernel.surroundings import (
    BESIDE,
    FURTHER,
    SAID_BY,
    SAID_THEN,
    SAYS_NOTHING,
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
