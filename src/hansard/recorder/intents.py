"""Builds the intent of a change: what was found, and the contents to record."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from hansard.kernel.blob import Blob, Digest, digest_of, seal, seal_onto
from hansard.kernel.clock import to_text
from hansard.kernel.content import content, original
from hansard.kernel.engine import ReadTx, Row
from hansard.kernel.event import Event
from hansard.kernel.problem import BlobRedacted
from hansard.recorder import rules
from hansard.recorder.contents.changed_lines import Compared, compare
from hansard.recorder.contents.content_before import Before
from hansard.recorder.contents.kept_content import is_erased
from hansard.recorder.contents.sealing import NoKeyError
from hansard.recorder.events import (
    Action,
    ExternalChangeSeen,
    FileFound,
    FileOpIntended,
    FileRef,
    FileReported,
)
from hansard.recorder.gateway import Gateway
from hansard.recorder.story.chapters import new_sitting
from hansard.recorder.tables import FILES, SITTINGS
from hansard.recorder.workspace.paths import FilePath
from hansard.recorder.workspace.states import FileState, Seen

NO_LINES = Compared(regions=())

ERASED = "erased_by_a_person"
"""Stands for a rule, where a content is not kept because a person decided so."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A change that was checked and may be made."""

    path: FilePath
    to: FilePath | None
    plan: rules.Plan
    mode: int | None = None
    """The permission bits to give; `None` keeps those that are there."""
    undoes: tuple[int, ...] = ()
    back_to: int | None = None
    makes: int = 0
    clears: int = 0
    """As an intent has them."""


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
class ReportedChange:
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
class IntentWriter:
    """Describes changes to files whose locks are held, so that they do not move."""

    gateway: Gateway
    tx: ReadTx
    under: Under
    owner: str = ""
    sealed: dict[Digest, Blob] = field(default_factory=dict)
    """What was sealed meanwhile and is to be kept."""
    rows: dict[FilePath, Row | None] = field(default_factory=dict)
    """What is recorded of files, as far as it was asked for."""

    def describe(self, planned: Planned) -> Announced:
        """Say what will be recorded of a change."""
        plan = planned.plan
        known = self.known(planned.path)
        before = self._reference(plan.before, known)
        after = self._after(planned, before)
        compared = Compared() if planned.to else compare(plan.was, plan.after)
        intent = FileOpIntended(
            owner=self.owner,
            workspace=self.gateway.identity,
            path=str(planned.path),
            action=plan.action,
            to=str(planned.to) if planned.to else None,
            before=before,
            after=after,
            added=compared.added,
            removed=compared.removed,
            regions=compared.regions,
            revision=self.under.revision,
            step=self.under.step,
            cites=list(self.under.cites),
            restore=self.under.restore,
            undoes=planned.undoes,
            back_to=planned.back_to,
            makes=planned.makes,
            clears=planned.clears,
        )
        seen = self.unseen(planned.path, plan.before, before)
        if planned.to is not None:
            seen += self.unseen(planned.to, None, None)
        contents = ((before, plan.was), (after, plan.after))
        return Announced(planned, intent, seen, self.pack(known, contents))

    def met(self, path: FilePath, seen: Seen) -> tuple[list[Event], list[Blob]]:
        """Say what will be recorded of a content that somebody put into a file without Hansard."""
        known = self.known(path)
        now = self._reference(seen, known)
        data = seen.content if isinstance(seen, FileState) else None
        return self.unseen(path, seen, now), self.pack(known, [(now, data)])

    def report(
        self,
        path: FilePath,
        action: Action,
        old: Before,
        new: bytes | None,
        mode: int | None = None,
    ) -> ReportedChange:
        """Say what will be recorded of a change that someone else says to have made."""
        known = self.known(path)
        before = self._as_it_was(known, old)
        after = None if new is None else self.named(new, mode, old.content)
        was = self._recorded(before) if old.is_as_recorded else old.content
        is_compared = not old.is_unknown and (was is not None or before is None)
        compared = compare(was, new) if is_compared else Compared()
        reported = FileReported(
            workspace=self.gateway.identity,
            path=str(path),
            action=action,
            before=before,
            after=after,
            added=compared.added,
            removed=compared.removed,
            regions=compared.regions,
            revision=self.under.revision,
            step=self.under.step,
            cites=list(self.under.cites),
            before_unknown=old.is_unknown,
            mode_seen=old.mode is not None,
        )
        seen = self._unreported(path, old, before)
        return ReportedChange(
            reported, seen, self.pack(known, ((before, old.content), (after, new)))
        )

    def report_move(
        self, path: FilePath, to: FilePath, old: Before, found: Seen | None, mode: int | None
    ) -> ReportedChange:
        """Say what will be recorded of a file that is said to have moved to where `found` lies."""
        known = self.known(path)
        held = self._as_it_was(known, old)
        assert held is not None, "a file was moved of which nobody knows what it held"
        if mode is None and found is not None and found.digest == held.digest:
            mode = found.mode
        reported = FileReported(
            workspace=self.gateway.identity,
            path=str(path),
            action="move",
            to=str(to),
            before=held,
            after=held if mode is None else held.model_copy(update={"mode": mode}),
            added=0,
            removed=0,
            revision=self.under.revision,
            step=self.under.step,
            cites=list(self.under.cites),
            mode_seen=old.mode is not None,
        )
        seen = [*self._unreported(path, old, held), *self.unseen(to, None, None)]
        return ReportedChange(reported, seen, self.pack(known, [(held, old.content)]))

    def known(self, path: FilePath) -> FileRef | None:
        """Give what was last recorded that a file holds; `None` for nothing or no file."""
        row = self._row(path)
        return FileRef.model_validate(row["after"]) if row and row["after"] else None

    def pack(
        self, known: FileRef | None, contents: Iterable[tuple[FileRef | None, bytes | None]]
    ) -> list[Blob]:
        """Pack what is not kept yet, each content as its difference from the one before it."""
        packed: list[Blob] = []
        base: tuple[Blob, bytes] | None = None
        for ref, data in contents:
            if ref and ref.sealed in self.sealed:
                packed.append(self.sealed[ref.sealed])
            if ref is None or ref.blob is None or data is None:
                continue
            blob = self.tx.blob(ref.blob)
            if blob is None:
                base = base or self._kept(known)
                blob = seal_onto(data, *base) if base else seal(data)
                packed.append(blob)
            base = blob, data
        return packed

    def unseen(self, path: FilePath, seen: Seen | None, now: FileRef | None) -> list[Event]:
        """Say what happened to a file without Hansard, if it is not what was last recorded."""
        known = self.known(path)
        if now is not None and self._row(path) is None:
            found = FileFound(workspace=self.gateway.identity, path=str(path), content=now)
            return [found]
        if _is_same(known, now):
            return []
        return [self.external(path, known, seen, now)]

    def external(
        self,
        path: FilePath,
        known: FileRef | None,
        seen: Seen | None,
        now: FileRef | None,
        *,
        was: bytes | None = None,
    ) -> ExternalChangeSeen:
        """Say that somebody made of a file what it is now; `was` is what is not kept yet."""
        data = seen.content if isinstance(seen, FileState) else None
        compared = compare(was, data) if was is not None else self._compare(known, data)
        return self._changed(path, (known, now), compared, modified_at(seen))

    def _changed(
        self,
        path: FilePath,
        states: tuple[FileRef | None, FileRef | None],
        compared: Compared,
        modified: str | None = None,
    ) -> ExternalChangeSeen:
        known, now = states
        return ExternalChangeSeen(
            workspace=self.gateway.identity,
            path=str(path),
            before=known,
            after=now,
            added=compared.added,
            removed=compared.removed,
            regions=compared.regions,
            revision=self.under.revision,
            step=self.under.step,
            modified=modified,
        )

    def named(self, data: bytes, mode: int | None, before: bytes | None = None) -> FileRef:
        """Name a content, and seal it if it holds a secret and there is a key."""
        found = self.gateway.redacted(data, before)
        if not found:
            return rules.reference(data, mode, found)
        try:
            blob = self.gateway.keys.seal(data)
        except NoKeyError:
            return rules.reference(data, mode, found)
        self.sealed[blob.digest] = blob
        return rules.reference(data, mode, found, blob.digest)

    def _row(self, path: FilePath) -> Row | None:
        if path not in self.rows:
            self.rows[path] = self.tx.get(FILES, self.gateway.file(path))
        return self.rows[path]

    def _unreported(self, path: FilePath, old: Before, before: FileRef | None) -> list[Event]:
        """Say what had happened to a file before what is reported of it."""
        if old.is_unknown:
            return []
        known = self.known(path)
        if known and before and known.digest == before.digest:
            # Somebody may have given it other permissions since.
            states = known, before
            return [] if _is_same(*states) else [self._changed(path, states, NO_LINES)]
        state = None
        if old.content is not None and before is not None:
            state = FileState(old.content, before.digest, before.mode or 0)
        seen = self.unseen(path, state, before)
        if old.git and seen and isinstance(seen[0], FileFound):
            return [seen[0].model_copy(update={"git": old.git})]
        return seen

    def _as_it_was(self, known: FileRef | None, old: Before) -> FileRef | None:
        """Name what a file held before what is reported of it, with its permissions if known."""
        held = known if old.is_as_recorded else self._named(old.content, known)
        return held.model_copy(update={"mode": old.mode}) if held and old.mode is not None else held

    def _kept(self, known: FileRef | None) -> tuple[Blob, bytes] | None:
        blob = self.tx.blob(known.blob) if known and known.blob else None
        if blob is None or blob.codec == "redacted":
            return None
        return blob, content(self.tx, blob.digest)

    def _compare(self, known: FileRef | None, data: bytes | None) -> Compared:
        """Count the lines that changed since; of what was not kept, none are known."""
        try:
            is_kept = known is None or known.blob is not None
            return compare(self._recorded(known), data) if is_kept else Compared()
        except BlobRedacted:
            return Compared()

    def _recorded(self, ref: FileRef | None) -> bytes | None:
        return original(self.tx, ref.blob) if ref and ref.blob else None

    def _reference(self, state: Seen | None, known: FileRef | None) -> FileRef | None:
        """Name what a file holds."""
        if state is None:
            return None
        if is_erased(self.tx, state.digest, known):
            told = {"sha256": state.digest, "size": state.size, "mode": state.mode}
            return FileRef.model_validate(told | {"redacted": (ERASED,)})
        if known and known.digest == state.digest and known.is_kept:
            return known.model_copy(update={"mode": state.mode})
        if isinstance(state, FileState):
            return self.named(state.content, state.mode)
        return FileRef(sha256=state.digest, size=state.size, mode=state.mode)

    def _named(self, data: bytes | None, known: FileRef | None) -> FileRef | None:
        """Name a content; what is recorded already need not be looked through again."""
        if data is None:
            return None
        is_known = known is not None and known.is_kept and known.digest == digest_of(data)
        return known if is_known else self.named(data, None)

    def _after(self, planned: Planned, before: FileRef | None) -> FileRef | None:
        """Name what the file will hold."""
        if planned.to is not None:
            gets = {} if planned.mode is None else {"mode": planned.mode}
            return before.model_copy(update=gets) if before else None
        data = planned.plan.after
        if data is None:
            return None
        kept = before.mode if before else None
        mode = kept if planned.mode is None else planned.mode
        if before and before.is_kept and before.digest == digest_of(data):
            return before.model_copy(update={"mode": mode})
        return self.named(data, mode, planned.plan.was)


def _is_same(known: FileRef | None, now: FileRef | None) -> bool:
    """Whether a file is as recorded; modes count as far as they are known."""
    if known is None or now is None:
        return known is now
    are_known = known.mode is not None and now.mode is not None
    return known.digest == now.digest and not (are_known and known.mode != now.mode)


def is_recorded(known: FileRef | None, seen: Seen | None) -> bool:
    """Whether a file is as it was last recorded."""
    now = FileRef(sha256=seen.digest, size=seen.size, mode=seen.mode) if seen else None
    return _is_same(known, now)


def modified_at(seen: Seen | None) -> str | None:
    """Give the time when a file was changed; none, if no calendar has it."""
    if seen is None or not seen.modified_ns:
        return None
    try:
        return to_text(datetime.fromtimestamp(seen.modified_ns / 1_000_000_000, UTC))
    except (OverflowError, ValueError, OSError):
        return None
