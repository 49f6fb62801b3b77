"""Requests and refusals about records. The answers are in `answers.py`."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema, model_validator

from hansard.kernel import limits as kernel_limits
from hansard.kernel.operation import ProjectRequest, Request, TimedRequest
from hansard.kernel.problem import Problem
from hansard.kernel.text import (
    Body,
    Cursor,
    Id,
    Label,
    Limit,
    LineLabel,
    LineTitle,
    Point,
    Query,
    Summary,
)
from hansard.records import limits
from hansard.records.shapes import State


class NotActivated(Problem):
    """The record is not active in this session."""

    code, http_status = "NOT_ACTIVATED", 409
    hint = "Call activate with this id first"


class ParentNotActivated(Problem):
    """A child was to be created under a record that is not active in this session."""

    code, http_status = "PARENT_NOT_ACTIVATED", 409
    hint = "Call activate with the parent's id first"


class InvalidTransition(Problem):
    """There is no such transition between states."""

    code, http_status = "INVALID_TRANSITION", 409
    hint = "Choose one of the states in details.allowed"


class Conflict(Problem):
    """Another session changed the record since this one last saw it."""

    code, http_status = "CONFLICT", 409
    hint = "Call sync_session or activate to see what changed, then decide again"


class DepthExceeded(Problem):
    """The hierarchy would become too deep."""

    code, http_status = "DEPTH_EXCEEDED", 409
    hint = "Consider flattening: put the record higher up"


def _metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    if _holds_nul(metadata):
        raise ValueError("holds a NUL character, which stored text may not")
    return metadata


def _holds_nul(value: object) -> bool:
    if isinstance(value, dict):
        return any(_holds_nul(part) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return any(map(_holds_nul, value))
    return isinstance(value, str) and "\0" in value


def _few(states: list[State]) -> list[State]:
    if len(states) > kernel_limits.FILTER_VALUES_MAX:
        raise ValueError(f"at most {kernel_limits.FILTER_VALUES_MAX} states, not {len(states)}")
    return states


def _nonempty_reason(reason: str) -> str:
    if not reason.strip():
        raise ValueError("must not be empty")
    return reason


Metadata = Annotated[dict[str, Any], AfterValidator(_metadata), WithJsonSchema({"type": "object"})]
"""Anything in JSON, by key."""

Reason = Annotated[Summary, AfterValidator(_nonempty_reason)]
_TEXTS = WithJsonSchema({"type": "array", "items": {"type": "string"}})
Related = Annotated[list[Id], Field(max_length=limits.RELATED_MAX), _TEXTS]
Cites = Annotated[list[Id], Field(max_length=limits.CITES_MAX), _TEXTS]
States = Annotated[list[State], AfterValidator(_few)]
Types = Annotated[list[Label], Field(max_length=limits.TYPES_MAX), _TEXTS]
ParentId = Annotated[Id | None, WithJsonSchema({"type": ["string", "null"]})]
"""A record, or null for none: where it may also be left out, that means something else."""

Budget = Annotated[
    int,
    Field(ge=limits.BUDGET_TOKENS_MIN, le=limits.BUDGET_TOKENS_MAX),
    WithJsonSchema({"type": "integer"}),
]
Version = Annotated[int, Field(ge=1, le=limits.VERSION_MAX), WithJsonSchema({"type": "integer"})]
Depth = Annotated[int, Field(ge=1, le=limits.LISTED_DEPTH_MAX), WithJsonSchema({"type": "integer"})]


Offset = Annotated[int, Field(ge=0), WithJsonSchema({"type": "integer"})]
BodyChars = Annotated[
    int,
    Field(ge=1, le=kernel_limits.BODY_BYTES_MAX),
    WithJsonSchema({"type": "integer"}),
]


class GetProjectOverview(TimedRequest):
    budget_tokens: Budget = limits.OVERVIEW_BUDGET_TOKENS


class SearchRecords(ProjectRequest):
    query: Query
    types: Types | None = None
    states: States | None = None
    parent_id: Id | None = None
    limit: Limit = limits.SEARCH_LIMIT_DEFAULT
    cursor: Cursor | None = None


class ListRecords(TimedRequest):
    states: States | None = None
    types: Types | None = None
    parent_id: ParentId = None
    depth: Depth = 1
    format: Literal["refs", "outline"] = "refs"
    limit: Limit = kernel_limits.LIST_LIMIT_DEFAULT
    cursor: Cursor | None = None


class GetRecordRef(TimedRequest):
    id: Id


class GetRecordBody(TimedRequest):
    id: Id
    offset: Offset = 0
    limit: BodyChars = limits.BODY_PAGE_CHARS


class Activate(TimedRequest):
    id: Id
    override: bool = False
    budget_tokens: Budget = limits.ACTIVATE_BUDGET_TOKENS


class Deactivate(Request):
    id: Id


class SyncSession(Request):
    budget_tokens: Budget = limits.SYNC_BUDGET_TOKENS


class BranchSession(Request):
    pass


class CreateRecord(ProjectRequest):
    parent_id: ParentId = None
    type: LineLabel
    title: LineTitle
    summary: Summary
    body: Body
    state: State = "OPEN"
    reason: Reason | None = None
    resolved_by: Id | None = None
    related: Related | None = None
    metadata: Metadata | None = None
    cites: Cites | None = None


class UpdateRecord(Request):
    id: Id
    title: LineTitle | None = None
    summary: Summary | None = None
    body: Body | None = None
    related: Related | None = None
    metadata: Metadata | None = None
    cites: Cites | None = None
    base_version: Version | None = None
    """The version that the change was made to; if absent, the one that the session last saw."""
    force: bool = False
    """Overwrite what others wrote since; needs `force_version`."""
    force_version: int | None = None
    """The version to overwrite, `conflict.version` of the answer that showed it."""
    accept: Literal["merge"] | None = None
    """Where others wrote since, merge this with theirs; a clash is a conflict as before."""

    @model_validator(mode="after")
    def _one_decision(self) -> Self:
        if self.force and self.accept:
            raise ValueError("force writes over, accept merges: give one of them")
        if self.force_version is not None and not self.force:
            raise ValueError("force_version goes with force")
        return self


class Transition(Request):
    id: Id
    to_state: State
    reason: Reason | None = None
    resolved_by: Id | None = None


class MoveRecord(Request):
    id: Id
    parent_id: ParentId


class GetRecordHistory(ProjectRequest):
    id: Id
    since: Point | None = None
    limit: Limit = kernel_limits.LIST_LIMIT_DEFAULT
    cursor: Cursor | None = None


class GetRecordDiff(ProjectRequest):
    model_config = ConfigDict(validate_by_alias=True, validate_by_name=False)

    id: Id
    from_: Point = Field(alias="from")
    to: Point = "current"


class GetActiveSessions(ProjectRequest):
    record_id: Id
    limit: Limit = kernel_limits.LIST_LIMIT_DEFAULT
    cursor: Cursor | None = None
