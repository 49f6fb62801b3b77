"""Putting what was found by words and what was found by meaning into one order. Pure."""

from collections.abc import Sequence

from hansard.kernel.engine import Hit

MEANING_WEIGHT = 0.4
"""How much meaning counts against words.

What has every word asked for is never behind what has none of them, however near that is.
"""

LAST_SHARE = 0.05
"""What the last hit by words keeps: it was found all the same."""


def fuse(words: Sequence[Hit], meanings: Sequence[Hit], *, coverage: float = 1.0) -> list[Hit]:
    """Fuse two lists by a weighted sum of their scores; equals come in the order of keys.

    Scores by words compare only with each other, so they are scaled between the last hit and the
    first. That one gets `coverage`, the part of the words asked for that it has, as far as the
    caller knows. Cosines stand for themselves: the nearest text may still be far. With nothing
    found by meaning, the order of the words stands as it is.
    """
    by_words, by_meaning = _scaled(words), {hit.key: hit.score for hit in meanings}
    weight = MEANING_WEIGHT if meanings else 0.0
    scores = {
        key: (1 - weight) * coverage * by_words.get(key, 0.0) + weight * by_meaning.get(key, 0.0)
        for key in by_words | by_meaning
    }
    return [Hit(key, score) for key, score in sorted(scores.items(), key=_best_first)]


def _best_first(scored: tuple[str, float]) -> tuple[float, str]:
    key, score = scored
    return -score, key


def _scaled(hits: Sequence[Hit]) -> dict[str, float]:
    scores = {hit.key: hit.score for hit in hits}
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {
        key: 1.0 if high == low else LAST_SHARE + (1 - LAST_SHARE) * (score - low) / (high - low)
        for key, score in scores.items()
    }
