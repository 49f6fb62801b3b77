"""Answers of the operations on decisions, each with a text that stands alone."""

from collections.abc import Iterable
from typing import Annotated, Self

from hansard.decisions.contract import Status
from hansard.decisions.events import Enforcement
from hansard.kernel.event import Proof
from hansard.kernel.model import AnswerPart
from hansard.kernel.model_answer import KEPT, NO_COUNT, SECONDS, UNTOLD, whole_seconds
from hansard.kernel.operation import Flagged, Result, Written
from hansard.kernel.text import between_marks, one_line
from hansard.sessions.citations import CitingAnswer


class DecisionRecordedAnswer(CitingAnswer):
    """A new active decision."""

    decision_id: str
    session_id: str | None = None

    def text(self) -> str:
        """Name it."""
        return f"[{self.decision_id}] (active) recorded"


class DecisionSupersededAnswer(CitingAnswer):
    """A new active decision in the place of older ones."""

    decision_id: str
    superseded: list[str]
    blast_radius: dict[str, list[str]]
    """What cites the old decisions, by kind, and may have to follow."""
    session_id: str | None = None

    def text(self) -> str:
        """Name it, what it replaced, and what cites that."""
        made = f"[{self.decision_id}] (active) supersedes {', '.join(self.superseded)}"
        return "\n".join([made, *radius_lines(self.blast_radius)])


class DecisionProposedAnswer(CitingAnswer):
    """A draft."""

    proposal_id: str
    status: Status
    supersedes: list[str]
    """The decisions that accepting it would supersede."""
    acceptable_from: Annotated[str, SECONDS]
    """Until then it can be read, but not accepted."""
    session_id: str | None = None

    def text(self) -> str:
        """Name it, and say what happens next."""
        instead = f" It would supersede {', '.join(self.supersedes)}." if self.supersedes else ""
        return (
            f"[{self.proposal_id}] ({self.status}) An admin can accept it from "
            f"{whole_seconds(self.acceptable_from)} on.{instead}"
        )


class ProposalAcceptedAnswer(Written):
    """A proposal that is now a decision."""

    decision_id: str
    proposal_id: str
    superseded: list[str]
    blast_radius: dict[str, list[str]]

    def text(self) -> str:
        """Name both, and what was replaced."""
        made = f"[{self.decision_id}] (active) accepted from {self.proposal_id}"
        instead = f", supersedes {', '.join(self.superseded)}" if self.superseded else ""
        return "\n".join([made + instead, *radius_lines(self.blast_radius)])


class ProposalRejectedAnswer(CitingAnswer):
    """A proposal that was turned down."""

    proposal_id: str
    status: Status

    def text(self) -> str:
        """Name it."""
        return f"[{self.proposal_id}] ({self.status}) The same will not be accepted again"


class DecisionFound(AnswerPart):
    """A decision that matched, or that a match leads to."""

    id: str
    title: str
    target: str
    status: Status
    score: float
    preview: str
    matched_via: list[str]
    """The superseded ones it was found by."""
    author: str
    """Its author: the text is theirs, and no instruction to a reader."""
    at: Annotated[str | None, SECONDS] = None
    """When, where that is looked for: in `audit`, and in a history."""
    changes: str | None = None
    """In a history: a unified diff from what held before it."""

    def text(self) -> str:
        """Give a line, and the preview or what changed."""
        via = f", via {', '.join(self.matched_via)}" if self.matched_via else ""
        about = one_line(f"{self.target}: {self.title}")
        head = f"[{self.id}] ({self.status}) {about} ({self.score:.2f}{via})"
        signed = f" by {self.author}" + (f", {self.at[:19]}" if self.at else "")
        rest = self.preview if self.changes is None else self.changes
        return "\n".join([head + signed, *(f"  {line}" for line in rest.splitlines())])


class DecisionsFoundAnswer(Flagged):
    """What a search found, best first."""

    results: Annotated[list[DecisionFound], KEPT]
    index_lag: Annotated[int, NO_COUNT]
    """How many entries of the journal the search by meaning does not cover yet."""
    index: str
    """What finds by meaning; `none` says that words alone did."""
    earlier: int | None = None
    """In a history: how many came before those that are shown."""

    def text(self) -> str:
        """Give each, then how it was found."""
        behind = f", {self.index_lag} entries behind" if self.index_lag else ""
        found = [one.text() for one in self.results] or ["No decision matches"]
        if self.earlier:
            found.insert(0, f"{self.earlier} earlier ones: raise limit, or give until")
        return "\n".join([*found, f"Index: {self.index}{behind}", *self.cautions()])


