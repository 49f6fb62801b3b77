"""Exporting entities and importing them elsewhere: the same, line by line."""

from collections.abc import Iterator
from typing import Any

import pytest

from hansard.entities.contract import EntityConflict
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from tests.conftest import OpenApp, a_caller
from tests.entities.asking import (
    CHAT,
    CONNECTION,
    DOCUMENT,
    GRAPH,
    Asking,
    Json,
    answered,
    asked,
    exported,
    said,
    take_over,
)


@pytest.fixture
def filled(entities_of: Asking) -> Asking:
    """A project with something of everything, and things that were deleted."""
    at = entities_of
    first = at.create("textDocument", DOCUMENT)
    at.revise(first["id"], "2")
    at.revise(first["id"], "3", fork=True)
    at.create("modelConnection", CONNECTION)
    chat = at.create("chatThread", CHAT)
    for number in range(5):
        at.append_to_chat(chat["id"], "me" if number % 3 else "you", said(f"{number}"))
    head = at.get(chat["id"])["threadId"]
    fork = at.append(head, "x")
    left = at.append(fork["id"], "me", said("left"), asked("c"))
    at.append(left["id"], "me", said("far left"))
    at.delete(left["id"])
    graph = at.create("agentGraph", GRAPH)
    at.update(graph["id"], {"description": "new"})
    for end in ("completed", "failed", None):
        run = at.create("agentGraphExecution", {"agentGraphId": graph["id"]})
        at.happen(run["id"], {"type": "log", "message": "a"}, status="inProgress")
        at.happen(run["id"], {"type": "nodeStarted", "nodeId": "a"})
        if end:
            at.happen(run["id"], status=end)
    at.create("agentGraphExecution", {"agentGraphId": graph["id"]})
    at.create("metric", {"name": "m", "value": 1})
    at.update("settings", {"theme": "dark", "own": [1, {"a": None}]})
    return at


@pytest.fixture
def elsewhere(open_app: OpenApp) -> Asking:
    return Asking(open_app(project="elsewhere"), a_caller())


def everything(at: Asking) -> dict[str, Any]:
    types = (
        "textDocument modelConnection messageThread chatThread agentGraph agentGraphExecution "
        "metric settings"
    ).split()
    listed = {name: at.list(name, limit=1000) for name in types}
    whole = [at.thread(one["id"]) for one in listed["messageThread"].entities]
    runs = [at.get(one["id"]) for one in listed["agentGraphExecution"].entities]
    return {**{name: one.entities for name, one in listed.items()}, "whole": whole, "runs": runs}


@pytest.mark.holds("ENT-redact-2")
def test_what_is_exported_is_imported_the_same(filled: Asking, elsewhere: Asking) -> None:
    lines = exported(filled.app)

    taken = take_over(elsewhere.app, lines)

    assert (taken.imported, taken.known) == (len(lines), 0)
    assert exported(elsewhere.app) == lines
    assert everything(elsewhere) == everything(filled)
    assert CONNECTION["data"]["apiKey"] not in str(lines)


def test_importing_again_takes_over_nothing(filled: Asking, elsewhere: Asking) -> None:
    lines = exported(filled.app)
    take_over(elsewhere.app, lines)

    again = take_over(elsewhere.app, lines)

    assert (again.imported, again.known) == (0, len(lines))
    # At home too, where what the export hides is known.
    assert take_over(filled.app, lines).imported == 0
    assert exported(elsewhere.app) == exported(filled.app) == lines


def test_secrets_are_carried_if_they_are_revealed(
    filled: Asking, elsewhere: Asking, human: Caller
) -> None:
    take_over(elsewhere.app, exported(filled.app, reveal=True))

    [connection] = elsewhere.list("modelConnection").entities
    admin = Asking(elsewhere.app, human)
    assert (
        admin.get(connection["id"], reveal=True, project_id="elsewhere")["data"]
        == (CONNECTION["data"])
    )


