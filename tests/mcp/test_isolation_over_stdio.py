"""Two real processes on one store, each with a project of its own and the same names for all."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.app.repositories import repository
from tests.mcp.processes import StdioServer

SECRET = "xqz-acmes-own-zqx"
RECORD: dict[str, Any] = {"type": "note", "title": SECRET, "summary": SECRET, "body": SECRET}
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("get_project_overview", {}),
    ("list_records", {}),
    ("get_record_ref", {"id": "R001"}),
    ("activate", {"id": "R001"}),
    ("search", {"query": "acmes own"}),
    ("get_recent_activity", {}),
    ("list_sessions", {}),
    ("get_timeline", {"session_id": "main"}),
    ("get_story", {"session_id": "main"}),
    ("workflow_checkpoint_load", {"sessionId": "main"}),
    ("workflow_checkpoint_load", {"checkpointId": "C001"}),
    ("workflow_checkpoint_list", {"sessionId": "main"}),
    ("search_decisions", {"query": "acmes own"}),
    ("get_decision", {"decision_id": "D001"}),
    ("get_evolution", {"path": "a.py"}),
]

Pair = tuple[StdioServer, StdioServer]


@pytest.fixture(params=["configured", "repositories"])
def both(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Pair]:
    """Two servers: with projects that were configured, or in two repositories of one name."""
    with ExitStack() as stack:
        servers = []
        for name in ("acme", "globex"):
            folder = repository(tmp_path / name / "app")
            settings = {
                "store": str(tmp_path / "store"),
                "workspace": str(folder),
                "session": "main",
                "toolsets": "all",
                "embedder": "none",
            }
            if request.param == "configured":
                settings["project"] = name
            server = stack.enter_context(StdioServer("tests.mcp.programs", settings))
            server.open()
            servers.append(server)
        yield servers[0], servers[1]


@pytest.mark.holds("ALL-02.8", "ALL-02.14")
def test_a_process_hears_nothing_of_another_whose_names_are_the_same(both: Pair) -> None:
    theirs, ours = both
    theirs.call("create_record", **RECORD)
    theirs.call("workflow_checkpoint_save", sessionId="main", context={"secret": SECRET})
    theirs.call("file_op", action="create", path="a.py", content=SECRET)
    why = f"It is so, {SECRET}, and it was measured."
    theirs.call("record_decision", title=SECRET, target="t", rationale=why)

    before = [str(ours.call(name, **arguments)) for name, arguments in ASKED]
    saved = ours.call("workflow_checkpoint_save", sessionId="main", context={"mine": 1})
    after = [str(ours.call(name, **arguments)) for name, arguments in ASKED]
    kept = theirs.call("workflow_checkpoint_load", sessionId="main")

    assert [told for told in before + after if SECRET in told] == []
    assert saved["result"]["structuredContent"]["sessionId"] == "main"
    assert kept["result"]["structuredContent"]["context"] == {"secret": SECRET}
    loaded = ours.call("workflow_checkpoint_load", sessionId="main")
    assert loaded["result"]["structuredContent"]["context"] == {"mine": 1}


@pytest.mark.holds("ALL-02.8", "ALL-02.11")
def test_no_resource_of_one_process_shows_another(both: Pair) -> None:
    theirs, ours = both
    theirs.call("create_record", **RECORD)
    theirs.call("file_op", action="create", path="a.py", content=SECRET)

    told = [
        str(ours.ask("resources/read", {"uri": uri}))
        for uri in (
            "hansard://activity",
            "hansard://sessions",
            "hansard://session/main/timeline",
            "hansard://session/main/story",
            "hansard://session/main/evolution",
            "hansard://session/main/evolution/a.py",
        )
    ]

    assert [one for one in told if SECRET in one] == []