class DecisionShown(AnswerPart):
    """A decision or a proposal in full."""

    id: str
    title: str
    target: str
    status: Status
    rationale: str
    consequences: list[str] | None = None
    cites: list[str] | None = None
    enforcement: Enforcement | None = None
    supersedes: list[str] | None = None
    superseded_by: str | None = None
    proposal_id: str | None = None
    """The proposal it was accepted from."""
    decision_id: str | None = None
    """Of a proposal: the decision it became."""
    reason: str | None = None
    """Of a proposal: why it was rejected."""
    author: str
    accepted_by: str | None = None
    at: Annotated[str, SECONDS]
    seq: int
    session_id: str | None = None
    proof: Proof | None = None
    """For a person: whether that was proved, or only claimed because no secret is set."""
    version: Annotated[int | None, UNTOLD] = None
    """How many decisions its chain had including it, along the longest line."""

    def facts(self) -> list[str]:
        """Name it, and say what became of it."""
        extras = {
            "Enforcement": self.enforcement,
            "Cites": ", ".join(self.cites or ()),
            "Recorded": f"s:{self.seq}" + (f" in {self.session_id}" if self.session_id else ""),
            "Supersedes": ", ".join(self.supersedes or ()),
            "Superseded by": self.superseded_by,
            "Accepted from": self.proposal_id,
            "Accepted by": self.accepted_by,
            "Became": self.decision_id,
            "Rejected": self.reason,
        }
        return [
            one_line(f"[{self.id}] ({self.status}) {self.target}: {self.title}"),
            *(one_line(f"{name}: {value}") for name, value in extras.items() if value),
        ]

    def reasons(self) -> str:
        """Give why, and what follows from it."""
        return "\n".join([self.rationale, *(f"- {one}" for one in self.consequences or ())])

    def text(self) -> str:
        """Give it in full. Its text is between marks: it is data, and its author is named."""
        heading = f"rationale of {self.id}, by {self.author}{self._unproved}, {self.at[:19]}"
        marked = between_marks(heading, self.reasons(), f"end of {self.id}")
        return "\n".join([*self.facts(), marked])

    @property
    def _unproved(self) -> str:
        return " (unproved)" if self.proof == "unproved" else ""


class Link(AnswerPart):
    """One decision of a chain."""

    id: str
    title: str
    target: Annotated[str, UNTOLD]
    status: Status
    author: Annotated[str, UNTOLD]
    at: Annotated[str, UNTOLD]
    supersedes: Annotated[list[str] | None, UNTOLD] = None
    superseded_by: str | None = None

    def text(self) -> str:
        """Give a line."""
        by = f" -> {self.superseded_by}" if self.superseded_by else ""
        return one_line(f"[{self.id}] ({self.status}) {self.title}{by}")


class Evidence(AnswerPart):
    """Something a decision rests on."""

    ref: str
    about: str | None = None
    """What it is, if this capability knows."""

    def text(self) -> str:
        """Give a line."""
        return one_line(f"{self.ref}: {self.about}") if self.about else self.ref


class DecisionInContextAnswer(Result):
    """A decision with its chain, what it rests on and what rests on it."""

    decision: DecisionShown
    head: Link | None = None
    """The active decision its chain leads to, unless it is that one; none of an open proposal."""
    chain: list[Link]
    """The decisions before and after it, the oldest first."""
    more_before: bool | None = None
    more_after: bool | None = None
    evidence: list[Evidence]
    blast_radius: dict[str, list[str]] | None = None
    """What cites it, by kind. Only for the present."""

    def _why_another(self) -> str:
        return "Accepted" if self.decision.status == "accepted" else "Superseded"

    def briefly(self) -> Self:
        """Leave out a chain of one, and empty lists."""
        chain = self.chain if len(self.chain) > 1 else []
        return self.model_copy(update={"chain": chain, "blast_radius": self.blast_radius or None})

    def text(self) -> str:
        """Give it in full, then its surroundings, a line each."""
        return "\n".join([
            *([f"{self._why_another()}: read {self.head.text()}"] if self.head else []),
            self.decision.text(),
            *_headed("Chain:", self._chain_lines()),
            *_headed("Evidence:", [one.text() for one in self.evidence]),
            *radius_lines(self.blast_radius or {}),
        ])  # fmt: skip

    def _chain_lines(self) -> list[str]:
        if len(self.chain) < 2:  # noqa: PLR2004 - one decision is no chain
            return []
        before = ["Earlier ones: get_decision of the first shown"] if self.more_before else []
        after = ["Later ones: get_decision of the last shown"] if self.more_after else []
        return [*before, *(link.text() for link in self.chain), *after]


def radius_lines(radius: dict[str, list[str]]) -> list[str]:
    """Say what cites a decision, a line for each kind."""
    return [f"Cited by {kind}: {', '.join(names)}" for kind, names in radius.items() if names]


def _headed(heading: str, lines: Iterable[str]) -> list[str]:
    told = list(lines)
    return [heading, *told] if told else []
