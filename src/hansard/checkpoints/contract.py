"""What can be asked about checkpoints, in the source's own spelling, and what comes back."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from hansard.checkpoints import limits
from hansard.checkpoints.classes import Class
from hansard.checkpoints.difference import Difference
from hansard.kernel.blob import canonical_json
from hansard.kernel.operation import ProjectRequest, Result, Written
from hansard.kernel.problem import Problem
from hansard.kernel.text import Cursor, Id, Label, Limit, Query, Title

Key = Annotated[str, Field(max_length=limits.KEY_CHARS_MAX)]


class CheckpointNotFound(Problem):
    """There is no checkpoint of that id in the project, or the session has saved none."""

    code, http_status = "CHECKPOINT_NOT_FOUND", 404
    hint = "workflow_checkpoint_list shows the ids there are"


class StorageQuotaExceeded(Problem):
    """The checkpoint, its session or the store would take more room than it may."""

    code, http_status = "STORAGE_QUOTA_EXCEEDED", 413
    hint = "Delete checkpoints that are no longer needed, or ask for a larger quota"


def _same_session(arguments: object) -> object:
    """Take `session_id` for `sessionId`, as the other tools spell it."""
    if not isinstance(arguments, Mapping) or "session_id" not in arguments:
        return arguments
    if arguments.get("sessionId", arguments["session_id"]) != arguments["session_id"]:
        raise ValueError("sessionId and session_id name two sessions")
    spelled = {key: value for key, value in arguments.items() if key != "session_id"}
    return spelled | {"sessionId": arguments["session_id"]}


class CheckpointRequest(ProjectRequest):
    """What all checkpoint tools take: the session in the source's spelling, or in ours."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    session_id: Id | None = Field(default=None, alias="sessionId")

    @model_validator(mode="before")
    @classmethod
    def _spell(cls, arguments: object) -> object:
        return _same_session(arguments)


class Metadata(BaseModel):
    """What a saver says of a checkpoint; keys without a meaning are kept."""

    model_config = ConfigDict(
        extra="allow",
        frozen=True,
        strict=True,
        json_schema_extra={"additionalProperties": True},
    )

    name: Title | None = None
    tags: list[Label] = Field(default_factory=list, max_length=limits.TAGS_MAX)
    classes: dict[Key, Class] = Field(default_factory=dict, max_length=limits.KEYS_MAX)


class Save(CheckpointRequest):
    """Arguments of workflow_checkpoint_save."""

    context: dict[str, Any]
    metadata: Metadata | None = None
    force: bool = False
    cites: list[Id] = Field(default_factory=list, max_length=limits.CITES_MAX)


class Load(CheckpointRequest):
    """Arguments of workflow_checkpoint_load."""

    checkpoint_id: Id | None = Field(default=None, alias="checkpointId")
    keys: list[Key] | None = Field(default=None, max_length=limits.KEYS_MAX)
    budget_tokens: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> "Load":
        if (self.checkpoint_id is None) == (self.session_id is None):
            raise ValueError("give exactly one of checkpointId and sessionId")
        return self


def _needed(session: str | None) -> str:
    if session is None:
        raise ValueError("is required")
    return session


class List(CheckpointRequest):
    """Arguments of workflow_checkpoint_list."""

    session_id: Annotated[Id | None, AfterValidator(_needed)] = Field(
        alias="sessionId", default=None, validate_default=True
    )
    limit: Limit = 20
    offset: Annotated[int, Field(ge=0, le=limits.OFFSET_MAX)] = 0
    cursor: Cursor | None = None
    tags: list[Label] | None = Field(default=None, max_length=limits.TAGS_MAX)
    name: Title | None = None
    query: Query | None = None


class MarkCritical(CheckpointRequest):
    """Arguments of workflow_mark_critical."""

    context_key: Key = Field(alias="contextKey")


class Delete(CheckpointRequest):
    """Arguments of workflow_checkpoint_delete."""

    checkpoint_id: Id = Field(alias="checkpointId")


class Diff(CheckpointRequest):
    """Arguments of workflow_checkpoint_diff."""

    from_id: Id = Field(alias="from")
    to_id: Id | None = Field(default=None, alias="to")


class Saved(Written):
    """How a save went."""

    checkpointId: str
    sessionId: str
    status: Literal["SAVED", "SKIPPED_UNCHANGED"]
    sizeBytes: int
    contextHash: str
    warning: str | None = None

    def text(self) -> str:
        """Say which checkpoint holds the context now."""
        how = "saved" if self.status == "SAVED" else "unchanged, so not saved again"
        line = f"{self.checkpointId} {how} ({self.sizeBytes:,} bytes) in session {self.sessionId}."
        return f"{line} {self.warning}" if self.warning else line


class Omitted(BaseModel):
    """A key that was not returned whole."""

    key: str
    class_: Class = Field(serialization_alias="class", validation_alias="class")
    how: Literal["dropped", "shortened"]
    chars: int

    model_config = ConfigDict(populate_by_name=True)


