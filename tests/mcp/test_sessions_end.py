"""Sessions of real processes: they end with them, are seen to be away after a crash, and go on."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.app.start import catalog, start
from hansard.engines.sqlite.engine import WRITE_LOCK
from hansard.engines.sqlite.files import WriteLock
from hansard.kernel.event import Actor
from hansard.kernel.operation import Caller
from tests import toy
from tests.mcp.processes import WAIT_S, StdioServer

Begin = Callable[..., StdioServer]
RECORD: dict[str, Any] = {"type": "task", "title": "T", "summary": "s", "body": "b"}
VIEWER = Caller(Actor("agent", "looker", "viewer"))


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "store")
    return str(request.getfixturevalue("emptied_postgres"))


@pytest.fixture
def begin(location: str) -> Iterator[Begin]:
    """Start servers on the test's store that have done the handshake."""
    with ExitStack() as stack:

        def starter(name: str = "claude-code", **settings: str) -> StdioServer:
            given = {"store": location, "embedder": "none"} | settings
            server = stack.enter_context(StdioServer("tests.mcp.programs", given))
            info = {"name": name, "version": "2.1.325"}
            params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
            server.ask("initialize", params)
            server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            return server

        yield starter


@contextmanager
def looking(location: str) -> Iterator[Application]:
    settings = Settings(store=location, embedder="none")
    known = Catalog([*catalog(settings).capabilities, toy.CAPABILITY])
    application = start(settings, known=known)
    try:
        yield application
    finally:
        application.close()


def sessions(location: str) -> list[dict[str, Any]]:
    with looking(location) as application:
        answer = application.call("list_sessions", {}, VIEWER).model_dump(exclude_none=True)
    return list(answer["sessions"])


def done(answer: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = answer["result"]
    assert not result.get("isError"), result
    content: dict[str, Any] = result["structuredContent"]
    return content


def becomes(location: str, status: str) -> bool:
    """Whether the one session gets this status before long: a server frees locks when it sees."""
    deadline = time.monotonic() + WAIT_S
    while [one["status"] for one in sessions(location)] != [status]:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.holds("ALL-01.25")
@pytest.mark.parametrize("by", [None, signal.SIGTERM, signal.SIGINT], ids=["EOF", "TERM", "INT"])
def test_a_process_that_ends_in_order_ends_its_session(
    begin: Begin, location: str, by: signal.Signals | None
) -> None:
    server = begin()
    made = done(server.call("create_record", **RECORD))
    [alive] = sessions(location)

    code = server.end(by)

    [after] = sessions(location)
    assert code == 0
    assert (alive["status"], alive["by"]) == ("active", "agent:claude-code")
    assert (alive["client"], alive["session_id"]) == ("claude-code 2.1.325", made["session_id"])
    assert (after["status"], after["active_records"]) == ("ended", [])


def test_a_process_that_was_killed_is_seen_to_be_away(begin: Begin, location: str) -> None:
    server = begin()
    record = done(server.call("create_record", **RECORD))["record"]["id"]

    server.end(signal.SIGKILL)

    assert becomes(location, "away")
    other = begin("cursor")
    answer = done(other.call("activate", id=record))
    assert "conflict" not in answer
    assert [one["type"] for one in answer["context"]["warnings"]] == ["note"]


def test_a_living_process_is_a_conflict_that_names_its_client(begin: Begin, location: str) -> None:
    server, other = begin(), begin("cursor")
    record = done(server.call("create_record", **RECORD))["record"]["id"]

    answer = done(other.call("activate", id=record))

    [warning] = answer["context"]["warnings"]
    assert warning["type"] == "conflict"
    assert f"claude-code's session {answer['conflict']['session_id']}" in warning["message"]
    by = sorted((one["by"], one["status"]) for one in sessions(location))
    assert by == [("agent:claude-code", "active"), ("agent:cursor", "active")]


@pytest.mark.holds("ALL-01.25", "ALL-01.26")
@pytest.mark.parametrize("by", [None, signal.SIGKILL], ids=["EOF", "KILL"])
def test_a_configured_session_is_away_and_comes_back_without_loss(
    begin: Begin, location: str, by: signal.Signals | None
) -> None:
    server = begin(session="main")
    record = done(server.call("create_record", **RECORD))["record"]["id"]
    server.end(by)
    assert becomes(location, "away")

    again = begin(session="main")
    updated = done(again.call("update_record", id=record, title="Went on"))

    [session] = sessions(location)
    assert updated["changed_fields"] == ["title"]
    assert (session["session_id"], session["status"]) == ("main", "active")
    assert session["active_records"] == [record]


def test_a_process_that_only_looked_leaves_nothing(begin: Begin, location: str) -> None:
    with looking(location) as application:
        application.call("get_project", {}, VIEWER)
        before = application.store.engine.heads()
    server = begin()
    done(server.call("get_project_overview"))

    code = server.end()

    with looking(location) as application:
        assert application.store.engine.heads() == before
    assert code == 0


def test_the_session_that_was_opened_by_name_is_where_what_follows_belongs(
    begin: Begin, location: str
) -> None:
    server = begin()
    start_it: dict[str, Any] = {"session_id": "fix-42", "title": "Fix", "user_message": "Please"}
    done(server.call("record_session_start", **start_it))
    done(server.call("record_plan", steps=["one"]))
    done(server.call("create_record", **RECORD))

    ended = done(server.call("record_session_end"))

    assert ended["session_id"] == "fix-42"
    [session] = sessions(location)
    assert (session["status"], session["title"]) == ("ended", "Fix")


def test_a_store_that_another_holds_keeps_no_process_from_ending(
    begin: Begin, location: str
) -> None:
    if location.startswith("postgresql"):
        pytest.skip("the turn to write is SQLite's")
    server = begin()
    done(server.call("create_record", **RECORD))
    turn = WriteLock(Path(location) / WRITE_LOCK)

    with turn.turn():
        code = server.end()

    turn.close()
    assert code == 0
    assert server.said() == ""
    assert becomes(location, "away")
