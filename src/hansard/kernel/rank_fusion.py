"""Merges hits by words and hits by meaning into one ranking. Pure."""

from collections.abc import Sequence

from hansard.kernel.engine import Hit
from hansard.kernel.similarity import Alike, steadied
from hansard.kernel.surroundings import Surroundings
from hansard.kernel.words import is_name

MEANING_WEIGHT = 0.45
"""How much meaning counts against words; from 0.4 to 0.5 it makes no difference (ADR 47)."""

NAME_WEIGHT = 0.15
"""How much meaning counts for a query that is a name or a path: it has none, and whatever contains
all of it was meant, however many words it has."""

LITTLE = 0.1
"""A word score that says nothing: one common word of many. What is above it counts (ADR 62).

Thousands of texts may have such a score and one can mean what was asked: they must not bury it.
"""

UNSEEN = 0.15
"""The cosine assumed for a text that was not near enough to be found by meaning."""

FOUND = 0.25
"""The cosine from which on a text is found by its meaning alone.

Of short questions and texts that answer them, MiniLM puts nearly all above it, and of those that
have nothing to do with each other, one in a hundred. What is less near is found if what stands
beside it is, or who said it is asked for: the sum counts.
"""

ALL_THERE = 0.9
"""A word score that decides: a document with it has every word of a short query, and keeps its
place."""

FIRST_PLACES = 10
KEPT = 2
"""How many of the best by words, and of the best by meaning, are sure of one of the first places.

Each search is blind to something: what only one of them sees is still shown.
"""


def fuse(
    words: Sequence[Hit],
    meanings: Sequence[Hit],
    around: Surroundings | None = None,
    *,
    weight: float = MEANING_WEIGHT,
    alike: Alike | None = None,
) -> list[Hit]:
    """Fuse two lists by a weighted sum of their scores; equals come in the order of keys.

    Scores by words say how much of what the query could ideally score a document does, so that one
    which shares only common words with the query gets little, however few others do. Cosines stand
    for themselves: the nearest text may still be far. With nothing found by meaning, the order of
    the words stands as it is, but for what the surroundings of documents say. Documents that are
    `alike` raise each other, unless one has all words of a short query: then that was meant.
    """
    if around is None and not meanings:
        return [Hit(hit.key, min(hit.score, 1.0)) for hit in words]
    scores = {hit.key: hit.score for hit in words}
    if meanings:
        scores = _weighted(words, meanings, weight)
    if around:
        scores = around.scored(scores, weight * UNSEEN)
    by_words = {hit.key for hit in words}
    least = weight * FOUND if meanings else float("inf")
    scores = {key: score for key, score in scores.items() if key in by_words or score >= least}
    ordered = sorted(scores, key=lambda key: (-scores[key], key))
    if alike and meanings and not (words and words[0].score >= ALL_THERE):
        ordered, scores = steadied(ordered, scores, alike)
    best = [hit.key for hit in (*words[:KEPT], *meanings[:KEPT]) if hit.key in scores]
    return _falling(_lifted(ordered, best), scores)


def weight_for(query: str, usual: float = MEANING_WEIGHT) -> float:
    """Say how much meaning counts for a query."""
    return NAME_WEIGHT if is_name(query) else usual


def _weighted(words: Sequence[Hit], meanings: Sequence[Hit], weight: float) -> dict[str, float]:
    by_words = {hit.key: max(hit.score - LITTLE, 0.0) / (1 - LITTLE) for hit in words}
    by_meaning = {hit.key: min(max(hit.score, 0.0), 1.0) for hit in meanings}
    return {
        key: (1 - weight) * by_words.get(key, 0.0) + weight * by_meaning.get(key, UNSEEN)
        for key in by_words | by_meaning
    }


def _lifted(ordered: Sequence[str], best: Sequence[str]) -> list[str]:
    """Move these to the end of the first places, as far as they are behind them."""
    first = set(ordered[:FIRST_PLACES])
    late = [key for key in dict.fromkeys(best) if key not in first]
    if not late:
        return list(ordered)
    # Hits with neither reason to be there give way.
    giving_way = [key for key in reversed(ordered[:FIRST_PLACES]) if key not in best][: len(late)]
    kept = [key for key in ordered[:FIRST_PLACES] if key not in giving_way]
    placed = {*kept, *late}
    rest = [key for key in ordered if key not in placed]
    return [*kept, *late, *rest]


def _falling(ordered: Sequence[str], scores: dict[str, float]) -> list[Hit]:
    """Give each the score of its place: scores never rise down the list."""
    places = sorted(scores.values(), reverse=True)
    return [Hit(key, min(score, 1.0)) for key, score in zip(ordered, places, strict=True)]
