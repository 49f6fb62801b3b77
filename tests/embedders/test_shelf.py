"""The nearest are found, whatever came, changed and went before."""

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from hansard.embedders.vector_index import EXACT_ROWS_MAX, VectorIndex
from hansard.embedders.vectors import VectorChange, pack
from hansard.kernel.engine import Hit

DIMENSIONS = 384

Vectors = NDArray[np.float32]


def some_vectors(count: int, *, seed: int = 1, dimensions: int = DIMENSIONS) -> Vectors:
    """Make vectors that lie in clusters, as those of texts do, the same ones for every seed."""
    centres = np.random.default_rng(0).normal(size=(50, dimensions))
    chance = np.random.default_rng(seed)
    made = centres[chance.integers(50, size=count)] + chance.normal(size=(count, dimensions))
    normal: Vectors = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    return normal


def change(key: str, vectors: Vectors | None) -> VectorChange:
    if vectors is None:
        return VectorChange("notes", key, None, None, 0)
    return VectorChange("notes", key, "digest", pack(vectors), vectors.shape[1])


def a_shelf(vectors: Vectors) -> VectorIndex:
    shelf = VectorIndex(vectors.shape[1])
    shelf.update([change(f"N{number}", vector[None]) for number, vector in enumerate(vectors)])
    return shelf


def found(shelf: VectorIndex, query: Vectors, limit: int = 10, floor: float = -1.0) -> list[str]:
    return [hit.key for hit in shelf.nearest(query, limit=limit, floor=floor)]


@pytest.mark.parametrize("count", [1, 100, EXACT_ROWS_MAX + 2_000])
def test_the_nearest_are_those_that_comparing_all_would_find(count: int) -> None:
    vectors = some_vectors(count)
    shelf = a_shelf(vectors)

    for query in some_vectors(20, seed=2):
        cosines = vectors @ query
        best = np.sort(cosines)[::-1][:10]
        there = [cosines[int(key[1:])] for key in found(shelf, query[None])]
        # Numbers of 8 bits put in another order only what is equally near but for so much.
        assert there == pytest.approx(best, abs=0.002)


def test_scores_are_cosines_best_first_and_not_below_the_floor() -> None:
    vectors = some_vectors(100)

    hits = a_shelf(vectors).nearest(vectors[3][None], limit=100, floor=0.4)

    assert hits[0].key == "N3"
    assert hits[0].score == pytest.approx(1.0, abs=0.001)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert 1 < len(hits) < 100
    assert min(scores) >= 0.4


def test_a_document_is_found_once_by_the_nearest_of_its_vectors() -> None:
    vectors = some_vectors(4)
    shelf = VectorIndex(DIMENSIONS)
    shelf.update([change("long", vectors[:3]), change("short", vectors[3:])])

    assert found(shelf, vectors[2][None]) == ["long", "short"]


def test_of_talks_equally_near_the_one_with_more_of_it_near_comes_first() -> None:
    asked, other = some_vectors(2)
    near = asked + 0.2 * other
    near /= np.linalg.norm(near)
    shelf = VectorIndex(DIMENSIONS)
    once, twice = [near, *[-other] * 3], [near, near, *[-other] * 2]
    shelf.update([change("once", np.stack(once)), change("twice", np.stack(twice))])

    hits = shelf.nearest(asked[None], limit=5, floor=0.0)

    assert [hit.key for hit in hits] == ["twice", "once"]
    # Never so much that what is clearly nearer would come after it.
    assert hits[0].score - hits[1].score < 0.06


def test_a_text_of_few_vectors_is_as_near_as_the_nearest_of_them_however_many_are_near() -> None:
    asked, other = some_vectors(2)
    near = (asked + 0.2 * other) / np.linalg.norm(asked + 0.2 * other)
    shelf = VectorIndex(DIMENSIONS)
    shelf.update([change("long", np.stack([near] * 3)), change("short", near[None])])

    long, short = shelf.nearest(asked[None], limit=5, floor=0.0)

    assert long.score == short.score


def test_what_changes_is_found_as_it_is_and_what_goes_is_not() -> None:
    vectors = some_vectors(3)
    shelf = a_shelf(vectors[:2])

    shelf.update([change("N0", vectors[2][None]), change("N1", None), change("N7", None)])

    assert found(shelf, vectors[1][None]) == ["N0"]
    [hit] = shelf.nearest(vectors[2][None], limit=5, floor=0.9)
    assert hit.key == "N0"
    assert len(shelf) == 1


