"""Sketches: mergeable summaries of many values. Pure.

Values are counted in bins whose width grows with the value (DDSketch, Masson et al., VLDB 2019), so
that a quantile is within `RELATIVE_ERROR` of the true one however the values are spread.
"""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import TypedDict

from hansard.entities.metrics.limits import BINS_MAX

RELATIVE_ERROR = 0.01
"""A quantile is at most this share away from the sample that has its rank."""

_GAMMA = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR)
_LOG_GAMMA = math.log(_GAMMA)
_ONE = 40_000
"""The number of the bin of one: so high that those of all smaller floats are above zero."""
_TINY = 1e-300
"""Values closer to zero than this are counted as zero."""


class Sketch(TypedDict):
    """Some values, summed up; JSON as it is."""

    count: int
    sum: float
    min: float
    max: float
    steps: list[int]
    """The numbers of the bins that hold anything, rising, each as its step from the one before."""
    counts: list[int]
    """How many values each of those bins holds."""


def bin_of(value: float) -> int:
    """Give the number of the bin that a value falls into. Numbers rise with the values."""
    size = abs(value)
    if size < _TINY:
        return 0
    number = math.ceil(math.log(size) / _LOG_GAMMA) + _ONE
    return number if value > 0 else -number


def sketch_of(values: Sequence[float], bins: Iterable[int]) -> Sketch:
    """Sum up some values, at least one, whose bins are known."""
    steps, counts = _packed(Counter(bins))
    return {
        "count": len(values),
        "sum": math.fsum(values),
        "min": min(values),
        "max": max(values),
        "steps": steps,
        "counts": counts,
    }


def merged(sketches: Iterable[Sketch]) -> Sketch:
    """Sum up sketches, at least one, as if their values had been summed up together."""
    several = list(sketches)
    if len(several) == 1:
        return several[0]
    bins: dict[int, int] = {}
    for sketch in several:
        for number, many in zip(accumulate(sketch["steps"]), sketch["counts"], strict=True):
            bins[number] = bins.get(number, 0) + many
    steps, counts = _packed(bins)
    return {
        "count": sum(sketch["count"] for sketch in several),
        "sum": math.fsum(sketch["sum"] for sketch in several),
        "min": min(sketch["min"] for sketch in several),
        "max": max(sketch["max"] for sketch in several),
        "steps": steps,
        "counts": counts,
    }


def quantile(sketch: Sketch, share: float) -> float:
    """Give the smallest value such that at least that share of the values is not above it."""
    rank = math.ceil(share * sketch["count"]) - 1
    place = bisect_right(list(accumulate(sketch["counts"])), rank)
    middle = _middle(sum(sketch["steps"][: place + 1]))
    return min(max(middle, sketch["min"]), sketch["max"])


def _middle(number: int) -> float:
    """Give the value that is equally far, by share, from both ends of a bin."""
    if number == 0:
        return 0.0
    size = 2 * math.exp((abs(number) - _ONE) * _LOG_GAMMA) / (_GAMMA + 1)
    return math.copysign(size, number)


def _packed(bins: dict[int, int]) -> tuple[list[int], list[int]]:
    """Write bins in order. Where there are too many, the lowest are lumped together."""
    numbers = sorted(bins)
    counts = [bins[number] for number in numbers]
    if (excess := len(numbers) - BINS_MAX) > 0:
        numbers, counts = numbers[excess:], [sum(counts[: excess + 1]), *counts[excess + 1 :]]
    return [later - earlier for earlier, later in pairwise([0, *numbers])], counts
