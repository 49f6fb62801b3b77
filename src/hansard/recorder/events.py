"""Events of a recorded session: its plan, its notes, and every change of a file."""

from typing import Any, ClassVar, Literal

from pydantic import ConfigDict, SerializerFunctionWrapHandler, model_serializer

from hansard.kernel.blob import Digest
from hansard.kernel.effect import Intent, Outcome
from hansard.kernel.event import Event
from hansard.kernel.model import Model
from hansard.sessions.events import SessionNaming

Action = Literal["create", "edit", "delete", "move"]
StepOver = Literal["done", "skipped"]


def step_name(index: int) -> str:
    """Name a step as people count: from 1; on the wire its index counts from 0."""
    return f"step {index + 1}"


class FileRef(Model):
    """The content of a file by its digest; the blob has the content."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    blob: Digest | None = None
    """`None` if the content is not kept as it is: it holds a secret, or is too large."""
    sha256: str | None = None
    """The digest of a content that is not kept as it is; otherwise the blob's name is it."""
    sealed: Digest | None = None
    """The blob that holds a secret content encrypted, under a key that is not in the store."""
    size: int
    mode: int | None = None
    """Permission bits; `None` until a new file exists, since the umask affects them."""
    redacted: tuple[str, ...] = ()
    """The rules by which it holds a secret."""

    @model_serializer(mode="wrap")
    def _briefly(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out empty fields: there are two of these in the record of every change."""
        return {name: value for name, value in dump(self).items() if value or name == "size"}

    @property
    def digest(self) -> Digest:
        """Name the content, kept or not."""
        digest = self.blob or self.sha256
        assert digest, "a content has neither a blob nor a digest"
        return Digest(digest)

    @property
    def is_kept(self) -> bool:
        """Whether the content can be brought back, given the key where it is sealed."""
        return self.blob is not None or self.sealed is not None


class Grown(Event):
    """Base of events that were given fields after they had been published.

    These are written only if they are set, so that older events read as they always did.
    """

    later: ClassVar[frozenset[str]] = frozenset()

    @model_serializer(mode="wrap")
    def _briefly(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields = type(self).model_fields
        silent = {name for name in self.later if getattr(self, name) == fields[name].default}
        return {name: value for name, value in dump(self).items() if name not in silent}


class FileEvent(Grown):
    """Base of events about one file of a workspace."""

    workspace: str
    path: str

    def subject(self) -> str:
        """Give the file."""
        return f"path:{self.path}"


class SessionTitled(SessionNaming):
    """A session was given its title, and the words of the user that it answers."""

    kind: ClassVar[str] = "recorder.session_titled.v1"
    activity: ClassVar[str | None] = "session_titled"

    user_message: Digest | None

    def summary(self) -> str:
        """Give the title."""
        return f"Session: {self.title}"


class PlanStepRecorded(Event):
    """A step was put on the plan. A new plan is a new revision, its steps numbered from 0."""

    kind: ClassVar[str] = "recorder.plan_step_recorded.v1"
    activity: ClassVar[str | None] = "plan_step"

    revision: int
    index: int
    step: str
    continues: int | None = None
    """The step of the plan before that this one is again, by its words."""

    def summary(self) -> str:
        """Give the step with its number."""
        return f"Plan {self.revision}, {step_name(self.index)}: {self.step}"


class StepBegun(Event):
    """A step of the plan became the current one."""

    kind: ClassVar[str] = "recorder.step_begun.v1"
    activity: ClassVar[str | None] = "step_begun"

    revision: int
    index: int

    def summary(self) -> str:
        """Name the step."""
        return f"{step_name(self.index).capitalize()} begun"


class StepEnded(Event):
    """A step of the plan was said to be over: done, or left out."""

    kind: ClassVar[str] = "recorder.step_ended.v1"
    activity: ClassVar[str | None] = "step_ended"

    revision: int
    index: int
    status: StepOver

    def summary(self) -> str:
        """Name the step."""
        return f"{step_name(self.index).capitalize()} {self.status}"


class Audited(Event):
    """A decision, milestone or note was put on the timeline."""

    kind: ClassVar[str] = "recorder.audited.v1"
    activity: ClassVar[str | None] = "audit_event"

    type: str
    description: str
    revision: int | None
    step: int | None
    cites: list[str]

    def summary(self) -> str:
        """Give its label and its words."""
        return f"{self.type}: {self.description}"


class FileOpIntended(FileEvent, Intent):
    """A file is about to be changed; what it was and what it will be are kept."""

    kind: ClassVar[str] = "recorder.file_op_intended.v1"
    later: ClassVar[frozenset[str]] = frozenset(
        {"batch", "undoes", "back_to", "makes", "clears", "regions"}
    )

    action: Action
    to: str | None
    """Where a file is moved to."""
    before: FileRef | None
    after: FileRef | None
    added: int
    removed: int
    """Lines."""
    revision: int | None
    step: int | None
    cites: list[str]
    restore: int | None
    """The seq of the restore or undo that this is part of."""
    batch: int | None = None
    """The seq of the first intent of the batch that this is part of."""
    undoes: tuple[int, ...] = ()
    """The seqs of the changes to this file that this takes back."""
    back_to: int | None = None
    """The revision that a restore brings back, and so takes all later ones away; 0 is no file."""
    makes: int = 0
    """How many of the folders above it are made for it."""
    clears: int = 0
    """How many of the folders above it are removed with it, if nothing else is in them."""
    regions: tuple[int, ...] | None = None
    """Which lines changed, four numbers a region, as `comparing` has them."""

    def summary(self) -> str:
        """Name what is done to which file."""
        return _file_act(self)


def is_irreversible(change: FileOpIntended) -> bool:
    """Whether a change destroys what is not kept, so that nothing can bring it back."""
    if change.before is None or change.to is not None:
        return False
    return not change.before.is_kept and change.before != change.after


class FileOpDone(Outcome):
    """The file was changed as intended."""

    kind: ClassVar[str] = "recorder.file_op_done.v1"

    mode: int | None
    """The permission bits it has; `None` where it is gone."""
    recovered: bool = False
    """Whether this was found out after a crash, from the bytes on disk."""


class FileOpDoneLate(Outcome):
    """The file was changed as intended, after another process had judged that it was not.

    That happens if the database lost the lock that shows that somebody is at work.
    """

    kind: ClassVar[str] = "recorder.file_op_done_late.v1"

    mode: int | None
    """The permission bits it has; `None` where it is gone."""


class FileOpAborted(Outcome):
    """The file was not changed."""

    kind: ClassVar[str] = "recorder.file_op_aborted.v1"

    code: str
    """The problem that stood in the way; `INTERRUPTED` after a crash, `NOT_RUN` in a batch."""


class FileOpConflicted(Outcome):
    """After a crash the file was neither as before nor as intended; it was left alone."""

    kind: ClassVar[str] = "recorder.file_op_conflicted.v1"

    found: str | None
    """The SHA-256 of what is there; `None` if no plain file is."""


class FileOpRefused(FileEvent):
    """A change to a file was refused before anything was announced."""

    kind: ClassVar[str] = "recorder.file_op_refused.v1"

    action: str
    code: str
    revision: int | None
    step: int | None

    def summary(self) -> str:
        """Name what was refused and why."""
        return f"{self.action} {self.path} refused: {self.code}"


class FileFound(FileEvent):
    """A file that existed before Hansard first met it."""

    kind: ClassVar[str] = "recorder.file_found.v1"
    later: ClassVar[frozenset[str]] = frozenset({"git"})

    content: FileRef
    git: str | None = None
    """The object of Git that says what the file held, where it has changed since."""


class ExternalChangeSeen(FileEvent):
    """A file is not what was last recorded: someone changed it without Hansard."""

    kind: ClassVar[str] = "recorder.external_change_seen.v1"
    activity: ClassVar[str | None] = "external_change"
    later: ClassVar[frozenset[str]] = frozenset({"modified", "moved_from", "moved_to", "regions"})

    before: FileRef | None
    after: FileRef | None
    added: int
    removed: int
    revision: int | None
    step: int | None
    modified: str | None = None
    """When the file was changed, as its own time says."""
    moved_from: str | None = None
    """The path at which this content was before, and no longer is: someone moved the file."""
    moved_to: str | None = None
    """The path at which this content is now, and was not before."""
    regions: tuple[int, ...] | None = None

    @property
    def action(self) -> Action:
        """Say what someone did."""
        if self.moved_from is not None or self.moved_to is not None:
            return "move"
        if self.after is None:
            return "delete"
        return "create" if self.before is None else "edit"

    def summary(self) -> str:
        """Name the file."""
        if self.moved_from is not None:
            return f"{self.path} was moved from {self.moved_from} from outside"
        if self.moved_to is not None:
            return f"{self.path} was moved to {self.moved_to} from outside"
        if self.after is None:
            lines = f" (-{self.removed})" if self.removed else ""
            return f"{self.path} was deleted from outside{lines}"
        if self.before and self.before.digest == self.after.digest:
            modes = f"{self.before.mode or 0:04o} to {self.after.mode or 0:04o}"
            return f"{self.path} was given other permissions from outside ({modes})"
        made = "created" if self.before is None else "changed"
        return f"{self.path} was {made} from outside (+{self.added} -{self.removed})"


class FileReported(FileEvent):
    """A host's own tool reported a change of a file; Hansard did nothing."""

    kind: ClassVar[str] = "recorder.file_reported.v1"
    later: ClassVar[frozenset[str]] = frozenset({"before_unknown", "regions", "to", "mode_seen"})

    action: Action
    before: FileRef | None
    after: FileRef | None
    added: int
    removed: int
    revision: int | None
    step: int | None
    cites: list[str]
    before_unknown: bool = False
    """Whether there was a file before of which nobody knows what it held."""
    regions: tuple[int, ...] | None = None
    to: str | None = None
    """Where a file was moved."""
    mode_seen: bool = False
    """Whether somebody saw the permissions before it; else they are what was last recorded."""

    @property
    def is_mode_known(self) -> bool:
        """Whether the permissions before it may be given back to a file that is there.

        A file that was deleted has none: what was last recorded is then the best there is.
        """
        return self.mode_seen or self.action == "delete"

    def summary(self) -> str:
        """Name what is said to have been done."""
        if self.before_unknown:
            return f"{self.action} {self.path} (+? -?), as reported"
        return f"{_file_act(self)}, as reported"


def _file_act(event: FileOpIntended | FileReported) -> str:
    """Name what was done to which file."""
    where = f"{event.path} to {event.to}" if event.to else event.path
    lines = f" (+{event.added} -{event.removed})" if event.added or event.removed else ""
    return f"{event.action} {where}{lines}"


class WorkspaceSeen(Event):
    """A copy of a workspace was first written in, or joined to another that it continues."""

    kind: ClassVar[str] = "recorder.workspace_seen.v1"

    workspace: str
    mark: str
    """What identifies it wherever it lies; empty if only its place does."""
    name: str
    """Of its folder."""
    parent: str | None
    """The copy whose files and histories it goes on with."""

    def summary(self) -> str:
        """Name the folder."""
        went = " goes on from another copy" if self.parent else " was first written in"
        return f"The workspace {self.name}{went}"


class RestoreBegun(Grown):
    """Files are about to be brought back, each by an operation of its own."""

    kind: ClassVar[str] = "recorder.restore_begun.v1"
    activity: ClassVar[str | None] = "restore"
    later: ClassVar[frozenset[str]] = frozenset({"is_undo"})

    workspace: str
    scope: str
    point: int
    """Files are brought to where they stood right after this entry; of no meaning to an undo."""
    files: int
    revision: int | None
    step: int | None
    is_undo: bool = False
    """Whether only the changes in scope are taken back, and later ones of others stay."""

    def summary(self) -> str:
        """Name what goes back to where."""
        files = "1 file" if self.files == 1 else f"{self.files:,} files"
        if self.is_undo:
            return f"Undo {self.scope} ({files})"
        return f"Restore {self.scope} to after s:{self.point} ({files})"


EVENTS: tuple[type[Event], ...] = (
    SessionTitled,
    PlanStepRecorded,
    StepBegun,
    StepEnded,
    Audited,
    FileOpIntended,
    FileOpDone,
    FileOpDoneLate,
    FileOpAborted,
    FileOpConflicted,
    FileOpRefused,
    FileFound,
    ExternalChangeSeen,
    FileReported,
    RestoreBegun,
    WorkspaceSeen,
)
