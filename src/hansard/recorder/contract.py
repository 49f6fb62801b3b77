"""Requests and refusals of the recorder. The answers are in `answers.py`.

What can be refused about paths and files is in `problems.py`.
"""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)

from hansard.kernel import limits as kernel_limits
from hansard.kernel.model import Model
from hansard.kernel.model_answer import SHORT_DIGITS
from hansard.kernel.operation import ProjectRequest, Request, TimedRequest
from hansard.kernel.problem import Problem
from hansard.kernel.text import Body, Cursor, Description, Id, Label, Limit, Title
from hansard.recorder import limits
from hansard.recorder.events import Action, StepOver


class SessionExists(Problem):
    """The session has a title already."""

    code, http_status = "SESSION_EXISTS", 409
    hint = "Go on in it, or end it with record_session_end, or pass another session_id"


def _nonempty(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


_TEXT = WithJsonSchema({"type": "string"})
_NUMBER = WithJsonSchema({"type": "integer"})
_TEXTS = WithJsonSchema({"type": "array", "items": {"type": "string"}})

# How long a path may be is for the path rule to say, which has a code of its own.
PathText = Annotated[str, Field(max_length=kernel_limits.REQUEST_BYTES_MAX), _TEXT]
Words = Annotated[Description, AfterValidator(_nonempty)]
Index = Annotated[int, Field(ge=0, lt=limits.STEPS_MAX), _NUMBER]
Prompt = Annotated[str, StringConstraints(pattern=r"^(last|s:[0-9]{1,18}|[1-9][0-9]{0,3})$"), _TEXT]
"""`last`, how many prompts ago counted from 1, or a prompt's entry."""
Number = Annotated[int, Field(ge=1), _NUMBER]
Cites = Annotated[list[Id], Field(max_length=limits.CITES_MAX), _TEXTS]
Budget = Annotated[int, Field(ge=limits.BUDGET_TOKENS_MIN, le=limits.BUDGET_TOKENS_MAX), _NUMBER]
Sha256 = Annotated[
    str,
    StringConstraints(to_lower=True, pattern=rf"^[0-9a-fA-F]{{{SHORT_DIGITS},64}}$"),
    _TEXT,
]
"""A digest, or as many of its first digits as a model sees."""
Mode = Annotated[str, StringConstraints(pattern=r"^0?[0-7]{3}$"), _TEXT]
"""Permissions as `0644` says them; those of set-uid files are not recorded."""
Encoding = Literal["base64"]
Content = Annotated[str, Field(max_length=kernel_limits.REQUEST_BYTES_MAX), _TEXT]


class Edit(Model):
    """A piece of text that occurs once, and what takes its place."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    old: Annotated[str, Field(min_length=1, max_length=kernel_limits.REQUEST_BYTES_MAX), _TEXT]
    new: Content


Edits = Annotated[list[Edit], Field(min_length=1, max_length=limits.EDITS_MAX)]
EDITS_SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"old": {"type": "string"}, "new": {"type": "string"}},
        "required": ["old", "new"],
        "additionalProperties": False,
    },
}


class Replacement(Model):
    """A piece of text that another tool has replaced, once or wherever it stood."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    old: Content
    new: Content
    all: bool = False


REPLACEMENTS_SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "old": {"type": "string"},
            "new": {"type": "string"},
            "all": {"type": "boolean"},
        },
        "required": ["old", "new"],
        "additionalProperties": False,
    },
}
Replacements = Annotated[
    list[Replacement], Field(max_length=limits.EDITS_MAX), WithJsonSchema(REPLACEMENTS_SCHEMA)
]


