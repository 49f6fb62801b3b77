"""agentGraphExecution: one run of a graph, with what happened in it, in order."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from hansard.entities.types.entity import AnyJson, Entity, EntityType, Moment, Output, Shape, Status
from hansard.kernel.problem import InvalidInput
from hansard.kernel.text import Id, Label


class NodeStarted(Shape):
    """A node began its work."""

    type: Literal["nodeStarted"]
    node_id: Id
    input: AnyJson = None


class NodeCompleted(Shape):
    """A node did its work."""

    type: Literal["nodeCompleted"]
    node_id: Id
    output: AnyJson = None


class NodeFailed(Shape):
    """A node could not do its work."""

    type: Literal["nodeFailed"]
    node_id: Id
    error: Output


class EdgeTaken(Shape):
    """Something went from one node to another."""

    type: Literal["edgeTaken"]
    edge_id: Id
    value: AnyJson = None


class Logged(Shape):
    """Somebody noted something."""

    type: Literal["log"]
    level: Literal["debug", "info", "warning", "error"] = "info"
    message: Output


class Custom(Shape):
    """Something for which there is no type."""

    type: Literal["custom"]
    name: Label
    value: AnyJson = None


ExecutionEvent = Annotated[
    NodeStarted | NodeCompleted | NodeFailed | EdgeTaken | Logged | Custom,
    Field(discriminator="type"),
]


class AgentGraphExecutionDraft(Shape):
    """What a caller gives. Times and events come with what happens."""

    agent_graph_id: Id
    status: Literal["notStarted", "inProgress"] = "notStarted"


class AgentGraphExecution(Entity):
    """A run: when it began and ended, and how; each event has its `index` and the time `at`."""

    agent_graph_id: Id
    status: Status
    events: list[AnyJson]
    start_time: Moment | None
    end_time: Moment | None


NEXT: Mapping[Status, tuple[Status, ...]] = {
    "notStarted": ("inProgress",),
    "inProgress": ("completed", "failed"),
    "completed": (),
    "failed": (),
}
"""The only ways a run can go."""


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
    references={"agentGraphId": "agentGraph"},
    check_change=_same_graph,
)
