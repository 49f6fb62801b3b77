"""What was found by words and what was found by meaning, in one order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.kernel.engine import Hit
from hansard.kernel.rank_fusion import FOUND, MEANING_WEIGHT, UNSEEN, fuse


def hits(**scores: float) -> list[Hit]:
    ordered = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    return [Hit(key, score) for key, score in ordered]


def keys(fused: list[Hit]) -> list[str]:
    return [hit.key for hit in fused]


SCORES = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=2), st.floats(0.01, 1), max_size=8
)


def test_without_meanings_the_order_of_the_words_stands() -> None:
    assert keys(fuse(hits(a=0.9, b=0.89, c=0.1), [])) == ["a", "b", "c"]


def test_without_words_the_order_of_the_meanings_stands() -> None:
    assert keys(fuse([], hits(a=0.3, b=0.9))) == ["b", "a"]


def test_what_is_found_by_both_comes_before_what_is_found_by_one() -> None:
    fused = fuse(hits(words=0.5, both=0.4, last=0.1), hits(meaning=0.6, both=0.6))

    assert keys(fused)[0] == "both"


def test_what_has_all_words_of_a_short_query_is_not_behind_what_has_none() -> None:
    assert keys(fuse(hits(exact=0.91), hits(near=1.0))) == ["exact", "near"]


def test_what_shares_common_words_only_is_behind_what_means_the_same() -> None:
    common = {f"common{number}": 0.2 for number in range(30)}

    assert keys(fuse(hits(**common), hits(near=0.7)))[0] == "near"


def test_the_best_two_of_each_way_are_among_the_first_ten() -> None:
    near = {f"near{number}": 0.9 - number / 100 for number in range(30)}
    worded = {f"word{number}": 0.3 - number / 100 for number in range(20)}

    fused = keys(fuse(hits(**worded), hits(**near)))

    assert {"word0", "word1", "near0", "near1"} <= set(fused[:10])
    assert fused[:8] == [f"near{number}" for number in range(8)]


def test_a_far_text_gets_little_though_it_is_the_nearest() -> None:
    [nearest] = fuse([], hits(far=0.3))

    assert nearest.score < MEANING_WEIGHT / 2


@given(words=SCORES, meanings=SCORES)
def test_everything_found_is_there_once_in_order_and_within_bounds(
    words: dict[str, float], meanings: dict[str, float]
) -> None:
    fused = fuse(hits(**words), hits(**meanings))

    near_enough = {key for key, score in meanings.items() if score >= FOUND}
    assert {*words, *near_enough} <= {*keys(fused)} <= {*words, *meanings}
    assert len(keys(fused)) == len({*keys(fused)})
    assert [hit.score for hit in fused] == sorted((hit.score for hit in fused), reverse=True)
    assert all(0 <= hit.score <= 1 for hit in fused)


def test_one_common_word_of_many_says_nothing_beside_a_meaning() -> None:
    common = {f"common{number}": 0.09 for number in range(30)}
    near = {f"common{number}": 0.34 for number in range(30)} | {"meant": 0.36}

    assert keys(fuse(hits(**common), hits(**near)))[0] == "meant"


def test_meaning_counts_as_much_as_is_said() -> None:
    words, meanings = hits(worded=0.6, other=0.1), hits(meant=0.5, other=0.1)

    assert keys(fuse(words, meanings, weight=0.4))[0] == "worded"
    assert keys(fuse(words, meanings, weight=0.7))[0] == "meant"


def test_scores_are_the_weighted_sum_of_what_each_way_found() -> None:
    words, meanings = [Hit("a", 1.0), Hit("b", 0.55), Hit("c", 0.05)], [Hit("b", 0.8), Hit("d", 2)]

    scores = {hit.key: hit.score for hit in fuse(words, meanings, weight=0.5)}

    assert scores == pytest.approx(
        {
            "a": 0.5 * 1 + 0.5 * UNSEEN,
            "b": 0.5 * 0.5 + 0.5 * 0.8,
            "c": 0.5 * UNSEEN,
            "d": 0.5 * 1,
        }
    )


def test_what_is_found_by_meaning_alone_must_be_near_enough() -> None:
    words = [Hit("a", 0.9)]

    found = fuse(words, [Hit("near", FOUND), Hit("far", FOUND - 0.01)], weight=0.5)

    assert {hit.key for hit in found} == {"a", "near"}


def test_the_best_of_one_way_push_out_the_last_of_the_others() -> None:
    meanings = [Hit(f"m{number:02}", 0.99 - number / 100) for number in range(12)]
    words = [Hit("w1", 0.2), Hit("w2", 0.19), Hit("w3", 0.18)]

    first = [hit.key for hit in fuse(words, meanings, weight=0.9)][:10]

    assert first == [*(f"m{number:02}" for number in range(8)), "w1", "w2"]
