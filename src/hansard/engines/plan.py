"""The plan of a search: rare words decide what is ranked, common words only rank. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

PAIR = 2


@dataclass(frozen=True, slots=True)
class Step:
    """Something to look for. What an earlier step finds is better than all that a later one does.

    The first step asks for all words, the others for any of those that decide.
    """

    place: int
    deciders: Sequence[str]
    rankers: Sequence[str]
    """Words that can tell what is found apart."""
    is_broad: bool
    """Whether it asks for common words only, so that not all that has them can be ranked."""

    @property
    def needs_all(self) -> bool:
        """Whether it asks for all of its words."""
        return self.place == 0


def plan(counts: Mapping[str, int], rare_max: int, *, few_rows: bool = False) -> Iterator[Step]:
    """Say what to look for, step by step, given in how many documents each word is.

    First all the words; then the rare ones, any of them; then each common one by itself, or where
    few rows are left anyway, any of them. Rare are as many words, rarest first, as are in at most
    `rare_max` documents altogether.
    """
    present = sorted(filter(counts.__getitem__, counts), key=counts.__getitem__)
    has_all = len(present) == len(counts)
    if present and has_all:
        yield Step(0, present, present, counts[present[0]] > rare_max)
    if len(counts) == 1:
        return
    totals = accumulate(counts[word] for word in present)
    rare = present[: sum(total <= rare_max for total in totals)]
    common = present[len(rare) :]
    groups = [common] if few_rows else [[word] for word in common]
    for place, deciders in enumerate(filter(None, [rare, *groups]), start=1):
        # Of two words, the other has nothing to tell apart: what has both was found before.
        rankers = deciders if has_all and len(counts) == PAIR else present
        yield Step(place, deciders, rankers, sum(counts[word] for word in deciders) > rare_max)


def in_place(score: float, step: Step) -> float:
    """Fit a score of any size between those of the steps before and after."""
    return (1 + score / (1 + score)) * 0.5**step.place
