"""Rules of decisions: what may be decided, proposed and accepted, and by whom. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from hansard.decisions import limits
from hansard.decisions.contract import (
    DecisionNotActive,
    IsolationViolation,
    ProposalClosed,
    ProposalRefused,
    ProposeDecision,
    RecordDecision,
    ReviewWindow,
    Stated,
    SupersedeDecision,
    TargetConflict,
)
from hansard.decisions.events import (
    DecisionRecorded,
    DecisionSuperseded,
    ProposalAccepted,
    ProposalEdited,
    ProposalMade,
    ProposalRejected,
)
from hansard.decisions.lookalikes import alike
from hansard.decisions.targets import check_target, folded, former_key, glob_of, target_key
from hansard.kernel.blob import Digest, canonical_json, digest_of
from hansard.kernel.clock import from_text, to_text
from hansard.kernel.engine import Row
from hansard.kernel.event import Actor, Proof
from hansard.kernel.problem import InvalidInput

_ENTRY = re.compile(r"s:([0-9]+)")

_OVERTAKEN = (
    "Call propose_decision with this proposal_id, so that it names what it supersedes by now"
)


@dataclass(frozen=True, slots=True)
class Ground:
    """What a decision is checked against."""

    actor: Actor
    newest_seq: int
    holder: Row | None
    """The active decision about the same target, if there is one."""
    old: Sequence[Row] = ()
    """The decisions it is to supersede."""
    turned_down: Row | None = None
    """The proposal about the same target that a person rejected, unless a person has decided
    since."""
    proof: Proof | None = None
    """Whether the caller was proved to be a person, or an admin."""

    @property
    def person(self) -> Proof | None:
        """Say whether a person was proved; `None` for others."""
        return self.proof if self.actor.kind == "human" else None


def plan_record(
    identifier: str, request: RecordDecision, reasons: Digest, ground: Ground
) -> DecisionRecorded:
    """Say what recording a decision does, or refuse a target that has one."""
    _check_statement(request, ground)
    check_target_free(request.target, ground)
    check_not_turned_down(ground)
    return DecisionRecorded(id=identifier, proof=ground.person, **_statement(request, reasons))


def plan_supersede(
    identifier: str, request: SupersedeDecision, reasons: Digest, ground: Ground
) -> DecisionSuperseded:
    """Say what superseding does, or refuse it.

    All that is superseded must be active, and the new decision has the target of one of them:
    superseding never moves a decision to another target. As there is one active decision per
    target, several can be merged only if their targets differ: the others' become free, and their
    chains lead to the new decision.
    """
    _check_statement(request, ground)
    check_supersedable(ground)
    check_isolation(ground)
    check_merge(request.target, ground)
    check_not_turned_down(ground)
    supersedes = [row["id"] for row in ground.old]
    return DecisionSuperseded(
        id=identifier,
        supersedes=supersedes,
        proof=ground.person,
        **_statement(request, reasons),
    )


def plan_propose(
    identifier: str,
    request: ProposeDecision,
    reasons: Digest,
    ground: Ground,
    draft: Row | None = None,
) -> ProposalMade | ProposalEdited | None:
    """Say what proposing does, to an open draft or as a new one; `None` if it says that already.

    An agent may propose what it may not do: to supersede what a person decided.
    """
    _check_statement(request, ground)
    check_supersedable(ground)
    if ground.old:
        check_merge(request.target, ground)
        _check_superseding_rationale(request.rationale)
    stated = _statement(request, reasons) | {
        "id": identifier,
        "fingerprint": fingerprint(request),
        "supersedes": [row["id"] for row in ground.old],
    }
    if draft is None:
        return ProposalMade(**stated, proof=ground.person)
    # Only the way of fingerprinting has changed, not what it says.
    if all(draft[name] == value for name, value in stated.items() if name != "fingerprint"):
        return None
    check_own(draft, ground.actor)
    return ProposalEdited(**stated, proof=ground.person)


def plan_accept(
    identifier: str, proposal: Row, ground: Ground, *, now: str, window_s: int
) -> ProposalAccepted:
    """Say what accepting does, or refuse what is too young or was overtaken since it was made.

    The accepting caller has proved the secret, so also what supersedes a person's decision is
    theirs to
    accept: that is what it was proposed for.
    """
    check_window(proposal, now=now, window_s=window_s)
    check_supersedable(ground)
    if ground.old:
        check_merge(proposal["target"], ground)
    else:
        check_target_free(proposal["target"], ground, hint=_OVERTAKEN)
    kept = ("title", "target", "reasons", "cites", "enforcement", "supersedes", "author")
    stated = {name: proposal[name] for name in kept}
    accepted_by = str(ground.actor)
    return ProposalAccepted(
        id=identifier,
        proposal_id=proposal["id"],
        accepted_by=accepted_by,
        proof=ground.person,
        **stated,
    )


def plan_reject(proposal: Row, reason: str | None, ground: Ground) -> ProposalRejected:
    """Say what rejecting does: for people, admins, and the proposer."""
    check_open(proposal)
    check_own(proposal, ground.actor)
    return ProposalRejected(id=proposal["id"], reason=reason, proof=ground.person)


def check_target_free(target: str, ground: Ground, *, hint: str | None = None) -> None:
    """Refuse a target that has an active decision."""
    if ground.holder:
        raise _taken(target, ground, hint)


def check_not_turned_down(ground: Ground) -> None:
    """Refuse an agent a target on which a person has said no: it may ask again, by proposing.

    That holds for anything it wants to decide there. Otherwise what a person rejected in some words
    could be decided in others, and no rule can tell whether they say the same.
    """
    rejected = ground.turned_down
    if rejected and ground.actor.kind == "agent":
        raise ProposalRefused(
            f"{rejected['id']} was rejected by a person on {rejected['target'].strip()[:100]!r}: "
            f"{rejected['title']}{_because(rejected)}",
            hint="Call propose_decision, so that a person decides what holds there",
            proposal_id=rejected["id"],
            reason=rejected["reason"],
        )


def check_supersedable(ground: Ground) -> None:
    """Refuse to supersede what is no longer active."""
    for row in ground.old:
        if row["status"] != "active":
            raise DecisionNotActive(
                f"{row['id']} was superseded by {row['superseded_by']}",
                id=row["id"],
                status=row["status"],
                superseded_by=row["superseded_by"],
            )


def check_isolation(ground: Ground) -> None:
    """Refuse an agent what a person has decided, or has had a part in deciding.

    A chain in which a person once decided stays that person's, even if others spoke later.
    """
    for row in ground.old:
        if ground.actor.kind == "agent" and row["of_human"]:
            raise IsolationViolation(
                f"{row['id']} goes back to a person's decision, which agents cannot supersede",
                id=row["id"],
                author=row["author"],
            )


def check_merge(target: str, ground: Ground) -> None:
    """Refuse a target that is none of those superseded, or that another decision has."""
    key = target_key(target)
    if any(row["target_key"] == key for row in ground.old):
        return
    if ground.holder:
        raise _taken(target, ground)
    theirs = sorted({row["target"] for row in ground.old})
    raise TargetConflict(
        f"The new decision is about {target.strip()[:100]!r}, what it supersedes about "
        f"{', '.join(repr(one[:100]) for one in theirs)}",
        hint="Give the target of a decision that it supersedes; record_decision is for new targets",
        targets=theirs,
    )


def check_window(proposal: Row, *, now: str, window_s: int) -> None:
    """Refuse what has not been unchanged for the whole window.

    The last edit's time is the latest that the journal had seen by then, and now is the time of the
    request alone. So a clock that goes back, or jumps ahead and back, only lengthens the window.
    """
    from_then_on = from_text(proposal["last_edit"]) + timedelta(seconds=window_s)
    if from_text(now) < from_then_on:
        raise ReviewWindow(
            f"{proposal['id']} can be accepted from {to_text(from_then_on)} on, {window_s} s after "
            "its last edit",
            id=proposal["id"],
            acceptable_from=to_text(from_then_on),
            window_s=window_s,
        )


def check_open(proposal: Row) -> None:
    """Refuse a proposal of which the case is closed."""
    if proposal["status"] == "rejected":
        raise ProposalClosed(
            f"{proposal['id']} is no longer open, it was rejected{_because(proposal)}",
            id=proposal["id"],
            status="rejected",
        )
    if proposal["status"] == "accepted":
        raise ProposalClosed(
            f"{proposal['id']} is no longer open, it was accepted as {proposal['decision_id']}",
            id=proposal["id"],
            status="accepted",
            decision_id=proposal["decision_id"],
        )


def check_own(proposal: Row, actor: Actor) -> None:
    """Refuse an agent another's proposal."""
    is_own = not proposal["of_human"] and proposal["author"] == str(actor)
    if actor.kind == "human" or actor.may("admin") or is_own:
        return
    raise IsolationViolation(
        f"{proposal['id']} was proposed by {proposal['author']}: it is edited and rejected by "
        "them and by people",
        hint="Call propose_decision without proposal_id to propose something else",
        id=proposal["id"],
        author=proposal["author"],
    )


