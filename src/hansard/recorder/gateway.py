"""This process's hand on the workspace: one operation at a file at a time, and none left open.

Whoever changes a file, or what is recorded of it, holds the file's lock from its first look to its
outcome. So an open intent whose lock is free is of someone who died or failed.
"""

import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from hansard.kernel import effect
from hansard.kernel.blob import Digest, digest_of
from hansard.kernel.effect import Effect, Outcome, Owner, Settled, Verdict, is_dead
from hansard.kernel.engine import Engine, Found, Lock, ReadTx, Row, WriteTx
from hansard.kernel.event import Stamp
from hansard.kernel.operation import Caller, Context
from hansard.kernel.problem import Problem, StorageUnavailable
from hansard.kernel.store import Store
from hansard.recorder import limits, rules
from hansard.recorder.contents import redaction
from hansard.recorder.contents.sealing import SealingKeys
from hansard.recorder.events import (
    FileOpAborted,
    FileOpConflicted,
    FileOpDone,
    FileOpIntended,
)
from hansard.recorder.file_decisions import Governed, nothing_governs
from hansard.recorder.file_locks import FileLocks
from hansard.recorder.tables import OUTCOMES, PENDING, file_id
from hansard.recorder.workspace.files import Workspace
from hansard.recorder.workspace.paths import FilePath, parse
from hansard.recorder.workspace.states import Seen

LOOKED_AT_MAX = 1_000
"""Operations that did not simply succeed, among which those are looked for that were settled."""

INTERRUPTED = "INTERRUPTED"
"""Why an operation was not done whose process died before it came to it."""


