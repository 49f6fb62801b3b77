"""Events of decisions. Reasons are blobs; events carry their digests."""

from typing import ClassVar, Literal

from pydantic import Field

from hansard.kernel.blob import Digest
from hansard.kernel.event import Event, Proof

Enforcement = Literal["advise", "block"]
"""What a decision about files does when somebody changes them: warn, or keep agents from it."""


class Statement(Event):
    """Base of events that state a decision, made or proposed, in full."""

    id: str
    title: str
    target: str
    reasons: Digest
    """The blob of the rationale and the consequences; `reasons.py` reads it."""
    cites: list[str] = Field(default_factory=list)
    enforcement: Enforcement | None = None
    supersedes: list[str] = Field(default_factory=list)
    """The decisions that stop being active when this one becomes so."""
    proof: Proof | None = None
    """Whether the person was proved; `None` of agents, and of entries from before it was asked."""

    def subject(self) -> str:
        """Give the decision or the proposal."""
        return self.id


class DecisionMade(Statement):
    """Base of the events after which there is a new active decision."""


class DecisionRecorded(DecisionMade):
    """A decision was made about a target that had none."""

    kind: ClassVar[str] = "decisions.decision_recorded.v1"
    activity: ClassVar[str | None] = "decision_recorded"

    def summary(self) -> str:
        """Name it."""
        return f"{self.id} recorded on {self.target}: {self.title}"


class DecisionSuperseded(DecisionMade):
    """A decision was made in the place of older ones."""

    kind: ClassVar[str] = "decisions.decision_superseded.v1"
    activity: ClassVar[str | None] = "decision_superseded"

    def summary(self) -> str:
        """Name it and what it replaced."""
        return f"{', '.join(self.supersedes)} superseded by {self.id}: {self.title}"


class ProposalAccepted(DecisionMade):
    """A proposal became a decision: `id` is the decision's, the entry's actor who accepted it."""

    kind: ClassVar[str] = "decisions.proposal_accepted.v1"
    activity: ClassVar[str | None] = "proposal_accepted"

    proposal_id: str
    author: str
    """Who proposed it, as `agent:name`."""
    accepted_by: str | None = None
    """Who accepted it, written the same way; where it is missing, Git names them as the author."""

    def summary(self) -> str:
        """Name both."""
        return f"{self.proposal_id} accepted as {self.id}: {self.title}"


class ProposalStated(Statement):
    """Base of the events after which a draft says this, and its review starts over."""

    fingerprint: str
    """Digest of its normalised title, target and rationale; no blob holds them."""


class ProposalMade(ProposalStated):
    """A decision was proposed."""

    kind: ClassVar[str] = "decisions.proposal_made.v1"
    activity: ClassVar[str | None] = "proposal_made"

    def summary(self) -> str:
        """Name it."""
        return f"{self.id} proposed on {self.target}: {self.title}"


class ProposalEdited(ProposalStated):
    """A draft was changed; this is all it says now."""

    kind: ClassVar[str] = "decisions.proposal_edited.v1"
    activity: ClassVar[str | None] = "proposal_edited"

    def summary(self) -> str:
        """Name it."""
        return f"{self.id} edited: {self.title}"


class ProposalRejected(Event):
    """A proposal was turned down for good: the same one is refused from then on."""

    kind: ClassVar[str] = "decisions.proposal_rejected.v1"
    activity: ClassVar[str | None] = "proposal_rejected"

    id: str
    reason: str | None = None
    proof: Proof | None = None

    def summary(self) -> str:
        """Name it, and say why."""
        return f"{self.id} rejected" + (f": {self.reason}" if self.reason else "")

    def subject(self) -> str:
        """Give the proposal."""
        return self.id


EVENTS: tuple[type[Event], ...] = (
    DecisionRecorded,
    DecisionSuperseded,
    ProposalAccepted,
    ProposalMade,
    ProposalEdited,
    ProposalRejected,
)