def check_draft(named: Row | None, same: Row | None) -> None:
    """Refuse what was rejected before in the same words, and to change what cannot be.

    `named` is the draft to change, `same` the proposal that says just this, if there is one.
    """
    if same and same["status"] == "rejected":
        raise ProposalRefused(
            f"The same was proposed as {same['id']} and rejected{_because(same)}",
            proposal_id=same["id"],
            reason=same["reason"],
        )
    if named is None:
        return
    check_open(named)
    if same and same["id"] != named["id"]:
        raise InvalidInput(
            f"proposal_id: {same['id']} says just this already", argument="proposal_id"
        )


def fingerprint(request: ProposeDecision) -> str:
    """Give the same digest to proposals that say the same about the same."""
    said = [alike(request.title), target_key(request.target), alike(request.rationale)]
    return digest_of(canonical_json(said))


def former_fingerprint(request: ProposeDecision) -> str:
    """Give the digest under which older entries have a proposal that says this."""
    said = [folded(request.title), former_key(request.target), folded(request.rationale)]
    return digest_of(canonical_json(said))


def entry_cited(ref: str) -> int | None:
    """Give the seq of the journal's entry that is cited, if it is one."""
    entry = _ENTRY.fullmatch(ref)
    return int(entry[1]) if entry else None


