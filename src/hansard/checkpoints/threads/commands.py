"""Saves steps and writes of threads; copies and deletes threads."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import TypeVar

from hansard.checkpoints.contract import StorageQuotaExceeded
from hansard.checkpoints.copies import CopyOvertakenError, mend, require_kept
from hansard.checkpoints.limits import CheckpointQuotas
from hansard.checkpoints.rules import check_quotas
from hansard.checkpoints.threads import contract, events
from hansard.checkpoints.threads.inline import to_text
from hansard.checkpoints.threads.limits import LOOK_EVERY
from hansard.checkpoints.threads.packing import Packing, begin
from hansard.checkpoints.threads.reading import find_step, place_of, places_of, saved_event
from hansard.checkpoints.threads.usage import used_bytes
from hansard.checkpoints.threads.views import RUNS
from hansard.checkpoints.threads.write_cache import Memory, Place
from hansard.kernel.blob import Blob, Digest, digest_of, seal
from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.event import Event
from hansard.kernel.operation import Context, Written
from hansard.kernel.problem import InvalidInput
from hansard.sessions.call_session import Seating, opening

W = TypeVar("W", bound=Written)


@dataclass(slots=True)
class Usage:
    """What the whole store keeps, in bytes, as far as this process knows."""

    size_bytes: int = 0
    asked: int = 0

    def look(self, context: Context, *, anew: bool = False) -> int:
        """Give the sum, added up again from time to time."""
        if anew or self.asked % LOOK_EVERY == 0:
            self.size_bytes = used_bytes(context.store.engine)
        self.asked += 1
        return self.size_bytes


@dataclass(frozen=True, slots=True)
class Keeping:
    """How threads are kept here: the operator's quotas, and what is remembered between writes."""

    quotas: CheckpointQuotas
    memory: Memory = field(default_factory=Memory)
    usage: Usage = field(default_factory=Usage)

    def put_step(self, request: contract.PutStep, context: Context) -> contract.StepPutAnswer:
        """Save the state of a graph after a step; the same id again takes the first one's place."""
        return self._until_done(lambda: self._put_step(request, _under(context, request.under)))

    def put_writes(self, request: contract.PutWrites, context: Context) -> contract.DoneAnswer:
        """Keep what a task wrote."""
        return self._until_done(lambda: self._put_writes(request, _under(context, request.under)))

    def _until_done(self, write: Callable[[], W]) -> W:
        """Write, reading again as long as others overtake what was remembered."""
        while True:
            try:
                return write()
            except CopyOvertakenError:
                self.memory.forget()

    def _put_step(self, request: contract.PutStep, context: Context) -> contract.StepPutAnswer:
        text = to_text(request.body)
        given: dict[str | None, bytes] = dict(request.values.items())
        if text is None:
            given[None] = request.body
        digests = {channel: digest_of(data) for channel, data in given.items()}
        contents = {digest: given[channel] for channel, digest in digests.items()}
        packing = begin(context, self.memory, request, contents)
        known = _known(request, context, packing.place)
        values = {channel: packing.name(channel, digest) for channel, digest in known.items()}
        for channel, data in request.values.items():
            values[channel] = packing.add(channel, data, digests[channel])
        body_blob = None if text else packing.add(None, request.body, digests[None])
        size = packing.size_bytes + len(text or "")
        # Asked before the bytes are staged, so that a refusal leaves nothing behind.
        self._check(context, packing.place, size)
        saved = events.InputSaved if request.is_input else events.StepSaved
        event = saved(
            thread=request.thread,
            ns=request.ns,
            id=request.id,
            parent=request.parent,
            run=request.run,
            step=request.step,
            body=text or "",
            body_blob=body_blob,
            values=values,
            size_bytes=size,
            spares=packing.spares,
        )
        return self._write_step(request, context, packing, event, known.values())

    def _write_step(
        self,
        request: contract.PutStep,
        context: Context,
        packing: Packing,
        event: events.StepSaved,
        known: Collection[Digest],
    ) -> contract.StepPutAnswer:
        blobs = [blob for blob, _ in packing.blobs.values()]

        def work(tx: WriteTx) -> contract.StepPutAnswer:
            packing.require(tx, known)
            before = tx.head().seq
            context.record(tx, event)
            row = place_of(tx, request.thread, request.ns)
            assert row is not None, "a step was recorded in a thread that is not there"
            depths = tx.kept([blob.digest for blob in blobs])
            return contract.StepPutAnswer(
                values={channel: str(digest) for channel, digest in event.values.items()},
                depths={str(digest): kept.depth for digest, kept in depths.items()},
                number=row["number"],
                is_latest=_is_latest(tx, row, request.id, packing.place, before),
            )

        result = context.write(work, blobs=blobs)
        receipt = result.receipt if result.is_latest else None
        latest = (receipt.seq, request.id) if receipt else None
        packing.remember(request.id, result.number, event.values, result.depths, latest=latest)
        self.usage.size_bytes += event.size_bytes
        return result

    def _put_writes(self, request: contract.PutWrites, context: Context) -> contract.DoneAnswer:
        texts = [(given, to_text(given.content)) for given in request.writes]
        large = {digest_of(given.content): given.content for given, text in texts if text is None}
        packing = begin(context, self.memory, request, large)
        packed = [_packed(given, text, packing) for given, text in texts]
        writes, blobs = [write for write, _ in packed], [blob for _, blob in packed if blob]
        size = sum(len(blob.packed) for blob in blobs) + sum(len(one.packed) for one in writes)
        event = events.WritesKept(
            thread=request.thread,
            ns=request.ns,
            id=request.id,
            task=request.task,
            path=request.path,
            writes=writes,
            size_bytes=size,
        )
        self._check(context, packing.place, size)

        def work(tx: WriteTx) -> contract.DoneAnswer:
            require_kept(tx, packing.kept)
            mend(tx, packing.mended)
            return _done(context.record(tx, event))

        result = context.write(work, blobs=blobs)
        self.usage.size_bytes += size
        return result

    def _check(self, context: Context, place: Place, size: int) -> None:
        """Refuse what goes beyond a quota, but not by what was only remembered."""
        here = place.size_bytes + size
        try:
            check_quotas(self.quotas, size, here, self.usage.look(context) + size)
        except StorageQuotaExceeded:
            check_quotas(self.quotas, size, here, self.usage.look(context, anew=True) + size)

    def delete_thread(
        self, request: contract.DeleteThread, context: Context
    ) -> contract.DoneAnswer:
        """Take a thread away."""
        event = events.ThreadDeleted(thread=request.thread)
        return self._remove(request.thread, event, context)

    def prune_thread(self, request: contract.PruneThread, context: Context) -> contract.DoneAnswer:
        """Take away the steps of a thread that were there at `through` and are not to be kept."""
        event = events.ThreadPruned(
            thread=request.thread, kept=dict(request.kept), through=request.through
        )
        return self._remove(request.thread, event, context)

    def _remove(self, thread: str, event: Event, context: Context) -> contract.DoneAnswer:
        """Record what happens to a thread under the thread's own session."""

        def work(tx: WriteTx) -> contract.DoneAnswer:
            places = places_of(tx, thread)
            if not places:
                return contract.DoneAnswer()
            stamp = replace(context.stamp, session=places[0]["session"])
            return _done(context.store.record(tx, event, stamp))

        result = context.write(work)
        self.memory.forget()
        self.usage.asked = 0
        return result


