"""Change notices from the journal's tail, for clients that watch a resource.

The two eras of the protocol watch in two ways: `subscriptions/listen` is a stream that takes its
events from a bus, `resources/subscribe` is a wish kept for as long as the connection lives. Either
hears of the projects its caller may see, and of its own where the resource names none: that
others are at work elsewhere is not theirs to know.
"""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup
from mcp.server.connection import Connection
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourceUpdated,
    ServerEvent,
)
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, SubscriptionsListenRequestParams, SubscriptionsListenResult

from hansard.kernel.engine import Engine, Watch
from hansard.kernel.problem import Problem
from hansard.mcp.resources import Resource, ResourceNotFound, find
from hansard.mcp.sdk import RequestContext
from hansard.sessions.directory import project_of

logger = logging.getLogger(__name__)

WAKE_S = 0.25
"""How long the thread waits for a commit before it checks whether it should end."""

PAUSE_S = 0.1
"""How long it rests between two notices, so that a burst of writes is a few notices, not all."""

RETRY_S = 1.0
"""How long it rests when the store cannot be read."""

SEND_S = 5.0
"""How long a connection may take to accept a notice before it goes without."""

WATCHED_MAX = 1_000
"""URIs that one connection may watch."""


STREAMS_MAX = 1_024
"""Streams that may be open at once."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """What a caller is notified of."""

    sees: Callable[[str], bool]
    """Whether it may see a project."""
    current: Callable[[], Collection[str]]
    """Gives the projects of its calls that name none; asked each time, since they may not exist
    yet."""

    def of(self, uri: str, resources: Sequence[Resource], grown: Collection[str]) -> bool:
        """Whether it is notified of a resource, when these projects have grown."""
        try:
            resource, parts = find(resources, uri)
        except ResourceNotFound:
            # A stream may listen for anything; for what does not exist, nothing comes.
            return False
        seen = {project for project in grown if self.sees(project)}
        if project_of(parts.get("id", "")) is None:
            seen &= {*self.current()}
        return resource.concerns(parts, seen)


@dataclass(eq=False, slots=True)
class _Stream:
    """One stream that listens."""

    uris: frozenset[str]
    hearing: Hearing
    bus: InMemorySubscriptionBus = field(default_factory=InMemorySubscriptionBus)


_Watched = tuple[_Stream | Connection, str, Hearing]


class Notices:
    """Knows who watches what, and tells them."""

    def __init__(self, engine: Engine, resources: Sequence[Resource]) -> None:
        """Watch nothing yet: without watchers there is no thread and no cost."""
        self._engine = engine
        self._resources = resources
        self._streams: dict[_Stream, ListenHandler] = {}
        self._subscribed: dict[Connection, dict[str, Hearing]] = {}
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: TaskGroup | None = None
        self._grown: asyncio.Queue[set[str]] = asyncio.Queue()
        self._starting = anyio.Lock()
        self._is_ending = False

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Deliver notices for as long as a server runs."""
        self._loop = asyncio.get_running_loop()
        self._stop.clear()
        async with anyio.create_task_group() as self._tasks:
            self._tasks.start_soon(self._deliver)
            try:
                yield
            finally:
                self._stop.set()
                if self._thread:
                    with anyio.CancelScope(shield=True):
                        await anyio.to_thread.run_sync(self._thread.join)
                    self._thread = None
                self._tasks.cancel_scope.cancel()

    @property
    def watchers(self) -> int:
        """How many connections and streams watch something."""
        return len(self._subscribed) + len(self._streams)

    def end_streams(self) -> None:
        """End every listening stream with its last frame, and begin no more: the server stops."""
        self._is_ending = True
        for listening in self._streams.values():
            listening.close()

    async def listen(
        self,
        context: RequestContext,
        params: SubscriptionsListenRequestParams,
        hearing: Hearing,
    ) -> SubscriptionsListenResult:
        """Serve one `subscriptions/listen` stream."""
        uris = frozenset((params.notifications.resource_subscriptions or [])[:WATCHED_MAX])
        if uris:
            await self._follow()
        if self._is_ending:
            raise MCPError(INTERNAL_ERROR, "The server is about to end")
        if len(self._streams) >= STREAMS_MAX:
            raise MCPError(INTERNAL_ERROR, "Too many streams are open")
        stream = _Stream(uris, hearing)
        listening = self._streams[stream] = ListenHandler(stream.bus)
        try:
            return await listening(context, params)
        finally:
            del self._streams[stream]

    async def publish(self, event: ServerEvent) -> None:
        """Notify every stream of something that is about no project."""
        for stream in list(self._streams):
            await stream.bus.publish(event)

    async def subscribe(self, session: ServerSession, uri: str, hearing: Hearing) -> None:
        """Begin to notify a connection of the handshake era about a resource."""
        find(self._resources, uri)
        await self._follow()
        connection = _connection(session)
        if connection not in self._subscribed:
            self._subscribed[connection] = {}
            connection.exit_stack.callback(self._subscribed.pop, connection, None)
        if len(self._subscribed[connection]) < WATCHED_MAX:
            self._subscribed[connection][uri] = hearing

    async def unsubscribe(self, session: ServerSession, uri: str) -> None:
        """Stop notifying it."""
        self._subscribed.get(_connection(session), {}).pop(uri, None)

    async def _follow(self) -> None:
        """Start the thread that watches the journal, if it does not run yet."""
        async with self._starting:
            if self._thread is None:
                self._thread = await anyio.to_thread.run_sync(self._start)

    def _start(self) -> threading.Thread:
        # Read before anyone learns that they are watching: nothing later goes unnoticed.
        watch, seen = self._engine.watch(), self._seqs()
        thread = threading.Thread(target=self._watch, args=(watch, seen), name="mcp-notices")
        thread.daemon = True
        thread.start()
        return thread

    def _seqs(self) -> dict[str, int]:
        return {project: head.seq for project, head in self._engine.heads().items()}

    def _watch(self, watch: Watch, seen: dict[str, int]) -> None:
        try:
            while not self._stop.is_set():
                seen = self._look(watch, seen)
        finally:
            watch.close()

    def _look(self, watch: Watch, seen: dict[str, int]) -> dict[str, int]:
        """Wait for a commit for a while, announce what grew, and give what has now been seen."""
        try:
            seqs = self._seqs() if watch.wait(WAKE_S) else seen
        except Problem as problem:
            logger.warning("The journal cannot be watched just now: %s", problem)
            self._stop.wait(RETRY_S)
            return seen
        grown = {project for project, seq in seqs.items() if seq > seen.get(project, 0)}
        if grown:
            assert self._loop is not None, "the journal is watched while no server runs"
            self._loop.call_soon_threadsafe(self._grown.put_nowait, grown)
            self._stop.wait(PAUSE_S)
        return seqs

    async def _deliver(self) -> None:
        """Announce what the watching thread saw; a task, since only tasks may start tasks."""
        while True:
            grown = await self._grown.get()
            await self._tell(grown)

    async def _tell(self, grown: set[str]) -> None:
        """Send notices to everyone whom the growth concerns."""
        assert self._tasks is not None, "the journal is watched while no server runs"
        watched: list[_Watched] = [
            *((stream, uri, stream.hearing) for stream in self._streams for uri in stream.uris),
            *(
                (connection, uri, hearing)
                for connection, uris in self._subscribed.items()
                for uri, hearing in uris.items()
            ),
        ]
        concerned = await anyio.to_thread.run_sync(self._concerned, watched, grown)
        for watcher, uri in concerned:
            if isinstance(watcher, _Stream):
                await watcher.bus.publish(ResourceUpdated(uri=uri))
            else:
                self._tasks.start_soon(_send, watcher, uri)

    def _concerned(
        self, watched: Sequence[_Watched], grown: set[str]
    ) -> list[tuple[_Stream | Connection, str]]:
        """Find who is notified; that reads the store, so it is not done in the event loop."""
        try:
            return [
                (watcher, uri)
                for watcher, uri, hearing in watched
                if hearing.of(uri, self._resources, grown)
            ]
        except Problem as problem:
            logger.warning("Who is to be told of a change cannot be looked up: %s", problem)
            return []


async def _send(connection: Connection, uri: str) -> None:
    with anyio.move_on_after(SEND_S):
        await connection.send_resource_updated(uri)


def _connection(session: ServerSession) -> Connection:
    """Give the connection behind a request's session, for which the SDK has no public name."""
    return session._connection  # noqa: SLF001 - subscriptions outlive the request