class FileChange(Model):
    """One change to one file."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    path: PathText
    action: Action
    content: Content | None = None
    edits: Edits | None = None
    to: PathText | None = None
    encoding: Encoding | None = None
    overwrite: bool = False
    irreversible: bool = False
    expected_sha256: Sha256 | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if reason := _misfit(self.action, self):
            raise ValueError(reason)
        return self


def _misfit(action: Action, change: "FileChange | FileOp") -> str | None:
    """Say which argument is missing or meaningless for this action."""
    given = {name for name in ("content", "edits", "to") if getattr(change, name) is not None}
    match action:
        case "create" if "content" not in given:
            return "content: is required to create a file"
        case "edit" if len(given & {"content", "edits"}) != 1:
            return "edit takes either content or edits"
        case "move" if "to" not in given:
            return "to: is required to move a file"
        case "create" | "move" if "edits" in given:
            return f"edits: have no meaning for {action}"
        case "move" if "content" in given:
            return "content: has no meaning for move"
    return "to: has a meaning only for move" if "to" in given and action != "move" else None


class RecordSessionStart(ProjectRequest):
    title: Title
    user_message: Body | None = None


class RecordPlan(Request):
    steps: Annotated[list[Title], Field(min_length=1, max_length=limits.STEPS_MAX), _TEXTS]


class RecordPlanStep(Request):
    step: Title


class RecordStep(Request):
    index: Index
    status: StepOver | None = None


class AuditEvent(Request):
    type: Label
    description: Words
    step: Index | None = None
    cites: Cites | None = None


class FileOp(Request):
    path: PathText | None = None
    action: Action | None = None
    content: Content | None = None
    edits: Annotated[Edits, WithJsonSchema(EDITS_SCHEMA)] | None = None
    to: PathText | None = None
    encoding: Encoding | None = None
    overwrite: bool = False
    irreversible: bool = False
    expected_sha256: Sha256 | None = None
    step: Index | None = None
    cites: Cites | None = None
    ops: Annotated[
        list[FileChange] | None,
        Field(min_length=1, max_length=limits.OPS_MAX),
        WithJsonSchema({"type": "array", "items": {"type": "object"}}),
    ] = None

    @model_validator(mode="after")
    def _is_one_or_many(self) -> Self:
        alone = self.model_fields_set & set(FileChange.model_fields)
        if self.ops is not None:
            if alone:
                raise ValueError(f"{min(alone)}: goes into each of ops, not beside them")
            return self
        if self.path is None or self.action is None:
            raise ValueError("path and action: are required, or else ops")
        if reason := _misfit(self.action, self):
            raise ValueError(reason)
        return self

    def changes(self) -> list[FileChange]:
        """Give what is to be done, one by one."""
        if self.ops is not None:
            return self.ops
        alone = {name: getattr(self, name) for name in FileChange.model_fields}
        return [FileChange.model_construct(**alone)]


class FileRead(Request):
    path: PathText
    encoding: Encoding | None = None


class RecordFileCreate(Request):
    path: PathText
    content: Content
    encoding: Encoding | None = None
    mode: Mode | None = None
    step: Index | None = None
    cites: Cites | None = None


class RecordFileEdit(RecordFileCreate):
    old_content: Content | None = None
    old_mode: Mode | None = None
    edits: Replacements | None = None
    """What was replaced, in order, where the old content is not known."""


class RecordFileDelete(Request):
    path: PathText
    old_content: Content | None = None
    old_mode: Mode | None = None
    encoding: Encoding | None = None
    step: Index | None = None
    cites: Cites | None = None


class RecordFileMove(RecordFileDelete):
    to: PathText
    mode: Mode | None = None


Side = Literal["mine", "theirs", "both"]
Each = Annotated[list[Side], Field(max_length=limits.TAKES_MAX)]
_SIDES = WithJsonSchema(
    {"anyOf": [{"enum": list(get_args(Side)), "type": "string"}, {"type": "object"}]}
)


class Back(Request):
    """What an undo and a restore can both be asked."""

    take: (
        Annotated[
            Side | Annotated[dict[PathText, Side | Each], Field(max_length=limits.TAKES_MAX)],
            _SIDES,
        ]
        | None
    ) = None
    """Which side counts where a merge clashes: for all files, by path, or there for each hunk."""
    expected: (
        Annotated[
            dict[PathText, Sha256],
            Field(max_length=limits.RESTORE_FILES_MAX),
            WithJsonSchema({"type": "object"}),
        ]
        | None
    ) = None
    """By path, the `now` that was shown; a file that has changed since is left alone. `take` needs
    it."""
    preview: bool = False
    diff: bool = False
    limit: Limit = limits.RESTORE_SHOWN_MAX
    cursor: Cursor | None = None

    def takes(self, paths: Iterable[str]) -> dict[str, Side | Each]:
        """Give what counts in each of these files."""
        if self.take is None or isinstance(self.take, str):
            return {path: self.take for path in paths if self.take}
        return {path: self.take[path] for path in paths if path in self.take}


class Undo(Back):
    entry: Id | None = None
    step: Index | None = None
    prompt: Prompt | None = None
    of_session: Id | None = None
    paths: (
        Annotated[list[PathText], Field(min_length=1, max_length=limits.TAKES_MAX), _TEXTS] | None
    ) = None

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        parts = (self.step, self.prompt, self.of_session)
        if self.entry is not None and any(one is not None for one in parts):
            raise ValueError("entry: names all of it; leave step, prompt and of_session out")
        if self.entry is None and all(one is None for one in parts):
            raise ValueError("entry: say what to undo: an entry, a step, a prompt or of_session")
        if self.step is not None and self.prompt is not None:
            raise ValueError("prompt: names all since; leave step out")
        return self


class Restore(Back):
    of_session: Id | None = None
    path: PathText | None = None
    entry: Id | None = None
    step: Index | None = None
    only_step: Index | None = None
    prompt: Prompt | None = None
    to: Literal["before", "after"] = "before"
    point: Id | None = None
    keep_others: bool = False

    @model_validator(mode="after")
    def _has_one_scope(self) -> Self:
        named = ("path", "entry", "step", "only_step", "prompt")
        scopes = [name for name in named if getattr(self, name) is not None]
        if len(scopes) > 1:
            raise ValueError(f"{' and '.join(scopes)}: name one of them; none is the session")
        if self.path is not None and self.point is None:
            raise ValueError("point: is required to restore a path")
        is_step = self.step is not None or self.only_step is not None
        is_set = self.point is not None or self.to == "after"
        if is_step and is_set:
            raise ValueError("step: goes to where the step began; leave point and to out")
        if self.prompt is not None and is_set:
            raise ValueError("prompt: goes to before the prompt; leave point and to out")
        return self


class GetTimeline(TimedRequest):
    all_sessions: bool = False
    oldest_first: bool = False
    kinds: Annotated[list[Label], Field(max_length=limits.KINDS_MAX), _TEXTS] | None = None
    path: PathText | None = None
    actor: Label | None = None
    limit: Limit = limits.TIMELINE_LIMIT_DEFAULT
    cursor: Cursor | None = None
    budget_tokens: Budget = limits.TIMELINE_BUDGET_TOKENS


class GetStory(ProjectRequest):
    budget_tokens: Budget = limits.STORY_BUDGET_TOKENS
    cursor: Cursor | None = None


class GetEvolution(TimedRequest):
    model_config = ConfigDict(validate_by_alias=True, validate_by_name=False)

    path: PathText | None = None
    revision: Number | None = None
    from_: Annotated[int, Field(ge=0), _NUMBER] | None = Field(default=None, alias="from")
    to: Number | None = None
    limit: Limit = kernel_limits.LIST_LIMIT_DEFAULT
    cursor: Cursor | None = None

    @model_validator(mode="before")
    @classmethod
    def _needs_path(cls, arguments: Any) -> Any:
        if isinstance(arguments, dict) and "path" not in arguments:
            for name in ("revision", "from", "to"):
                if name in arguments:
                    raise ValueError(f"path: is required with {name}")
        return arguments


class ListSessions(ProjectRequest):
    limit: Limit = kernel_limits.LIST_LIMIT_DEFAULT
    cursor: Cursor | None = None
