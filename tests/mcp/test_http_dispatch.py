"""What takes long at the desk over HTTP: a stream begins, and nobody waits for room there."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
import pytest

from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.app.start import catalog, start
from hansard.kernel.operation import Capability, Context, Operation, ProjectRequest, Result
from hansard.mcp import http_dispatch
from hansard.mcp.callers import http_door
from hansard.mcp.dispatch import CALLS_AT_ONCE_MAX, ToolDispatcher
from hansard.mcp.http_dispatch import MESSAGE_KEY, HttpDispatcher
from tests.hostile.fuzzing import META
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.anyio

HEADERS = [
    (b"accept", b"application/json, text/event-stream"),
    (b"mcp-protocol-version", b"2026-07-28"),
    (b"mcp-method", b"tools/call"),
    (b"mcp-name", b"toy_wait"),
]
CALL = {"name": "toy_wait", "arguments": {}, "_meta": META}
MESSAGE = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": CALL}


class WaitedFor(Result):
    def text(self) -> str:
        return "It came."


class Waiting:
    """An operation that is answered when it is let."""

    def __init__(self) -> None:
        self.may_end = threading.Event()

    def wait(self, _: ProjectRequest, __: Context) -> WaitedFor:
        assert self.may_end.wait(PATIENCE_S)
        return WaitedFor()

    def application(self) -> Application:
        waits = "toy_wait", "Wait.", ProjectRequest, WaitedFor, self.wait
        operation = Operation(*waits, writes=False)
        known = Catalog([*catalog().capabilities, Capability("toy_waits", (operation,))])
        return start(Settings(store="memory:"), known=known)


class Asker:
    """A request, and what is sent to whoever made it."""

    def __init__(self, waiting: Waiting) -> None:
        self.waiting = waiting
        self.sent: list[Any] = []

    async def ask(self, desk: HttpDispatcher) -> None:
        scope = {"type": "http", "headers": HEADERS, "client": None, MESSAGE_KEY: MESSAGE}
        await desk(scope, self._receive, self._send)

    async def _receive(self) -> Any:
        raise AssertionError("its body was read before")

    async def _send(self, message: Any) -> None:
        self.sent.append(message)
        if message.get("body") == http_dispatch.PING:
            self.waiting.may_end.set()


async def test_an_answer_that_takes_long_is_told_of_in_a_stream(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_dispatch, "PING_S", 0.001)
    waiting = Waiting()
    application = waiting.application()
    caller = Asker(waiting)
    with ThreadPoolExecutor() as threads:
        await caller.ask(HttpDispatcher(_nobody, desk_of(application), threads))
    application.close()

    first, *parts = caller.sent
    assert (first["status"], first["headers"][0][1]) == (200, b"text/event-stream")
    assert {one["body"] for one in parts[:-1]} == {http_dispatch.PING}
    told = parts[-1]["body"].removeprefix(b"event: message\r\ndata: ")
    assert json.loads(told)["result"]["content"] == [{"text": "It came.", "type": "text"}]
    assert [one["more_body"] for one in parts] == [*[True] * (len(parts) - 1), False]


async def test_who_finds_no_room_at_the_desk_is_passed_on() -> None:
    waiting = Waiting()
    application = waiting.application()
    passed: list[Any] = []

    async def sdk(scope: Any, _: Any, __: Any) -> None:
        passed.append(scope)
        waiting.may_end.set()

    callers = [Asker(waiting) for _ in range(CALLS_AT_ONCE_MAX + 1)]
    with ThreadPoolExecutor(CALLS_AT_ONCE_MAX) as threads:
        desk = HttpDispatcher(sdk, desk_of(application), threads)
        async with anyio.create_task_group() as tasks:
            for one in callers:
                tasks.start_soon(one.ask, desk)
    application.close()

    assert len(passed) == 1
    assert sum(bool(one.sent) for one in callers) == CALLS_AT_ONCE_MAX


def desk_of(application: Application) -> ToolDispatcher:
    return ToolDispatcher(application, Settings(), http_door("", application.store))


async def _nobody(_: Any, __: Any, ___: Any) -> None:
    raise AssertionError("it was passed on")
