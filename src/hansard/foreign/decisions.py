"""Taking over decisions, each after those that it supersedes."""

from collections.abc import Sequence
from typing import Any

from hansard.decisions.limits import SUPERSEDING_RATIONALE_CHARS_MIN
from hansard.foreign.items import Decision, Skipped
from hansard.foreign.taking import Taking
from hansard.foreign.wording import as_description, as_summary, as_title
from hansard.kernel.engine import Row
from hansard.kernel.problem import Problem

OPERATIONS = {"active": "record_decision", "proposed": "propose_decision"}


def take_decisions(taking: Taking, decisions: Sequence[Decision]) -> None:
    """Take decisions over in the order in which they are given."""
    for one in decisions:
        try:
            _take(taking, one)
        except Problem as problem:
            taking.require_going(problem)
            taking.report.skip(Skipped(one.title[:80], f"refused: {problem.code}"))


def _take(taking: Taking, decision: Decision) -> None:
    told, key = _told(decision), _key(taking, decision.key)
    kind = "decisions" if decision.standing == "active" else "proposals"
    known = taking.taken(key)
    if known is None and _is_settled(taking, decision):
        taking.report.known[kind] += 1
        return
    if not taking.is_new(kind, key, told):
        _reject(taking, decision, known)
        _close_draft(taking, decision)
        return
    if known is not None:
        taking.report.skip(
            Skipped(
                decision.title[:80], "it has changed there since; supersede it here if it should"
            )
        )
        return
    if taking.is_dry:
        return
    if decision.standing == "rejected" and (draft := _draft(taking, decision)):
        _reject(taking, decision, draft)
        return
    old = [row["made"] for one in decision.supersedes if (row := taking.taken(_key(taking, one)))]
    if old:
        told = told | {"old_decision_ids": old}
        taking.write("supersede_decision", told, key, _told(decision), at=decision.at)
    else:
        name = OPERATIONS["active" if decision.standing == "active" else "proposed"]
        taking.write(name, told, key, _told(decision), at=decision.at)
    _reject(taking, decision, taking.taken(key))
    _close_draft(taking, decision)


def _is_settled(taking: Taking, decision: Decision) -> bool:
    """Whether the proposal that it was is settled here already, as it is there."""
    status = _status(taking, decision)
    return status == {"active": "accepted"}.get(decision.standing, decision.standing)


def _draft(taking: Taking, decision: Decision) -> Row | None:
    """Give the proposal that it was, while that is open here."""
    row = taking.taken(_key(taking, decision.draft)) if decision.draft else None
    return row if _status(taking, decision) == "proposed" else None


def _status(taking: Taking, decision: Decision) -> str | None:
    """Say how the proposal stands that it was; `None` if it was never taken over as one."""
    row = taking.taken(_key(taking, decision.draft)) if decision.draft else None
    if row is None:
        return None
    asked = {"decision_id": row["made"]}
    told = taking.application.call("get_decision", asked, taking.caller).model_dump(mode="json")
    return str(told["decision"]["status"])


def _close_draft(taking: Taking, decision: Decision) -> None:
    """Close the proposal that became this decision: nobody is to be asked about it any more."""
    made = taking.taken(_key(taking, decision.key))
    draft = _draft(taking, decision) if decision.standing == "active" else None
    if draft is None or made is None or taking.is_dry:
        return
    reason = f"Accepted in the folder that it was taken over from: it is {made['made']} now"
    told = {"proposal_id": draft["made"], "reason": reason}
    taking.write("reject_proposal", told, f"{_key(taking, decision.key)}/@closed", told)


def _reject(taking: Taking, decision: Decision, proposal: Row | None) -> None:
    """Reject what was rejected where it comes from, once it is here as a proposal."""
    key = f"{_key(taking, decision.key)}/@rejected"
    if decision.standing != "rejected" or proposal is None or taking.is_dry or taking.taken(key):
        return
    told = {"proposal_id": proposal["made"], "reason": as_summary(decision.reason or "Rejected")}
    taking.write("reject_proposal", told, key, told, at=decision.at)


def _told(decision: Decision) -> dict[str, Any]:
    rationale = as_description(decision.rationale)
    if len(rationale) < SUPERSEDING_RATIONALE_CHARS_MIN:
        rationale = f"Taken over without reasons: {rationale or decision.title}"
    told: dict[str, Any] = {
        "title": as_title(decision.title),
        "target": as_title(decision.target),
        "rationale": rationale,
    }
    if decision.consequences:
        told["consequences"] = [as_summary(one) for one in decision.consequences if one.strip()]
    return told


def _key(taking: Taking, key: str) -> str:
    return f"{taking.source.format}:{taking.source.label}:{key}"
