"""What was found by words and what was found by meaning, in one order."""

from hypothesis import given
from hypothesis import strategies as st

from hansard.kernel.engine import Hit
from hansard.kernel.fuse import MEANING_WEIGHT, fuse


def hits(**scores: float) -> list[Hit]:
    ordered = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    return [Hit(key, score) for key, score in ordered]


def keys(fused: list[Hit]) -> list[str]:
    return [hit.key for hit in fused]


SCORES = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=2), st.floats(0.01, 1), max_size=8
)


def test_without_meanings_the_order_of_the_words_stands() -> None:
    assert keys(fuse(hits(a=9.0, b=8.9, c=0.1), [])) == ["a", "b", "c"]


def test_without_words_the_order_of_the_meanings_stands() -> None:
    assert keys(fuse([], hits(a=0.3, b=0.9))) == ["b", "a"]


def test_what_is_found_by_both_comes_before_what_is_found_by_one() -> None:
    fused = fuse(hits(words=5.0, both=4.0, last=1.0), hits(meaning=0.6, both=0.6))

    assert keys(fused)[0] == "both"


def test_what_has_all_words_is_not_behind_what_has_none() -> None:
    assert keys(fuse(hits(exact=2.0), hits(near=1.0))) == ["exact", "near"]


def test_what_has_few_of_the_words_is_behind_what_means_the_same() -> None:
    assert keys(fuse(hits(one=2.0), hits(near=0.7), coverage=0.2)) == ["near", "one"]


def test_a_far_text_gets_little_though_it_is_the_nearest() -> None:
    [nearest] = fuse([], hits(far=0.3))

    assert nearest.score < MEANING_WEIGHT / 2


@given(words=SCORES, meanings=SCORES, coverage=st.floats(0, 1))
def test_everything_found_is_there_once_in_order_and_within_bounds(
    words: dict[str, float], meanings: dict[str, float], coverage: float
) -> None:
    fused = fuse(hits(**words), hits(**meanings), coverage=coverage)

    assert sorted(keys(fused)) == sorted({*words, *meanings})
    assert fused == sorted(fused, key=lambda hit: (-hit.score, hit.key))
    assert all(0 <= hit.score <= 1 for hit in fused)
