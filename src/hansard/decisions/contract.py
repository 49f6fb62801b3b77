"""Requests and refusals about decisions. The answers are in `answers.py`."""

from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
)

from hansard.decisions import limits
from hansard.decisions.events import Enforcement
from hansard.kernel.model import Model
from hansard.kernel.operation import ProjectRequest, TimedRequest
from hansard.kernel.problem import FORBIDDEN, Problem
from hansard.kernel.text import Description, Id, Limit, Point, Query, Summary, Title

Status = Literal["active", "superseded", "proposed", "accepted", "rejected"]
Mode = Literal["strict", "balanced", "audit"]


class TargetConflict(Problem):
    """The target has an active decision, or is not the one of what is to be superseded."""

    code, http_status = "TARGET_CONFLICT", 409
    hint = "Call supersede_decision with the id of the active decision in details"


class DecisionNotFound(Problem):
    """No decision of this project has that id."""

    code, http_status = "DECISION_NOT_FOUND", 404
    hint = "Check the id's spelling; search_decisions shows what there is"


class DecisionNotActive(Problem):
    """The decision has been superseded already."""

    code, http_status = "DECISION_NOT_ACTIVE", 409
    hint = "Look at the active decision in details, and supersede that one if need be"


class ProposalNotFound(Problem):
    """No open proposal of this project has that id."""

    code, http_status = "PROPOSAL_NOT_FOUND", 404
    hint = "Check the id's spelling; search_decisions in mode audit shows proposals, too"


class ProposalClosed(Problem):
    """The proposal was accepted or rejected already."""

    code, http_status = "PROPOSAL_CLOSED", 409
    hint = "Read in details what became of it; propose something else if need be"


class ProposalRefused(Problem):
    """The same was proposed before, and rejected."""

    code, http_status = "PROPOSAL_REFUSED", 409
    hint = "Read why it was rejected; propose something else, or with new reasons"


class IsolationViolation(Problem):
    """An agent tried to replace what a person has decided."""

    code, http_status, rpc_code = "ISOLATION_VIOLATION", 403, FORBIDDEN
    hint = "Call propose_decision instead: a person can accept it"


class ReviewWindow(Problem):
    """The proposal has not stood unchanged for long enough."""

    code, http_status, rpc_code = "REVIEW_WINDOW", 403, FORBIDDEN
    hint = "Accept it after the time in details.acceptable_from"


def _at_least(chars_min: int) -> AfterValidator:
    def check(text: str) -> str:
        length = len(text.strip())
        if length < chars_min:
            raise ValueError(f"at least {chars_min} characters, not {length}")
        return text

    return AfterValidator(check)


def _listed(given: object) -> object:
    """Take a text for a list of one."""
    return [given] if isinstance(given, str) else given


def _reasoned(chars_min: int) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "minLength": chars_min})


_TEXTS = {"type": "array", "items": {"type": "string"}}

Rationale = Annotated[
    Description, _at_least(limits.RATIONALE_CHARS_MIN), _reasoned(limits.RATIONALE_CHARS_MIN)
]
SupersedingRationale = Annotated[
    Description,
    _at_least(limits.SUPERSEDING_RATIONALE_CHARS_MIN),
    _reasoned(limits.SUPERSEDING_RATIONALE_CHARS_MIN),
]
Consequences = Annotated[
    list[Summary],
    BeforeValidator(_listed),
    Field(max_length=limits.CONSEQUENCES_MAX),
    WithJsonSchema(_TEXTS | {"type": ["array", "string"]}),
]
Cites = Annotated[list[Id], Field(max_length=limits.CITES_MAX), WithJsonSchema(_TEXTS)]
"""Ids of anything, journal entries `s:340`, files `path:src/a.py`, commits `commit:1f2e…`."""

OldIds = Annotated[
    list[Id],
    Field(min_length=1, max_length=limits.SUPERSEDED_MAX),
    WithJsonSchema(_TEXTS | {"minItems": 1}),
]


class RecordDecision(ProjectRequest):
    title: Title
    target: Title
    rationale: Rationale
    consequences: Consequences | None = None
    cites: Cites | None = None
    enforcement: Enforcement | None = None


class SupersedeDecision(ProjectRequest):
    old_decision_ids: OldIds
    title: Title
    target: Title
    rationale: SupersedingRationale
    consequences: Consequences | None = None
    cites: Cites | None = None
    enforcement: Enforcement | None = None


class ProposeDecision(ProjectRequest):
    title: Title
    target: Title
    rationale: Rationale
    consequences: Consequences | None = None
    cites: Cites | None = None
    enforcement: Enforcement | None = None
    old_decision_ids: OldIds | None = None
    proposal_id: Id | None = None
    """A draft to change; its review starts over."""


class AcceptProposal(ProjectRequest):
    proposal_id: Id


class RejectProposal(ProjectRequest):
    proposal_id: Id
    reason: Summary | None = None


class Filter(Model):
    """Which decisions and proposals are searched for; an absent field does not filter."""

    model_config = ConfigDict(extra="forbid")

    target: Title | None = None
    status: Status | None = None
    author: Title | None = None
    """As answers show it, `human:ada`, or either part of that."""
    since: Point | None = None
    until: Point | None = None

    @classmethod
    def __get_pydantic_json_schema__(cls, *_: object) -> dict[str, str]:
        """Let the parameter's description name the fields, which costs a third."""
        return {"type": "object"}


class SearchDecisions(ProjectRequest):
    query: Query
    mode: Mode = "balanced"
    limit: Limit = limits.SEARCH_LIMIT_DEFAULT
    where: Filter | None = None
    history: bool | None = None
    """All that was ever decided about the target, in order, with what changed between."""


class GetDecision(TimedRequest):
    decision_id: Id


Stated = RecordDecision | SupersedeDecision | ProposeDecision
"""Requests that state a decision."""
