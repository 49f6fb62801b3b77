"""What is like good hits comes before what stands alone, and what has all words stays first."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.kernel.engine import Hit
from hansard.kernel.rank_fusion import ALL_THERE, FIRST_PLACES, KEPT, fuse
from hansard.kernel.similarity import LOOKED_AT, MOST_LIKE, SHARE, Alike, Likeness, steadied

SCORES = st.dictionaries(st.text("abcdefgh", min_size=1, max_size=3), st.floats(0.01, 1))


def together(*groups: str) -> dict[str, str]:
    """Say which group each letter is of."""
    return {key: group for group in groups for key in group}


def by_group(of: dict[str, str]) -> Alike:
    def alike(keys: Sequence[str]) -> Likeness:
        return [[float(of.get(one) == of.get(other)) for other in keys] for one in keys]

    return alike


def hits(**scores: float) -> list[Hit]:
    return [Hit(key, scores[key]) for key in sorted(scores, key=lambda key: -scores[key])]


def test_what_is_like_good_ones_passes_what_stands_alone() -> None:
    scores = {"a": 0.9, "b": 0.8, "x": 0.55, "c": 0.5}

    ordered, shared = steadied(list("abxc"), scores, by_group(together("abc", "x")))

    assert ordered == ["a", "b", "c", "x"]
    assert shared["x"] == scores["x"]


def test_where_likeness_says_nothing_the_order_stands() -> None:
    scores = {"a": 0.6, "b": 0.5}

    assert steadied(["a", "b"], scores, lambda _: ()) == (["a", "b"], scores)


def test_only_the_best_are_compared_and_the_others_come_after() -> None:
    keys = [f"k{number:03}" for number in range(LOOKED_AT + 5)]
    scores = {key: 1 - number / 100 for number, key in enumerate(keys)}
    asked: list[Sequence[str]] = []

    def alike(compared: Sequence[str]) -> Likeness:
        asked.append(compared)
        return [[1.0] * len(compared) for _ in compared]

    ordered, _ = steadied(keys, scores, alike)

    assert asked == [keys[:LOOKED_AT]]
    assert ordered[LOOKED_AT:] == keys[LOOKED_AT:]


def test_what_has_all_of_a_few_words_stays_first_whatever_is_alike() -> None:
    words = hits(exact=0.93, m=0.4, n=0.4, o=0.4)
    meant = hits(m=0.9, n=0.9, o=0.9, exact=0.3)

    def alike(keys: Sequence[str]) -> Likeness:
        return [[float("exact" not in (one, other)) for other in keys] for one in keys]

    assert fuse(words, meant, alike=alike)[0].key == fuse(words, meant)[0].key


@given(words=SCORES, meant=SCORES, chance=st.randoms(use_true_random=False))
def test_scores_fall_and_the_best_of_each_way_keep_their_places(
    words: dict[str, float], meant: dict[str, float], chance: random.Random
) -> None:
    def alike(keys: Sequence[str]) -> Likeness:
        return [[chance.random() for _ in keys] for _ in keys]

    by_words = [Hit(key, words[key]) for key in sorted(words, key=lambda key: (-words[key], key))]
    by_meaning = [Hit(key, meant[key]) for key in sorted(meant, key=lambda key: (-meant[key], key))]

    fused = fuse(by_words, by_meaning, alike=alike)

    plain = fuse(by_words, by_meaning)
    assert {hit.key for hit in fused} == {hit.key for hit in plain}
    scores = [hit.score for hit in fused]
    assert scores == sorted(scores, reverse=True)
    first = {hit.key for hit in fused[:FIRST_PLACES]}
    there = {hit.key for hit in fused}
    assert {hit.key for hit in (*by_words[:KEPT], *by_meaning[:KEPT])} & there <= first


def test_a_score_is_shared_with_the_mean_of_the_others_by_how_like_they_are() -> None:
    scores = {"a": 0.9, "b": 0.5, "c": 0.2, "d": 0.1}
    likeness: Likeness = [[1, 0.5, 0.25, 0], [0.5, 1, 0, 0], [0.25, 0, 1, 0], [0, 0, 0, 1]]

    _, shared = steadied(list("abcd"), scores, lambda _: likeness)

    assert shared == pytest.approx(
        {
            "a": (1 - SHARE) * 0.9 + SHARE * (0.5 * 0.5 + 0.25 * 0.2) / 0.75,
            "b": (1 - SHARE) * 0.5 + SHARE * 0.9,
            "c": (1 - SHARE) * 0.2 + SHARE * 0.9,
            "d": 0.1,
        }
    )


def test_only_the_most_like_count_and_of_equals_the_first() -> None:
    keys = [f"k{number}" for number in range(MOST_LIKE + 3)]
    scores = {key: 0.9 - number / 10 for number, key in enumerate(keys)}
    alike = [[0.5] * len(keys) for _ in keys]
    alike[0][MOST_LIKE + 2] = 0.9

    _, shared = steadied(keys, scores, lambda _: alike)

    counted = [(0.9, scores[keys[-1]]), *((0.5, scores[key]) for key in keys[1:MOST_LIKE])]
    mean = sum(like * score for like, score in counted) / sum(like for like, _ in counted)
    assert shared[keys[0]] == pytest.approx((1 - SHARE) * scores[keys[0]] + SHARE * mean)


@pytest.mark.parametrize(
    ("words", "is_steadied"),
    [
        ({}, True),
        ({"x": ALL_THERE - 0.01, "w": 0.1}, True),
        ({"x": ALL_THERE, "w": 0.1}, False),
        ({"x": 1.0}, False),
        ({"x": ALL_THERE - 0.01, "w": ALL_THERE - 0.01}, True),
    ],
)
def test_likeness_counts_unless_something_has_all_the_words(
    words: dict[str, float], is_steadied: bool
) -> None:
    meant = hits(a=0.9, b=0.8, c=0.3)
    asked: list[Sequence[str]] = []

    def alike(keys: Sequence[str]) -> Likeness:
        asked.append(keys)
        return ()

    fuse(hits(**words), meant, alike=alike)
    fuse(hits(x=0.5), [], alike=alike)

    assert len(asked) == is_steadied


def test_by_words_alone_scores_stand_but_none_is_above_one() -> None:
    assert fuse([Hit("b", 1.5), Hit("c", 0.5), Hit("a", 0.5)], []) == [
        *(Hit("b", 1.0), Hit("c", 0.5), Hit("a", 0.5))
    ]