class Gateway:
    """The workspace as this process sees it: opened on first use, so that nothing is before."""

    def __init__(
        self,
        root: Path,
        *,
        store: Path | None,
        redact: bool,
        governed: Governed = nothing_governs,
        key_file: Path | None = None,
        mark: Callable[[], str | None] = lambda: None,
    ) -> None:
        """Serve this folder; `store` is protected if it lies within.

        `mark` says by what the workspace is known wherever it lies, if by more than its place.
        """
        self.mark = mark
        self.entered: set[str] = set()
        """The projects in which it is noted that this copy of the workspace is written in."""
        self.governed = governed
        self.keys = SealingKeys(key_file, store=store)
        self._root = root
        self._store = store
        self._redact = redact
        self._token = secrets.token_hex(8)
        self._opening = threading.Lock()
        self._workspace: Workspace | None = None
        self._identity: str | None = None
        self._owner: Owner | None = None
        self._clean: set[Digest] = set()
        """Contents that this process has looked through and found nothing in."""

    @property
    def workspace(self) -> Workspace:
        """The agent's files."""
        with self._opening:
            if self._workspace is None:
                self._workspace = self._open()
            return self._workspace

    @property
    def root(self) -> Path:
        """The folder as it was named."""
        return self._root

    @property
    def identity(self) -> str:
        """The id that the workspace's files are recorded under."""
        if self._identity is None:
            self._identity = self.workspace.identity()
        return self._identity

    @property
    def name(self) -> str:
        """The name of the workspace's folder."""
        return self._root.resolve().name

    @property
    def owner_name(self) -> str:
        """What this process's intents and temporary files say of whose they are."""
        return f"{Owner.PREFIX}{self._token}"

    def resolve(self, path: str, caller: Caller) -> FilePath:
        """Apply the path rule for whoever asks: only people may touch what is protected."""
        return self.workspace.resolve(path, for_agent=caller.actor.kind != "human")

    def plain(self, path: str) -> FilePath:
        """Apply the rule of form alone, to look something up; the folder need not be there."""
        try:
            return self.workspace.resolve(path, for_agent=False)
        except StorageUnavailable:
            return FilePath(parse(path))

    def file(self, path: FilePath) -> str:
        """Name a file of this workspace."""
        return file_id(self.identity, str(path))

    def own(self, engine: Engine) -> str:
        """Be the living owner of intents from now on; returns the name to put on them."""
        with self._opening:
            if self._owner is None:
                self._owner = Owner(engine, self._token)
            else:
                self._owner.renew()
        return self.owner_name

    def is_alive(self) -> bool:
        """Whether nobody can have taken us for dead since we last said that we are not."""
        return self._owner is not None and self._owner.is_alive()

    def require_alive(self, tx: WriteTx) -> None:
        """Have nothing of a transaction land if we may have been taken for dead by then."""
        assert self._owner is not None, "what is announced has an owner"
        self._owner.require(tx)

    def redacted(self, content: bytes, before: bytes | None = None) -> list[str]:
        """Name the rules by which a content must not be recorded.

        If we have found nothing in `before`, it is enough to look at what became of it.
        """
        if not self._redact:
            return []
        if before is not None and digest_of(before) in self._clean:
            found = redaction.rules_matched_since(content, before)
        else:
            found = redaction.rules_matched(content)
        if not found:
            if len(self._clean) >= limits.CLEAN_DIGESTS_MAX:
                self._clean.clear()
            self._clean.add(digest_of(content))
        return found

    def masked(self, text: str) -> str:
        """Give a text as it may be recorded."""
        return redaction.mask(text) if self._redact else text

    @contextmanager
    def alone_at(self, engine: Engine, files: Iterable[str]) -> Iterator[FileLocks]:
        """Hold the locks of some files, waiting for whoever is at them, but not for long."""
        deadline = time.monotonic() + limits.FILE_WAIT_S
        locks: dict[str, Lock] = {}
        with ExitStack() as stack:
            # In one order for all, so that two batches never wait for each other.
            for file in sorted(set(files)):
                pause_s = limits.FILE_POLL_S
                while (lock := engine.hold(_lock_name(file))) is None:
                    if time.monotonic() >= deadline:
                        raise StorageUnavailable(
                            f"Another operation was at the file for {limits.FILE_WAIT_S:g} s",
                            outcome="unchanged",
                        )
                    time.sleep(pause_s)
                    pause_s = min(2 * pause_s, limits.FILE_POLL_MAX_S)
                stack.enter_context(lock)
                locks[file] = lock
            yield FileLocks(locks, self.is_alive)

    def lock_if_free(self, engine: Engine, file: str) -> Lock | None:
        """Take the lock of a file unless someone has it: for whoever holds another's already."""
        return engine.hold(_lock_name(file))

    @contextmanager
    def alone_and_settled(self, context: Context, files: Collection[str]) -> Iterator[FileLocks]:
        """Hold the locks of some files on which nothing is open."""
        with self.alone_at(context.store.engine, files) as locks:
            self.settle(context.store, context.project, locks, context.stamp)
            yield locks

    def settle(self, store: Store, project: str, locks: FileLocks, stamp: Stamp) -> None:
        """Settle what is open on the files whose locks the caller holds.

        What its own process left open is settled too: whoever was at it has let go of the lock.
        """
        pending = store.read(project, lambda tx: _pending(tx, locks.files))
        for seq, owner in sorted({(one.row["seq"], one.row["owner"]) for one in pending}):
            if owner != self.owner_name and not is_dead(store.engine, owner):
                raise StorageUnavailable(
                    f"s:{seq}, an operation on this file, was left open by a process that lives",
                    hint="It settles it on its next operation on the file, or when it is ended",
                    outcome="unchanged",
                )
            under = locks.each()
            effect.settle_one(store, project, self._effect(store.engine), seq, stamp, under=under)

    def recover(self, store: Store, stamp: Stamp) -> list[Settled]:
        """Settle what dead processes left open in this workspace, wherever nobody is at it."""
        settled: list[Settled] = []
        for project, head in store.engine.heads().items():
            # Tables of other versions are left for whoever first needs the project.
            if head.views != store.fingerprint:
                continue
            for found in effect.open_intents(store, project):
                try:
                    outcome = self._recover_one(store, project, found, stamp)
                except StorageUnavailable:
                    # No folder, or a store that takes no writes: the next operation on the file
                    # must settle it, and fails loudly if it cannot either.
                    return settled
                if outcome is not None:
                    settled.append(_told(store, project, outcome.intent, _verdict(outcome)))
        return settled

    def close(self) -> None:
        """Let go of the workspace and of our intents."""
        with self._opening:
            if self._owner:
                self._owner.close()
            if self._workspace:
                self._workspace.close()
            self._owner = self._workspace = None

    def _open(self) -> Workspace:
        try:
            return Workspace(self._root, owner=self.owner_name, store=self._store)
        except OSError as error:
            raise StorageUnavailable(
                "The workspace's folder cannot be opened",
                hint="Start again with --workspace naming a folder that is there",
                outcome="unchanged",
            ) from error

    def _recover_one(
        self, store: Store, project: str, found: Found, stamp: Stamp
    ) -> Outcome | None:
        row = found.row
        if row["intent_kind"] != FileOpIntended.kind or not is_dead(store.engine, row["owner"]):
            return None
        pending = store.read(project, lambda tx: tx.get(PENDING, found.key))
        if pending is None or pending["workspace"] != self.identity:
            return None
        lock = store.engine.hold(_lock_name(pending["file"]))
        if lock is None:
            return None
        with lock:
            judged = self._effect(store.engine)
            return effect.settle_one(store, project, judged, row["seq"], stamp, under=[lock])

    def _effect(self, engine: Engine) -> Effect:
        return Effect(FileOpIntended, partial(self._judge, engine))

    def _judge(self, engine: Engine, intent: FileOpIntended, seq: int) -> Outcome | None:
        """Say from the bytes on disk what became of an intent, and clean up after it."""
        if intent.workspace != self.identity:
            return None
        path = _path(intent.path)
        paths = [path, *([_path(intent.to)] if intent.to else [])]
        self.workspace.clean_temporaries(partial(is_dead, engine), paths)
        try:
            states = [self.workspace.look(each) for each in paths]
            for each in paths:
                self.workspace.sync(each)
        except StorageUnavailable:
            return None
        except Problem:  # a link, a folder: in any case not ours
            return FileOpConflicted(intent=seq, found=None)
        outcome = _outcome(intent, seq, states)
        if isinstance(outcome, FileOpDone):
            self.workspace.clear_folders(path, intent.clears)
        return outcome