class Change(BaseModel):
    """Something that is not what it was."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    by: str
    """Who changed it last."""
    session: str | None = None
    """Where."""
    seq: int
    """The entry that did it."""

    @property
    def whom(self) -> str:
        """Say who, and in which session."""
        return f"{self.by} in {self.session}" if self.session else self.by


class RecordChanged(Change):
    """A record that was made, written, moved or given another state."""

    id: str
    title: str
    state: str
    how: Literal["created", "updated", "transitioned", "moved"]

    def text(self) -> str:
        """Give it in a few words."""
        how = f"now {self.state}" if self.how == "transitioned" else self.how
        return f"{self.id} {self.title} ({how} by {self.whom})"


class FileChanged(Change):
    """A file that an agent changed, or that was found changed."""

    path: str
    how: Literal["create", "edit", "delete", "move", "external"]

    def text(self) -> str:
        """Give it in a few words."""
        how = "changed from outside, seen" if self.how == "external" else self.how
        return f"{self.path} ({how} by {self.whom})"


class DecisionSuperseded(Change):
    """A decision that no longer holds, and the one that does."""

    id: str
    title: str
    supersededBy: str

    def text(self) -> str:
        """Give it in a few words."""
        return f"{self.id} {self.title} (now {self.supersededBy}, by {self.whom})"


class Since(BaseModel):
    """What has changed: of each kind the newest few, and how many there are."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ticksPassed: int
    recordsChanged: list[RecordChanged] = Field(default_factory=list)
    recordsTotal: int = 0
    filesChanged: list[FileChanged] = Field(default_factory=list)
    filesTotal: int = 0
    decisionsSuperseded: list[DecisionSuperseded] = Field(default_factory=list)
    decisionsTotal: int = 0

    def text(self) -> str:
        """Give a line for each kind of change."""
        lines = [
            _line("record changed", "records changed", self.recordsChanged, self.recordsTotal),
            _line("file changed", "files changed", self.filesChanged, self.filesTotal),
            _line(
                "decision superseded",
                "decisions superseded",
                self.decisionsSuperseded,
                self.decisionsTotal,
            ),
        ]
        ticks = f"{self.ticksPassed} tick{'s' * (self.ticksPassed != 1)} passed"
        changed = [line for line in lines if line]
        if not changed:
            return f"Since then {ticks}; no record, file or decision has changed."
        return "\n".join([f"Since then {ticks}:", *changed])


class Loaded(Result):
    """A context as it was saved, and what has changed in the world since."""

    checkpointId: str
    sessionId: str
    context: dict[str, Any]
    metadata: dict[str, Any]
    since: Since
    omitted: list[Omitted] | None = None
    howToFetch: str | None = None
    warning: str | None = None

    def text(self) -> str:
        """Give the context as JSON, with what is missing and what has changed since."""
        parts = [f"{self.checkpointId} of session {self.sessionId}:", _json(self.context)]
        if self.omitted:
            left = ", ".join(f"{one.key} ({one.how}, {one.chars:,} chars)" for one in self.omitted)
            parts.append(f"Left out: {left}. {self.howToFetch}")
        parts.append(self.since.text())
        return "\n".join([*parts, *([self.warning] if self.warning else [])])


class CheckpointListed(BaseModel):
    """A checkpoint in a list."""

    checkpointId: str
    sessionId: str
    createdAt: str
    sizeBytes: int
    contextHash: str
    metadata: dict[str, Any]

    def text(self) -> str:
        """Give one line."""
        tags = " ".join(f"#{tag}" for tag in self.metadata.get("tags", []))
        named = self.metadata.get("name", "")
        line = f"{self.checkpointId} {self.createdAt[:19]} {self.sizeBytes:,} B"
        return " ".join(part for part in (line, named, tags) if part)


class SessionListed(BaseModel):
    """The session whose checkpoints are listed."""

    id: str
    createdAt: str
    lastAccessedAt: str
    tags: list[str]
    totalSizeBytes: int


class CheckpointList(Result):
    """A session's checkpoints, newest first."""

    checkpoints: list[CheckpointListed]
    total: int
    nextCursor: str | None = None
    session: SessionListed

    def text(self) -> str:
        """Give a line each."""
        lines = [checkpoint.text() for checkpoint in self.checkpoints]
        rest = [f"More: cursor={self.nextCursor}"] if self.nextCursor else []
        return "\n".join([f"{self.total} checkpoints", *lines, *rest])


class Marked(Written):
    """How marking a key went."""

    status: Literal["SUCCESS", "KEY_NOT_FOUND"]
    message: str
    sessionId: str

    def text(self) -> str:
        """Say it."""
        return self.message


class Deleted(Written):
    """What was deleted."""

    checkpointId: str
    sessionId: str

    def text(self) -> str:
        """Say it."""
        return f"{self.checkpointId} deleted."


class Compared(Result):
    """What differs between two contexts."""

    from_: str = Field(serialization_alias="from", validation_alias="from")
    to: str
    differences: list[Difference]
    total: int

    model_config = ConfigDict(populate_by_name=True, extra="forbid")

    def text(self) -> str:
        """Give a line for each place."""
        lines = [_changed(one) for one in self.differences]
        rest = self.total - len(lines)
        more = [f"… and {rest} more"] if rest else []
        return "\n".join([f"{self.total} differences, {self.from_} → {self.to}", *lines, *more])


_SHOWN_CHARS = 80


def _changed(one: Difference) -> str:
    old, new = (_cut(_json(value)) for value in (one.old, one.new))
    match one.change:
        case "added":
            return f"+ {one.path}: {new}"
        case "removed":
            return f"- {one.path}: {old}"
        case _:
            return f"~ {one.path}: {old} → {new}"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…"


def _json(value: object) -> str:
    return canonical_json(value).decode()


def _line(
    one: str,
    many: str,
    changes: Sequence[RecordChanged | FileChanged | DecisionSuperseded],
    total: int,
) -> str:
    if not total:
        return ""
    shown = "; ".join(change.text() for change in changes)
    rest = f"; … and {total - len(changes)} more" if total > len(changes) else ""
    return f"{total} {one if total == 1 else many}: {shown}{rest}"
