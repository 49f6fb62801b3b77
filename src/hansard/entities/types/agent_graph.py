"""agentGraph: the nodes of an agent, and the edges that join them. Cycles are allowed."""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Self

from pydantic import Field, model_validator

from hansard.entities import limits
from hansard.entities.types.entity import AnyJson, CamelShape, Entity, EntityType
from hansard.kernel.text import Description, Id, Title


class NodePosition(CamelShape):
    """Where a node is drawn."""

    x: float
    y: float


class NodeDraft(CamelShape):
    """What a caller gives of a node: `id` is what edges join, `nodeId` what kind of node it is."""

    id: Id | None = None
    node_id: Id
    position: NodePosition
    parameters: AnyJson = None


class EdgeDraft(CamelShape):
    """What a caller gives of an edge: the ids of the nodes it joins, and their ports."""

    id: Id | None = None
    source_node_id: Id
    source_port_id: Id
    target_node_id: Id
    target_port_id: Id


class AgentGraphNode(Entity):
    """A node of a graph."""

    node_id: Id
    position: NodePosition
    parameters: AnyJson


class AgentGraphEdge(Entity):
    """An edge of a graph."""

    source_node_id: Id
    source_port_id: Id
    target_node_id: Id
    target_port_id: Id


class AgentGraphDraft(CamelShape):
    """What a caller gives."""

    name: Title
    description: Description = ""
    nodes: Annotated[list[NodeDraft], Field(max_length=limits.NODES_MAX)] = Field(
        default_factory=list
    )
    edges: Annotated[list[EdgeDraft], Field(max_length=limits.EDGES_MAX)] = Field(
        default_factory=list
    )

    @model_validator(mode="after")
    def _joined(self) -> Self:
        nodes = {node.id for node in self.nodes if node.id}
        _refuse_twice("node", (node.id for node in self.nodes))
        _refuse_twice("edge", (edge.id for edge in self.edges))
        for number, edge in enumerate(self.edges):
            for end in (edge.source_node_id, edge.target_node_id):
                if end not in nodes:
                    raise ValueError(f"edges.{number} joins {end}, which is the id of no node")
        joints = (
            (one.source_node_id, one.source_port_id, one.target_node_id, one.target_port_id)
            for one in self.edges
        )
        for joint, times in Counter(joints).items():
            if times > 1:
                raise ValueError(f"edges has {' '.join(joint)} {times} times")
        return self


class AgentGraph(Entity):
    """A graph of an agent."""

    name: Title
    description: Description
    nodes: list[AgentGraphNode]
    edges: list[AgentGraphEdge]


def _refuse_twice(what: str, ids: Iterable[str | None]) -> None:
    for identifier, times in Counter(one for one in ids if one is not None).items():
        if times > 1:
            raise ValueError(f"{what}s has the id {identifier} {times} times")


AGENT_GRAPH = EntityType(
    "agentGraph",
    AgentGraph,
    AgentGraphDraft,
    where=("name",),
    parts=("nodes", "edges"),
    title="name",
    texts=("description",),
)
