"""How a search is planned: rare words decide, common words rank."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.engines.plan import in_place, plan

RARE_MAX = 100
COUNTS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3 * RARE_MAX))


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({}, []),
        ({"a": 0}, []),
        ({"a": 5}, ["a"]),
        ({"a": 999}, ["a"]),
        ({"a": 5, "b": 2}, ["ba", "ba"]),
        ({"a": 0, "b": 2}, ["b"]),
        ({"a": 999, "b": 2}, ["ba", "b", "a"]),
        ({"a": 999, "b": 2, "c": 3}, ["bca", "bc", "a"]),
        ({"a": 999, "b": 998, "c": 97, "d": 4}, ["dcba", "d", "c", "b", "a"]),
    ],
)
def test_rare_words_decide_together_and_common_ones_alone(
    counts: dict[str, int], expected: list[str]
) -> None:
    assert ["".join(step.deciders) for step in plan(counts, RARE_MAX)] == expected


def test_where_few_rows_match_common_words_are_asked_for_together() -> None:
    steps = list(plan({"a": 999, "b": 999, "c": 5}, RARE_MAX, few_rows=True))

    assert ["".join(step.deciders) for step in steps] == ["cab", "c", "ab"]


@given(COUNTS, st.booleans())
def test_every_word_that_is_there_decides_and_only_broad_steps_are_many(
    counts: dict[str, int], few_rows: bool
) -> None:
    steps = list(plan(counts, RARE_MAX, few_rows=few_rows))

    assert {word for step in steps for word in step.deciders} == {
        word for word, count in counts.items() if count
    }
    for step in steps:
        many = [counts[word] for word in step.deciders]
        assert step.is_broad == ((min(many) if step.needs_all else sum(many)) > RARE_MAX)
        assert set(step.rankers) >= set(step.deciders)


@given(COUNTS, st.floats(0, 1e9), st.floats(0, 1e9))
def test_the_scores_of_steps_do_not_mix(counts: dict[str, int], low: float, high: float) -> None:
    steps = list(plan(counts, RARE_MAX))

    for better, worse in itertools.pairwise(steps):
        assert in_place(low, better) >= in_place(high, worse)
