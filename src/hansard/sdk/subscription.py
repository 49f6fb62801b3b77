"""Subscribes to changes of entities: a generator over the journal's tail."""

import time
from collections.abc import Callable, Iterator

from hansard.entities.contract import Change
from hansard.entities.events import EVENTS, EntityEvent, ThreadExtended
from hansard.kernel.engine import ReadTx
from hansard.kernel.event import Entry
from hansard.kernel.limits import ENTRIES_PAGE
from hansard.kernel.store import Store

WAKE_S = 1.0
"""How long one wait lasts at most: a commit ends it at once."""

KINDS = frozenset(event.kind for event in EVENTS)


def subscribe(
    store: Store,
    project: Callable[[], str],
    *,
    identifier: str | None,
    type_name: str | None,
    since: int | None,
    timeout_s: float | None,
) -> Iterator[Change]:
    """Go through what happens from this call on, not only from the first look.

    `project` is asked each time, since it may be yet to be made.
    """
    start = store.read(project(), lambda tx: tx.head().seq) if since is None else since
    wanted = (
        change
        for change in _changes(store, project, start, timeout_s)
        if identifier in (None, change.id) and type_name in (None, change.type)
    )
    return iter(wanted)


def _changes(
    store: Store, project: Callable[[], str], after: int, timeout_s: float | None
) -> Iterator[Change]:
    watch = store.engine.watch()
    try:
        deadline = _deadline(timeout_s)
        while True:
            page, after = looked_after(store, project(), after)
            for entry in page:
                yield from _told(store, entry)
            if page:
                deadline = _deadline(timeout_s)
                continue
            left = WAKE_S if deadline is None else deadline - time.monotonic()
            if left <= 0:
                return
            watch.wait(min(left, WAKE_S))
    finally:
        watch.close()


def looked_after(store: Store, project: str, seq: int) -> tuple[list[Entry], int]:
    """Read the next entries that tell of something, and say how far has been looked."""

    def work(tx: ReadTx) -> tuple[list[Entry], int]:
        page = tx.entries(after=seq, limit=ENTRIES_PAGE, kinds=KINDS)
        # Where no more were found, what others wrote in between need not be looked at again.
        return page, page[-1].seq if len(page) == ENTRIES_PAGE else max(seq, tx.head().seq)

    return store.read(project, work)


def _deadline(timeout_s: float | None) -> float | None:
    return None if timeout_s is None else time.monotonic() + timeout_s


def _told(store: Store, entry: Entry) -> Iterator[Change]:
    """Report an entry: an append through a chat is a change of the chat, too."""
    event = store.kinds.decode(entry)
    if not isinstance(event, EntityEvent):
        # What was redacted has left nothing to tell.
        return
    subjects = [event.id]
    if isinstance(event, ThreadExtended) and event.chat_id:
        subjects.append(event.chat_id)
    for subject in subjects:
        yield Change(
            seq=entry.seq,
            id=subject,
            type=subject.partition("::")[0],
            what=event.activity or event.kind,
            summary=event.summary(),
            by=str(entry.actor),
        )
