"""Followers: slow derivations (vectors, Git) that read the journal's tail at their own pace.

A follower's cursor is saved after its work, so it sees every entry at least once and in order, and
must do the same thing if it sees one again. Of each, one process per store does the work, by lock:
processes that are set up differently, and so have other followers, do not wait for each other.

What fails is noted for one follower in one project, and the others go on. If the thread itself ends
by an error, it begins again after a rest.
"""

import atexit
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from hansard.kernel.engine import Lock, ReadTx, Row, Table, Watch, WriteTx
from hansard.kernel.event import Entry, Head
from hansard.kernel.limits import ENTRIES_PAGE, SHUTDOWN_S
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.store import CATALOG, Store

CURSORS = Table("cursors")
"""By follower: the last seq it has processed. Not derived; without it, the follower starts over."""

WAKE_S = 1.0
"""The longest that the followers' thread waits before it checks the journals by itself."""

QUIET_S = 0.25
"""How long nobody must have written before the followers begin, so that calls come first."""

GATHER_S = 1.5
"""The longest that they wait for that: then they process what has come together, in one batch."""

STOP_LOOK_S = 0.1
"""The longest that it waits before it checks whether to end: closing takes this long."""

RETRY_S = 10.0
"""How long a follower that could not work is left alone."""

RETRY_MAX_S = 600.0
"""The longest that a follower that fails repeatedly is left alone."""

THREAD = "following"
"""The name under which the catalog notes that the thread itself ended by an error."""

logger = logging.getLogger(__name__)


class NotNow(Exception):
    """A follower cannot work for the time being; the same entries come again later."""


def _no_basis(tx: ReadTx) -> str:
    del tx
    return ""


def _no_hurry() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Follower:
    """Something that processes entries after they are durable."""

    name: str
    apply: Callable[[str, Sequence[Entry]], None]
    """Gets the project and some entries in order.

    It may raise `NotNow`, or find the store unavailable. Whatever else it raises is a bug: it is
    logged, shown to the operator, and retried at growing intervals; so is what `basis` raises.
    """
    kinds: frozenset[str] | None = None
    """The kinds it needs; `None` means all."""
    batch: int = ENTRIES_PAGE
    basis: Callable[[ReadTx], str] = _no_basis
    """Names what its results rest on. When that is no longer what it was, it starts over."""
    interrupt: Callable[[], None] = _no_hurry
    """Asks work in progress to end soon, by `NotNow` if it is not done; no more will follow."""

    @property
    def lock(self) -> str:
        """Name the lock: its holder does this follower's work, and the others stand by."""
        return lock_of(self.name)


def lock_of(follower: str) -> str:
    """Name the lock of a follower."""
    return f"follow-{follower}"


@dataclass(frozen=True, slots=True)
class FollowerFailure:
    """A follower that fails in a way that it did not announce itself."""

    follower: str
    error: str
    """The type of the error; its text may quote what people wrote, and is only in the log."""
    times: int

    def __str__(self) -> str:
        often = f"{self.times} times in a row" if self.times > 1 else "once"
        return f"{self.follower} failed {often} ({self.error}); it is tried again"


def rest_after(times: int) -> float:
    """Say how many seconds a follower is left alone after this many failures in a row."""
    rest_s = RETRY_S
    while times > 1 and rest_s < RETRY_MAX_S:
        rest_s, times = 2 * rest_s, times - 1
    return min(rest_s, RETRY_MAX_S)


def trouble(store: Store, follower: str, project: str) -> FollowerFailure | None:
    """Say how a follower failed in a project, in whatever process, if it has not recovered."""
    row = store.read(project, lambda tx: noted(tx, follower))
    match row:
        case {"trouble": {"error": str(error), "times": int(times)}}:
            return FollowerFailure(follower, error, times)
    return None


def lag(store: Store, follower: Follower, project: str) -> int:
    """Say how many entries of a project the follower has yet to pass."""

    def work(tx: ReadTx) -> int:
        cursor = _cursor(tx, follower)
        if not tx.entries(after=cursor, limit=1, kinds=follower.kinds):
            return 0
        return tx.head().seq - cursor

    return store.read(project, work)


