"""The ranking alone, with matches of any kind: the four guarantees as properties. Pure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.decisions.ranking import RankedMatch, RankedStanding, rank

TARGETS = ("t0", "t1", "t2")

actives = [
    RankedStanding(f"D{number}", target, is_active=True) for number, target in enumerate(TARGETS)
]
others = [
    RankedStanding(f"{prefix}{number}", target, is_active=False)
    for prefix in ("O", "P")
    for number, target in enumerate((*TARGETS, "t3"))
]
standings = st.sampled_from([*actives, *others])
relevances = st.floats(0, 1)


@st.composite
def matches(draw: st.DrawFn) -> list[RankedMatch]:
    """Give matches as a graph makes them: an active one ends in itself, others somewhere."""
    found = draw(st.lists(st.tuples(standings, relevances), unique_by=lambda pair: pair[0].id))
    made = []
    for standing, relevance in found:
        ends = st.sampled_from([standing, *actives])
        end = standing if standing.is_active else draw(ends)
        made.append(RankedMatch(standing, relevance, end))
    return made


limits = st.integers(1, 20)


@pytest.mark.holds("004-guarantee-2")
@given(matches(), limits)
def test_strict_gives_only_active_ones(found: list[RankedMatch], limit: int) -> None:
    assert all(one.standing.is_active for one in rank(found, "strict", limit))


@pytest.mark.holds("004-guarantee-1")
@given(matches())
def test_every_match_leads_to_its_end_unless_its_target_has_a_better_one(
    found: list[RankedMatch],
) -> None:
    shown = {one.standing.target: one for one in rank(found, "balanced", 100)}

    for match in found:
        one = shown[match.end.target]
        assert one.standing == match.end or one.standing.is_active or not match.end.is_active
        if one.standing == match.end and match.found != match.end:
            assert match.found.id in one.via


@pytest.mark.holds("004-guarantee-3")
@given(matches(), limits, st.sampled_from(["strict", "balanced"]))
def test_active_ones_come_first_and_score_higher(
    found: list[RankedMatch], limit: int, mode: str
) -> None:
    shown = rank(found, mode, limit)  # type: ignore[arg-type]

    states = [one.standing.is_active for one in shown]
    assert states == sorted(states, reverse=True)
    assert all((one.score >= 1.0) or not one.standing.is_active for one in shown)
    assert [one.score for one in shown] == sorted((one.score for one in shown), reverse=True)
    assert len(shown) <= limit


@pytest.mark.holds("004-guarantee-4")
@given(matches(), st.sampled_from(["strict", "balanced"]))
def test_a_target_is_there_once(found: list[RankedMatch], mode: str) -> None:
    targets = [one.standing.target for one in rank(found, mode, 100)]  # type: ignore[arg-type]

    assert len(targets) == len(set(targets))


@given(matches())
def test_audit_gives_each_match_as_it_is(found: list[RankedMatch]) -> None:
    shown = rank(found, "audit", 100)

    assert {one.standing for one in shown} == {match.found for match in found}
    assert not any(one.via for one in shown)


def test_to_be_changed_often_makes_no_decision_likelier_to_be_meant() -> None:
    once, twice = actives[1], actives[0]
    found = [
        RankedMatch(once, 0.5, once),
        RankedMatch(twice, 0.5, twice),
        RankedMatch(others[0], 0.4, twice),
    ]

    assert [one.standing for one in rank(found, "strict", 2)] == [once, twice]
    assert [one.standing for one in rank(found, "strict", 2, second_share=0)] == [twice, once]


def test_what_two_versions_say_together_outweighs_what_one_says_by_chance() -> None:
    chance, both = actives[0], actives[1]
    found = [
        RankedMatch(chance, 0.6, chance),
        RankedMatch(others[0], 0.2, chance),
        RankedMatch(both, 0.5, both),
        RankedMatch(others[1], 0.5, both),
    ]

    assert [one.standing for one in rank(found, "strict", 2)] == [both, chance]
