"""What may be decided, and how a refusal says why: no more of what was given than fits a line."""

from collections.abc import Callable
from typing import Any

import pytest

from hansard.decisions import limits, rules
from hansard.decisions.contract import (
    DecisionNotActive,
    IsolationViolation,
    ProposalClosed,
    ProposalRefused,
    ProposeDecision,
    RecordDecision,
    ReviewWindow,
    TargetConflict,
)
from hansard.decisions.rules import Ground
from hansard.decisions.targets import target_key
from hansard.kernel.blob import digest_of
from hansard.kernel.event import Actor
from hansard.kernel.problem import InvalidInput

AGENT, PERSON = Actor("agent", "a", "agent"), Actor("human", "p", "agent")
REASONS = digest_of(b"reasons")
LONG = "topic:" + "x" * 300
SHOWN = LONG[:100]


def row(**rest: Any) -> dict[str, Any]:
    target = rest.get("target", "topic:ink")
    return {
        "id": "D-1",
        "title": "Use ink",
        "target": target,
        "target_key": target_key(target),
        "status": "active",
        "superseded_by": None,
        "of_human": False,
        "author": str(AGENT),
        **rest,
    }


def stated(**rest: Any) -> RecordDecision:
    said = {"title": "Use ink", "target": "topic:ink", "rationale": "It lasts for longer"}
    return RecordDecision.model_validate(said | rest)


def proposed(**rest: Any) -> ProposeDecision:
    return ProposeDecision.model_validate(stated().model_dump() | rest)


def ground(actor: Actor = AGENT, **rest: Any) -> Ground:
    return Ground(actor, newest_seq=9, holder=rest.pop("holder", None), **rest)


REFUSALS: dict[str, Callable[[], object]] = {
    "taken": lambda: rules.check_target_free(f"  {LONG}", ground(holder=row())),
    "merge": lambda: rules.check_merge(f"  {LONG}", ground(old=[row()])),
    "merged": lambda: rules.check_merge("topic:ink", ground(old=[row(target=LONG)])),
    "turned-down": lambda: rules.check_not_turned_down(
        ground(turned_down=row(target=f"  {LONG}", reason=None))
    ),
}


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS)
def test_a_refusal_quotes_the_first_hundred_characters_of_a_target(
    refusal: Callable[[], object],
) -> None:
    with pytest.raises((TargetConflict, ProposalRefused)) as refused:
        refusal()

    assert repr(SHOWN) in str(refused.value)
    assert LONG[:101] not in str(refused.value)


@pytest.mark.parametrize(
    ("actor", "of_human", "hinted"), [(AGENT, True, True), (AGENT, False, False)]
)
def test_an_agent_is_told_to_propose_where_a_person_has_decided(
    actor: Actor, of_human: bool, hinted: bool
) -> None:
    with pytest.raises(TargetConflict) as refused:
        rules.check_target_free("topic:ink", ground(actor, holder=row(of_human=of_human)))

    assert ("propose_decision" in (refused.value.recovery_hint or "")) is hinted


def test_a_person_and_a_given_hint_are_not_told_to_propose() -> None:
    held = row(of_human=True)
    with pytest.raises(TargetConflict) as by_person:
        rules.check_target_free("topic:ink", ground(PERSON, holder=held))
    with pytest.raises(TargetConflict) as given:
        rules.check_target_free("topic:ink", ground(holder=held), hint="so")

    assert "propose_decision" not in (by_person.value.recovery_hint or "")
    assert given.value.recovery_hint == "so"


def test_what_a_person_turned_down_keeps_only_agents_from_deciding() -> None:
    rejected = row(reason="too dear")

    rules.check_not_turned_down(ground(PERSON, turned_down=rejected))
    rules.check_not_turned_down(ground())
    with pytest.raises(ProposalRefused, match="too dear"):
        rules.check_not_turned_down(ground(turned_down=rejected))


@pytest.mark.parametrize(("ref", "exists"), [("s:0", False), ("s:1", True), ("s:9", True)])
def test_an_entry_that_is_cited_must_be_there(ref: str, exists: bool) -> None:
    request = stated(cites=[ref, "https://example.org"])

    if exists:
        assert rules.plan_record("D-2", request, REASONS, ground()).cites == request.cites
    else:
        with pytest.raises(InvalidInput):
            rules.plan_record("D-2", request, REASONS, ground())


def test_the_entry_after_the_newest_is_not_there() -> None:
    with pytest.raises(InvalidInput):
        rules.plan_record("D-2", stated(cites=["s:10"]), REASONS, ground())


def test_what_is_cited_twice_is_cited_once() -> None:
    planned = rules.plan_record("D-2", stated(cites=["s:2", "s:1", "s:2"]), REASONS, ground())

    assert planned.cites == ["s:2", "s:1"]