@pytest.mark.parametrize("count", [50, EXACT_ROWS_MAX + 500])
def test_after_many_changes_it_finds_what_a_new_one_finds(count: int) -> None:
    chance = random.Random(3)
    vectors = some_vectors(count)
    shelf = a_shelf(vectors)
    now: dict[str, Vectors | None] = {f"N{n}": vector[None] for n, vector in enumerate(vectors)}
    for number, vector in enumerate(some_vectors(count // 2, seed=4)):
        key = f"N{chance.randrange(count + 20)}"
        now[key] = vector[None] if number % 3 else None
        shelf.update([change(key, now[key])])

    fresh = VectorIndex(DIMENSIONS)
    fresh.update([change(key, vector) for key, vector in now.items()])

    for query in some_vectors(10, seed=5):
        assert found(shelf, query[None]) == found(fresh, query[None])


def test_vectors_of_another_length_are_left_out() -> None:
    shelf = a_shelf(some_vectors(2, dimensions=100))

    shelf.update([change("other", some_vectors(1, dimensions=64))])

    assert len(found(shelf, some_vectors(1, dimensions=100))) == 2
    assert found(shelf, some_vectors(1, dimensions=64)) == []


def among_alike(count: int) -> tuple[Vectors, Vectors]:
    """Make vectors that share most of what they are, and a query for the tenth of them."""
    chance = np.random.default_rng(7)
    common = chance.normal(size=DIMENSIONS)
    own = chance.normal(size=(count, DIMENSIONS))
    made = common + 0.3 * own
    # What the query says of what all share is not quite what they say.
    asked = 0.5 * common + 0.55 * chance.normal(size=DIMENSIONS) + 0.25 * own[9]
    normal: Vectors = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    return normal, (asked / np.linalg.norm(asked)).astype(np.float32)


def place_of(hits: list[Hit], key: str) -> int:
    return [hit.key for hit in hits].index(key)


@pytest.mark.parametrize("count", [200, EXACT_ROWS_MAX + 500])
def test_of_what_is_alike_the_one_is_found_that_differs_as_the_query_does(count: int) -> None:
    vectors, asked = among_alike(count)
    shelf = a_shelf(vectors)

    plain = shelf.nearest(asked[None], limit=200, floor=-1.0)
    told_apart = shelf.nearest(asked[None], limit=200, floor=-1.0, is_contrasted=True)

    assert place_of(told_apart, "N9") == 0
    assert told_apart[0].score - told_apart[1].score > plain[0].score - plain[1].score
    scores = [hit.score for hit in told_apart]
    assert scores == sorted(scores, reverse=True)
    assert max(scores) <= 1


def test_what_a_query_is_about_is_taken_off_it_instead() -> None:
    vectors, asked = among_alike(200)
    part, how_much = some_vectors(1, seed=11)[0], np.random.default_rng(12).normal(size=(200, 1))
    # All are more or less about the part; that a query names it says nothing of which was meant.
    about = vectors + 0.3 * how_much.astype(np.float32) * part
    shelf = a_shelf(about / np.linalg.norm(about, axis=1, keepdims=True))
    query = ((asked + part) / np.linalg.norm(asked + part))[None]

    drawn = shelf.nearest(query, limit=200, floor=-1.0, is_contrasted=True)
    apart = shelf.nearest(query, limit=200, floor=-1.0, is_contrasted=True, taken_off=part[None])
    other = shelf.nearest(
        query, limit=200, floor=-1.0, is_contrasted=True, taken_off=part[None, 1:]
    )

    assert place_of(drawn, "N9") > 0
    assert place_of(apart, "N9") == 0
    assert other == drawn, "a vector of another length says nothing"


def test_where_there_is_little_nothing_is_told_apart() -> None:
    vectors, asked = among_alike(20)
    shelf = a_shelf(vectors)

    assert shelf.nearest(asked[None], limit=9, floor=-1.0, is_contrasted=True) == shelf.nearest(
        asked[None], limit=9, floor=-1.0
    )


def test_those_of_one_cluster_are_alike_and_what_has_no_vector_is_like_none() -> None:
    vectors = some_vectors(100)
    shelf = a_shelf(vectors)
    keys = [*(f"N{number}" for number in range(12)), "gone"]

    like = np.array(shelf.alike(vectors[0][None], keys))

    exact = np.maximum(vectors[:12] @ vectors[:12].T, 0)
    assert np.allclose(like[:12, :12], exact, atol=0.01)
    assert not like[12].any()
    assert not like[:, 12].any()


def test_of_several_vectors_the_one_nearest_to_the_query_is_compared() -> None:
    vectors = some_vectors(100)
    shelf = a_shelf(vectors)
    shelf.update([change("N1", np.stack([vectors[1], vectors[0]]))])
    keys = [f"N{number}" for number in range(10)]

    like = shelf.alike(vectors[0][None], keys)

    assert like[0][1] == pytest.approx(1.0, abs=0.01)


def test_likeness_says_nothing_of_few_or_of_most_or_where_nothing_is_near() -> None:
    vectors = some_vectors(100)
    shelf = a_shelf(vectors)
    keys = [f"N{number}" for number in range(30)]

    assert shelf.alike(vectors[0][None], keys[:20])
    assert shelf.alike(vectors[0][None], keys[:5]) == []
    assert shelf.alike(vectors[0][None], keys) == []
    assert shelf.alike(-vectors[0][None], keys[:20]) == []
    assert shelf.alike(vectors[0][None, :10], keys[:20]) == []
