"""The source's patterns and its table of errors, as two chats see them: two real processes.

Each chat is the official MCP client, talking to a `hansard` of its own on the same store.
"""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp_types import TextContent

from tests.launcher.programs import PROGRAM
from tests.patience import PATIENCE_S

TIMEOUT_S = PATIENCE_S

Json = dict[str, Any]


class StdioChat:
    """One chat at its own server."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def ask(self, tool: str, **arguments: Any) -> Json:
        """Call a tool that must succeed; gives its structured content."""
        content, text, is_error = await self._call(tool, arguments)
        assert not is_error, content
        assert text
        return content

    async def refused(self, tool: str, **arguments: Any) -> Json:
        """Call a tool that must be refused; gives the error."""
        content, text, is_error = await self._call(tool, arguments)
        assert is_error, content
        error: Json = content["error"]
        assert {"code", "message", "recovery_hint"} <= error.keys()
        assert text.startswith(f"{error['code']}: {error['message']}")
        return error

    async def _call(self, tool: str, arguments: Json) -> tuple[Json, str, bool]:
        result = await self.client.call_tool(tool, arguments)
        [content] = result.content
        assert isinstance(content, TextContent)
        assert isinstance(result.structured_content, dict)
        return result.structured_content, content.text, bool(result.is_error)


@asynccontextmanager
async def chat(store: Path) -> AsyncIterator[StdioChat]:
    """Start a server and talk to it."""
    inherited = {key: value for key, value in os.environ.items() if "HANSARD" not in key}
    server = StdioServerParameters(
        command=str(PROGRAM), env=inherited | {"HANSARD_STORE": str(store)}
    )
    async with Client(server) as client:
        yield StdioChat(client)


Talk = Callable[[StdioChat, StdioChat], Awaitable[None]]


@pytest.fixture(scope="module")
def two_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Talk], None]]:
    """Start two servers on one store, once for all tests; gives what runs a talk with both."""
    store = tmp_path_factory.mktemp("store")
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(chat(store)) as first,
        portal.wrap_async_context_manager(chat(store)) as second,
    ):

        async def run(talk: Talk) -> None:
            with anyio.fail_after(TIMEOUT_S):
                await talk(first, second)
                for one in (first, second):
                    await one.client.call_tool("close_session", {})

        yield lambda talk: portal.call(run, talk)


def a_record(title: str, parent: str | None = None, **more: Any) -> Json:
    fields = {"type": "question", "summary": f"About {title}", "body": f"{title}, at length.\n"}
    return fields | {"parent_id": parent, "title": title} | more


@pytest.mark.holds("000-pattern-1", "ALL-08.1")
def test_pattern_1_continue_existing_work(two_servers: Callable[[Talk], None]) -> None:
    async def talk(before: StdioChat, now: StdioChat) -> None:
        left = (await before.ask("create_record", **a_record("Where to store?")))["record"]["id"]
        await before.ask("close_session")

        overview = await now.ask("get_project_overview")
        assert left in [one["id"] for one in overview["open_records"]]
        assert "open_sessions" not in overview
        loaded = await now.ask("activate", id=left)
        assert loaded["context"]["target"]["body"] == "Where to store?, at length.\n"
        await now.ask("update_record", id=left, body="In SQLite.\n")
        made = await now.ask("create_record", **a_record("Which mode?", left))
        saved = await now.ask("save_session", summary="Half way")
        assert saved["saved_records"] == [left, made["record"]["id"]]
        await now.ask("update_record", id=left, title="Where to store it?")
        ended = await now.ask("close_session")
        assert ended["deactivated_records"] == [left, made["record"]["id"]]
        assert left in ended["unsaved_warning"]

    two_servers(talk)


@pytest.mark.holds("000-pattern-2", "ALL-08.1")
def test_pattern_2_start_a_new_topic(two_servers: Callable[[Talk], None]) -> None:
    async def talk(mine: StdioChat, other: StdioChat) -> None:
        overview = await mine.ask("get_project_overview")
        assert "A new topic" not in [one["title"] for one in overview.get("root_records", ())]
        made = await mine.ask("create_record", **a_record("A new topic"))
        assert "auto_activated" not in made  # as always
        root = made["record"]["id"]
        children = [
            (await mine.ask("create_record", **a_record(title, root)))["record"]["id"]
            for title in ("One side", "Another side")
        ]
        saved = await mine.ask("save_session")
        assert saved["saved_records"] == [root, *children]
        assert "unsaved_warning" not in await mine.ask("close_session")
        listed = await other.ask("list_records", parent_id=root)
        assert [one["id"] for one in listed["records"]] == children

    two_servers(talk)


@pytest.mark.holds("000-pattern-3")
def test_pattern_3_a_new_chat_for_a_subtopic(two_servers: Callable[[Talk], None]) -> None:
    async def talk(first: StdioChat, second: StdioChat) -> None:
        topic = (await first.ask("create_record", **a_record("Topic")))["record"]["id"]
        sub = (await first.ask("create_record", **a_record("Subtopic", topic)))["record"]["id"]

        context = (await second.ask("activate", id=sub))["context"]
        assert context["parent"]["id"] == topic
        assert context["parent"]["body"] == "Topic, at length.\n"
        answer = await second.ask("create_record", **a_record("Answer", sub, type="conclusion"))
        by = answer["record"]["id"]
        await second.ask("transition", id=sub, to_state="RESOLVED", resolved_by=by)
        session = answer["session_id"]
        await second.ask("close_session")

        told = (await first.ask("sync_session"))["changes"]
        assert [(one["record_id"], one["change_type"]) for one in told] == [
            (by, "created"),
            (sub, "state_changed"),
        ]
        assert told[1]["old_value"]["state"] == "OPEN"
        assert told[1]["new_value"]["state"] == "RESOLVED"
        assert told[1]["new_value"]["resolved_by"] == by
        assert {one["by"][0]["session_id"] for one in told} == {session}
        assert (await first.ask("sync_session"))["changes"] == []
        updated = await first.ask("update_record", id=sub, title="Subtopic, settled")
        assert "conflict" not in updated

    two_servers(talk)


@pytest.mark.holds("000-pattern-4")
def test_pattern_4_conflict_resolution(two_servers: Callable[[Talk], None]) -> None:
    async def talk(first: StdioChat, second: StdioChat) -> None:
        record = (await first.ask("create_record", **a_record("Shared")))["record"]["id"]
        assert "conflict" in await second.ask("activate", id=record)

        await first.ask("update_record", id=record, body="version A\n")
        met = await second.ask("update_record", id=record, body="version B\n")
        conflict = met["conflict"]
        assert met["record"]["body"] == "version A\n"
        assert conflict["other_version"]["version"] == conflict["version"]
        assert "mergeable" not in conflict
        assert conflict["clashes"] == ["body: your line 1, their line 1"]
        again = await first.ask("activate", id=record)
        assert again["context"]["target"]["body"] == "version A\n"
        decided = {"id": record, "body": "merged version\n", "force": True}
        assert "conflict" in await second.ask("update_record", **decided)
        forced = await second.ask("update_record", **decided, force_version=conflict["version"])
        assert "conflict" not in forced
        assert [one["version"] for one in forced["replaced"]] == [conflict["version"]]
        final = await first.ask("activate", id=record)
        assert final["context"]["target"]["body"] == "merged version\n"
        activity = await first.ask("get_recent_activity", record_id=record)
        assert [one["type"] for one in activity["activity"]][:4] == [
            "activation",
            "record_updated",
            "conflict_resolved",
            "conflict_detected",
        ]

    two_servers(talk)


def test_the_table_of_errors(two_servers: Callable[[Talk], None]) -> None:
    async def talk(first: StdioChat, second: StdioChat) -> None:
        record = (await first.ask("create_record", **a_record("Known")))["record"]["id"]

        async def code(talker: StdioChat, tool: str, **arguments: Any) -> tuple[str, str]:
            error = await talker.refused(tool, **arguments)
            return error["code"], error["recovery_hint"]

        assert await code(second, "activate", id="R999") == (
            "RECORD_NOT_FOUND",
            "Check the id's spelling; search_records and list_records show what there is",
        )
        found, hint = await code(second, "update_record", id=record, title="x")
        assert (found, "activate" in hint) == ("NOT_ACTIVATED", True)
        found, hint = await code(second, "create_record", **a_record("Child", record))
        assert (found, "activate" in hint) == ("PARENT_NOT_ACTIVATED", True)
        found, hint = await code(first, "transition", id=record, to_state="OPEN")
        assert (found, "allowed" in hint) == ("INVALID_TRANSITION", True)
        found, hint = await code(second, "sync_session", session_id="never-was")
        assert (found, "new session" in hint) == ("SESSION_NOT_FOUND", True)
        await second.ask("activate", id=record)
        await first.ask("update_record", id=record, title="Changed")
        found, hint = await code(second, "transition", id=record, to_state="LATER", reason="x")
        assert (found, "sync" in hint) == ("CONFLICT", True)
        deepest = record
        for level in range(2, 11):
            made = await first.ask("create_record", **a_record(str(level), deepest))
            deepest = made["record"]["id"]
        found, hint = await code(first, "create_record", **a_record("11", deepest))
        assert (found, "flatten" in hint) == ("DEPTH_EXCEEDED", True)

    two_servers(talk)


@pytest.mark.holds("ALL-00.2")
def test_the_tools_of_the_source_are_offered_with_ours(two_servers: Callable[[Talk], None]) -> None:
    async def talk(first: StdioChat, _: StdioChat) -> None:
        offered = {tool.name for tool in (await first.client.list_tools()).tools}
        assert offered > {"get_project_overview", "activate", "update_record", "sync_session"}
        # What a list has no room for is answered all the same.
        for name in {
            "create_project", "list_projects", "get_project", "get_project_overview",
            "search_records", "list_records", "get_record_ref", "activate", "sync_session",
            "create_record", "update_record", "transition", "save_session", "close_session",
            "get_record_history", "get_record_diff", "get_active_sessions",
            "get_recent_activity", "deactivate", "branch_session", "move_record",
        } - offered:  # fmt: skip
            answer = await first.client.call_tool(name, {"nonsense": 1})
            assert "nonsense" in str(answer.structured_content)

    two_servers(talk)