def copy_thread(request: contract.CopyThread, context: Context) -> contract.DoneAnswer:
    """Make a thread's steps another's too. What they hold is shared, not copied."""
    event = events.ThreadCopied(source=request.source, target=request.thread)

    def work(tx: WriteTx) -> contract.DoneAnswer:
        # Checked here: a thread that is deleted meanwhile has nothing left to share.
        if not places_of(tx, request.source):
            return contract.DoneAnswer()
        return _done(context.record(tx, event))

    return context.write(work)


def delete_runs(request: contract.DeleteRuns, context: Context) -> contract.DoneAnswer:
    """Take away the steps of some runs, whatever their threads."""

    def work(tx: WriteTx) -> contract.DoneAnswer:
        runs = [run for run in request.runs if tx.tally(RUNS, {"run": run})]
        return (
            _done(context.record(tx, events.RunsDeleted(runs=runs)))
            if runs
            else contract.DoneAnswer()
        )

    return context.write(work)


def _is_latest(tx: ReadTx, row: Row, step: str, place: Place, before: int) -> bool:
    """Whether a step that was put just now has the highest id, and no task has written to it.

    If the journal ended `before` where it did when the highest id was seen, it is known.
    """
    put = find_step(tx, row, step)
    assert put is not None, "a step was recorded and is not there"
    if put.row["writes"]:
        return False
    if place.latest and place.latest[0] == before:
        return step >= place.latest[1]
    latest = find_step(tx, row, None)
    return latest is not None and latest.key == put.key


def _known(request: contract.PutStep, context: Context, place: Place) -> dict[str, Digest]:
    """Take over values from the parent, which must have them as the caller says."""
    if not request.known:
        return {}
    values = place.values.get(request.parent or "") or context.read(
        lambda tx: _values_of_parent(tx, request, context)
    )
    for channel, digest in request.known.items():
        if values.get(channel) != digest:
            raise InvalidInput(f"known: the parent has no such value of {channel}")
    return {channel: Digest(digest) for channel, digest in request.known.items()}


def _values_of_parent(tx: ReadTx, request: contract.PutStep, context: Context) -> dict[str, Digest]:
    place = place_of(tx, request.thread, request.ns)
    parent = find_step(tx, place, request.parent) if place and request.parent else None
    return saved_event(tx, context.store.kinds, parent.row).values if parent else {}


def _packed(
    given: contract.WriteGiven, text: str | None, packing: Packing
) -> tuple[events.Write, Blob | None]:
    if text is not None:
        write = events.Write(channel=given.channel, index=given.index, packed=text, blob=None)
        return write, None
    digest = digest_of(given.content)
    line = packing.line(given.channel)
    write = events.Write(
        channel=given.channel,
        index=given.index,
        packed="",
        blob=digest,
        spare=line["spare"] if line["last"] == digest else None,
    )
    return write, None if digest in packing.kept else seal(given.content)


def _under(context: Context, session: str | None) -> Context:
    """Go on in a session that the caller has found before; if it was closed, it begins again."""
    if session is None:
        return context
    stamp = replace(context.stamp, session=session)
    seated = Seating(context.project, session, begins=True)
    begins = opening(context.store, seated, context.caller, stamp)
    return replace(context, stamp=stamp, session=session, open_session=begins)


def _done(_: object) -> contract.DoneAnswer:
    return contract.DoneAnswer()
