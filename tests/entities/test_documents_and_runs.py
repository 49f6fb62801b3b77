"""Versions of documents, graphs that hold together, and runs that go one way."""

from typing import Any

import pytest

from hansard.entities.contract import EntityConflict, EntityNotFound, EntityShownAnswer
from hansard.kernel.problem import InvalidInput
from tests.entities.asking import DOCUMENT, GRAPH, Asking, Json


@pytest.mark.holds(
    "ENT-tools-8",
    "ENT-document-1",
    "ENT-document-2",
    "002-textDocument-1",
    "002-textDocument-2",
)
def test_a_revision_is_a_new_document_linked_both_ways(entities_of: Asking) -> None:
    first = entities_of.create("textDocument", DOCUMENT)
    second = entities_of.revise(first["id"], "Shipped.")
    third = entities_of.revise(second["id"], "Sold.", title="Done")

    versions = [entities_of.get(one["id"]) for one in (first, second, third)]

    ids = [one["id"] for one in versions]
    assert [one["previousId"] for one in versions] == [None, *ids[:2]]
    assert [one["nextId"] for one in versions] == [*ids[1:], None]
    assert [one["content"] for one in versions] == [DOCUMENT["content"], "Shipped.", "Sold."]
    assert [one["title"] for one in versions] == ["A plan", "A plan", "Done"]
    assert entities_of.list("textDocument", where={"previousId": ids[0]}).total == 1
    assert entities_of.list("textDocument", where={"previousId": None}).total == 1


@pytest.mark.holds("ENT-document-3")
def test_a_second_successor_needs_a_fork(entities_of: Asking) -> None:
    first = entities_of.create("textDocument", DOCUMENT)
    second = entities_of.revise(first["id"], "one way")

    with pytest.raises(EntityConflict) as refused:
        entities_of.revise(first["id"], "another way")

    assert refused.value.details["next_id"] == second["id"]
    fork = entities_of.revise(first["id"], "another way", fork=True)
    assert fork["previousId"] == first["id"]
    assert entities_of.get(first["id"])["nextId"] == second["id"]


def test_links_never_lead_to_what_was_deleted(entities_of: Asking) -> None:
    first = entities_of.create("textDocument", DOCUMENT)
    second = entities_of.revise(first["id"], "2")
    third = entities_of.revise(second["id"], "3")
    then = f"s:{entities_of.head()}"

    entities_of.delete(second["id"])

    assert entities_of.get(first["id"])["nextId"] == third["id"]
    assert entities_of.get(third["id"])["previousId"] == first["id"]
    assert entities_of.get(first["id"], as_of=then)["nextId"] == second["id"]
    assert entities_of.get(third["id"], as_of=then)["previousId"] == second["id"]
    with pytest.raises(EntityConflict):
        entities_of.revise(first["id"], "again")


def test_only_a_document_can_be_revised(entities_of: Asking) -> None:
    graph = entities_of.create("agentGraph", GRAPH)

    for identifier in (graph["id"], "textDocument::nope"):
        with pytest.raises(EntityNotFound):
            entities_of.revise(identifier, "x")


# Graphs.


def edge(source: str, target: str, port: str = "p", **rest: Any) -> Json:
    ends = {"sourceNodeId": source, "targetNodeId": target}
    return {**ends, "sourcePortId": port, "targetPortId": port, **rest}


def node(identifier: str | None) -> Json:
    named = {} if identifier is None else {"id": identifier}
    return {**named, "nodeId": "llm", "position": {"x": 0, "y": 0}}


@pytest.mark.holds("ENT-graph-3", "002-agentGraph-1", "002-agentGraph-2", "002-agentGraph-3")
def test_a_graph_keeps_what_it_was_given(entities_of: Asking) -> None:
    made = entities_of.create("agentGraph", GRAPH)

    for part in ("nodes", "edges"):
        for given, kept in zip(GRAPH[part], made[part], strict=True):
            assert {name: kept[name] for name in given} == given
    assert made["nodes"][1]["parameters"] is None
    assert all(one["id"].startswith("agentGraphEdge::") for one in made["edges"])


