"""Records decisions and supersedes them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hansard.decisions import answers, contract, reading, rules
from hansard.decisions.reading import BlastRadius
from hansard.decisions.reasons import Reasons, pack
from hansard.decisions.tables import DECISION_PREFIX
from hansard.decisions.unmatched_targets import KnownThings
from hansard.kernel.blob import Blob
from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.ids import next_id
from hansard.kernel.operation import Context

Radius = Callable[[ReadTx, str], BlastRadius]
"""Says what cites a decision. What other capabilities have comes from the layer above."""


@dataclass(frozen=True, slots=True)
class Deciding:
    """Makes decisions."""

    blast_radius: Radius
    around: KnownThings = field(default_factory=KnownThings)

    def record(
        self, request: contract.RecordDecision, context: Context
    ) -> answers.DecisionRecordedAnswer:
        """Record a decision about a target that has none."""
        reasons, missing = blob_of(request), self.around.missing_files(request)

        def work(tx: WriteTx) -> answers.DecisionRecordedAnswer:
            ground = ground_of(tx, context, request.target)
            identifier = next_id(tx, DECISION_PREFIX)
            event = rules.plan_record(identifier, request, reasons.digest, ground)
            context.record(tx, event)
            return answers.DecisionRecordedAnswer(
                decision_id=event.id,
                unmatched=missing or None,
                session_id=context.session,
            )

        return context.write(work, blobs=[reasons])

    def supersede(
        self, request: contract.SupersedeDecision, context: Context
    ) -> answers.DecisionSupersededAnswer:
        """Record a decision in the place of active ones."""
        reasons, missing = blob_of(request), self.around.missing_files(request)

        def work(tx: WriteTx) -> answers.DecisionSupersededAnswer:
            old = decisions(tx, request.old_decision_ids)
            ground = ground_of(tx, context, request.target, old)
            identifier = next_id(tx, DECISION_PREFIX)
            event = rules.plan_supersede(identifier, request, reasons.digest, ground)
            radius = radius_of(tx, self.blast_radius, old)
            context.record(tx, event)
            return answers.DecisionSupersededAnswer(
                decision_id=event.id,
                superseded=event.supersedes,
                blast_radius=radius,
                unmatched=missing or None,
                session_id=context.session,
            )

        return context.write(work, blobs=[reasons])


def blob_of(request: contract.Stated) -> Blob:
    """Make the blob of a request's reasons."""
    return pack(Reasons(request.rationale, request.consequences or ()))


def decisions(tx: ReadTx, identifiers: Sequence[str]) -> list[Row]:
    """Read decisions, each once, or refuse."""
    return [reading.decision(tx, identifier) for identifier in dict.fromkeys(identifiers)]


def ground_of(tx: ReadTx, context: Context, target: str, old: Sequence[Row] = ()) -> rules.Ground:
    """Gather the input of the rules: a rejection counts for all that would be replaced."""
    targets = dict.fromkeys([target, *(row["target"] for row in old)])
    refusals = (reading.turned_down(tx, one) for one in targets)
    return rules.Ground(
        actor=context.caller.actor,
        newest_seq=tx.head().seq,
        holder=reading.holder(tx, target),
        old=old,
        turned_down=next(filter(None, refusals), None),
        proof=context.caller.proof,
    )


def radius_of(tx: ReadTx, blast_radius: Radius, old: Sequence[Row]) -> BlastRadius:
    """Say what cites any of these decisions."""
    return reading.merged(blast_radius(tx, row["id"]) for row in old)
