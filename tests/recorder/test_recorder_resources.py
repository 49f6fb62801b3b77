"""The recorder's resources: the same as its tools, under URIs that can be watched."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client import Client
from mcp.client.subscriptions import ResourceUpdated

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.kernel.operation import Caller
from hansard.mcp.callers import stdio_door
from hansard.mcp.resources import RESOURCES, ResourceNotFound, find
from hansard.mcp.server import HansardServer
from hansard.sessions.contract import SessionNotFound
from tests.conftest import a_caller
from tests.patience import PATIENCE_S
from tests.recorder.asking import create, edit, evolution, story

WAIT_S = PATIENCE_S


def read(app: Application, caller: Caller, uri: str) -> str:
    resource, parts = find(RESOURCES, uri)
    return resource.read(app, caller, parts)


def read_data(app: Application, caller: Caller, uri: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(read(app, caller, uri))
    return found


@pytest.fixture
def session(app: Application, agent: Caller) -> str:
    """A session with some work in it."""
    started = app.call("record_session_start", {"title": "Auth"}, agent)
    create(app, agent, "src/a b.py", "1\n")
    edit(app, agent, "src/a b.py", "2\n")
    create(app, agent, "b", "1\n")
    return str(started.model_dump()["session_id"])


@pytest.mark.holds("FIL-resource-1", "003-resource-discovery")
def test_sessions_are_found_with_the_uris_of_their_own(
    app: Application, viewer: Caller, session: str
) -> None:
    [listed] = read_data(app, viewer, "hansard://sessions")["sessions"]

    assert listed["session_id"] == session
    for part in ("timeline", "story", "evolution"):
        assert read(app, viewer, listed[part])


@pytest.mark.holds("FIL-resource-2", "FIL-resource-6", "003-resource-timeline")
def test_the_timeline_is_that_of_the_tool_in_pages(
    app: Application, viewer: Caller, session: str
) -> None:
    uri = f"hansard://session/{session}/timeline"
    whole = app.call("get_timeline", {"session_id": session}, viewer)

    assert read_data(app, viewer, uri) == json.loads(whole.model_dump_json(exclude_none=True))
    page = read_data(app, viewer, f"{uri}?limit=2")
    rest = read_data(app, viewer, f"{uri}?cursor={page['nextCursor']}")
    assert page["timeline"] + rest["timeline"] == read_data(app, viewer, uri)["timeline"]


@pytest.mark.holds("FIL-resource-3", "FIL-resource-6")
def test_the_story_is_markdown(app: Application, viewer: Caller, session: str) -> None:
    text = read(app, viewer, f"hansard://session/{session}/story")

    assert text == story(app, viewer, session_id=session).text()
    assert text.startswith("# Auth\n")


@pytest.mark.holds("FIL-resource-4", "FIL-resource-6", "003-resource-evolution")
@pytest.mark.parametrize("path", ["src/a b.py", "src/a%20b.py", "src%2Fa%20b.py"])
def test_the_evolution_is_that_of_the_tool_however_a_path_is_written(
    app: Application, viewer: Caller, session: str, path: str
) -> None:
    uri = f"hansard://session/{session}/evolution"

    assert [one["path"] for one in read_data(app, viewer, uri)["files"]] == ["b", "src/a b.py"]
    assert len(read_data(app, viewer, f"{uri}?limit=1")["files"]) == 1
    shown = evolution(app, viewer, session_id=session, path="src/a b.py")
    assert read_data(app, viewer, f"{uri}/{path}") == json.loads(
        shown.model_dump_json(exclude_none=True)
    )
    assert read_data(app, viewer, f"{uri}/{path}?revision=1")["content"] == "1\n"
    assert "-1\n+2\n" in read_data(app, viewer, f"{uri}/{path}?from=1&to=2")["diff"]


@pytest.mark.parametrize(
    "uri",
    [
        "hansard://session/x/nothing",
        "hansard://session/x/timeline/more",
        "hansard://session/x/timeline?colour=red",
        "hansard://session",
    ],
)
def test_nothing_lies_under_other_uris(uri: str) -> None:
    with pytest.raises(ResourceNotFound):
        find(RESOURCES, uri)


@pytest.mark.holds("FIL-timeline-4")
@pytest.mark.parametrize("part", ["timeline", "story", "evolution", "evolution/b"])
def test_the_current_session_is_the_callers(
    app: Application, agent: Caller, session: str, part: str
) -> None:
    named = read(app, agent, f"hansard://session/{session}/{part}")

    assert read(app, agent, f"hansard://session/current/{part}") == named
    along = Caller(agent.actor, session=session)
    assert read(app, along, f"hansard://session/current/{part}") == named


@pytest.mark.holds("FIL-timeline-4")
@pytest.mark.parametrize("part", ["timeline", "story", "evolution", "evolution/b"])
def test_without_a_session_none_is_current(
    app: Application, viewer: Caller, session: str, part: str
) -> None:
    for caller in (a_caller(seat=False), a_caller()):
        with pytest.raises(SessionNotFound) as refused:
            read(app, caller, f"hansard://session/current/{part}")
        assert "list_sessions" in refused.value.as_dict()["recovery_hint"]


def test_a_session_hears_of_its_own_project_only() -> None:
    for uri, grown, concerned in (
        ("hansard://session/one.0123456789/story", {"one"}, True),
        ("hansard://session/one.0123456789/story", {"two"}, False),
        ("hansard://session/chosen/story", {"two"}, True),
        ("hansard://session/chosen/story", {"@catalog"}, False),
        ("hansard://session/current/story", {"two"}, True),
        ("hansard://session/current/story", {"@catalog"}, False),
    ):
        resource, parts = find(RESOURCES, uri)
        assert resource.concerns(parts, grown) == concerned


# Over MCP.


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def server(files: Path) -> Iterator[HansardServer]:
    settings = Settings(store="memory:", workspace=str(files))
    application = start(settings)
    yield HansardServer(application, settings, stdio_door("chat"))
    application.close()


async def change(client: Client, path: str) -> None:
    """Create a file."""
    answer = await client.call_tool("file_op", {"path": path, "action": "create", "content": "x"})
    assert not answer.is_error, answer.content


TIMELINE = "hansard://session/chat/timeline"
CURRENT = "hansard://session/current/timeline"


@pytest.mark.holds("FIL-resource-5", "FIL-timeline-4")
@pytest.mark.anyio
@pytest.mark.parametrize("uri", [TIMELINE, CURRENT])
async def test_a_listener_hears_that_the_timeline_has_grown(
    server: HansardServer, uri: str
) -> None:
    async with Client(server, mode="auto") as client:
        await change(client, "a")
        async with client.listen(resource_subscriptions=[uri]) as stream:
            await change(client, "b")
            with anyio.fail_after(WAIT_S):
                assert await anext(stream) == ResourceUpdated(uri=uri)
        read = await client.read_resource(uri)

    assert '"path":"b"' in getattr(read.contents[0], "text", "")


@pytest.mark.holds("FIL-resource-5")
@pytest.mark.anyio
@pytest.mark.filterwarnings("ignore:resources/subscribe is removed")
async def test_a_subscriber_hears_that_the_timeline_has_grown(server: HansardServer) -> None:
    heard = anyio.Event()

    async def hear(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            assert message.params.uri == TIMELINE
            heard.set()

    async with Client(server, mode="legacy", message_handler=hear) as client:
        await client.subscribe_resource(TIMELINE)
        await change(client, "a")
        with anyio.fail_after(WAIT_S):
            await heard.wait()


@pytest.mark.anyio
async def test_resources_and_templates_are_listed(server: HansardServer) -> None:
    async with Client(server, mode="auto") as client:
        listed = [one.uri for one in (await client.list_resources()).resources]
        templates = await client.list_resource_templates()

    assert {"hansard://sessions", CURRENT} <= set(listed)
    assert {one.name for one in templates.resource_templates} >= {
        "timeline", "story", "evolution", "file evolution",
    }  # fmt: skip