def last_settled(store: Store, project: str, *, limit: int) -> list[Settled]:
    """Give the operations of a project that were last found open and settled, newest first."""
    rows = store.read(project, lambda tx: tx.scan(OUTCOMES, descending=True, limit=LOOKED_AT_MAX))
    settled = [(int(found.key), verdict) for found in rows if (verdict := _verdict_of(found.row))]
    return [_told(store, project, seq, verdict) for seq, verdict in settled[:limit]]


def _verdict_of(outcome: Row) -> Verdict | None:
    """Say what was found; `None` where the process itself lived to say how it went."""
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
    found = [state.digest if state else None for state in states]
    before, after = (ref.digest if ref else None for ref in (intent.before, intent.after))
    if intent.action == "move":
        assert before is not None, "a move was announced of no file"
        verdict = rules.judge_move(before, found[0], found[-1])
    elif before == after and states[0]:
        wanted = intent.after.mode if intent.after else None
        verdict = rules.judge_mode(before, wanted, found[0], states[0].mode)
    else:
        verdict = rules.judge(before, after, found[0])
    match verdict:
        case "done":
            mode = states[-1].mode if states[-1] else None
            return FileOpDone(intent=seq, mode=mode, recovered=True)
        case "aborted":
            return FileOpAborted(intent=seq, code=INTERRUPTED)
        case _:
            return FileOpConflicted(intent=seq, found=_first(found))


def _first(found: list[Digest | None]) -> Digest | None:
    return next((digest for digest in found if digest), None)


def _path(text: str) -> FilePath:
    return FilePath(tuple(text.split("/")))


def _pending(tx: ReadTx, files: Collection[str]) -> list[Found]:
    found = (tx.scan(PENDING, {"file": file}, limit=limits.OPS_MAX) for file in files)
    return [one for page in found for one in page]


def _lock_name(file: str) -> str:
    return f"file-{file}"
