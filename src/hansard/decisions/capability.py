"""The capability of decisions: its operations, events and views."""

from collections.abc import Callable, Sequence
from pathlib import Path

from hansard.decisions import answers, contract, limits
from hansard.decisions.commands import Deciding, Radius
from hansard.decisions.events import EVENTS
from hansard.decisions.git import history
from hansard.decisions.proposals import Reviewing
from hansard.decisions.queries import DecisionQueries
from hansard.decisions.reading import citing_decisions
from hansard.decisions.search import Searching
from hansard.decisions.secret import KeptSecret
from hansard.decisions.unmatched_targets import KnownThings
from hansard.decisions.views import PASSAGES, VIEW
from hansard.kernel.follow import Follower
from hansard.kernel.meaning import Meanings, NoMeanings
from hansard.kernel.operation import Capability, Operation
from hansard.kernel.store import Store


def capability(
    *,
    secret: KeptSecret | None = None,
    workspace: Path | None = None,
    review_window_s: int = limits.REVIEW_WINDOW_S,
    meanings: Meanings | None = None,
    blast_radius: Radius = citing_decisions,
    followers: Callable[[Store], Sequence[Follower]] | None = None,
    mask: history.Mask = str,
    around: KnownThings | None = None,
) -> Capability:
    """Make the capability.

    `secret` is what a caller must prove to accept a proposal; without one, nobody can. `workspace`
    is where the repositories lie whose commits can be indexed as evidence. The layer above knows
    what cites a decision elsewhere (`blast_radius`), what a secret looks like (`mask` removes it),
    and what exists to be named (`around`).
    """
    known, around = secret or KeptSecret(None), around or KnownThings()
    reviewing = Reviewing(known, review_window_s, blast_radius, around)
    return Capability(
        "decisions",
        (
            *_deciding(Deciding(blast_radius, around)),
            *_looking(Searching(meanings or NoMeanings()), DecisionQueries(blast_radius)),
            *_reviewing(reviewing),
            *(history.operations(workspace, mask) if workspace else ()),
        ),
        (*EVENTS, history.CommitsIndexed),
        (VIEW, history.VIEW),
        secret=known,
        passages=PASSAGES,
        followers=followers,
    )


def _deciding(deciding: Deciding) -> tuple[Operation, ...]:
    return (
        Operation(
            "record_decision",
            "Record a decision about a target that has none. Target `path:GLOB` governs files: "
            "enforcement advise or block.",
            contract.RecordDecision,
            answers.DecisionRecordedAnswer,
            deciding.record,
            writes=True,
            role="agent",
            session="begins",
            toolsets=("core", "default"),
        ),
        Operation(
            "supersede_decision",
            "Replace active decisions by a new one about the target of one of them; for a "
            "person's, propose.",
            contract.SupersedeDecision,
            answers.DecisionSupersededAnswer,
            deciding.supersede,
            writes=True,
            role="agent",
            session="begins",
            toolsets=("default",),
        ),
    )


def _looking(searching: Searching, looking: DecisionQueries) -> tuple[Operation, ...]:
    return (
        Operation(
            "search_decisions",
            "Find what was decided. strict: active only; balanced: active first; audit: history.",
            contract.SearchDecisions,
            answers.DecisionsFoundAnswer,
            searching.search,
            writes=False,
            gives_context=True,
            toolsets=("core", "default"),
        ),
        Operation(
            "get_decision",
            "Show a decision or proposal with its chain, evidence and what cites it.",
            contract.GetDecision,
            answers.DecisionInContextAnswer,
            looking.get,
            writes=False,
        ),
    )


def _reviewing(reviewing: Reviewing) -> tuple[Operation, ...]:
    return (
        Operation(
            "propose_decision",
            "Draft a decision for an admin to accept, or with proposal_id change a draft.",
            contract.ProposeDecision,
            answers.DecisionProposedAnswer,
            reviewing.propose,
            writes=True,
            role="agent",
            session="begins",
            toolsets=("default",),
        ),
        Operation(
            "accept_proposal",
            "Make a proposal an active decision: for admins who prove the secret, after the "
            "review window.",
            contract.AcceptProposal,
            answers.ProposalAcceptedAnswer,
            reviewing.accept,
            writes=True,
            role="admin",
            needs_secret=True,
            repeatable=True,
        ),
        Operation(
            "reject_proposal",
            "Reject a proposal for good.",
            contract.RejectProposal,
            answers.ProposalRejectedAnswer,
            reviewing.reject,
            writes=True,
            role="agent",
        ),
    )