TORN: list[list[Json]] = [
    [edge("a", "nobody")],
    [edge("nobody", "a")],
    [edge("llm", "a")],
    [edge("a", "b"), edge("a", "b")],
    [edge("a", "b", id="e"), edge("b", "a", id="e")],
]


@pytest.mark.holds("ENT-graph-1", "ENT-graph-2")
def test_a_graph_that_does_not_hold_together_is_refused(entities_of: Asking) -> None:
    nodes = [node("a"), node("b")]
    made = entities_of.create("agentGraph", {"name": "g", "nodes": nodes})

    for edges in TORN:
        with pytest.raises(InvalidInput, match="edges"):
            entities_of.create("agentGraph", {"name": "g", "nodes": nodes, "edges": edges})
        with pytest.raises(InvalidInput, match="edges"):
            entities_of.update(made["id"], {"edges": edges})

    assert entities_of.list("agentGraph").entities == [made]


def test_nodes_of_one_id_and_edges_without_their_node_are_refused(entities_of: Asking) -> None:
    with pytest.raises(InvalidInput, match="nodes has the id a"):
        entities_of.create("agentGraph", {"name": "g", "nodes": [node("a"), node("a")]})
    made = entities_of.create("agentGraph", GRAPH)

    with pytest.raises(InvalidInput, match="joins b"):
        entities_of.update(made["id"], {"nodes": [node("a")]})


def test_a_node_that_stays_as_it_is_keeps_its_times(entities_of: Asking) -> None:
    made = entities_of.create("agentGraph", GRAPH)
    moved = [made["nodes"][0] | {"position": {"x": 9, "y": 9}}, made["nodes"][1], node(None)]

    changed = entities_of.update(made["id"], {"nodes": moved})

    first, second, third = changed["nodes"]
    assert second == made["nodes"][1]
    assert first["createdAt"] == made["createdAt"]
    assert first["updatedAt"] == third["createdAt"] == changed["updatedAt"]
    assert changed["edges"] == made["edges"]


# Runs.


@pytest.fixture
def run(entities_of: Asking) -> Json:
    graph = entities_of.create("agentGraph", GRAPH)
    return entities_of.create("agentGraphExecution", {"agentGraphId": graph["id"]})


@pytest.mark.holds(
    "ENT-tools-12",
    "ENT-execution-3",
    "ENT-execution-4",
    "002-agentGraphExecution-1",
)
def test_a_run_begins_happens_and_ends(entities_of: Asking, run: Json) -> None:
    assert (run["status"], run["startTime"], run["endTime"]) == ("notStarted", None, None)

    begun = entities_of.happen(
        run["id"], {"type": "nodeStarted", "nodeId": "a", "input": {"q": 1}}, status="inProgress"
    )
    entities_of.happen(
        run["id"],
        {"type": "nodeFailed", "nodeId": "a", "error": "no"},
        {"type": "edgeTaken", "edgeId": "e", "value": [1]},
        {"type": "nodeCompleted", "nodeId": "b"},
    )
    ended = entities_of.happen(
        run["id"],
        {"type": "log", "message": "bye"},
        {"type": "custom", "name": "cost", "value": 0.5},
        status="completed",
    )

    assert (begun["status"], begun["endTime"]) == ("inProgress", None)
    assert begun["startTime"] > run["createdAt"]
    assert ended["status"] == "completed"
    assert ended["endTime"] == ended["updatedAt"] > ended["startTime"] == begun["startTime"]
    assert [event["type"] for event in ended["events"]] == [
        "nodeStarted",
        "nodeFailed",
        "edgeTaken",
        "nodeCompleted",
        "log",
        "custom",
    ]
    assert [event["index"] for event in ended["events"]] == list(range(6))
    assert [event["at"] for event in ended["events"]] == sorted(
        event["at"] for event in ended["events"]
    )
    assert ended["events"][0]["input"] == {"q": 1}
    assert entities_of.get(run["id"]) == ended


