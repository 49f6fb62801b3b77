"""Requests about checkpoints, in the spelling of the source."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)

from hansard.checkpoints import limits
from hansard.checkpoints.key_classes import CLASSES, Class
from hansard.kernel.model import Model
from hansard.kernel.operation import ProjectRequest
from hansard.kernel.problem import Problem
from hansard.kernel.text import Cursor, Id, Label, Limit, Query, Title, whole_number

# A refusal for length names the limit; a model need not read it beforehand.
_TEXTS = WithJsonSchema({"type": "array", "items": {"type": "string"}})

Key = Annotated[str, Field(max_length=limits.KEY_CHARS_MAX), WithJsonSchema({"type": "string"})]
Keys = Annotated[list[Key], Field(max_length=limits.KEYS_MAX), _TEXTS]
Tags = Annotated[list[Label], Field(max_length=limits.TAGS_MAX), _TEXTS]
Cites = Annotated[list[Id], Field(max_length=limits.CITES_MAX), _TEXTS]
Classes = Annotated[
    dict[Key, Class],
    Field(max_length=limits.KEYS_MAX),
    WithJsonSchema({"type": "object", "additionalProperties": {"enum": list(CLASSES)}}),
]
Tokens = Annotated[int, Field(ge=1), BeforeValidator(whole_number)]
Offset = Annotated[
    int,
    Field(ge=0, le=limits.OFFSET_MAX),
    BeforeValidator(whole_number),
    WithJsonSchema({"type": "integer"}),
]


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


class Metadata(Model):
    """Metadata of a checkpoint; keys without a defined meaning are kept."""

    model_config = ConfigDict(
        extra="allow",
        frozen=True,
        strict=True,
        json_schema_extra={"additionalProperties": True},
    )

    name: Title | None = None
    tags: Tags = Field(default_factory=list)
    classes: Classes = Field(default_factory=dict)
    session_tags: Tags | None = Field(default=None, alias="sessionTags")
    """Tags of the whole session, which take the place of those it had."""


class Save(CheckpointRequest):
    """Arguments of workflow_checkpoint_save."""

    context: dict[str, Any]
    metadata: Metadata | None = None
    force: bool = False
    cites: Cites = Field(default_factory=list)


class Load(CheckpointRequest):
    """Arguments of workflow_checkpoint_load."""

    checkpoint_id: Id | None = Field(default=None, alias="checkpointId")
    keys: Keys | None = None
    budget_tokens: Tokens | None = None

    @model_validator(mode="after")
    def _not_both(self) -> "Load":
        if self.checkpoint_id is not None and self.session_id is not None:
            raise ValueError("give checkpointId or sessionId, not both")
        return self


class List(CheckpointRequest):
    """Arguments of workflow_checkpoint_list."""

    session_id: Id = Field(alias="sessionId")
    limit: Limit = 20
    offset: Offset = 0
    cursor: Cursor | None = None
    tags: Tags | None = None
    name: Title | None = None
    query: Query | None = None


class MarkCritical(CheckpointRequest):
    """Arguments of workflow_mark_critical."""

    context_key: Key = Field(alias="contextKey")
    critical: bool = True


class Delete(CheckpointRequest):
    """Arguments of workflow_checkpoint_delete."""

    checkpoint_id: Id = Field(alias="checkpointId")


class Diff(CheckpointRequest):
    """Arguments of workflow_checkpoint_diff."""

    from_id: Id = Field(alias="from")
    to_id: Id | None = Field(default=None, alias="to")
    budget_tokens: Tokens = limits.DIFF_TOKENS
    cursor: Cursor | None = None
