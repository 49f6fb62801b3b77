"""Changing files: locked, settled, planned, announced, done, and only then answered."""

from collections.abc import Sequence

from hansard.kernel.effect import Outcome
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import Entry
from hansard.kernel.operation import Context
from hansard.kernel.problem import Problem
from hansard.recorder.events import FileOpAborted, FileOpDone
from hansard.recorder.gateway import Gateway
from hansard.recorder.scribe import Announced, Planned

NOT_RUN = "NOT_RUN"
"""Why an operation of a batch was not done: one before it failed."""


def announce(
    context: Context, announced: Sequence[Announced], *, goes_on: bool = False
) -> list[Entry]:
    """Record the intents, with all they need to be judged or undone; durable when this returns."""

    def work(tx: WriteTx) -> list[Entry]:
        entries = []
        for one in announced:
            for event in one.seen:
                context.record(tx, event)
            entries.append(context.record(tx, one.intent))
        return entries

    blobs = [blob for one in announced for blob in one.blobs]
    return context.announce(work, blobs=blobs, goes_on=goes_on)


def act(
    gateway: Gateway,
    announced: Sequence[Announced],
    intents: Sequence[Entry],
    *,
    stops: bool = True,
) -> tuple[list[Outcome], Problem | None]:
    """Do what was announced, one after the other, if asked only up to the first that is refused.

    The outcomes are of all of them, but for those of which nobody knows: these stay open. The
    problem is the first one met.
    """
    outcomes: list[Outcome] = []
    first: Problem | None = None
    for one, intent in zip(announced, intents, strict=True):
        if first and stops:
            outcomes.append(FileOpAborted(intent=intent.seq, code=NOT_RUN))
            continue
        try:
            mode = _do(gateway, one.planned)
        except Problem as problem:
            first = first or problem
            if problem.details.get("outcome") != "unknown":
                outcomes.append(FileOpAborted(intent=intent.seq, code=problem.code))
        else:
            outcomes.append(FileOpDone(intent=intent.seq, mode=mode))
    return outcomes, first


def _do(gateway: Gateway, planned: Planned) -> int | None:
    """Change the file; returns the permission bits it then has."""
    workspace, path, before = gateway.workspace, planned.path, planned.plan.before
    if planned.plan.after is None:
        assert before is not None, "a missing file was to be deleted"
        workspace.delete(path, expect=before.digest)
        return None
    if planned.to is not None:
        assert before is not None, "a missing file was to be moved"
        workspace.move(path, planned.to, expect=before.digest, make_parents=True)
        return before.mode
    expect = before.digest if before else None
    state = workspace.replace(
        path, planned.plan.after, expect=expect, mode=planned.mode, make_parents=before is None
    )
    return state.mode