@pytest.mark.holds("ENT-execution-1", "ENT-execution-2")
@pytest.mark.parametrize("end", ["completed", "failed"])
def test_a_run_goes_one_way_and_stays_as_it_ended(entities_of: Asking, run: Json, end: str) -> None:
    log = {"type": "log", "message": "x"}
    for wrong in ("completed", "failed", "notStarted"):
        with pytest.raises(EntityConflict):
            entities_of.happen(run["id"], status=wrong)
    with pytest.raises(EntityConflict):
        entities_of.happen(run["id"], log)
    entities_of.happen(run["id"], status="inProgress")
    for wrong in ("notStarted", "inProgress"):
        with pytest.raises(EntityConflict):
            entities_of.update(run["id"], {"status": wrong})
    ended = entities_of.update(run["id"], {"status": end})

    for status in ("notStarted", "inProgress", "completed", "failed"):
        with pytest.raises(EntityConflict):
            entities_of.happen(run["id"], status=status)
        with pytest.raises(EntityConflict):
            entities_of.update(run["id"], {"status": status})
    with pytest.raises(EntityConflict):
        entities_of.happen(run["id"], log)

    assert entities_of.get(run["id"]) == ended
    assert entities_of.list("agentGraphExecution", where={"status": end}).total == 1


def test_a_run_is_of_a_graph_and_stays_so(entities_of: Asking, run: Json) -> None:
    with pytest.raises(EntityNotFound):
        entities_of.create("agentGraphExecution", {"agentGraphId": "agentGraph::nope"})
    with pytest.raises(InvalidInput, match="startTime"):
        entities_of.create(
            "agentGraphExecution", {"agentGraphId": run["agentGraphId"], "status": "completed"}
        )
    for given in (
        {"agentGraphId": "other", "status": "inProgress"},
        {"events": [1]},
        {"startTime": "x"},
        {"status": "odd"},
        {},
    ):
        with pytest.raises(InvalidInput):
            entities_of.update(run["id"], given)
    begun = entities_of.create(
        "agentGraphExecution", {"agentGraphId": run["agentGraphId"], "status": "inProgress"}
    )
    assert begun["startTime"] == begun["createdAt"]


UNFIT: list[Json] = [
    {"type": "odd"},
    {"type": "nodeStarted"},
    {"type": "log", "message": "x", "level": "loud"},
    {"type": "nodeStarted", "nodeId": "a", "more": 1},
    {"type": "log", "message": "x", "at": "2026-01-01"},
]


@pytest.mark.holds("ENT-execution-4")
def test_an_event_of_no_known_type_is_refused(entities_of: Asking, run: Json) -> None:
    entities_of.happen(run["id"], status="inProgress")
    for unfit in UNFIT:
        with pytest.raises(InvalidInput, match="events"):
            entities_of.happen(run["id"], {"type": "log", "message": "fine"}, unfit)
    with pytest.raises(InvalidInput, match="events"):
        entities_of.happen(run["id"])

    assert entities_of.get(run["id"])["events"] == []


def test_a_long_run_is_read_page_by_page_and_as_it_stood(entities_of: Asking, run: Json) -> None:
    entities_of.happen(run["id"], status="inProgress")
    then = ""
    for batch in range(3):
        some = [{"type": "log", "message": f"{batch * 4 + number}"} for number in range(4)]
        entities_of.happen(run["id"], *some)
        if batch == 1:
            then = f"s:{entities_of.head()}"

    shown = entities_of.ask(EntityShownAnswer, "entity_get", id=run["id"], limit=5)
    seen = [event["message"] for event in shown.entity["events"]]
    while shown.nextCursor:
        assert shown.entity["eventsTotal"] == 12
        shown = entities_of.ask(
            EntityShownAnswer, "entity_get", id=run["id"], limit=5, cursor=shown.nextCursor
        )
        seen = [event["message"] for event in shown.entity["events"]] + seen

    assert seen == [str(number) for number in range(12)]
    past = entities_of.get(run["id"], as_of=then)
    assert [event["message"] for event in past["events"]] == [str(number) for number in range(8)]
