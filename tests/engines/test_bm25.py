"""How documents are ranked by their words."""

import math

import pytest

from hansard.engines.bm25 import SOME_SHARE, Candidate, Ranking, deciders, occurrences
from hansard.kernel.words import Term

INK, PEN, OLD, NEW = (Term((word,)) for word in ("ink", "pen", "old", "new"))
INK_PEN = Term(("ink pen",), 0.3, is_word=False)


def order(ranking: Ranking, *candidates: Candidate) -> list[str]:
    return [hit.key for hit in ranking.ranked(candidates)]


def test_a_rare_word_is_worth_more_than_a_common_one() -> None:
    ranking = Ranking([INK, PEN], [1, 60], 100, 10)

    assert ranking.worth[0] == pytest.approx(math.log1p(99.5 / 1.5))
    assert ranking.worth[1] == pytest.approx(math.log1p(40.5 / 60.5))


def test_a_word_that_more_documents_have_than_were_counted_is_worth_little_but_something() -> None:
    [worth] = Ranking([INK], [12], 10, 10).worth

    assert worth == pytest.approx(math.log1p(0.5 / 12.5))


def test_words_side_by_side_are_as_rare_as_the_rarest_of_them() -> None:
    ranking = Ranking([INK, PEN, INK_PEN], [1, 60, 0], 100, 10)

    assert ranking.worth[2] == pytest.approx(0.3 * ranking.worth[0])


def test_words_side_by_side_that_nothing_has_are_worth_most() -> None:
    unknown = Term(("new pen",), 1.0, is_word=False)

    [_, worth] = Ranking([INK, unknown], [1, 0], 100, 10).worth

    assert worth == pytest.approx(math.log1p(100.5 / 0.5))


def test_what_has_all_of_a_few_words_comes_before_what_has_one_often() -> None:
    ranking = Ranking([INK, PEN], [1, 60], 100, 10)
    both, one = Candidate("both", [1, 1], 500), Candidate("one", [50, 0], 1)

    assert order(ranking, one, both) == ["both", "one"]
    scores = {hit.key: hit.score for hit in ranking.ranked([one, both])}
    assert scores["both"] > SOME_SHARE > scores["one"] > 0


def test_of_many_words_some_may_say_more_than_all() -> None:
    ranking = Ranking([INK, PEN, OLD, NEW], [1, 90, 90, 90], 100, 10)
    every, rare = Candidate("every", [1, 1, 1, 1], 400), Candidate("rare", [20, 1, 1, 0], 5)

    assert order(ranking, every, rare) == ["rare", "every"]


def test_that_words_stand_side_by_side_is_no_word_that_is_missed() -> None:
    ranking = Ranking([INK, PEN, INK_PEN], [5, 5, 0], 100, 10)
    apart, beside = Candidate("apart", [1, 1, 0], 10), Candidate("beside", [1, 1, 1], 10)

    hits = ranking.ranked([apart, beside])

    assert [hit.key for hit in hits] == ["beside", "apart"]
    assert all(hit.score > SOME_SHARE for hit in hits)


def test_a_long_document_needs_a_word_more_often() -> None:
    ranking = Ranking([INK], [5], 100, 10)

    assert order(ranking, Candidate("long", [2], 100), Candidate("short", [2], 10)) == [
        *("short", "long")
    ]


def test_a_document_of_the_usual_length_scores_as_the_formula_says() -> None:
    ranking = Ranking([INK, PEN, OLD, NEW], [5, 5, 5, 5], 100, 10)

    [hit] = ranking.ranked([Candidate("a", [2, 0, 0, 0], 10)])

    assert hit.score == pytest.approx(2 / (2 + 2.0) / 4)


def test_no_score_is_above_one_and_equal_ones_are_in_order_of_their_keys() -> None:
    ranking = Ranking([INK, INK_PEN], [1, 0], 100, 0)
    best = [Candidate(key, [1e9, 1e9], 1) for key in "ba"]

    hits = ranking.ranked(best)

    assert [(hit.key, hit.score) for hit in hits] == [("a", 1.0), ("b", 1.0)]


def test_a_query_without_words_scores_nothing() -> None:
    beside = Ranking([INK_PEN], [0], 100, 10)

    assert [hit.score for hit in beside.ranked([Candidate("a", [0], 10)])] == [SOME_SHARE]


def test_as_many_words_decide_as_few_enough_documents_have() -> None:
    terms = [PEN, INK, INK_PEN, OLD, NEW]

    assert deciders(terms, [40, 10, 1, 0, 50], 50) == [INK, PEN]
    assert deciders(terms, [40, 10, 1, 0, 50], 49) == [INK]
    assert deciders(terms, [40, 10, 1, 0, 50], 9) == []


def test_occurrences_add_up_over_forms_beginnings_and_neighbours() -> None:
    places = {"ink": [(1, 1.0), (5, 3.0)], "pen": [(2, 1.0), (7, 3.0)], "inky": [(9, 1.0)]}

    assert occurrences(INK, places) == 4
    assert occurrences(Term(("ink", "pen")), places) == 8
    assert occurrences(Term(("ink",), beginning="ink"), places) == 5
    assert occurrences(INK_PEN, places) == 1
    assert occurrences(Term(("ink old",)), places) == 0
    assert occurrences(Term(("pen ink",)), places) == 0
    assert occurrences(OLD, places) == 0
