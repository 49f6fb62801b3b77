"""Ranks the decisions that a search's hits lead to. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hansard.decisions import limits
from hansard.decisions.contract import Mode

ACTIVE_BONUS = 1.0
"""The bonus for being active: as much as the best match."""

SECOND_SHARE = 0.5
"""What the second best match of a chain counts beside the best: all speak of the same (ADR 84).

Its mere existence adds nothing: being changed often makes no decision likelier to be meant.
"""

REJECTED_SHOWN_MAX = 1
"""That something was rejected is worth knowing; such hits must not fill an answer."""

RELEVANCE_DIGITS = 6
"""Matches that differ by less are equals."""


@dataclass(frozen=True, slots=True)
class RankedStanding:
    """Something stated, and whether it holds."""

    id: str
    target: str
    """The key of the target."""
    is_active: bool
    seq: int = 0
    """The entry that stated it."""
    is_rejected: bool = False
    """Whether it is a proposal that was turned down."""


@dataclass(frozen=True, slots=True)
class RankedMatch:
    """Something that was found, how well it matched in 0..1, and where its chain ends.

    The end is the chain's active head; of a proposal that was not accepted, it is itself.
    """

    found: RankedStanding
    relevance: float
    end: RankedStanding


@dataclass(frozen=True, slots=True)
class Ranked:
    """One result."""

    standing: RankedStanding
    score: float
    via: Sequence[str] = ()
    """The other matches that led to it, all superseded or accepted; the best first."""


def rank(
    matches: Sequence[RankedMatch],
    mode: Mode,
    limit: int,
    rejected_max: int = REJECTED_SHOWN_MAX,
    *,
    second_share: float = SECOND_SHARE,
) -> list[Ranked]:
    """Order what was found: in `audit` as it is, in the other modes by what it leads to.

    In `audit`, which is history, only the match counts, and whether something holds decides only
    between equals. In the others active ones come first whatever their score. `strict` shows no
    others; `balanced` adds what has no active end. Both show one per target.
    """
    if mode == "audit":
        return sorted((Ranked(one.found, one.relevance) for one in matches), key=_as_history)[
            :limit
        ]
    ends: dict[str, list[RankedMatch]] = {}
    for match in matches:
        if match.end.is_active or mode == "balanced":
            ends.setdefault(match.end.id, []).append(match)
    ranked = _in_order(_resolved(one, second_share) for one in ends.values())
    return _one_per_target(ranked, rejected_max)[:limit]


def _resolved(matches: Sequence[RankedMatch], second_share: float) -> Ranked:
    """Make one result of the matches that lead to the same end."""
    best_first = sorted(matches, key=lambda match: (-match.relevance, match.found.id))
    end = best_first[0].end
    via = [match.found.id for match in best_first if match.found.id != end.id]
    best, second = best_first[0].relevance, best_first[:2][-1].relevance
    relevance = (1 - second_share) * best + second_share * second
    return _scored(end, relevance, via[: limits.VIA_SHOWN_MAX])


def _scored(standing: RankedStanding, relevance: float, via: Sequence[str] = ()) -> Ranked:
    bonus = ACTIVE_BONUS if standing.is_active else 0.0
    return Ranked(standing, relevance + bonus, via)


def _in_order(ranked: Iterable[Ranked]) -> list[Ranked]:
    return sorted(ranked, key=lambda one: (not one.standing.is_active, -one.score, one.standing.id))


def _as_history(one: Ranked) -> tuple[float, bool, int, str]:
    # Equal up to the error of adding numbers in another order.
    score = round(one.score, RELEVANCE_DIGITS)
    return -score, not one.standing.is_active, -one.standing.seq, one.standing.id


def _one_per_target(ranked: Sequence[Ranked], rejected_max: int) -> list[Ranked]:
    """Keep the first of each target: active, if there is an active one; rejected, if no other."""
    first: dict[str, Ranked] = {}
    for one in (one for one in ranked if not one.standing.is_rejected):
        first.setdefault(one.standing.target, one)
    rejected: dict[str, Ranked] = {}
    for one in (one for one in ranked if one.standing.is_rejected):
        if one.standing.target not in first:
            rejected.setdefault(one.standing.target, one)
    return _in_order([*first.values(), *list(rejected.values())[:rejected_max]])