def test_what_was_imported_goes_on_like_anything(filled: Asking, elsewhere: Asking) -> None:
    take_over(elsewhere.app, exported(filled.app))
    [chat] = elsewhere.list("chatThread").entities
    [connection] = elsewhere.list("modelConnection").entities
    assert elsewhere.update(connection["id"], {"name": "new"})["name"] == "new"
    [run] = elsewhere.list("agentGraphExecution", where={"status": "inProgress"}).entities

    written = elsewhere.append_to_chat(chat["id"], "you", said("on"))
    elsewhere.happen(run["id"], {"type": "log", "message": "on"}, status="completed")

    assert written.entity["turns"][-1]["partials"][-1] == said("on")
    events = elsewhere.get(run["id"])["events"]
    assert [event["index"] for event in events] == [0, 1, 2]
    assert [event["at"] for event in events] == sorted(event["at"] for event in events)
    before = everything(elsewhere)
    elsewhere.app.store.rebuild("elsewhere")
    assert everything(elsewhere) == before


def test_an_import_is_refused_whole_where_another_of_that_id_is(
    filled: Asking, elsewhere: Asking
) -> None:
    lines = exported(filled.app)
    documents = [line for line in lines if line["type"] == "textDocument"]
    take_over(elsewhere.app, documents)
    elsewhere.update(documents[-1]["id"], {"title": "Mine"})
    before = elsewhere.head()

    with pytest.raises(EntityConflict):
        take_over(elsewhere.app, [*lines[len(documents) :], *documents])

    assert elsewhere.head() == before


def test_what_was_deleted_is_exported_only_beneath_what_was_not(filled: Asking) -> None:
    thread = filled.create("messageThread", {})
    gone = filled.append(thread["id"], "me", said("deleted words"))
    filled.delete(gone["id"])

    lines = exported(filled.app)

    assert "deleted words" not in str(lines)
    assert [line["pieces"][0]["partials"][0] for line in lines if line.get("isDeleted")] == [
        said("left")
    ]


def damaged(lines: list[Json]) -> Iterator[Json]:
    """Give lines that no export would write."""
    by_type = {line["type"]: line for line in lines}
    document, run = by_type["textDocument"], by_type["agentGraphExecution"]
    thread = next(line for line in lines if line["type"] == "messageThread" and line["pieces"])
    graph = by_type["agentGraph"]
    begun = next(line for line in lines if line.get("events"))
    yield {}
    yield document | {"id": "textDocument::short"}
    yield document | {"id": graph["id"]}
    yield document | {"createdAt": "yesterday"}
    yield document | {"more": 1}
    yield document | {"content": {"title": "x"}}
    yield document | {"content": []}
    yield {key: value for key, value in document.items() if key != "updatedAt"}
    yield thread | {"parentId": "messageThread::nope"}
    yield thread | {"pieces": [{"sender": "me"}]}
    yield thread | {"pieces": [*thread["pieces"], *thread["pieces"]]}
    yield thread | {"pieces": 1}
    yield by_type["chatThread"]
    yield by_type["chatThread"] | {"content": by_type["chatThread"]["content"] | {"threadId": None}}
    yield graph | {"content": graph["content"] | {"nodes": []}}
    yield graph | {"content": graph["content"] | {"nodes": [1]}}
    yield run | {"endTime": run["createdAt"]}
    yield run | {"content": run["content"] | {"status": "completed"}}
    yield begun | {"events": [{"type": "odd", "at": begun["createdAt"]}]}
    yield begun | {"events": [{"type": "log", "message": "x"}]}
    yield begun | {"events": 1}


def test_what_no_export_writes_is_refused(filled: Asking, elsewhere: Asking) -> None:
    before = elsewhere.head()

    for line in damaged(exported(filled.app)):
        with pytest.raises(InvalidInput):
            take_over(elsewhere.app, [line])

    assert elsewhere.head() == before


@pytest.mark.holds("ENT-thread-8")
def test_a_thread_from_when_any_answer_closed_a_request_is_taken_over(elsewhere: Asking) -> None:
    partials = [asked("c"), answered("c", status="inProgress"), asked("c")]
    line: Json = {
        "type": "messageThread",
        "id": "messageThread::" + "a" * 20,
        "createdAt": "2026-01-01T00:00:00.000000Z",
        "parentId": None,
        "pieces": [{"turn": "t", "sender": "me", "begins": True, "partials": partials}],
    }

    take_over(elsewhere.app, [line])

    ended = elsewhere.append(line["id"], "tool", answered("c"))
    assert exported(elsewhere.app)[0] == line
    with pytest.raises(InvalidInput):
        elsewhere.append(ended["id"], "tool", answered("c"))
