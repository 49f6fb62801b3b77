"""`HansardSaver`: LangGraph's checkpointer, on the store that everything else is recorded in."""

import asyncio
import sys
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    PendingWrite,
    get_checkpoint_id,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from hansard.checkpoints.limits import CheckpointQuotas
from hansard.checkpoints.threads import contract
from hansard.kernel.problem import InvalidInput
from hansard.langgraph import bodies, serialization
from hansard.langgraph.cache import ListAsked, RecentPage
from hansard.langgraph.threads import Threads, Values
from hansard.sdk.client import Hansard

PAGE = 20
REMEMBERED_MAX = 256
"""Checkpoints whose parts are remembered, so that a child writes down only what it changed."""

Place = tuple[str, str]
"""A thread and a namespace."""


class HansardSaver(BaseCheckpointSaver[int]):
    """A checkpointer whose checkpoints are small, durable and part of the record.

    A thread is a session of the same id, so its steps stand on that session's timeline. Each `put`
    and each `put_writes` is on disk when it returns. It may be used by many threads at once.

        graph = builder.compile(checkpointer=HansardSaver("./store"))
    """

    def __init__(
        self,
        store: str | Path | Hansard | None = None,
        project: str | None = None,
        *,
        serde: SerializerProtocol | None = None,
        quotas: CheckpointQuotas | None = None,
    ) -> None:
        """Open a store (a folder, or a `postgresql://` URL), or share a `Hansard` that is open."""
        super().__init__(serde=serde)
        self._threads = Threads(store, project, quotas)
        self._remembered = _Memory()

    @classmethod
    @contextmanager
    def from_conn_string(cls, conn_string: str, project: str | None = None) -> Iterator[Self]:
        """Open a store for a while, as LangGraph's other savers are opened."""
        with cls(conn_string, project) as saver:
            yield saver

    def close(self) -> None:
        """Close the store, unless it is shared."""
        self._threads.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.to_thread(self.close)

    def setup(self) -> None:
        """Do nothing: a store is ready when it is open. Other savers need this call."""

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Give the checkpoint that a config names, or the latest of its thread."""
        thread, ns = _place(config)
        page, is_new = self._threads.step(thread, ns, get_checkpoint_id(config))
        for step, body in zip(page.steps, page.bodies, strict=True):
            read = serialization.read_step(self.serde, step, body)
            if is_new:
                self._remembered.keep((thread, ns), step.id, read.remembered())
            return serialization.to_tuple(self.serde, read, page.contents)
        return None

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Give the checkpoints that match, those with the highest ids first."""
        return islice(self._matching(config, before, filter or {}, limit), limit)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint; it is durable when this returns."""
        place, parent = _place(config), get_checkpoint_id(config)
        noted = get_checkpoint_metadata(config, metadata)
        known = self._remembered.find(place, parent)
        written = serialization.write_checkpoint(self.serde, checkpoint, noted, new_versions, known)
        try:
            stored = self._put(place, parent, checkpoint["id"], noted, written)
        except InvalidInput:
            if not written.known:
                raise
            # The parent has been taken away since it was last seen, so everything is given whole.
            written = serialization.write_checkpoint(
                self.serde, checkpoint, noted, new_versions, None
            )
            stored = self._put(place, parent, checkpoint["id"], noted, written)
        versions = dict(checkpoint["channel_versions"])  # the graph goes on changing its own
        remembered = serialization.Remembered(versions, written.small, stored.values)
        self._remembered.keep(place, checkpoint["id"], remembered)
        self._threads.remember(_step(place, parent, checkpoint["id"], stored), stored, written)
        return serialization.config_of(*place, checkpoint["id"])

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep what a task wrote; it is durable when this returns."""
        thread, ns = _place(config)
        given = [
            contract.WriteGiven(
                channel=channel,
                index=WRITES_IDX_MAP.get(channel, index),
                content=serialization.dump(self.serde, value),
            )
            for index, (channel, value) in enumerate(writes)
        ]
        self._threads.ask_under(
            thread,
            contract.DoneAnswer,
            "thread_put_writes",
            ns=ns,
            id=config["configurable"]["checkpoint_id"],
            task=task_id,
            path=task_path,
            writes=given,
        )

    def delete_thread(self, thread_id: str) -> None:
        """Take a thread away."""
        self._threads.ask(contract.DoneAnswer, "thread_delete", thread=str(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Take away the checkpoints of some runs, whatever their threads."""
        self._threads.ask(
            contract.DoneAnswer, "thread_delete_runs", runs=[str(run) for run in run_ids]
        )

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Make a thread's whole history another thread's too; it takes no more room."""
        target, source = str(target_thread_id), str(source_thread_id)
        self._threads.ask_under(target, contract.DoneAnswer, "thread_copy", source=source)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep only the latest checkpoint of each namespace, or (`"delete"`) none.

        Where the latest leaves out values that follow from earlier writes (`DeltaChannel`), the
        checkpoints from which they follow are kept too.
        """
        if strategy not in {"keep_latest", "delete"}:
            raise InvalidInput(f"strategy: keep_latest or delete, not {strategy}")
        for thread in map(str, thread_ids):
            if strategy == "delete":
                self.delete_thread(thread)
                continue
            found = self._threads.ask(
                contract.StepsFoundAnswer, "thread_list_steps", thread=thread, latest=True
            )
            reads = [serialization.read_step(self.serde, step) for step in found.steps]
            kept = {read.step.ns: [read.step.id, *self._needed(read)] for read in reads}
            self._threads.ask(
                contract.DoneAnswer,
                "thread_prune",
                thread=thread,
                kept=kept,
                through=found.seq,
            )

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Gather what each channel's value follows from: writes, and the value they start from."""
        history: dict[str, DeltaChannelHistory] = {name: {"writes": []} for name in channels}
        remaining = set(channels)
        for read in self._ancestors(config) if channels else ():
            writes: dict[str, list[PendingWrite]] = {}
            for write in read.step.writes:
                if write.channel in remaining:
                    value = serialization.load(self.serde, write.content)
                    made = (write.task, write.channel, value)
                    writes.setdefault(write.channel, []).append(made)
            for name, made_here in writes.items():
                history[name]["writes"] = made_here + history[name]["writes"]
            for name in remaining & read.channels:
                history[name]["seed"] = self._value(read, name)
            remaining -= read.channels
            if not remaining:
                break
        return history

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Count up; versions that another saver made as text stay text."""
        if isinstance(current, str):
            number, point, rest = current.partition(".")
            return f"{int(number) + 1:0{len(number)}}{point}{rest}"
        return super().get_next_version(current, channel)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Do as `get_tuple`, in a thread."""
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Do as `list`, in a thread."""
        found = self.list(config, filter=filter, before=before, limit=limit)
        while page := await asyncio.to_thread(tuple, islice(found, PAGE)):
            for one in page:
                yield one

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Do as `put`, in a thread."""
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Do as `put_writes`, in a thread."""
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Do as `delete_thread`, in a thread."""
        await asyncio.to_thread(self.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Do as `delete_for_runs`, in a thread."""
        await asyncio.to_thread(self.delete_for_runs, run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Do as `copy_thread`, in a thread."""
        await asyncio.to_thread(self.copy_thread, source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Do as `prune`, in a thread."""
        await asyncio.to_thread(self.prune, thread_ids, strategy=strategy)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Do as `get_delta_channel_history`, in a thread."""
        return await asyncio.to_thread(
            self.get_delta_channel_history, config=config, channels=channels
        )

    def _put(
        self,
        place: Place,
        parent: str | None,
        identifier: str,
        metadata: CheckpointMetadata,
        written: serialization.PackedCheckpoint,
    ) -> contract.StepPutAnswer:
        run = metadata.get("run_id")
        return self._threads.ask_under(
            place[0],
            contract.StepPutAnswer,
            "thread_put_step",
            ns=place[1],
            id=identifier,
            parent=parent,
            run=None if run is None else str(run),
            step=metadata.get("step"),
            is_input=metadata.get("source") != "loop",
            body=bodies.pack(written.body),
            values=written.values,
            known=written.known,
        )

    def _matching(
        self,
        config: RunnableConfig | None,
        before: RunnableConfig | None,
        wanted: Mapping[str, Any],
        limit: int | None,
    ) -> Iterator[CheckpointTuple]:
        """Go through the checkpoints that a config names and that are wanted; at most so many."""
        left = sys.maxsize if limit is None else limit
        bound = get_checkpoint_id(before) if before else None
        pages = self._pages(config, bound, PAGE if wanted else min(PAGE, left)) if left else ()
        for page, values in pages:
            reads = map(partial(serialization.read_step, self.serde), page.steps, page.bodies)
            is_all = not wanted and bound is None
            shown = [read for read in reads if is_all or _is_wanted(read, wanted, bound)][:left]
            steps = [read.step for read in shown]
            for place, read in enumerate(shown):
                yield serialization.to_tuple(self.serde, read, values.of(steps[place:]))
            left -= len(shown)
            if not left:
                return

    def _pages(
        self, config: RunnableConfig | None, bound: str | None, size: int
    ) -> Iterator[tuple[RecentPage, Values]]:
        """Go through the steps that a config names, all if it names none."""
        named = (config or {}).get("configurable", {})
        thread, ns, identifier = (
            named.get(name) for name in ("thread_id", "checkpoint_ns", "checkpoint_id")
        )
        after = None if bound is None else (bound, 0)
        asked = ListAsked(after, None if thread is None else str(thread), ns, identifier, size)
        for page, values in self._threads.pages(asked):
            yield page, values
            if identifier is not None:
                break

    def _ancestors(self, config: RunnableConfig) -> Iterator[serialization.Read]:
        """Go from the step that a config names, or the latest, to its parents."""
        thread, ns = _place(config)
        identifier = get_checkpoint_id(config)
        chosen = {"latest": True} if identifier is None else {"id": identifier}
        steps = self._threads.steps(thread=thread, ns=ns, **chosen)
        while steps and (parent := steps[0].parent):
            steps = self._threads.steps(thread=thread, ns=ns, id=parent)
            yield from (serialization.read_step(self.serde, step) for step in steps)

    def _needed(self, read: serialization.Read) -> Iterator[str]:
        """Name the ancestors from which values follow that this step leaves out."""
        missing = read.replayed
        for ancestor in self._ancestors(read.config) if missing else ():
            yield ancestor.step.id
            missing -= ancestor.channels
            if not missing:
                break

    def _value(self, read: serialization.Read, channel: str) -> Any:
        if channel in read.small:
            return serialization.load(self.serde, read.small[channel])
        return serialization.load(
            self.serde, self._threads.content(read.step, read.step.values[channel])
        )


class _Memory:
    """The checkpoints last seen, by where they are."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[Place, str], serialization.Remembered] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, place: Place, identifier: str | None) -> serialization.Remembered | None:
        with self._lock:
            return self._known.get((place, identifier)) if identifier else None

    def keep(self, place: Place, identifier: str, remembered: serialization.Remembered) -> None:
        with self._lock:
            self._known[place, identifier] = remembered
            self._known.move_to_end((place, identifier))
            if len(self._known) > REMEMBERED_MAX:
                self._known.popitem(last=False)


def _is_wanted(read: serialization.Read, wanted: Mapping[str, Any], bound: str | None) -> bool:
    is_before = bound is None or read.step.id < bound
    return is_before and all(read.metadata.get(key) == value for key, value in wanted.items())


def _step(
    place: Place, parent: str | None, identifier: str, put: contract.StepPutAnswer
) -> contract.Step:
    """Give a step that was just put as it would be read; its body is at hand elsewhere."""
    return contract.Step(
        thread=place[0],
        ns=place[1],
        place=put.number,
        id=identifier,
        parent=parent,
        body=b"",
        values=put.values,
        spares={},
        writes=[],
    )


def _place(config: RunnableConfig) -> Place:
    named = config["configurable"]
    return str(named["thread_id"]), named.get("checkpoint_ns", "")