def _check_statement(request: Stated, ground: Ground) -> None:
    check_target(request.target)
    if request.enforcement and glob_of(request.target) is None:
        raise InvalidInput(
            "enforcement: goes only with a target `path:GLOB`", argument="enforcement"
        )
    for cited in request.cites or ():
        seq = entry_cited(cited)
        if seq is not None and not 1 <= seq <= ground.newest_seq:
            raise InvalidInput(
                f"cites: there is no entry {cited}; the newest is s:{ground.newest_seq}",
                argument="cites",
            )


def _check_superseding_rationale(rationale: str) -> None:
    length, least = len(rationale.strip()), limits.SUPERSEDING_RATIONALE_CHARS_MIN
    if length < least:
        raise InvalidInput(
            f"rationale: at least {least} characters for what supersedes a decision, not {length}",
            argument="rationale",
        )


def _because(rejected: Row) -> str:
    return f": {rejected['reason']}" if rejected["reason"] else ""


def _statement(request: Stated, reasons: Digest) -> Row:
    return {
        "title": request.title,
        "target": request.target,
        "reasons": reasons,
        "cites": list(dict.fromkeys(request.cites or ())),
        "enforcement": request.enforcement,
    }


def _taken(target: str, ground: Ground, hint: str | None = None) -> TargetConflict:
    holder = ground.holder
    assert holder is not None, "a target is taken by nothing"
    if hint is None and ground.actor.kind == "agent" and holder["of_human"]:
        hint = "A person has decided it: call propose_decision, so that a person can accept it"
    return TargetConflict(
        f"{holder['id']} is active on {target.strip()[:100]!r}: {holder['title']}",
        hint=hint,
        decision_id=holder["id"],
        title=holder["title"],
        target=holder["target"],
    )
