"""Proposes decisions, and accepts or rejects proposals."""

from dataclasses import dataclass, field
from datetime import timedelta

from hansard.decisions import answers, contract, reading, rules
from hansard.decisions.commands import Radius, blob_of, decisions, ground_of, radius_of
from hansard.decisions.secret import KeptSecret
from hansard.decisions.tables import DECISION_PREFIX, PROPOSAL_PREFIX
from hansard.decisions.unmatched_targets import KnownThings
from hansard.kernel.clock import from_text, to_text
from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.ids import next_id
from hansard.kernel.operation import Context


@dataclass(frozen=True, slots=True)
class Reviewing:
    """Takes proposals, and what is decided about them."""

    secret: KeptSecret
    window_s: int
    blast_radius: Radius
    around: KnownThings = field(default_factory=KnownThings)

    def propose(
        self, request: contract.ProposeDecision, context: Context
    ) -> answers.DecisionProposedAnswer:
        """Make a draft, or change one. A repeated draft is not written again."""
        reasons, missing = blob_of(request), self.around.missing_files(request)

        def work(tx: WriteTx) -> answers.DecisionProposedAnswer:
            draft = _draft(tx, request)
            identifier = draft["id"] if draft else next_id(tx, PROPOSAL_PREFIX)
            ground = ground_of(tx, context, request.target, _superseded(tx, request))
            event = rules.plan_propose(identifier, request, reasons.digest, ground, draft)
            if event:
                context.record(tx, event)
            made = self._proposed(reading.proposal(tx, identifier), context)
            return made.model_copy(update={"unmatched": missing or None})

        return context.write(work, blobs=[reasons])

    def accept(
        self, request: contract.AcceptProposal, context: Context
    ) -> answers.ProposalAcceptedAnswer:
        """Make a proposal the decision. Accepting it again says what it became."""
        self.secret.require(context.caller.proof)

        def work(tx: WriteTx) -> answers.ProposalAcceptedAnswer:
            proposal = reading.proposal(tx, request.proposal_id)
            if proposal["status"] == "accepted":
                return self._accepted(tx, proposal)
            rules.check_open(proposal)
            old = decisions(tx, proposal["supersedes"])
            event = rules.plan_accept(
                next_id(tx, DECISION_PREFIX),
                proposal,
                ground_of(tx, context, proposal["target"], old),
                now=context.stamp.at,
                window_s=self.window_s,
            )
            context.record(tx, event)
            return self._accepted(tx, reading.proposal(tx, request.proposal_id))

        return context.write(work)

    def reject(
        self, request: contract.RejectProposal, context: Context
    ) -> answers.ProposalRejectedAnswer:
        """Turn a proposal down for good."""

        def work(tx: WriteTx) -> answers.ProposalRejectedAnswer:
            proposal = reading.proposal(tx, request.proposal_id)
            ground = ground_of(tx, context, proposal["target"])
            context.record(tx, rules.plan_reject(proposal, request.reason, ground))
            return answers.ProposalRejectedAnswer(proposal_id=proposal["id"], status="rejected")

        return context.write(work)

    def _proposed(self, row: Row, context: Context) -> answers.DecisionProposedAnswer:
        from_then_on = from_text(row["last_edit"]) + timedelta(seconds=self.window_s)
        return answers.DecisionProposedAnswer(
            proposal_id=row["id"],
            status=row["status"],
            supersedes=row["supersedes"],
            acceptable_from=to_text(from_then_on),
            session_id=context.session,
        )

    def _accepted(self, tx: ReadTx, proposal: Row) -> answers.ProposalAcceptedAnswer:
        old = decisions(tx, proposal["supersedes"])
        return answers.ProposalAcceptedAnswer(
            decision_id=proposal["decision_id"],
            proposal_id=proposal["id"],
            superseded=proposal["supersedes"],
            blast_radius=radius_of(tx, self.blast_radius, old),
        )


def _draft(tx: ReadTx, request: contract.ProposeDecision) -> Row | None:
    """Find the open draft that is meant: the named one, or one that says the same."""
    same = reading.draft(tx, rules.fingerprint(request)) or reading.draft(
        tx, rules.former_fingerprint(request)
    )
    named = reading.proposal(tx, request.proposal_id) if request.proposal_id else None
    rules.check_draft(named, same)
    return named or same


def _superseded(tx: ReadTx, request: contract.ProposeDecision) -> list[Row]:
    """Read what the proposal would supersede: what it names, or what is active on its target."""
    if request.old_decision_ids:
        return decisions(tx, request.old_decision_ids)
    holder = reading.holder(tx, request.target)
    return [holder] if holder else []
