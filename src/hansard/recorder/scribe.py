"""What is recorded of a change before it is made: the intent, what was found, and the contents."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hansard.kernel.blob import Blob, digest_of, seal, seal_onto
from hansard.kernel.content import content
from hansard.kernel.engine import ReadTx, Row
from hansard.kernel.event import Event
from hansard.kernel.problem import BlobRedacted
from hansard.recorder import rules
from hansard.recorder.chapters import new_sitting
from hansard.recorder.diffs import line_counts
from hansard.recorder.events import (
    ExternalChangeSeen,
    FileFound,
    FileOpIntended,
    FileRef,
    FileReported,
    Reported,
)
from hansard.recorder.gateway import Gateway
from hansard.recorder.looking import FileState
from hansard.recorder.paths import FilePath
from hansard.recorder.tables import FILES, SITTINGS


@dataclass(frozen=True, slots=True)
class Planned:
    """A change that nothing stands in the way of."""

    path: FilePath
    to: FilePath | None
    plan: rules.Plan
    mode: int | None = None
    """The permission bits to give; `None` keeps those that are there."""


@dataclass(frozen=True, slots=True)
class Under:
    """What an operation belongs to: a step of the plan, what it cites, a restore."""

    revision: int | None
    step: int | None
    cites: Sequence[str] = ()
    restore: int | None = None


@dataclass(frozen=True, slots=True)
class Announced:
    """A change with what is recorded of it before it is made."""

    planned: Planned
    intent: FileOpIntended
    seen: Sequence[Event]
    """What was found at the file that had not been recorded."""
    blobs: Sequence[Blob]


@dataclass(frozen=True, slots=True)
class Told:
    """A change that was reported, with what is recorded of it."""

    event: FileReported
    seen: Sequence[Event]
    blobs: Sequence[Blob]


def step_of(tx: ReadTx, session: str | None, step: int | None) -> Under:
    """Find the step that something belongs to: the one named, else the current one."""
    sitting: Row | None = tx.get(SITTINGS, session) if session else None
    row = sitting or new_sitting()
    if step is None:
        return Under(row["revision"], row["step"])
    rules.require_step(step, row["steps"])
    return Under(row["revision"], step)


@dataclass(frozen=True, slots=True)
class Scribe:
    """Writes down changes to files whose locks are held, so that nothing of them moves."""

    gateway: Gateway
    tx: ReadTx
    under: Under
    owner: str = ""

    def describe(self, planned: Planned) -> Announced:
        """Say what will be recorded of a change."""
        plan = planned.plan
        known = self.known(planned.path)
        before = self._reference(plan.before, known)
        after = self._after(planned, before)
        added, removed = line_counts(plan.before.content if plan.before else None, plan.after)
        intent = FileOpIntended(
            owner=self.owner,
            workspace=self.gateway.identity,
            path=str(planned.path),
            action=plan.action,
            to=str(planned.to) if planned.to else None,
            before=before,
            after=after,
            added=added,
            removed=removed,
            revision=self.under.revision,
            step=self.under.step,
            cites=list(self.under.cites),
            restore=self.under.restore,
        )
        seen = self._unseen(planned.path, plan.before.content if plan.before else None, before)
        if planned.to is not None:
            seen += self._unseen(planned.to, None, None)
        contents = ((before, plan.before.content if plan.before else None), (after, plan.after))
        return Announced(planned, intent, seen, self.pack(known, contents))

    def report(
        self, path: FilePath, action: Reported, old: bytes | None, new: bytes | None
    ) -> Told:
        """Say what will be recorded of a change that someone else says to have made.

        `old` is what the file is said to have held before; `None` says nothing of it.
        """
        known = self.known(path)
        before = known if old is None else self._content(old, known)
        after = None if new is None else self._content(new, None)
        was = self._recorded(before) if old is None else old
        added, removed = line_counts(was, new) if was is not None or before is None else (0, 0)
        reported = FileReported(
            workspace=self.gateway.identity,
            path=str(path),
            action=action,
            before=before,
            after=after,
            added=added,
            removed=removed,
            revision=self.under.revision,
            step=self.under.step,
            cites=list(self.under.cites),
        )
        seen = [] if old is None else self._unseen(path, old, before)
        return Told(reported, seen, self.pack(known, ((before, old), (after, new))))

    def known(self, path: FilePath) -> FileRef | None:
        """Give what was last recorded that a file holds; `None` for nothing or no file."""
        row = self.tx.get(FILES, self.gateway.file(path))
        return FileRef.model_validate(row["after"]) if row and row["after"] else None

    def pack(
        self, known: FileRef | None, contents: Iterable[tuple[FileRef | None, bytes | None]]
    ) -> list[Blob]:
        """Pack what is not kept yet, each content as its difference from the one before it."""
        packed: list[Blob] = []
        base: tuple[Blob, bytes] | None = None
        for ref, data in contents:
            if ref is None or ref.blob is None or data is None:
                continue
            blob = self.tx.blob(ref.blob)
            if blob is None:
                base = base or self._kept(known)
                blob = seal_onto(data, *base) if base else seal(data)
                packed.append(blob)
            base = blob, data
        return packed

    def _kept(self, known: FileRef | None) -> tuple[Blob, bytes] | None:
        blob = self.tx.blob(known.blob) if known and known.blob else None
        if blob is None or blob.codec == "redacted":
            return None
        return blob, content(self.tx, blob.digest)

    def _unseen(self, path: FilePath, data: bytes | None, now: FileRef | None) -> list[Event]:
        """Say what happened to a file past Hansard, if it is not what was last recorded."""
        known = self.known(path)
        if now is not None and self.tx.get(FILES, self.gateway.file(path)) is None:
            found = FileFound(workspace=self.gateway.identity, path=str(path), content=now)
            return [found]
        if (known.digest if known else None) == (now.digest if now else None):
            return []
        added, removed = self._compare(known, data)
        seen = ExternalChangeSeen(
            workspace=self.gateway.identity,
            path=str(path),
            before=known,
            after=now,
            added=added,
            removed=removed,
            revision=self.under.revision,
            step=self.under.step,
        )
        return [seen]

    def _compare(self, known: FileRef | None, data: bytes | None) -> tuple[int, int]:
        """Count the lines that changed since; of what was not kept, none are known."""
        try:
            return (0, 0) if known and not known.blob else line_counts(self._recorded(known), data)
        except BlobRedacted:
            return 0, 0

    def _recorded(self, ref: FileRef | None) -> bytes | None:
        return content(self.tx, ref.blob) if ref and ref.blob else None

    def _reference(self, state: FileState | None, known: FileRef | None) -> FileRef | None:
        if state is None:
            return None
        return self._content(state.content, known).model_copy(update={"mode": state.mode})

    def _content(self, data: bytes, known: FileRef | None) -> FileRef:
        """Name a content; what is recorded already need not be looked through again."""
        if known and known.digest == digest_of(data):
            return known
        return rules.reference(data, None, self.gateway.redacted(data))

    def _after(self, planned: Planned, before: FileRef | None) -> FileRef | None:
        """Name what the file shall hold."""
        data = planned.plan.after
        if data is None:
            return None
        if planned.to is not None:
            return before
        kept = before.mode if before else None
        mode = kept if planned.mode is None else planned.mode
        was = planned.plan.before
        found = self.gateway.redacted(data, was.content if was else None)
        return rules.reference(data, mode, found)
