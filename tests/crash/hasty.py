"""An engine that acknowledges writes before they are committed. The tests must find it out."""

import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from hansard.app import start
from hansard.app.application import Application
from hansard.kernel.engine import Engine, Schema, WriteTx
from tests.crash import toys

T = TypeVar("T")


class Hasty:
    """Rehearses each write, answers with the result, and does the write when it gets to it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._behind: queue.SimpleQueue[tuple[str, Callable[[WriteTx], Any]]] = queue.SimpleQueue()
        threading.Thread(target=self._catch_up, daemon=True).start()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def write(self, project: str, work: Callable[[WriteTx], T], *, urgent: bool = False) -> T:
        del urgent

        def rehearse(tx: WriteTx) -> None:
            raise _RehearsedError(work(tx))

        try:
            self._engine.write(project, rehearse)
        except _RehearsedError as rehearsed:
            self._behind.put((project, work))
            result: T = rehearsed.args[0]
            return result
        raise AssertionError("the engine swallowed what the work raised")

    def _catch_up(self) -> None:
        while True:
            self._engine.write(*self._behind.get())


class _RehearsedError(Exception):
    """Work has run; its result is the argument."""


def open_hasty(location: str) -> Application:
    """Open a store through the hasty engine."""

    def opener(where: str, schema: Schema) -> Engine:
        hasty: Any = Hasty(start.open_engine(where, schema))
        engine: Engine = hasty
        return engine

    return toys.open_application(location, opener=opener)
