"""Raises hits that resemble other hits. Pure.

Texts about one thing are found together or not at all: one that scores well and stands alone among
what was found shares words with the question by chance, and one that is like many good ones may
only say it in other words. So the score of each of the best is mixed with the scores of those most
like it.
"""

from collections.abc import Callable, Mapping, Sequence

Likeness = Sequence[Sequence[float]]
"""How similar some documents are to each other, from 0 to 1; empty if that means nothing."""

Alike = Callable[[Sequence[str]], Likeness]
"""Says how similar documents are to each other, by their keys."""

LOOKED_AT = 30
"""How many of the best hits are compared with each other."""

MOST_LIKE = 5
SHARE = 0.3
"""How many count for each, and their weight against its own score (ADR 71)."""


def steadied(
    ordered: Sequence[str], scores: Mapping[str, float], alike: Alike
) -> tuple[list[str], dict[str, float]]:
    """Put the best into order by what those like them score as well; the others come after."""
    best = ordered[:LOOKED_AT]
    likeness = alike(best)
    if not likeness:
        return list(ordered), dict(scores)
    assert len(likeness) == len(best), "each that is compared is given a row"
    own = [scores[key] for key in best]
    shared = {key: _shared(place, own, likeness[place]) for place, key in enumerate(best)}
    again = sorted(best, key=lambda key: (-shared[key], key))
    return [*again, *ordered[LOOKED_AT:]], {**scores, **shared}


def _shared(place: int, own: Sequence[float], like: Sequence[float]) -> float:
    """Give a score between its own and the mean of those most like it."""
    others = [other for other in range(len(own)) if other != place and like[other] > 0]
    most = sorted(others, key=lambda other: (-like[other], other))[:MOST_LIKE]
    weight = sum(like[other] for other in most)
    if not weight:
        return own[place]
    mean = sum(like[other] * own[other] for other in most) / weight
    return (1 - SHARE) * own[place] + SHARE * mean
