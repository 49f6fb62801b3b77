"""Reads one decision: its chain, what it cites, and what cites it."""

from collections import deque
from dataclasses import dataclass

from hansard.decisions import answers, contract, limits, reading
from hansard.decisions.commands import Radius
from hansard.decisions.reasons import Reasons
from hansard.decisions.rules import entry_cited
from hansard.decisions.tables import DECISIONS
from hansard.kernel.engine import ReadTx, Row
from hansard.kernel.event import Kinds
from hansard.kernel.operation import Context


@dataclass(frozen=True, slots=True)
class DecisionQueries:
    """Shows decisions."""

    blast_radius: Radius

    def get(
        self, request: contract.GetDecision, context: Context
    ) -> answers.DecisionInContextAnswer:
        """Show a decision or a proposal, now or as it stood."""
        as_of = context.as_of

        def work(tx: ReadTx) -> answers.DecisionInContextAnswer:
            row = reading.stated(tx, request.decision_id, as_of=as_of)
            end = reading.end(tx, row, as_of=as_of)
            before, more_before = _earlier(tx, row, as_of)
            after, more_after = _later(tx, row, as_of)
            radius = None if as_of is not None else self.blast_radius(tx, row["id"])
            return answers.DecisionInContextAnswer(
                decision=shown(row, reading.reasons(tx, row)),
                head=link(end) if end["id"] != row["id"] else None,
                chain=[link(one) for one in (*before, row, *after)],
                more_before=more_before or None,
                more_after=more_after or None,
                evidence=[_evidence(tx, context.store.kinds, ref, as_of) for ref in row["cites"]],
                blast_radius=None if radius is None else reading.merged([radius]),
            )

        return context.read(work)


def shown(row: Row, reasons: Reasons) -> answers.DecisionShown:
    """Show a row in full."""
    return answers.DecisionShown(
        id=row["id"],
        title=row["title"],
        target=row["target"],
        status=row["status"],
        rationale=reasons.rationale,
        consequences=list(reasons.consequences) or None,
        cites=row["cites"] or None,
        enforcement=row["enforcement"],
        supersedes=row["supersedes"] or None,
        superseded_by=row.get("superseded_by"),
        proposal_id=row.get("proposal_id"),
        decision_id=row.get("decision_id"),
        reason=row.get("reason"),
        author=row["author"],
        accepted_by=row.get("accepted_by"),
        at=row["at"],
        seq=row["seq"],
        session_id=row["session"],
        proof=row.get("proof"),
        version=row.get("generation"),
    )


def link(row: Row) -> answers.Link:
    """Show a row as part of a chain."""
    return answers.Link(
        id=row["id"],
        title=row["title"],
        target=row["target"],
        status=row["status"],
        author=row["author"],
        at=row["at"],
        supersedes=row["supersedes"] or None,
        superseded_by=row.get("superseded_by"),
    )


def _earlier(tx: ReadTx, row: Row, as_of: int | None) -> tuple[list[Row], bool]:
    """Read what a decision came from, the oldest first, and whether there is more of it."""
    found: dict[str, Row] = {}
    pending = deque(row["supersedes"])
    while pending and len(found) < limits.CHAIN_SHOWN_MAX:
        before = reading.stated(tx, pending.popleft(), as_of=as_of)
        found[before["id"]] = before
        pending.extend(before["supersedes"])
    return sorted(found.values(), key=lambda one: int(one["seq"])), bool(pending)


def _later(tx: ReadTx, row: Row, as_of: int | None) -> tuple[list[Row], bool]:
    """Read what a decision led to, and whether there is more of it."""
    found: list[Row] = []
    following = row.get("superseded_by") or row.get("decision_id")
    while following and len(found) < limits.CHAIN_SHOWN_MAX:
        after = reading.stated(tx, following, as_of=as_of)
        found.append(after)
        following = after["superseded_by"]
    return found, bool(following)


def _evidence(tx: ReadTx, kinds: Kinds, ref: str, as_of: int | None) -> answers.Evidence:
    """Say what is known about something cited."""
    if (seq := entry_cited(ref)) is not None:
        [entry] = tx.entries(after=seq - 1, limit=1)
        event = kinds.decode(entry) if kinds.knows(entry.kind) else None
        return answers.Evidence(ref=ref, about=event.summary() if event else None)
    row = tx.get(DECISIONS, ref, as_of=as_of)
    return answers.Evidence(ref=ref, about=f"({row['status']}) {row['title']}" if row else None)
