"""Announces a change of a file in the journal, then performs it."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from hansard.kernel.blob import Blob
from hansard.kernel.effect import Outcome
from hansard.kernel.engine import ReadTx, WriteTx, is_lock_lost
from hansard.kernel.event import Entry, Event
from hansard.kernel.operation import Context
from hansard.kernel.problem import Problem, StorageUnavailable
from hansard.recorder import limits
from hansard.recorder.events import FileOpAborted, FileOpDone
from hansard.recorder.file_locks import FileLocks
from hansard.recorder.gateway import Gateway
from hansard.recorder.intents import Announced, IntentWriter, Planned, step_of
from hansard.recorder.workspace.paths import FilePath
from hansard.recorder.workspace.states import Seen

NOT_RUN = "NOT_RUN"
"""Why an operation of a batch was not done: one before it failed."""


def announce(
    gateway: Gateway,
    context: Context,
    announced: Sequence[Announced],
    *,
    batch: int | None = None,
    goes_on: bool = False,
) -> list[Entry]:
    """Record the intents, with everything needed to settle or undo them; durable on return.

    Changes found on disk come first, so that the timeline shows the intents after them. `batch` is
    the batch that these intents continue after the disk had stopped it.
    """

    def work(tx: WriteTx) -> list[Entry]:
        gateway.require_alive(tx)
        record_seen(context, tx, announced)
        first = batch or (tx.head().seq + 1 if len(announced) > 1 else None)
        intents = [one.intent.model_copy(update={"batch": first}) for one in announced]
        return [context.record(tx, intent) for intent in intents]

    return announce_alive(gateway, context, work, announced, goes_on=goes_on)


def announce_alive(
    gateway: Gateway,
    context: Context,
    work: Callable[[WriteTx], list[Entry]],
    announced: Sequence[Announced],
    *,
    goes_on: bool,
) -> list[Entry]:
    """Record intents as a process that lives, also if others may have taken it for dead before."""
    blobs = [blob for one in announced for blob in one.blobs]
    try:
        return context.announce(work, blobs=blobs, goes_on=goes_on)
    except StorageUnavailable as refused:
        if not is_lock_lost(refused):
            raise
    gateway.live_again()
    return context.announce(work, blobs=blobs, goes_on=goes_on)


def record_seen(context: Context, tx: WriteTx, announced: Sequence[Announced]) -> None:
    """Record the state of files that were not recorded before."""
    for one in announced:
        for event in one.seen:
            context.record(tx, event)


def note(gateway: Gateway, context: Context, met: Iterable[tuple[FilePath, Seen]]) -> None:
    """Record contents of files that somebody wrote without Hansard, unless recorded already."""

    def describe(tx: ReadTx) -> tuple[list[Event], list[Blob]]:
        writer = IntentWriter(gateway, tx, step_of(tx, context.session, None))
        found = [writer.met(path, seen) for path, seen in met]
        events = [event for events, _ in found for event in events]
        return events, [blob for _, blobs in found for blob in blobs]

    events, blobs = context.read(describe)
    if not events:
        return

    def work(tx: WriteTx) -> None:
        if context.open_session:
            context.open_session(tx)
        for event in events:
            context.record(tx, event)

    context.store.write(context.project, work, blobs=blobs)


def act(
    gateway: Gateway,
    context: Context,
    locks: FileLocks,
    announced: Sequence[Announced],
    intents: Sequence[Entry],
    *,
    stops: bool = True,
) -> tuple[list[Outcome], Problem | None]:
    """Do the announced changes one after the other; on request, stop at the first refusal.

    Changes with an unknown outcome stay open; all others get one. The returned problem is the
    first problem with the disk, else the first of any kind.
    """
    outcomes: list[Outcome] = []
    first: Problem | None = None
    for one, intent in zip(announced, intents, strict=True):
        if first and stops:
            outcomes.append(FileOpAborted(intent=intent.seq, code=NOT_RUN))
            continue
        try:
            mode = _do(gateway, context, locks, one.planned)
        except Problem as problem:
            is_worse = isinstance(problem, StorageUnavailable) > isinstance(
                first, StorageUnavailable
            )
            first = problem if first is None or is_worse else first
            if problem.details.get("outcome") != "unknown":
                outcomes.append(FileOpAborted(intent=intent.seq, code=problem.code))
        else:
            outcomes.append(FileOpDone(intent=intent.seq, mode=mode))
    return outcomes, first


def _do(gateway: Gateway, context: Context, locks: FileLocks, planned: Planned) -> int | None:
    """Change the file; returns the permission bits it then has."""
    workspace, path, before = gateway.workspace, planned.path, planned.plan.before
    files = [gateway.file(one) for one in (path, planned.to) if one is not None]
    may = partial(locks.require, files)

    def keep(path: FilePath, seen: Seen) -> None:
        note(gateway, context, [(path, seen)])

    if planned.to is not None:
        assert before is not None, "a missing file was to be moved"
        workspace.move(
            path,
            planned.to,
            expect=before.digest,
            mode=planned.mode,
            make_parents=True,
            may=may,
            keep=keep,
        )
        workspace.clear_folders(path, planned.clears)
        return before.mode if planned.mode is None else planned.mode
    if planned.plan.after is None:
        assert before is not None, "a missing file was to be deleted"
        workspace.delete(path, expect=before.digest, may=may, keep=keep)
        workspace.clear_folders(path, planned.clears)
        return None
    state = workspace.replace(
        path,
        planned.plan.after,
        expect=before.digest if before else None,
        mode=planned.mode,
        make_parents=before is None,
        limit_bytes=limits.KEPT_BYTES_MAX,
        may=may,
        keep=keep,
    )
    return state.mode
