"""Settles unfinished changes of files by what is on disk, and cleans up.

A change takes the old file away in one step, and only then looks at what that was. If a process
dies between the two, its temporary file may hold what somebody else wrote just before, and nothing
else does. It is given back then, as the process itself would have done.
"""

import errno
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from hansard.kernel import effect
from hansard.kernel.blob import Blob
from hansard.kernel.blob_references import NotKeptError
from hansard.kernel.effect import (
    OPEN_INTENTS,
    Effect,
    Outcome,
    Settled,
    Verdict,
    intent_key,
    is_dead,
)
from hansard.kernel.engine import Found, Lock, ReadTx, Row, WriteTx
from hansard.kernel.event import Event, Stamp
from hansard.kernel.operation import Context
from hansard.kernel.problem import Problem, StorageUnavailable
from hansard.kernel.store import Store
from hansard.recorder import limits, rules
from hansard.recorder.contents.kept_content import ContentNotKeptError, kept_content
from hansard.recorder.events import (
    FileOpAborted,
    FileOpConflicted,
    FileOpDone,
    FileOpIntended,
    FileRef,
)
from hansard.recorder.file_locks import FileLocks
from hansard.recorder.gateway import Gateway
from hansard.recorder.intents import IntentWriter, step_of
from hansard.recorder.problems import shown
from hansard.recorder.tables import OUTCOMES, PENDING
from hansard.recorder.workspace.paths import FilePath
from hansard.recorder.workspace.states import FileState, Seen
from hansard.recorder.workspace.swapping import given_back
from hansard.recorder.workspace.temporaries import Left

LOOKED_AT_MAX = 1_000
"""How many operations that did not simply succeed are searched for settled ones."""

INTERRUPTED = "INTERRUPTED"
"""Why an operation was not done: its process died first."""


@contextmanager
def alone_and_settled(
    gateway: Gateway, context: Context, files: Collection[str]
) -> Iterator[FileLocks]:
    """Hold the locks of some files on which nothing is open."""
    with gateway.alone_at(context.store.engine, files) as locks:
        settle(gateway, context.store, context.project, locks, context.stamp)
        yield locks


def settle(gateway: Gateway, store: Store, project: str, locks: FileLocks, stamp: Stamp) -> None:
    """Settle what is open on the files whose locks the caller holds.

    What its own process left open is settled too: its former holder has released the lock.
    """
    found = store.read(project, lambda tx: pending(tx, locks.files))
    for seq, owner in sorted({(one.row["seq"], one.row["owner"]) for one in found}):
        if owner != gateway.owner_name and not is_dead(store.engine, owner):
            raise StorageUnavailable(
                f"s:{seq}, an operation on this file, was left open by a process that lives",
                hint="It settles it on its next operation on the file, or when it is ended",
                outcome="unchanged",
            )
        _Judge(gateway, store, project, stamp, locks.each()).settle(seq)


def recover(gateway: Gateway, store: Store, stamp: Stamp) -> list[Settled]:
    """Settle what dead processes left open in this workspace, unless somebody works on it."""
    settled: list[Settled] = []
    for project, head in store.engine.heads().items():
        # Tables of other versions are left for the first process that needs the project.
        if head.views != store.fingerprint:
            continue
        for found in effect.open_intents(store, project):
            try:
                outcome = _recover_one(gateway, store, project, found, stamp)
            except StorageUnavailable:
                # No folder, or a store that takes no writes: the next operation on the file
                # must settle it, and fails loudly if it cannot either.
                return settled
            if outcome is not None:
                settled.append(_told(store, project, outcome.intent, _verdict(outcome)))
    return settled


def last_settled(store: Store, project: str, *, limit: int) -> list[Settled]:
    """Give the operations of a project that were last found open and settled, newest first."""
    rows = store.read(project, lambda tx: tx.scan(OUTCOMES, descending=True, limit=LOOKED_AT_MAX))
    settled = [(int(found.key), verdict) for found in rows if (verdict := _verdict_of(found.row))]
    return [_told(store, project, seq, verdict) for seq, verdict in settled[:limit]]


