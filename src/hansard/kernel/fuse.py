"""Putting what was found by words and what was found by meaning into one order."""

from collections.abc import Iterable, Sequence

from hansard.kernel.engine import Hit

MEANING_WEIGHT = 0.6
"""How much meaning counts against words, both scaled to 0..1 within their own list."""


def fuse(words: Sequence[Hit], meanings: Sequence[Hit]) -> list[Hit]:
    """Fuse two lists by a convex sum of their scaled scores; equals come in the order of keys.

    With nothing found by meaning, the order of the words stands as it is.
    """
    by_words, by_meaning = _scaled(words), _scaled(meanings)
    weight = MEANING_WEIGHT if meanings else 0.0
    scores = {
        key: (1 - weight) * by_words.get(key, 0.0) + weight * by_meaning.get(key, 0.0)
        for key in by_words | by_meaning
    }
    return [Hit(key, score) for key, score in sorted(scores.items(), key=_best_first)]


def _best_first(scored: tuple[str, float]) -> tuple[float, str]:
    key, score = scored
    return -score, key


def _scaled(hits: Iterable[Hit]) -> dict[str, float]:
    scores = {hit.key: hit.score for hit in hits}
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    # The last of a list was found all the same: it keeps a little.
    return {
        key: 1.0 if high == low else 0.05 + 0.95 * (score - low) / (high - low)
        for key, score in scores.items()
    }
