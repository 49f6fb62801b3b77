"""agentGraphExecution: one run of a graph, with what happened in it, in order."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from hansard.entities import limits
from hansard.entities.types.entity import (
    AnyJson,
    CamelShape,
    Entity,
    EntityType,
    Moment,
    Output,
    Status,
)
from hansard.kernel.clock import from_text, to_text
from hansard.kernel.problem import InvalidInput
from hansard.kernel.text import Id, Label


class NodeStarted(CamelShape):
    """A node began its work."""

    type: Literal["nodeStarted"]
    node_id: Id
    input: AnyJson = None


class NodeCompleted(CamelShape):
    """A node did its work."""

    type: Literal["nodeCompleted"]
    node_id: Id
    output: AnyJson = None


class NodeFailed(CamelShape):
    """A node could not do its work."""

    type: Literal["nodeFailed"]
    node_id: Id
    error: Output


class EdgeTaken(CamelShape):
    """Something went from one node to another."""

    type: Literal["edgeTaken"]
    edge_id: Id
    value: AnyJson = None


class Logged(CamelShape):
    """Somebody noted something."""

    type: Literal["log"]
    level: Literal["debug", "info", "warning", "error"] = "info"
    message: Output


class Custom(CamelShape):
    """Something for which there is no type."""

    type: Literal["custom"]
    name: Label
    value: AnyJson = None


ExecutionEvent = Annotated[
    NodeStarted | NodeCompleted | NodeFailed | EdgeTaken | Logged | Custom,
    Field(discriminator="type"),
]


EVENTS: TypeAdapter[list[Any]] = TypeAdapter(
    list[ExecutionEvent], config=ConfigDict(defer_build=True)
)


def _moment(given: str) -> str:
    try:
        return to_text(from_text(given))
    except ValueError:
        raise ValueError("not an ISO time, such as 2026-01-31T12:00:00Z") from None


def _event_then(given: dict[str, Any]) -> dict[str, Any]:
    """Read an event as it is shown: with the time `at`, and `index`, which its place says."""
    if not isinstance(given.get("at"), str):
        # Pydantic takes a ValueError for a refusal.
        raise ValueError("at: when it happened is needed, as an ISO time")  # noqa: TRY004
    told = {name: value for name, value in given.items() if name not in ("at", "index")}
    try:
        [event] = EVENTS.validate_python([told])
    except ValidationError as error:
        [first, *_] = error.errors(include_url=False, include_input=False)
        where = ".".join(str(part) for part in first["loc"][1:])
        raise ValueError(f"{where or 'type'}: {first['msg']}") from None
    plain: dict[str, Any] = event.plain()
    return plain | {"at": _moment(given["at"])}


def _in_place(given: Any) -> Any:
    for place, one in enumerate(given if isinstance(given, list) else []):
        if isinstance(one, dict) and one.get("index", place) != place:
            raise ValueError(f"{place}: its index is {place}, since all events are to be given")
    return given


MomentGiven = Annotated[str, AfterValidator(_moment)]
EventGiven = Annotated[dict[str, Any], AfterValidator(_event_then)]


class FinishedRunDraft(CamelShape):
    """What a caller gives of a run that is over: all of it, with its own times.

    Events are in the order in which they are given; clocks of several machines may say otherwise.
    """

    agent_graph_id: Id
    status: Literal["completed", "failed"]
    events: Annotated[
        list[EventGiven],
        BeforeValidator(_in_place),
        Field(max_length=limits.RECORDED_EVENTS_MAX),
    ] = Field(default_factory=list)
    start_time: MomentGiven
    end_time: MomentGiven
    recorded_later: Literal[True] = True

    @model_validator(mode="after")
    def _forwards(self) -> Self:
        if self.end_time < self.start_time:
            raise ValueError("endTime is before startTime")
        return self


class AgentGraphExecutionDraft(CamelShape):
    """What a caller gives of a run that is ahead. Times and events come with what happens."""

    agent_graph_id: Id
    status: Literal["notStarted", "inProgress"] = "notStarted"


class AgentGraphExecution(Entity):
    """A run: when it began and ended, and how; each event has its `index` and the time `at`."""

    agent_graph_id: Id
    status: Status
    events: list[AnyJson]
    start_time: Moment | None
    end_time: Moment | None
    recorded_later: bool
    """Whether it was recorded when it was over; else times are those of the server."""


NEXT: Mapping[Status, tuple[Status, ...]] = {
    "notStarted": ("inProgress",),
    "inProgress": ("completed", "failed"),
    "completed": (),
    "failed": (),
}
"""The only ways a run can go."""

ENDS = [status for status, following in NEXT.items() if not following]


def _same_graph(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    if before["agentGraphId"] != after["agentGraphId"]:
        raise InvalidInput(
            "data.agentGraphId: a run stays a run of its graph", argument="data.agentGraphId"
        )


AGENT_GRAPH_EXECUTION = EntityType(
    "agentGraphExecution",
    AgentGraphExecution,
    AgentGraphExecutionDraft,
    where=("agentGraphId", "status"),
    linked=("startTime", "endTime"),
    defaults={"recordedLater": False},
    grows={"events": "events"},
    references={"agentGraphId": "agentGraph"},
    check_change=_same_graph,
)
