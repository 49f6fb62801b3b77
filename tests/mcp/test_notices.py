"""Whoever watches a resource hears that it changed, whichever process changed it."""

import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.subscriptions import ResourceUpdated
from mcp.shared.exceptions import MCPError

from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.app.start import catalog, start
from hansard.mcp.callers import http_door, stdio_door
from hansard.mcp.notices import PAUSE_S, Hearing
from hansard.mcp.resources import RESOURCES
from hansard.mcp.server import HansardServer
from tests import toy
from tests.conftest import a_caller
from tests.mcp.processes import ROOT, WAIT_S, HttpServer, environment

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:resources/subscribe is removed"),
    pytest.mark.filterwarnings("ignore:resources/unsubscribe is removed"),
]

ACTIVITY = "hansard://activity"
Connect = Callable[..., Client]


@pytest.fixture
def writer(store: str) -> Iterator[Application]:
    """Another process's view of the store."""
    known = Catalog([*catalog().capabilities, toy.CAPABILITY])
    application = start(Settings(store=store), known=known)
    yield application
    application.close()


@pytest.fixture(params=["stdio", "http"])
def connect(request: pytest.FixtureRequest, store: str) -> Iterator[Connect]:
    """Connect to a server process on the test's store."""
    if request.param == "stdio":
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "tests.mcp.programs", "stdio"],
            env=environment({"store": store}),
            cwd=ROOT,
        )
        yield lambda **options: Client(parameters, **options)
    else:
        with HttpServer({"store": store}) as server:
            yield lambda **options: Client(server.url, **options)


def note(writer: Application, text: str) -> None:
    writer.call("toy_note", {"text": text}, a_caller())