def _recover_one(
    gateway: Gateway, store: Store, project: str, found: Found, stamp: Stamp
) -> Outcome | None:
    row = found.row
    if row["intent_kind"] != FileOpIntended.kind or not is_dead(store.engine, row["owner"]):
        return None
    waiting = store.read(project, lambda tx: tx.get(PENDING, found.key))
    if waiting is None or waiting["workspace"] != gateway.identity:
        return None
    lock = gateway.lock_if_free(store.engine, waiting["file"])
    if lock is None:
        return None
    with lock:
        return _Judge(gateway, store, project, stamp, [lock]).settle(row["seq"])


@dataclass(frozen=True, slots=True)
class _Judge:
    """Says from the bytes on disk what became of an intent, and cleans up after it."""

    gateway: Gateway
    store: Store
    project: str
    stamp: Stamp
    under: Collection[Lock]
    """The locks under which it looks."""

    def settle(self, seq: int) -> Outcome | None:
        """Judge one open intent, and record the outcome."""
        judged = Effect(FileOpIntended, self._judge)
        return effect.settle_one(
            self.store, self.project, judged, seq, self.stamp, under=self.under
        )

    def _judge(self, intent: FileOpIntended, seq: int) -> Outcome | None:
        if intent.workspace != self.gateway.identity:
            return None
        workspace, paths = self.gateway.workspace, _paths(intent)
        dead = partial(is_dead, self.store.engine)
        try:
            workspace.clean_temporaries(dead, paths, spares=partial(self._spares, intent, seq))
        except NotKeptError:  # collected meanwhile: the next process packs it again
            return None
        except OSError as error:
            raise _not_cleaned(intent, error) from error
        try:
            states = [workspace.look(each) for each in paths]
            for each in paths:
                workspace.sync(each)
        except StorageUnavailable:
            return None
        except Problem:  # a link, a folder: in any case not ours
            return FileOpConflicted(intent=seq, found=None)
        outcome = _outcome(intent, seq, states)
        if isinstance(outcome, FileOpDone):
            workspace.clear_folders(paths[0], intent.clears)
        return outcome

    def _spares(self, intent: FileOpIntended, seq: int, left: Left) -> bool:
        """Whether a dead process's temporary is to stay; what it took from others is given back."""
        [path, *target] = _paths(intent)
        if target or not left.is_of(path):
            return self._has_more_open(left.owner, seq)
        seen, now = left.seen(path), self._now(path)
        verdict = "conflict" if isinstance(now, Problem) else _judged(intent, [now])
        is_held = verdict == "done" and left.is_held()
        if not is_held and self._is_ours(intent, seen, now, verdict):
            return False
        after = intent.after.digest if intent.after else None
        is_back = verdict == "done" and given_back(left.folder, left.name, path.name, after)
        if not is_back and (taken := left.seen(path)) is not None:
            self._keep(path, taken, seq)
        return False

    def _now(self, path: FilePath) -> Seen | Problem | None:
        """Examine what has a file's name; anything but a plain file is returned as its refusal."""
        try:
            return self.gateway.workspace.look(path)
        except StorageUnavailable:
            raise
        except Problem as problem:
            return problem

    def _is_ours(
        self, intent: FileOpIntended, seen: Seen | None, now: Seen | Problem | None, verdict: str
    ) -> bool:
        """Whether a temporary file holds what was expected to be taken, or what was written."""
        if seen is not None and seen.digest in {
            ref.digest for ref in (intent.before, intent.after) if ref
        }:
            return True
        if intent.after is None:  # what a deletion puts there is never written
            return False
        if verdict == "aborted":  # nothing was taken yet
            return True
        if not isinstance(seen, FileState):
            return False
        whole = now.content if verdict == "done" and isinstance(now, FileState) else None
        return self._is_begun(intent.after, seen.content, whole)

    def _is_begun(self, wanted: FileRef, content: bytes, whole: bytes | None) -> bool:
        """Whether a content may be the beginning of the one that was to be written."""
        keys = self.gateway.keys
        if whole is None:
            try:
                whole = self.store.read(self.project, lambda tx: kept_content(tx, wanted, keys))
            except ContentNotKeptError:
                return True  # it may be half a secret
        return whole.startswith(content)

    def _keep(self, path: FilePath, seen: Seen, seq: int) -> None:
        """Record what somebody had put into a file, and somebody else has put more over since."""
        store, project = self.store, self.project
        [entry] = store.read(project, lambda tx: tx.entries(after=seq - 1, limit=1))

        def describe(tx: ReadTx) -> tuple[list[Event], list[Blob]]:
            return IntentWriter(self.gateway, tx, step_of(tx, entry.session, None)).met(path, seen)

        def work(tx: WriteTx) -> None:
            if tx.get(OPEN_INTENTS, intent_key(seq)) is None:
                return
            for lock in self.under:
                tx.require(lock)
            for event in events:
                store.record(tx, event, replace(self.stamp, session=entry.session))

        events, blobs = store.read(project, describe)
        if events:
            store.write(project, work, blobs=blobs, urgent=True)

    def _has_more_open(self, owner: str, seq: int) -> bool:
        """Whether a dead process has left open another intent, by which its files are judged."""
        for project, head in self.store.engine.heads().items():
            if head.views != self.store.fingerprint:
                return True
            found = self.store.read(
                project, lambda tx: tx.scan(OPEN_INTENTS, {"owner": owner}, limit=2)
            )
            if any((project, one.row["seq"]) != (self.project, seq) for one in found):
                return True
        return False


