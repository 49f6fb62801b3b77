"""Which lines of a content changed, and how many. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from hansard.recorder import limits
from hansard.recorder.contents.diffs import (
    Region,
    changed_regions,
    is_text,
    line_count,
    line_counts,
    lines_of,
    middles_of,
)


@dataclass(frozen=True, slots=True)
class Compared:
    """How two contents differ."""

    added: int = 0
    removed: int = 0
    regions: tuple[int, ...] | None = None
    """The regions as numbers, four each; `None` if they are not worth keeping."""


def compare(old: bytes | None, new: bytes | None) -> Compared:
    """Compare two contents; of a file that comes or goes there is nothing to keep."""
    if old is None or new is None or not (is_text(old) and is_text(new)):
        return Compared(*line_counts(old, new))
    if line_count(old) + line_count(new) > limits.DIFF_LINES_MAX:
        return Compared(*line_counts(old, new))
    above, was, now = middles_of(old, new)
    regions = changed_regions(lines_of(was), lines_of(now), above=above)
    return Compared(
        added=sum(one.new_end - one.new_start for one in regions),
        removed=sum(one.end - one.start for one in regions),
        regions=packed(regions) if len(regions) <= limits.REGIONS_KEPT_MAX else None,
    )


def packed(regions: Sequence[Region]) -> tuple[int, ...]:
    """Write regions down as numbers."""
    sides = ((one.start, one.end, one.new_start, one.new_end) for one in regions)
    return tuple(number for side in sides for number in side)


def unpacked(numbers: Sequence[int]) -> list[Region]:
    """Read regions back."""
    return [Region(*numbers[at : at + 4]) for at in range(0, len(numbers), 4)]
