"""Runs that were over when they were recorded."""

from typing import Any

import pytest

from hansard.app.application import Application
from hansard.entities.contract import EntityConflict, EntityNotFound
from hansard.kernel.problem import InvalidInput
from hansard.sdk import Hansard
from tests.entities.asking import GRAPH, Asking, Json, exported, take_over
from tests.entities.test_entities_machine import opened

THEN: Json = {
    "status": "failed",
    "startTime": "2025-03-01T10:00:00+01:00",
    "endTime": "2025-03-01T09:00:07.5Z",
    "events": [
        {"type": "nodeStarted", "nodeId": "a", "at": "2025-03-01T09:00:01Z"},
        {"type": "log", "message": "no", "level": "error", "at": "2025-03-01T09:00:00.9Z"},
    ],
}


def record(entities_of: Asking, **changed: Any) -> Json:
    graph = entities_of.create("agentGraph", GRAPH)["id"]
    given = {"agentGraphId": graph, **THEN} | changed
    return entities_of.create("agentGraphExecution", given)


@pytest.mark.holds("ENT-execution-5")
def test_a_run_that_is_over_is_recorded_as_it_was_and_says_so(entities_of: Asking) -> None:
    made = record(entities_of)

    assert made["status"] == "failed"
    assert made["startTime"] == "2025-03-01T09:00:00.000000Z"
    assert made["endTime"] == "2025-03-01T09:00:07.500000Z"
    assert made["recordedLater"] is True
    assert made["createdAt"] > made["endTime"]
    assert [(one["index"], one["type"], one["at"]) for one in made["events"]] == [
        (0, "nodeStarted", "2025-03-01T09:00:01.000000Z"),
        (1, "log", "2025-03-01T09:00:00.900000Z"),
    ]
    assert entities_of.get(made["id"]) == made
    with pytest.raises(EntityConflict):
        entities_of.happen(made["id"], {"type": "log", "message": "more"})


def test_a_run_that_goes_on_here_is_not_marked(entities_of: Asking) -> None:
    graph = entities_of.create("agentGraph", GRAPH)["id"]
    run = entities_of.create("agentGraphExecution", {"agentGraphId": graph, "status": "inProgress"})

    ended = entities_of.happen(run["id"], status="completed")

    assert ended["recordedLater"] is False


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"endTime": "2025-01-01T00:00:00Z"}, "endTime"),
        ({"startTime": "yesterday"}, "data.startTime"),
        ({"endTime": None}, "data.endTime"),
        ({"recordedLater": False}, "recordedLater"),
        ({"events": [{"type": "log", "message": "x"}]}, "data.events.0"),
        ({"events": [{"type": "odd", "at": "2025-03-01T09:00:01Z"}]}, "data.events.0"),
        ({"events": [THEN["events"][0] | {"index": 3}]}, "data.events"),
        ({"events": ["x"]}, "data.events.0"),
        ({"status": ["failed"]}, "data.status"),
    ],
)
def test_a_run_that_cannot_have_been_so_is_refused(
    entities_of: Asking, changed: Json, field: str
) -> None:
    with pytest.raises(InvalidInput, match=field):
        record(entities_of, **changed)

    assert entities_of.list("agentGraphExecution").total == 0


def test_a_run_of_no_graph_is_refused(entities_of: Asking) -> None:
    with pytest.raises(EntityNotFound):
        record(entities_of, agentGraphId="agentGraph::nope")


@pytest.mark.holds("ENT-execution-5")
def test_a_run_is_recorded_again_from_what_was_read_of_it(entities_of: Asking) -> None:
    made = record(entities_of)
    own = {name: made[name] for name in made if name not in ("id", "createdAt", "updatedAt")}

    again = entities_of.create("agentGraphExecution", own)

    assert {name: again[name] for name in own} == own


def test_a_recorded_run_is_carried_elsewhere_as_it_is(entities_of: Asking) -> None:
    made = record(entities_of)
    lines = exported(entities_of.app)
    there = opened()

    take_over(there.app, lines)

    assert there.get(made["id"]) == made
    assert exported(there.app) == lines
    assert take_over(there.app, lines).known == len(lines)
    there.app.close()


def test_the_library_records_a_run(app: Application) -> None:
    with Hansard(application=app) as hansard:
        graph = hansard.entities.graph("agent")

        run = graph.record_run("failed", THEN["startTime"], THEN["endTime"], THEN["events"])

        assert run["recordedLater"] is True
        assert len(run["events"]) == 2
