"""Blobs of checkpoints and thread steps that were deleted long enough ago.

And blobs of forgotten answers.
"""

from collections.abc import Iterator

from hansard.checkpoints.events import CheckpointDeleted, CheckpointSaved
from hansard.checkpoints.threads.events import (
    InputSaved,
    RunsDeleted,
    StepSaved,
    ThreadDeleted,
    ThreadPruned,
    WritesKept,
)
from hansard.checkpoints.threads.views import STEPS
from hansard.checkpoints.views import CHECKPOINTS
from hansard.kernel import paging
from hansard.kernel.blob import Digest
from hansard.kernel.engine import ReadTx
from hansard.kernel.event import Entry, Event
from hansard.kernel.reply import KeysForgotten, Replied
from hansard.kernel.store import Store

SAVING = frozenset(
    {CheckpointSaved.kind, StepSaved.kind, InputSaved.kind, WritesKept.kind, Replied.kind}
)
DELETING = frozenset(
    {CheckpointDeleted.kind, ThreadDeleted.kind, ThreadPruned.kind, RunsDeleted.kind}
)
_ANY_THREAD = ""


class Deleted:
    """What of a project was deleted before a time, or forgotten, and does not exist again."""

    def __init__(self, store: Store, tx: ReadTx, before: str, replies_before: int = 0) -> None:
        """Read the deletions of a project.

        Answers from before the entry that is given are treated as forgotten.
        """
        self.seq = tx.head().seq
        """Up to which entry the journal was read."""
        self._before = before
        self._checkpoints: dict[str, str] = {}
        self._threads: dict[str, str] = {}
        """By thread: when something of it was last deleted."""
        self._replies_before = replies_before
        for entry in _entries(tx):
            self._note(store.kinds.decode(entry), entry.clock)
        self._live = _live_steps(tx) if self._threads else set[int]()

    def lets_go(self, tx: ReadTx, entry: Entry, event: Event | None) -> set[Digest]:
        """Give the blobs that this entry named for something that is gone."""
        match event:
            case Replied() if entry.seq < self._replies_before:
                return {event.reply}
            case CheckpointSaved() if self._is_gone(tx, event.id):
                return {event.context, *([event.spare] if event.spare else [])}
            case StepSaved() if self._is_step_gone(entry, event.thread):
                body = [event.body_blob] if event.body_blob else []
                return {*event.values.values(), *event.spares.values(), *body}
            case WritesKept() if self._is_step_gone(entry, event.thread):
                named = (digest for write in event.writes for digest in (write.blob, write.spare))
                return {digest for digest in named if digest}
            case _:
                return set()

    def _note(self, event: Event | None, clock: str) -> None:
        match event:
            case KeysForgotten():
                self._replies_before = max(self._replies_before, event.replies_before)
            case CheckpointDeleted():
                self._checkpoints[event.id] = clock
            case ThreadDeleted() | ThreadPruned():
                self._threads[event.thread] = clock
            case RunsDeleted():
                # It does not say of which threads.
                self._threads[_ANY_THREAD] = clock

    def _is_gone(self, tx: ReadTx, checkpoint: str) -> bool:
        deleted = self._checkpoints.get(checkpoint)
        is_due = deleted is not None and deleted < self._before
        return is_due and tx.get(CHECKPOINTS, checkpoint) is None

    def _is_step_gone(self, entry: Entry, thread: str) -> bool:
        clocks = [self._threads[name] for name in (thread, _ANY_THREAD) if name in self._threads]
        is_due = bool(clocks) and entry.clock <= max(clocks) < self._before
        return is_due and entry.seq not in self._live


def _entries(tx: ReadTx) -> Iterator[Entry]:
    return paging.entries(tx, kinds={*DELETING, KeysForgotten.kind})


def _live_steps(tx: ReadTx) -> set[int]:
    """Give the seqs of the entries that hold the steps there are."""
    live: set[int] = set()
    for step in paging.rows(tx, STEPS):
        live |= {step.row["seq"], *step.row["writes"]}
    return live
