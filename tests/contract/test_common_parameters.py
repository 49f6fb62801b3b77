"""Parameters that every tool takes: few are listed, since a model reads the list; all work."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application, validate
from hansard.app.schema import input_schema
from hansard.app.settings import Settings
from hansard.app.start import catalog, start
from hansard.kernel.operation import Operation, ProjectRequest, TimedRequest
from hansard.kernel.problem import InvalidInput
from hansard.sessions.contract import ProjectNotFound, SessionNotFound
from tests.conftest import a_caller
from tests.mcp.processes import StdioServer

Json = dict[str, Any]

OPERATIONS = {operation.name: operation for operation in catalog()}
each_operation = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)

SESSION = {"session_id", "sessionId"}
SHOP = {"id": "shop", "name": "Shop"}
TIMED = """
    get_project_overview list_records get_record_ref get_record_body activate get_decision
    entity_get get_evolution get_timeline get_recent_activity
"""
"""Whose answers can be asked of the past: those that the contract lists, and what happened."""


def listed(operation: Operation) -> set[str]:
    return set(input_schema(operation)["properties"])


@pytest.mark.holds("ALL-13.7")
def test_only_the_session_and_the_project_are_listed_again_and_again() -> None:
    everywhere = set.intersection(
        *({"session_id" if name in SESSION else name for name in listed(one)} for one in catalog())
    )
    of_time = {one.name for one in catalog() if "as_of" in listed(one)}

    assert everywhere == {"session_id"}
    assert of_time == set(TIMED.split())
    assert all(issubclass(OPERATIONS[name].request, TimedRequest) for name in of_time)


@pytest.mark.holds("ALL-13.7")
@each_operation
def test_the_project_is_listed_where_it_matters(operation: Operation) -> None:
    matters = issubclass(operation.request, ProjectRequest)

    assert ("project_id" in listed(operation)) == matters
    assert not (matters and operation.in_catalog)
    assert len(listed(operation) & SESSION) == 1


@pytest.mark.holds("ALL-13.8")
@each_operation
def test_both_are_taken_whether_or_not_they_are_listed(operation: Operation) -> None:
    try:
        validate(operation, {"project_id": "shop", "session_id": "s"})
    except InvalidInput as refused:
        faults = {fault["argument"] for fault in refused.details["arguments"]}
        assert not faults & {"project_id", *SESSION}, faults


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Application]:
    application = start(Settings(store="memory:", workspace=str(tmp_path), embedder="none"))
    yield application
    application.close()


UNLISTED: list[tuple[str, Json]] = [
    ("list_projects", {}),
    ("sync_session", {}),
    ("update_record", {"id": "R001", "title": "Renamed"}),
    ("transition", {"id": "R001", "to_state": "LATER", "reason": "Not now"}),
    ("move_record", {"id": "R001", "parent_id": None}),
    ("record_plan", {"steps": ["One", "Two"]}),
    ("record_plan_step", {"step": "Three"}),
    ("record_step", {"index": 0}),
    ("audit_event", {"type": "note", "description": "Noted"}),
    ("file_op", {"action": "create", "path": "a.txt", "content": "one\n"}),
    ("file_read", {"path": "a.txt"}),
    ("record_file_create", {"path": "b.txt", "content": "one\n"}),
    ("record_file_edit", {"path": "b.txt", "content": "two\n"}),
    ("record_file_move", {"path": "b.txt", "to": "c.txt"}),
    ("record_file_delete", {"path": "c.txt"}),
    ("restore", {"path": "a.txt", "point": "t:1", "preview": True}),
    ("undo", {"step": 0, "preview": True}),
    ("deactivate", {"id": "R001"}),
    ("branch_session", {}),
    ("save_session", {}),
    ("record_session_end", {}),
]
"""Calls in one session, in order, of what does not list the project."""

ELSEWHERE = {"create_project", "get_project", "close_session"}
"""Unlisted too: they name the project as `id`, or end the session that another has ended."""


def test_the_calls_are_of_all_that_do_not_list_it() -> None:
    unlisted = {one.name for one in catalog() if "project_id" not in listed(one)}

    assert {name for name, _ in UNLISTED} | ELSEWHERE == unlisted


@pytest.mark.holds("ALL-13.8")
def test_an_unlisted_project_is_obeyed(app: Application) -> None:
    caller = a_caller(seat=False)
    app.call("create_project", SHOP, caller)
    text = {"type": "task", "title": "t", "summary": "s", "body": "b", "project_id": "shop"}
    session = app.call("create_record", text, caller).model_dump()["session_id"]
    app.call("activate", {"id": "R001", "session_id": session}, caller)

    for name, arguments in UNLISTED:
        here = arguments | {"session_id": session}
        with pytest.raises(ProjectNotFound):
            app.call(name, here | {"project_id": "nowhere"}, caller)
        with pytest.raises(SessionNotFound):
            app.call(name, here | {"project_id": "default"}, caller)
        app.call(name, here | {"project_id": "shop"}, caller)


@pytest.mark.holds("ALL-13.8")
def test_a_project_that_is_named_by_its_id_can_be_named_like_everywhere(app: Application) -> None:
    caller = a_caller()

    made = app.call("create_project", {"project_id": "shop", "name": "Shop"}, caller)
    shown = app.call("get_project", {"project_id": "shop"}, caller)

    assert made.model_dump()["id"] == shown.model_dump()["id"] == "shop"
    with pytest.raises(ProjectNotFound):
        app.call("get_project", {"project_id": "nowhere"}, caller)


@pytest.mark.holds("ALL-13.8")
def test_over_stdio_too(tmp_path: Path) -> None:
    settings = {"store": str(tmp_path / "store"), "workspace": str(tmp_path), "embedder": "none"}
    with StdioServer("tests.clients.stdio_command", settings) as server:
        server.open()
        server.ask("tools/call", {"name": "create_project", "arguments": SHOP})
        noted = server.call("audit_event", type="note", description="Here", project_id="shop")
        session = noted["result"]["structuredContent"]["session_id"]
        told = server.call("get_timeline", session_id=session, project_id="shop")
        unknown = server.call("audit_event", type="note", description="x", project_id="nowhere")

    assert session.startswith("shop.")
    assert "Here" in told["result"]["content"][0]["text"]
    assert unknown["result"]["structuredContent"]["error"]["code"] == "PROJECT_NOT_FOUND"
