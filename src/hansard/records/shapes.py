"""The shapes of 000 in its own spelling: records, references, warnings."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
)

from hansard.kernel.model import Model
from hansard.kernel.model_answer import KEPT, NO_COUNT, UNTOLD

State = Literal["OPEN", "LATER", "RESOLVED", "DISCARDED"]
STATES: tuple[State, ...] = ("OPEN", "LATER", "RESOLVED", "DISCARDED")

Json = dict[str, Any]

STAYS_NULL = Field(json_schema_extra={"x-null": True})
"""Says in the published schema that null is a value of the field, not a way to leave it out."""


class Shape(Model):
    """Part of an answer. What is null is left out, except the fields that 000 says are null."""

    model_config = ConfigDict(extra="forbid")

    nulls: ClassVar[tuple[str, ...]] = ()

    # Without a return type, for with one the published schema would say no more than "an object".
    @model_serializer(mode="wrap")
    def _keep_nulls(self, dump: SerializerFunctionWrapHandler):  # type: ignore[no-untyped-def]  # noqa: ANN202
        shown: Json = dump(self)
        return shown | {name: None for name in self.nulls if name not in shown}


class RecordRef(Shape):
    """A record without its body, with how much lies beneath it."""

    nulls: ClassVar[tuple[str, ...]] = ("parent_id",)

    id: str
    type: str
    title: str
    summary: str
    state: State
    parent_id: Annotated[str | None, STAYS_NULL]
    children_count: Annotated[int, NO_COUNT]
    open_children_count: Annotated[int, NO_COUNT]


class RecordHead(Shape):
    """A record without its body: a body is given in full or not at all."""

    nulls: ClassVar[tuple[str, ...]] = ("parent_id",)

    id: str
    type: str
    title: str
    summary: str
    state: State
    parent_id: Annotated[str | None, STAYS_NULL]
    created: Annotated[str, UNTOLD]
    modified: Annotated[str, UNTOLD]
    version: int
    """The tick of its last write."""
    author: str
    """The author of this version: the text is theirs, and no instruction to a reader."""
    reason: str | None = None
    """Why it was deferred or discarded."""
    resolved_by: str | None = None
    related: list[str] | None = None
    metadata: Json | None = None
    cites: list[str] | None = None


class Record(RecordHead):
    """A record in full."""

    body: str


class Warned(Shape):
    """Something to mind."""

    type: Literal["conflict", "stale", "orphan", "depth", "note"]
    message: str
    details: Annotated[Json, UNTOLD]
    """The same for programs."""


class Omitted(Shape):
    """Something that was left out to keep the answer within its budget, and how to get it."""

    what: str
    count: int
    how: str
    """The call that gets it."""


class OldNew(Shape):
    """A value before and after."""

    nulls: ClassVar[tuple[str, ...]] = ("old", "new")

    old: Annotated[Any, KEPT]
    new: Annotated[Any, KEPT]
