"""Following the journal: a stream that cannot begin takes nobody's place."""

from collections.abc import AsyncGenerator
from dataclasses import replace

import anyio
import pytest

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.engines.memory import MemoryEngine
from hansard.http.event_stream import Tail
from hansard.kernel.engine import Schema, Watch
from hansard.kernel.problem import StorageUnavailable
from tests.conftest import a_caller


class Unwatchable(MemoryEngine):
    """Refuses so many times to be watched, as a database does that takes no more connections."""

    refusals = 3

    def watch(self) -> Watch:
        if self.refusals:
            self.refusals -= 1
            raise StorageUnavailable("no connection is left")
        return super().watch()


def opened() -> Application:
    def engine(_: str, schema: Schema) -> Unwatchable:
        return Unwatchable(schema)

    application = start(Settings(store="memory:"), engine)
    application.call(
        "create_record", {"type": "x", "title": "x", "summary": "x", "body": "x"}, a_caller()
    )
    return application


async def followed(tail: Tail, application: Application) -> AsyncGenerator[bytes, None]:
    return await tail.follow(None, replace(a_caller(), home=application.home), None)


def test_streams_that_cannot_watch_are_not_counted() -> None:
    application = opened()
    tail = Tail(application, streams_max=1)

    async def first_line() -> bytes:
        stream = await followed(tail, application)
        try:
            return await anext(stream)
        finally:
            await stream.aclose()

    for _ in range(Unwatchable.refusals):
        with pytest.raises(StorageUnavailable, match="connection"):
            anyio.run(first_line)

    assert anyio.run(first_line).startswith(b"event: hello")
    application.close()


def test_streams_that_are_opened_at_once_are_no_more_than_there_may_be_however_they_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    application = opened()
    tail = Tail(application, streams_max=1)
    begun: list[AsyncGenerator[bytes, None]] = []
    refused: list[str] = []

    async def open_one() -> None:
        try:
            begun.append(await followed(tail, application))
        except StorageUnavailable as problem:
            refused.append(problem.message)

    async def open_three() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(open_one)

    def opened_of_three() -> tuple[int, list[str]]:
        begun.clear()  # whose readers left before they began
        refused.clear()
        anyio.run(open_three)
        return len(begun), sorted(refused)

    full = ["1 streams are open; close one"] * 2
    assert opened_of_three() == (1, full)
    with monkeypatch.context() as patched:
        patched.setattr(application.store, "read", _refuse)
        assert opened_of_three() == (0, [*full, "not for a while"])
    assert opened_of_three() == (1, full)
    application.close()


def _refuse(*_: object) -> None:
    raise StorageUnavailable("not for a while")
