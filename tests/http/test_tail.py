"""Following the journal: a stream that cannot begin takes nobody's place."""

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


def test_streams_that_cannot_watch_are_not_counted() -> None:
    application = opened()
    tail = Tail(application, streams_max=1)

    async def first_line() -> bytes:
        stream = await tail.follow(None, replace(a_caller(), home=application.home), None)
        try:
            return await anext(stream)
        finally:
            await stream.aclose()

    for _ in range(Unwatchable.refusals):
        with pytest.raises(StorageUnavailable, match="connection"):
            anyio.run(first_line)

    assert anyio.run(first_line).startswith(b"event: hello")
    application.close()