def _not_cleaned(intent: FileOpIntended, error: OSError) -> StorageUnavailable:
    reason = errno.errorcode.get(error.errno or 0, "unknown")
    return StorageUnavailable(
        f"What a dead process left beside {shown(intent.path)} cannot be cleaned up ({reason})",
        hint="Make the folder writable, or check its disk; then ask again",
        outcome="unchanged",
    )


def _verdict_of(outcome: Row) -> Verdict | None:
    """Say what was found; `None` if the process itself lived to record the outcome."""
    match outcome:
        case {"status": "recovered"}:
            return "done"
        case {"status": "aborted", "code": code} if code == INTERRUPTED:
            return "undone"
        case {"status": "conflict"}:
            return "conflict"
    return None


def _verdict(outcome: Outcome) -> Verdict:
    match outcome:
        case FileOpDone():
            return "done"
        case FileOpAborted():
            return "undone"
        case _:
            return "conflict"


def _told(store: Store, project: str, seq: int, verdict: Verdict) -> Settled:
    [entry] = store.read(project, lambda tx: tx.entries(after=seq - 1, limit=1))
    intent = store.kinds.decode(entry)
    what = intent.summary() if intent else "an operation whose record was redacted"
    return Settled(project, seq, entry.at, what or entry.kind, verdict)


def _outcome(intent: FileOpIntended, seq: int, states: list[Seen | None]) -> Outcome:
    match _judged(intent, states):
        case "done":
            mode = states[-1].mode if states[-1] else None
            return FileOpDone(intent=seq, mode=mode, recovered=True)
        case "aborted":
            return FileOpAborted(intent=seq, code=INTERRUPTED)
        case _:
            found = next((state.digest for state in states if state), None)
            return FileOpConflicted(intent=seq, found=found)


def _judged(intent: FileOpIntended, states: list[Seen | None]) -> str:
    found = [state.digest if state else None for state in states]
    before, after = (ref.digest if ref else None for ref in (intent.before, intent.after))
    if intent.action == "move":
        assert before is not None, "a move was announced of no file"
        return rules.judge_move(before, found[0], found[-1])
    if before == after and states[0]:
        wanted = intent.after.mode if intent.after else None
        return rules.judge_mode(before, wanted, found[0], states[0].mode)
    return rules.judge(before, after, found[0])


def _paths(intent: FileOpIntended) -> list[FilePath]:
    """Give the path of a change, and of a move where it leads."""
    named = [intent.path, *([intent.to] if intent.to else [])]
    return [FilePath(tuple(one.split("/"))) for one in named]


def pending(tx: ReadTx, files: Collection[str]) -> list[Found]:
    """Find what is open on some files."""
    found = (tx.scan(PENDING, {"file": file}, limit=limits.OPS_MAX) for file in files)
    return [one for page in found for one in page]