@pytest.mark.parametrize("more", [-1, 0])
def test_what_supersedes_gives_reasons_of_some_length(more: int) -> None:
    length = limits.SUPERSEDING_RATIONALE_CHARS_MIN + more
    request = proposed(rationale=f"  {'x' * length}  ")
    known = ground(old=[row()])

    if more < 0:
        with pytest.raises(InvalidInput):
            rules.plan_propose("P-1", request, REASONS, known)
    else:
        assert rules.plan_propose("P-1", request, REASONS, known) is not None
    assert rules.plan_propose("P-1", request, REASONS, ground()) is not None


def test_a_proposal_that_says_the_same_again_is_no_edit() -> None:
    made = rules.plan_propose("P-1", proposed(), REASONS, ground())
    assert made is not None
    draft = made.model_dump() | row(id="P-1", fingerprint="made in another way")
    theirs = draft | {"author": "agent:other"}

    assert rules.plan_propose("P-1", proposed(), REASONS, ground(), draft) is None
    assert rules.plan_propose("P-1", proposed(title="New"), REASONS, ground(), draft) is not None
    assert rules.plan_propose("P-1", proposed(), REASONS, ground(), theirs) is None
    with pytest.raises(IsolationViolation):
        rules.plan_propose("P-1", proposed(title="New"), REASONS, ground(), theirs)


@pytest.mark.parametrize(("now", "is_open"), [("00:59:59.999999", False), ("01:00:00", True)])
def test_a_proposal_can_be_accepted_once_its_window_is_over(now: str, is_open: bool) -> None:
    proposal = row(last_edit="2026-11-19T00:00:00.000000Z")
    at = f"2026-11-19T{now if '.' in now else now + '.000000'}Z"

    if is_open:
        rules.check_window(proposal, now=at, window_s=3600)
    else:
        with pytest.raises(ReviewWindow):
            rules.check_window(proposal, now=at, window_s=3600)


@pytest.mark.parametrize(
    ("status", "said"), [("rejected", "too dear"), ("accepted", "D-7"), ("open", None)]
)
def test_a_closed_proposal_says_how_it_was_closed(status: str, said: str | None) -> None:
    proposal = row(status=status, reason="too dear", decision_id="D-7")

    if said is None:
        rules.check_open(proposal)
    else:
        with pytest.raises(ProposalClosed, match=said):
            rules.check_open(proposal)


@pytest.mark.parametrize(
    ("actor", "author", "of_human", "may"),
    [
        (AGENT, str(AGENT), False, True),
        (AGENT, str(AGENT), True, False),
        (AGENT, "agent:other", False, False),
        (PERSON, "agent:other", False, True),
        (PERSON, "human:other", True, True),
    ],
)
def test_an_agent_changes_only_its_own_proposals(
    actor: Actor, author: str, of_human: bool, may: bool
) -> None:
    proposal = row(author=author, of_human=of_human)

    if may:
        rules.check_own(proposal, actor)
    else:
        with pytest.raises(IsolationViolation):
            rules.check_own(proposal, actor)


def test_a_draft_is_changed_unless_another_says_just_this() -> None:
    named = row(id="P-1", status="open")
    rejected = row(id="P-2", status="rejected", reason=None)

    rules.check_draft(None, None)
    rules.check_draft(None, named)
    rules.check_draft(named, None)
    rules.check_draft(named, named)
    with pytest.raises(InvalidInput):
        rules.check_draft(named, named | {"id": "P-3"})
    for one in (None, named):
        with pytest.raises(ProposalRefused):
            rules.check_draft(one, rejected)
    with pytest.raises(ProposalClosed):
        rules.check_draft(rejected, None)


def test_only_what_is_active_is_superseded_and_by_an_agent_only_what_no_person_decided() -> None:
    rules.check_supersedable(ground(old=[row()]))
    rules.check_isolation(ground(PERSON, old=[row(of_human=True)]))
    rules.check_isolation(ground(old=[row()]))
    with pytest.raises(DecisionNotActive):
        rules.check_supersedable(ground(old=[row(), row(status="superseded", superseded_by="D-2")]))
    with pytest.raises(IsolationViolation):
        rules.check_isolation(ground(old=[row(), row(of_human=True)]))


@pytest.mark.parametrize(
    ("ref", "seq"), [("s:12", 12), ("s:", None), ("xs:1", None), ("s:1x", None)]
)
def test_an_entry_is_cited_by_its_number(ref: str, seq: int | None) -> None:
    assert rules.entry_cited(ref) == seq


def test_a_fingerprint_tells_apart_what_is_said_and_not_how_it_is_written() -> None:
    same = proposed(title="USE  ink", rationale="it LASTS  for longer")
    others = [
        proposed(title="Use pens"),
        proposed(target="topic:pen"),
        proposed(rationale="It is cheap enough"),
    ]

    for of in (rules.fingerprint, rules.former_fingerprint):
        assert len({of(one) for one in (proposed(), *others)}) == 4
    assert rules.fingerprint(same) == rules.fingerprint(proposed())
