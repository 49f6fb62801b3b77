"""What is answered on the event loop of a stdio server: nothing that could hold it up."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from mcp.client import Client

from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.app.start import catalog, start
from hansard.kernel.operation import Capability, Context, Operation, ProjectRequest, Result
from hansard.mcp import quick_looks
from hansard.mcp.callers import stdio_door
from hansard.mcp.quick_looks import QuickLooks
from hansard.mcp.server import HansardServer
from tests import toy
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.anyio


class Look(ProjectRequest):
    waits: bool = False


class Looked(Result):
    thread: str

    def text(self) -> str:
        return self.thread


class Looking:
    """An operation that looks, says in which thread, and waits if it is told to."""

    def __init__(self) -> None:
        self.is_slow = False
        self.goes_on = threading.Event()

    def look(self, request: Look, _: Context) -> Looked:
        if request.waits or self.is_slow:
            assert self.goes_on.wait(PATIENCE_S)
        return Looked(thread=threading.current_thread().name)

    def capability(self) -> Capability:
        look = Operation("toy_look", "Look.", Look, Looked, self.look, writes=False)
        return Capability("toy_looks", (look,))


@pytest.fixture
def looking() -> Looking:
    return Looking()


@pytest.fixture
def server(looking: Looking, tmp_path: Path) -> Iterator[HansardServer]:
    """A stdio server on a store of SQLite."""
    known = Catalog([*catalog().capabilities, toy.CAPABILITY, looking.capability()])
    application: Application = start(Settings(store=str(tmp_path / "store")), known=known)
    yield HansardServer(application, Settings(), stdio_door(""))
    application.close()


async def thread_of(client: Client, tool: str = "toy_look", **asked: object) -> str:
    with anyio.fail_after(PATIENCE_S):
        answer = await client.call_tool(tool, asked)
    assert answer.structured_content is not None
    return str(answer.structured_content["thread"])


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take what a busy machine needs for quick, and a test's whole time for a moment."""
    monkeypatch.setattr(quick_looks, "QUICK_S", PATIENCE_S)
    monkeypatch.setattr(quick_looks, "MOMENT_S", PATIENCE_S)


async def test_the_same_question_right_after_needs_no_thread(server: HansardServer) -> None:
    here = threading.current_thread().name
    async with Client(server, mode="auto") as client:
        first, again = await thread_of(client), await thread_of(client)

    assert first != here
    assert again == here


async def test_a_look_that_was_quick_holds_up_nobody_when_it_is_asked_for_more(
    server: HansardServer, looking: Looking
) -> None:
    async with Client(server, mode="auto") as client:
        await thread_of(client)

        async def wait() -> None:
            assert await thread_of(client, waits=True) != threading.current_thread().name

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            # Answered while the other still waits.
            assert await thread_of(client)
            looking.goes_on.set()


async def test_nor_when_something_was_written_since(
    server: HansardServer, looking: Looking
) -> None:
    async with Client(server, mode="auto") as client:
        await thread_of(client)
        await client.call_tool("toy_note", {"text": "more to look at"})
        looking.is_slow = True
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(thread_of, client)
            with anyio.fail_after(PATIENCE_S):
                await client.call_tool("toy_list", {})
            looking.goes_on.set()


def test_a_question_is_known_to_be_quick_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = QuickLooks()
    looks.note("search", {"query": "a"}, 0.0)
    known = looks.has("search", {"query": "a"}), looks.has("search", {"query": "b"})
    monkeypatch.setattr(time, "monotonic", lambda now=time.monotonic: now() + PATIENCE_S)

    assert known == (True, False)
    assert not looks.has("search", {"query": "a"})


def test_a_slow_look_and_a_long_question_are_not_remembered() -> None:
    looks = QuickLooks()
    looks.note("search", {"query": "a"}, 0.0)
    looks.note("search", {"query": "a"}, PATIENCE_S)
    looks.note("search", {"query": "a" * 5_000}, 0.0)

    assert not looks.has("search", {"query": "a"})
    assert not looks.has("search", {"query": "a" * 5_000})


def test_only_so_many_questions_are_remembered() -> None:
    looks = QuickLooks()
    for number in range(quick_looks.KEPT_MAX + 1):
        looks.note("search", {"query": str(number)}, 0.0)

    assert not looks.has("search", {"query": "0"})
    assert looks.has("search", {"query": "1"})
