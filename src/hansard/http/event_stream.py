"""The journal's tail as Server-Sent Events: each entry once, in order, when it is durable."""

import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import ExitStack
from typing import Any
from weakref import WeakSet

import anyio
import anyio.to_thread
import orjson

from hansard.app.application import Application
from hansard.app.identity import identity_of
from hansard.kernel.engine import ReadTx, Watch
from hansard.kernel.event import Entry
from hansard.kernel.operation import Caller
from hansard.kernel.problem import Problem, StorageUnavailable
from hansard.sessions.call_project import find_place

PAGE = 200
WAKE_S = 1.0
"""How long a stream waits for a commit before it checks whether it should end."""

QUIET_ROUNDS = 15
"""After this many waits in vain a comment is sent, so that a dead connection is noticed."""

_KEEP_ALIVE = b": still here\n\n"


class _Place:
    """One of the streams that may be open: free again when given back, or held by nothing.

    A stream whose reader left before it began is never run, so it gives nothing back itself.
    """


class Tail:
    """Follows journals for readers, up to a number at a time."""

    def __init__(self, application: Application, streams_max: int) -> None:
        """Start without readers."""
        self._application = application
        self._threads = anyio.CapacityLimiter(streams_max)
        self._places: WeakSet[_Place] = WeakSet()
        """Those taken, also by streams that are about to begin."""
        self._streams_max = streams_max
        self._ending = threading.Event()

    def end(self) -> None:
        """Let every stream end."""
        self._ending.set()

    async def follow(
        self, project: str | None, caller: Caller, after: int | None
    ) -> AsyncGenerator[bytes, None]:
        """Begin a stream after an entry; by default after the last one there is.

        The project is looked up for each read: a caller's home may not exist yet.
        """
        store = self._application.store
        if len(self._places) >= self._streams_max:
            raise StorageUnavailable(f"{self._streams_max} streams are open; close one")
        place = _Place()
        self._places.add(place)

        def key() -> str:
            return find_place(store, project, caller, looks=True).project

        with ExitStack() as stack:
            stack.callback(self._places.discard, place)
            head = await self._run(lambda: store.read(key(), lambda tx: tx.head().seq))
            stack.pop_all()
        return self._lines(place, key, head if after is None else after, head)

    async def _lines(
        self, place: _Place, project: Callable[[], str], after: int, head: int
    ) -> AsyncGenerator[bytes, None]:
        with ExitStack() as stack:
            stack.callback(self._places.discard, place)
            # In a thread, since it may have to connect.
            watch = await self._run(self._application.store.engine.watch)
            stack.callback(watch.close)
            identity = await self._run(identity_of, self._application.store)
            yield _event("hello", {"head": head, "store": identity})
            quiet = 0
            while not self._ending.is_set():
                entries = await self._run(self._read, project, after)
                for entry in entries:
                    after = entry.seq
                    yield _event("entry", self._told(entry), after)
                if entries:
                    quiet = 0
                    continue
                quiet += not await self._run(_wait, watch)
                if quiet >= QUIET_ROUNDS:
                    quiet = 0
                    yield _KEEP_ALIVE

    def _read(self, project: Callable[[], str], after: int) -> Sequence[Entry]:
        def work(tx: ReadTx) -> list[Entry]:
            return tx.entries(after=after, limit=PAGE)

        return self._application.store.read(project(), work)

    def _told(self, entry: Entry) -> dict[str, Any]:
        told: dict[str, Any] = {
            "seq": entry.seq,
            "tick": entry.tick,
            "kind": entry.kind,
            "at": entry.at,
            "actor": str(entry.actor),
            "session": entry.session,
        }
        try:
            event = self._application.store.kinds.decode(entry)
        except Problem:  # written by a later version, or damaged: the entry is sent all the same
            return told
        if event is None:
            return told
        return told | {"summary": event.summary(), "subject": event.subject()}

    async def _run(self, work: Any, *arguments: Any) -> Any:
        return await anyio.to_thread.run_sync(work, *arguments, limiter=self._threads)


def _wait(watch: Watch) -> bool:
    return watch.wait(WAKE_S)


def _event(name: str, told: dict[str, Any], seq: int | None = None) -> bytes:
    number = b"" if seq is None else b"id: %d\n" % seq
    return number + b"event: %s\ndata: %s\n\n" % (name.encode(), orjson.dumps(told))