def catch_up(store: Store, follower: Follower, project: str, *, under: Lock | None = None) -> int:
    """Process one batch of a project's entries; returns how many entries were passed.

    A process that lost the lock `under` which it works notes no progress.
    """

    def unread(tx: ReadTx) -> tuple[int, Head, list[Entry], str]:
        cursor = _cursor(tx, follower)
        page = tx.entries(after=cursor, limit=follower.batch, kinds=follower.kinds)
        return cursor, tx.head(), page, follower.basis(tx)

    cursor, head, entries, basis = store.read(project, unread)
    if not entries and head.seq - cursor < ENTRIES_PAGE:
        # Saving the cursor is a write. Where there was nothing to do, it can wait.
        return 0
    if entries:
        follower.apply(project, entries)
    reached = entries[-1].as_head() if len(entries) == follower.batch else head

    def save(tx: WriteTx) -> None:
        if under is not None:
            tx.require(under)
        if basis and follower.basis(tx) != basis:
            # Its results were thrown away meanwhile, so everything is processed again.
            return
        row = {"seq": reached.seq, "hash": reached.hash, "basis": follower.basis(tx)}
        tx.put(CURSORS, follower.name, row, seq=head.seq)

    store.write(project, save)
    return reached.seq - cursor


class Following:
    """The thread that keeps some followers up to date, if this process is the one to do it."""

    def __init__(self, store: Store, followers: Sequence[Follower]) -> None:
        """Start to follow."""
        self._store = store
        self._followers = followers
        self._stop = threading.Event()
        self._passed: dict[tuple[str, str], int] = {}
        self._resting: dict[str | tuple[str, str], float] = {}
        self._troubles: dict[tuple[str, str], FollowerFailure] = {}
        """By project and follower: what fails in one project does not keep it from the others."""
        self._is_well = False
        """Whether the thread completed a round since it last ended by an error."""
        self._locks: dict[str, Lock] = {}
        self._thread = threading.Thread(target=self._serve, name="followers", daemon=True)
        self._thread.start()
        # Some libraries abort the process if it ends while a thread is inside them.
        atexit.register(self.close)

    def troubles(self) -> list[FollowerFailure]:
        """List the followers that fail, once for each sort of error."""
        found: dict[tuple[str, str], FollowerFailure] = {}
        for one in sorted(self._troubles.values(), key=lambda one: one.times):
            found[one.follower, one.error] = one
        return list(found.values())

    def behind(self, heads: Mapping[str, Head]) -> dict[str, int]:
        """Say by follower how many entries it has yet to process, for those whose work is ours."""
        passed, ours = dict(self._passed), set(self._locks)
        return {
            name: sum(max(0, head.seq - passed.get((one, name), 0)) for one, head in heads.items())
            for name in sorted(ours)
        }

    def close(self) -> None:
        """End the thread, after the batch it is in unless that can be interrupted."""
        atexit.unregister(self.close)
        self._stop.set()
        for follower in self._followers:
            follower.interrupt()
        self._thread.join(SHUTDOWN_S)

    def _serve(self) -> None:
        while not self._stop.is_set():
            try:
                with ExitStack() as locks:
                    self._follow(locks)
            except _LockLostError:
                # Another process may do the work by now: begin again, standing by.
                self._passed.clear()
            except StorageUnavailable:
                # A caller gets this error from its own call; here we only try again.
                self._locks.clear()
                self._stop.wait(RETRY_S)
            except Exception as error:  # noqa: BLE001 - logged, noted for others, and tried again
                self._locks.clear()
                self._is_well = False
                failed = self._note(CATALOG, THREAD, error)
                self._stop.wait(rest_after(failed.times))
            finally:
                self._locks.clear()

    def _follow(self, locks: ExitStack) -> None:
        """Do the work of the followers whose locks we get, and try the others from time to time."""
        ours: list[Follower] = []
        watch = self._store.engine.watch()
        locks.callback(watch.close)
        tried = -WAKE_S
        while not self._stop.is_set():
            if len(ours) < len(self._followers) and time.monotonic() >= tried + WAKE_S:
                tried = time.monotonic()
                ours += self._take(locks, but=ours)
            if ours:
                for project, head in self._store.engine.heads().items():
                    for follower in ours:
                        self._bring_up_to(project, head.seq, follower)
                self._wait(watch)
            else:
                self._stop.wait(WAKE_S)
            self._note_round()

    def _wait(self, watch: Watch) -> None:
        """Wait for a commit, for the end, or until it is time to check anyway."""
        until = time.monotonic() + WAKE_S
        while not self._stop.is_set() and (left := until - time.monotonic()) > 0:
            if watch.wait(min(left, STOP_LOOK_S)):
                self._gather(watch)
                return

    def _gather(self, watch: Watch) -> None:
        """Wait until writers pause: following each commit by itself would cost as much.

        This polls for the pause, since waking for each commit would slow the writers.
        """
        quiet = time.monotonic() + QUIET_S
        until = time.monotonic() + GATHER_S
        while (left := min(quiet, until) - time.monotonic()) > 0:
            if self._stop.wait(min(left, STOP_LOOK_S)):
                return
            if watch.wait(0):
                quiet = time.monotonic() + QUIET_S

    def _take(self, locks: ExitStack, *, but: Sequence[Follower]) -> Iterator[Follower]:
        """Take the locks that nobody holds, until the stack is closed."""
        for follower in self._followers:
            if follower in but or (lock := self._store.engine.hold(follower.lock)) is None:
                continue
            locks.enter_context(lock)
            self._locks[follower.name] = lock
            # Another process may have followed in the meantime, and have started over.
            self._passed = {
                key: seq for key, seq in self._passed.items() if key[1] != follower.name
            }
            yield follower

    def _bring_up_to(self, project: str, seq: int, follower: Follower) -> None:
        """Have a follower process a project, unless it knows that there is nothing new."""
        if self._passed.get((project, follower.name), 0) >= seq:
            return
        rests = (self._resting.get(key, 0.0) for key in (follower.name, (project, follower.name)))
        if max(rests) > time.monotonic():
            return
        try:
            self._catch_up(project, follower)
        except NotNow:
            self._resting[follower.name] = time.monotonic() + RETRY_S
        except _LockLostError:
            raise
        except StorageUnavailable as problem:
            # If the store as a whole cannot be read, this raises the error that stops all
            # followers.
            self._store.engine.heads()
            self._note_unavailable(project, follower.name, problem)
        except Exception as error:  # noqa: BLE001 - logged, noted for others, and tried again
            failed = self._note(project, follower.name, error)
            self._resting[project, follower.name] = time.monotonic() + rest_after(failed.times)
        else:
            self._troubles.pop((project, follower.name), None)
            self._passed[project, follower.name] = seq

    def _catch_up(self, project: str, follower: Follower) -> None:
        """Have a follower work for as long as its work is ours."""
        while not self._stop.is_set():
            lock = self._locks[follower.name]
            if not lock.is_ours():
                raise _LockLostError
            if not catch_up(self._store, follower, project, under=lock):
                return

    def _note_unavailable(self, project: str, follower: str, problem: StorageUnavailable) -> None:
        """Note that a project is unavailable now; each caller learns that, so it is not logged."""
        failed = self._count(project, follower, problem)
        if failed.times == 1:
            logger.warning("The follower %s waits for %s: %s", follower, project, problem.message)
        self._resting[project, follower] = time.monotonic() + RETRY_S

    def _note(self, project: str, follower: str, error: Exception) -> FollowerFailure:
        """Note that a follower fails, in the store as well, for readers in other processes."""
        logger.error("The follower %s fails in %s", follower, project, exc_info=error)
        failed = self._count(project, follower, error)

        def work(tx: WriteTx) -> None:
            said = {"error": failed.error, "times": failed.times}
            row = noted(tx, follower) or {"seq": 0}
            tx.put(CURSORS, follower, row | {"trouble": said}, seq=tx.head().seq)

        try:
            self._store.write(project, work)
        except Exception as unnoted:  # it is shown here all the same, and the thread must continue
            logger.warning("That could not be noted in the store", exc_info=unnoted)
        return failed

    def _count(self, project: str, follower: str, error: Exception) -> FollowerFailure:
        """Count one more failure of a follower in a row."""
        before = self._troubles.get((project, follower))
        failed = FollowerFailure(follower, type(error).__name__, before.times + 1 if before else 1)
        self._troubles[project, follower] = failed
        return failed

    def _note_round(self) -> None:
        """Note that the thread completed a round and no longer fails, also if another noted it."""
        if self._is_well:
            return

        def work(tx: WriteTx) -> None:
            if noted(tx, THREAD):
                tx.delete(CURSORS, THREAD, seq=tx.head().seq)

        if self._store.read(CATALOG, lambda tx: noted(tx, THREAD)):
            self._store.write(CATALOG, work)
        self._troubles.pop((CATALOG, THREAD), None)
        self._is_well = True


class _LockLostError(Exception):
    """The lock by which a follower's work is ours was lost."""


def noted(tx: ReadTx, follower: str) -> Row | None:
    """Read what a follower has noted about itself; nothing, if that cannot be read."""
    try:
        row: Any = tx.get(CURSORS, follower)
    except (ValueError, TypeError):
        return None
    return row if isinstance(row, dict) else None


def _cursor(tx: ReadTx, follower: Follower) -> int:
    """Say how far a follower is; without a cursor, or with one that was moved, it starts over."""
    row = noted(tx, follower.name)
    if row is None or row.get("basis", "") != follower.basis(tx):
        return 0
    seq = row.get("seq")
    if not isinstance(seq, int) or not 0 <= seq <= tx.head().seq:
        return 0
    return seq if _is_there(tx, seq, row.get("hash")) else 0


def _is_there(tx: ReadTx, seq: int, digest: object) -> bool:
    """Whether an entry is the last one processed; a follower that noted none is believed."""
    if digest is None:
        return True
    return any(entry.hash == digest for entry in tx.entries(after=seq - 1, limit=1))