class Heard:
    """Collects the notifications of a client of the handshake era."""

    def __init__(self) -> None:
        self._send, self._receive = anyio.create_memory_object_stream[str](100)

    async def __call__(self, message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            self._send.send_nowait(message.params.uri)

    async def next(self) -> str:
        with anyio.fail_after(WAIT_S):
            return await self._receive.receive()

    @property
    def waiting(self) -> int:
        return self._receive.statistics().current_buffer_used

    def close(self) -> None:
        self._send.close()
        self._receive.close()


@asynccontextmanager
async def hearing() -> AsyncIterator[Heard]:
    heard = Heard()
    try:
        yield heard
    finally:
        heard.close()


async def test_a_listening_stream_hears_of_each_change(
    connect: Connect, writer: Application
) -> None:
    async with (
        connect(mode="auto") as client,
        client.listen(resource_subscriptions=[ACTIVITY]) as stream,
    ):
        for text in ("one", "two"):
            await anyio.to_thread.run_sync(note, writer, text)
            with anyio.fail_after(WAIT_S):
                assert await anext(stream) == ResourceUpdated(uri=ACTIVITY)
            read = await client.read_resource(ACTIVITY)
            assert text in getattr(read.contents[0], "text", "")


async def test_a_subscriber_hears_of_each_change_until_it_unsubscribes(
    connect: Connect, writer: Application
) -> None:
    async with hearing() as heard, connect(mode="legacy", message_handler=heard) as client:
        await client.subscribe_resource(ACTIVITY)
        for text in ("one", "two"):
            await anyio.to_thread.run_sync(note, writer, text)
            assert await heard.next() == ACTIVITY
        await client.unsubscribe_resource(ACTIVITY)
        await anyio.to_thread.run_sync(note, writer, "three")
        await client.subscribe_resource(ACTIVITY)
        await anyio.to_thread.run_sync(note, writer, "four")

        assert await heard.next() == ACTIVITY


async def test_what_the_client_did_itself_is_told_as_well(connect: Connect) -> None:
    async with (
        connect(mode="auto") as client,
        client.listen(resource_subscriptions=[ACTIVITY]) as stream,
    ):
        await client.call_tool("toy_note", {"text": "mine"})
        with anyio.fail_after(WAIT_S):
            assert await anext(stream) == ResourceUpdated(uri=ACTIVITY)


async def test_a_burst_of_writes_is_few_notices(application: Application) -> None:
    server = HansardServer(application, Settings(), stdio_door(""))
    async with hearing() as heard, Client(server, mode="legacy", message_handler=heard) as client:
        await client.subscribe_resource(ACTIVITY)
        began = time.monotonic()
        for number in range(100):
            await client.call_tool("toy_note", {"text": f"note {number}"})
        assert await heard.next() == ACTIVITY

        # On a slow machine a burst takes long, and has more of them.
        assert heard.waiting <= (time.monotonic() - began) / PAUSE_S + 1


async def test_a_resource_that_is_not_there_cannot_be_subscribed_to(
    application: Application,
) -> None:
    server = HansardServer(application, Settings(), stdio_door(""))
    async with Client(server, mode="legacy") as client:
        with pytest.raises(MCPError) as caught:
            await client.subscribe_resource("hansard://nowhere")

    assert caught.value.code == -32602


async def test_without_a_watcher_nothing_is_watched(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden() -> None:
        raise AssertionError("the journal was watched for nobody")

    monkeypatch.setattr(application.store.engine, "watch", forbidden)
    server = HansardServer(application, Settings(), stdio_door(""))
    async with Client(server, mode="auto") as client:
        await client.call_tool("toy_note", {"text": "unheard"})
        async with client.listen(tools_list_changed=True):
            pass


async def test_a_connection_that_is_gone_is_told_nothing(application: Application) -> None:
    server = HansardServer(application, Settings(), stdio_door(""))
    async with Client(server, mode="legacy") as client:
        await client.subscribe_resource(ACTIVITY)
        assert server.notices.watchers == 1

    assert server.notices.watchers == 0


SESSION_URI = "hansard://session/{}/timeline"


@pytest.mark.parametrize("over_http", [False, True])
async def test_a_subscriber_hears_nothing_of_other_projects(
    application: Application, over_http: bool
) -> None:
    door = http_door("", application.store) if over_http else stdio_door("", application.store)
    server = HansardServer(application, Settings(toolsets="all"), door)
    application.call("toy_note", {"text": "here"}, a_caller())
    application.call("create_project", {"id": "other", "name": "Other"}, a_caller())
    named = [SESSION_URI.format(one) for one in ("main", "current", "other.0123456789")]
    async with hearing() as heard, Client(server, mode="legacy", message_handler=heard) as client:
        for uri in (ACTIVITY, *named):
            await client.subscribe_resource(uri)

        await server.notices._tell({"other", "@catalog"})
        first = await heard.next()
        await server.notices._tell({"default"})
        then = {await heard.next() for _ in range(3)}

        assert first == named[2]
        assert then == {ACTIVITY, *named[:2]}
        assert heard.waiting == 0


async def test_a_stream_hears_nothing_of_other_projects(application: Application) -> None:
    server = HansardServer(application, Settings(), stdio_door("", application.store))
    application.call("toy_note", {"text": "here"}, a_caller())
    async with (
        Client(server, mode="auto") as client,
        client.listen(resource_subscriptions=[ACTIVITY, "hansard://sessions"]) as stream,
    ):
        await server.notices._tell({"other"})
        await server.notices._tell({"default"})

        with anyio.fail_after(WAIT_S):
            told = {(await anext(stream)).uri for _ in range(2)}  # type: ignore[union-attr]
        assert told == {ACTIVITY, "hansard://sessions"}


def test_a_token_hears_only_of_the_projects_it_sees() -> None:
    bound = Hearing(lambda project: project == "acme", lambda: ["acme"])
    named = SESSION_URI.format("globex.0123456789")

    for uri, grown, hears in (
        (ACTIVITY, {"acme"}, True),
        (ACTIVITY, {"globex"}, False),
        (named, {"globex"}, False),
        (SESSION_URI.format("acme.0123456789"), {"acme"}, True),
        (SESSION_URI.format("chosen"), {"globex"}, False),
    ):
        assert bound.of(uri, RESOURCES, grown) == hears
