"""Imports decisions, each after those it supersedes."""

from collections.abc import Sequence
from typing import Any

from hansard.decisions.limits import SUPERSEDING_RATIONALE_CHARS_MIN
from hansard.foreign.import_run import ImportRun
from hansard.foreign.items import Decision, Skipped
from hansard.foreign.wording import as_description, as_summary, as_title
from hansard.kernel.engine import Row
from hansard.kernel.problem import Problem

OPERATIONS = {"active": "record_decision", "proposed": "propose_decision"}


def take_decisions(importing: ImportRun, decisions: Sequence[Decision]) -> None:
    """Take decisions over in the order in which they are given."""
    for one in decisions:
        try:
            _take(importing, one)
        except Problem as problem:
            importing.require_going(problem)
            importing.report.skip(Skipped(one.title[:80], f"refused: {problem.code}"))


def _take(importing: ImportRun, decision: Decision) -> None:
    told, key = _told(decision), _key(importing, decision.key)
    kind = "decisions" if decision.standing == "active" else "proposals"
    known = importing.taken(key)
    if known is None and _is_settled(importing, decision):
        importing.report.known[kind] += 1
        return
    if not importing.is_new(kind, key, told):
        _reject(importing, decision, known)
        _close_draft(importing, decision)
        return
    if known is not None:
        importing.report.skip(
            Skipped(
                decision.title[:80], "it has changed there since; supersede it here if it should"
            )
        )
        return
    if importing.is_dry:
        return
    if decision.standing == "rejected" and (draft := _draft(importing, decision)):
        _reject(importing, decision, draft)
        return
    old = [
        row["made"] for one in decision.supersedes if (row := importing.taken(_key(importing, one)))
    ]
    if old:
        told = told | {"old_decision_ids": old}
        importing.write("supersede_decision", told, key, _told(decision), at=decision.at)
    else:
        name = OPERATIONS["active" if decision.standing == "active" else "proposed"]
        importing.write(name, told, key, _told(decision), at=decision.at)
    _reject(importing, decision, importing.taken(key))
    _close_draft(importing, decision)


def _is_settled(importing: ImportRun, decision: Decision) -> bool:
    """Whether the proposal that it was is settled here already, as it is there."""
    status = _status(importing, decision)
    return status == {"active": "accepted"}.get(decision.standing, decision.standing)


def _draft(importing: ImportRun, decision: Decision) -> Row | None:
    """Give the proposal that it was, while that is open here."""
    row = importing.taken(_key(importing, decision.draft)) if decision.draft else None
    return row if _status(importing, decision) == "proposed" else None


def _status(importing: ImportRun, decision: Decision) -> str | None:
    """Say how the proposal stands that it was; `None` if it was never taken over as one."""
    row = importing.taken(_key(importing, decision.draft)) if decision.draft else None
    if row is None:
        return None
    asked = {"decision_id": row["made"]}
    told = importing.application.call("get_decision", asked, importing.caller).model_dump(
        mode="json"
    )
    return str(told["decision"]["status"])


def _close_draft(importing: ImportRun, decision: Decision) -> None:
    """Close the proposal that became this decision: nobody is to be asked about it any more."""
    made = importing.taken(_key(importing, decision.key))
    draft = _draft(importing, decision) if decision.standing == "active" else None
    if draft is None or made is None or importing.is_dry:
        return
    reason = f"Accepted in the folder that it was taken over from: it is {made['made']} now"
    told = {"proposal_id": draft["made"], "reason": reason}
    importing.write("reject_proposal", told, f"{_key(importing, decision.key)}/@closed", told)


def _reject(importing: ImportRun, decision: Decision, proposal: Row | None) -> None:
    """Reject what was rejected where it comes from, once it is here as a proposal."""
    key = f"{_key(importing, decision.key)}/@rejected"
    if (
        decision.standing != "rejected"
        or proposal is None
        or importing.is_dry
        or importing.taken(key)
    ):
        return
    told = {"proposal_id": proposal["made"], "reason": as_summary(decision.reason or "Rejected")}
    importing.write("reject_proposal", told, key, told, at=decision.at)


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


def _key(importing: ImportRun, key: str) -> str:
    return f"{importing.source.format}:{importing.source.label}:{key}"
