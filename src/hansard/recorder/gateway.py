"""This process's handle on the workspace: one operation on a file at a time.

A process that changes a file, or its record, holds the file's lock from its first look to its
outcome. So an open intent whose lock is free belongs to a process that died or failed.
"""

import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from stat import S_ISREG

from hansard.kernel.blob import Digest, digest_of
from hansard.kernel.effect import Owner
from hansard.kernel.engine import Engine, Lock, WriteTx
from hansard.kernel.operation import Caller
from hansard.kernel.problem import Problem, StorageUnavailable
from hansard.recorder import limits
from hansard.recorder.contents import redaction
from hansard.recorder.contents.sealing import SealingKeys
from hansard.recorder.file_decisions import AskAbout, Governed, ask_nothing, nothing_governs
from hansard.recorder.file_locks import FileLocks
from hansard.recorder.tables import file_id
from hansard.recorder.workspace.files import Workspace
from hansard.recorder.workspace.paths import FilePath, parse


class Gateway:
    """The workspace as this process sees it, opened on first use."""

    def __init__(
        self,
        root: Path,
        *,
        store: Path | None,
        redact: bool,
        governed: Governed = nothing_governs,
        ask_about: AskAbout = ask_nothing,
        key_file: Path | None = None,
        mark: Callable[[], str | None] = lambda: None,
    ) -> None:
        """Serve this folder; `store` is protected if it lies within.

        `mark` identifies the workspace wherever it lies, if more than its place does.
        """
        self.mark = mark
        self.entered: set[str] = set()
        """The projects that have recorded that this copy of the workspace is in use."""
        self.governed = governed
        self.asks: tuple[AskAbout, ...] = governed, ask_about
        """What is consulted about every changed file: decisions, and others."""
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
        """Contents in which this process has found no secret."""

    @property
    def workspace(self) -> Workspace:
        """The agent's files."""
        with self._opening:
            if self._workspace is None:
                self._workspace = self._open()
            return self._workspace

    @property
    def root(self) -> Path:
        """The folder, as its settings name it."""
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
        """The owner's name in this process's intents and temporary files."""
        return f"{Owner.PREFIX}{self._token}"

    def resolve(self, path: str, caller: Caller) -> FilePath:
        """Apply the path rule for the caller: only people may touch protected files."""
        return self.workspace.resolve(path, for_agent=caller.actor.kind != "human")

    def plain(self, path: str) -> FilePath:
        """Apply only the rule of form, to look something up; the folder need not exist."""
        try:
            return self.workspace.resolve(path, for_agent=False)
        except StorageUnavailable:
            return FilePath(parse(path))

    def has_file(self, path: FilePath) -> bool:
        """Whether a plain file lies at a path, as far as can be seen."""
        try:
            stat = self.workspace.stat(path)
        except Problem:  # it lies behind a link, or where this process may not look
            return False
        return stat is not None and S_ISREG(stat.st_mode)

    def file(self, path: FilePath) -> str:
        """Name a file of this workspace."""
        return file_id(self.identity, str(path))

    def own(self, engine: Engine) -> str:
        """Become the living owner of intents; returns the name to put on them."""
        with self._opening:
            if self._owner is None:
                self._owner = Owner(engine, self._token)
        return self.owner_name

    def live_again(self) -> None:
        """Become a living owner again, even if others took this process for dead."""
        assert self._owner is not None, "nobody has lived before"
        self._owner.renew()

    def is_alive(self, *also: Lock) -> bool:
        """Whether nobody can have judged this process dead since it last took its lock.

        Further locks can be asked for with that.
        """
        return self._owner is not None and self._owner.is_alive(*also)

    def require_alive(self, tx: WriteTx) -> None:
        """Commit a transaction only if nobody can have judged this process dead by then."""
        assert self._owner is not None, "what is announced has an owner"
        self._owner.require(tx)

    def redacted(self, content: bytes, before: bytes | None = None) -> list[str]:
        """Name the rules by which a content must not be recorded.

        If `before` holds no secret, it is enough to check the changed parts.
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
        """Give a text without its secrets."""
        return redaction.mask(text) if self._redact else text

    @contextmanager
    def alone_at(self, engine: Engine, files: Iterable[str]) -> Iterator[FileLocks]:
        """Hold the locks of some files, waiting for their holders, but not for long."""
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
        """Take the lock of a file if it is free: for a caller that already holds another."""
        return engine.hold(_lock_name(file))

    def close(self) -> None:
        """Close the workspace and release our intents."""
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


def _lock_name(file: str) -> str:
    return f"file-{file}"
