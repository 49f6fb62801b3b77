"""Followers: slow derivations (vectors, Git) that read the journal's tail at their own pace.

A follower's cursor is saved after its work, so it sees every entry at least once and in order, and
must do the same thing if it sees one again. One process per store follows, by lock.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hansard.kernel.engine import ReadTx, Table
from hansard.kernel.event import Entry
from hansard.kernel.limits import ENTRIES_PAGE, SHUTDOWN_S
from hansard.kernel.store import Store

CURSORS = Table("cursors")
"""By follower: the last seq it has worked off. Not derived; without it, it starts over."""

LOCK = "followers"
"""Whoever holds this follows; the others stand by."""

WAKE_S = 1.0
"""How long the follower's thread sleeps at most before it looks whether it should end."""


@dataclass(frozen=True, slots=True)
class Follower:
    """Something that works off entries after they are durable."""

    name: str
    apply: Callable[[str, Sequence[Entry]], None]
    """Gets the project and some entries in order. What it raises ends the following, loudly."""
    kinds: frozenset[str] | None = None
    """The kinds it cares for; `None` means all."""
    batch: int = ENTRIES_PAGE


def lag(store: Store, follower: Follower, project: str) -> int:
    """Say how many entries of a project the follower has yet to pass."""

    def work(tx: ReadTx) -> int:
        return tx.head().seq - _cursor(tx, follower)

    return store.read(project, work)


def catch_up(store: Store, follower: Follower, project: str) -> int:
    """Work off one batch of a project's entries; returns how many entries were passed."""

    def unread(tx: ReadTx) -> tuple[int, int, list[Entry]]:
        cursor = _cursor(tx, follower)
        page = tx.entries(after=cursor, limit=follower.batch, kinds=follower.kinds)
        return cursor, tx.head().seq, page

    cursor, head, entries = store.read(project, unread)
    if cursor >= head:
        return 0
    if entries:
        follower.apply(project, entries)
    reached = entries[-1].seq if len(entries) == follower.batch else head
    store.write(project, lambda tx: tx.put(CURSORS, follower.name, {"seq": reached}, seq=head))
    return reached - cursor


class Following:
    """The thread that keeps some followers up to date, if this process is the one to do it."""

    def __init__(self, store: Store, followers: Sequence[Follower]) -> None:
        """Start to follow."""
        self._store = store
        self._followers = followers
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="followers", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread after the batch it is in."""
        self._stop.set()
        self._thread.join(SHUTDOWN_S)

    def _serve(self) -> None:
        while not self._stop.is_set():
            lock = self._store.engine.hold(LOCK)
            if lock is None:
                self._stop.wait(WAKE_S)
                continue
            with lock:
                self._follow()

    def _follow(self) -> None:
        watch = self._store.engine.watch()
        try:
            while not self._stop.is_set():
                for project in self._store.engine.heads():
                    for follower in self._followers:
                        while not self._stop.is_set() and catch_up(self._store, follower, project):
                            pass
                watch.wait(WAKE_S)
        finally:
            watch.close()


def _cursor(tx: ReadTx, follower: Follower) -> int:
    row = tx.get(CURSORS, follower.name)
    return int(row["seq"]) if row else 0
