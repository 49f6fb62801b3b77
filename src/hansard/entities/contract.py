"""Requests, refusals and answers about entities."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, WithJsonSchema, model_validator

from hansard.entities import limits, rendering
from hansard.entities.types.agent_graph_execution import ExecutionEvent
from hansard.entities.types.entity import Status
from hansard.entities.types.message_thread import MessagePartial, Sender
from hansard.kernel.limits import LIST_LIMIT_DEFAULT
from hansard.kernel.model import Model
from hansard.kernel.model_answer import UNTOLD, only
from hansard.kernel.operation import ProjectRequest, Result, TimedRequest, Written
from hansard.kernel.problem import Problem
from hansard.kernel.text import Body, Cursor, Id, Limit, Title


class EntityNotFound(Problem):
    """No entity of this project has that id."""

    code, http_status = "ENTITY_NOT_FOUND", 404
    hint = "Check the id; entity_list shows what there is"


class EntityConflict(Problem):
    """The entity is no longer what the caller took it for, or cannot become what was asked."""

    code, http_status = "ENTITY_CONFLICT", 409
    hint = "Call entity_get to see how it stands, then decide again"


class EntityImmutable(Problem):
    """Entities of this type, or entities that came to this, never change."""

    code, http_status = "ENTITY_IMMUTABLE", 409
    hint = "Make a new one instead"


TypeName = Literal[
    "textDocument",
    "modelConnection",
    "messageThread",
    "chatThread",
    "agentGraph",
    "agentGraphExecution",
    "metric",
    "settings",
]

_OBJECT = WithJsonSchema({"type": "object"})
_OBJECTS = WithJsonSchema({"type": "array", "items": {"type": "object"}})

Content = Annotated[dict[str, Any], _OBJECT]
"""What an entity holds, by field; its type says what may be there."""

Partials = Annotated[list[MessagePartial], Field(max_length=limits.PARTIALS_MAX), _OBJECTS]
Happened = Annotated[list[ExecutionEvent], Field(max_length=limits.EVENTS_MAX), _OBJECTS]
Shown = Annotated[int, Field(ge=1, le=limits.TURNS_SHOWN_MAX), WithJsonSchema({"type": "integer"})]


class EntityCreate(ProjectRequest):
    type: TypeName
    data: Content


class EntityGet(TimedRequest):
    id: Id
    limit: Shown = limits.TURNS_SHOWN_DEFAULT
    cursor: Cursor | None = None
    reveal: bool = False


class EntityUpdate(ProjectRequest):
    id: Id
    data: Content
    expected_updated_at: Id | None = None


class EntityDelete(ProjectRequest):
    id: Id


class EntityList(ProjectRequest):
    type: Annotated[TypeName, WithJsonSchema({"type": "string"})]
    where: Content | None = None
    order: Id | None = None
    limit: Limit = LIST_LIMIT_DEFAULT
    cursor: Cursor | None = None


class ThreadAppend(ProjectRequest):
    thread_id: Id | None = None
    chat_id: Id | None = None
    sender: Sender
    partials: Partials

    @model_validator(mode="after")
    def _somewhere(self) -> "ThreadAppend":
        if self.thread_id is None and self.chat_id is None:
            raise ValueError("give thread_id, chat_id or both")
        return self


class DocumentRevise(ProjectRequest):
    id: Id
    content: Body
    title: Title | None = None
    fork: bool = False


class ExecutionEvents(ProjectRequest):
    id: Id
    events: Happened = Field(default_factory=list)
    status: Status | None = None

    @model_validator(mode="after")
    def _something(self) -> "ExecutionEvents":
        if not self.events and self.status is None:
            raise ValueError("give events, status or both")
        return self


class EntityShownAnswer(Result):
    """An entity. Of a long thread or execution, the newest part."""

    entity: dict[str, Any]
    nextCursor: str | None = None
    """Leads to the turns or events before these."""

    def text(self) -> str:
        """Show it as one would read it."""
        return rendering.whole(self.entity, self.nextCursor)


class EntityWrittenAnswer(Written):
    """An entity as it stands after the write."""

    entity: Annotated[dict[str, Any], only("id", "updatedAt", *rendering.MADE)]
    nextCursor: Annotated[str | None, UNTOLD] = None
    session_id: str | None = None

    def text(self) -> str:
        """Name it: the caller knows what it wrote."""
        return rendering.written(self.entity)


class ThreadWrittenAnswer(EntityWrittenAnswer):
    """The new thread: what was added to it, and how to see what came before."""

    chat_id: str | None = None
    """The chat that has come to it."""

    def text(self) -> str:
        """Name it, and say which chat is there now."""
        shown = super().text()
        return f"{shown}\nThe chat {self.chat_id} is at this thread now." if self.chat_id else shown


class EntityGoneAnswer(Written):
    """What was deleted."""

    id: str
    session_id: str | None = None

    def text(self) -> str:
        """Say it."""
        return f"{self.id} deleted."


class EntityListAnswer(Result):
    """Entities of one type, newest first unless another order is asked for."""

    entities: list[dict[str, Any]]
    total: int
    nextCursor: str | None = None

    def briefly(self) -> Self:
        """Tell each as far as a list goes: entity_get gives the rest."""
        return self.model_copy(update={"entities": [*map(rendering.brief, self.entities)]})

    def text(self) -> str:
        """Give a line each."""
        lines = [rendering.line(entity) for entity in self.entities]
        rest = [f"More: cursor={self.nextCursor}"] if self.nextCursor else []
        return "\n".join([f"{self.total} in all", *lines, *rest])


class EntitiesImportedAnswer(Written):
    """How many lines of an export were taken over."""

    imported: int
    known: int
    """How many were here already, the same."""

    def text(self) -> str:
        """Say it."""
        return f"{self.imported} imported, {self.known} were here already."


class EntityImport(ProjectRequest):
    lines: Annotated[
        list[Annotated[dict[str, Any], _OBJECT]], Field(max_length=limits.IMPORTED_MAX), _OBJECTS
    ]


class Change(Model):
    """Something that happened to an entity, as a subscriber hears of it."""

    seq: int
    id: str
    type: str
    what: str
    """The name under which the project's activity lists it."""
    summary: str
    by: str
