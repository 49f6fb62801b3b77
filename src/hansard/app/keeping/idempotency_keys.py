"""Forgetting the keys of calls that were made long ago, some at a time.

Until an entry says that a key is forgotten it is remembered, however old it is: what is answered
never depends on whose clock or setting it is. What was announced to the world under a key and is
still open is not forgotten, nor is what was announced after it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from hansard.app.erasure_events import HOUSEKEEPING
from hansard.kernel import paging
from hansard.kernel.clock import days_before
from hansard.kernel.effect import OPEN_INTENTS
from hansard.kernel.engine import Found, Range, ReadTx, Table, WriteTx
from hansard.kernel.event import Stamp
from hansard.kernel.reply import ATTEMPTS, REPLIES, KeysForgotten
from hansard.kernel.store import Store

Cutoff = Callable[[str], str]
"""Says since when a project's keys are remembered, given when it was last written to."""

STEP = 500
"""Keys that are forgotten in one transaction, for which others wait."""


@dataclass(frozen=True, slots=True)
class OldKeys:
    """The entries before which keys are old enough to be forgotten."""

    replies_before: int
    attempts_before: int


NONE_OLD = OldKeys(0, 0)


def older_than(days: int, now: str) -> Cutoff:
    """Treat keys as old after this many days.

    `now` is not trusted: a clock that is ahead makes no key older than the entries after it say.
    """
    return lambda written: days_before(min(now, written), days) if written else ""


def old_keys(tx: ReadTx, cutoff: Cutoff) -> OldKeys:
    """Say which keys of a project are old, by the journal's own clock."""
    before = tx.seek(at=cutoff(_last_written(tx))) + 1
    still_open = tx.scan(OPEN_INTENTS, limit=1)
    # An attempt is noted after its intents, so of those before the first open one none is open.
    return OldKeys(before, min([before, *(found.row["seq"] for found in still_open)]))


def count_old(tx: ReadTx, cutoff: Cutoff) -> int:
    """Count the keys of a project that are old."""
    old = old_keys(tx, cutoff)
    asked = ((REPLIES, old.replies_before), (ATTEMPTS, old.attempts_before))
    counts = (tx.tally(table, {"seq": Range(below=before)}) for table, before in asked)
    return sum(count.get(None, 0) for count in counts)


def forget_some(store: Store, project: str, cutoff: Cutoff, stamp: Stamp) -> int:
    """Forget the oldest of a project's old keys in one transaction; returns how many."""

    def work(tx: WriteTx) -> int:
        old = old_keys(tx, cutoff)
        replies = _oldest(tx, REPLIES, old.replies_before)
        attempts = _oldest(tx, ATTEMPTS, old.attempts_before)
        if replies or attempts:
            event = KeysForgotten(
                replies_before=_beyond(replies), attempts_before=_beyond(attempts)
            )
            store.record(tx, event, stamp)
        return len(replies) + len(attempts)

    return store.write(project, work)


def _last_written(tx: ReadTx) -> str:
    """Say when anybody but gc last wrote (gc's clock may be wrong); empty if nobody did."""
    newest = paging.entries(tx, descending=True)
    return next((entry.at for entry in newest if entry.kind not in HOUSEKEEPING), "")


def _oldest(tx: ReadTx, table: Table, before: int) -> list[Found]:
    return tx.scan(table, {"seq": Range(below=before)}, order="seq", limit=STEP)


def _beyond(keys: list[Found]) -> int:
    """Name the entry right behind the last of these."""
    return int(keys[-1].row["seq"]) + 1 if keys else 0
