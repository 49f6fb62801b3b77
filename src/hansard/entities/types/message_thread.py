"""messageThread: an immutable list of turns, each of partial messages of one sender."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from hansard.entities import limits
from hansard.entities.types.entity import AnyJson, CamelShape, Entity, EntityType, Output, Status
from hansard.kernel.text import Id

Sender = Annotated[Id, Field(max_length=limits.SENDER_CHARS_MAX)]
CallId = Annotated[Id, Field(max_length=limits.CALL_ID_CHARS_MAX)]


class TextPayload(CamelShape):
    """What was said."""

    content: Output


class ToolRequestPayload(CamelShape):
    """What a tool is asked. `shortId` names the tool."""

    call_id: CallId
    short_id: Id
    input: AnyJson


class ToolResponsePayload(CamelShape):
    """What a tool answered."""

    call_id: CallId
    status: Status
    output: Output


class TextPartial(CamelShape):
    """Something said."""

    type: Literal["text"]
    payload: TextPayload


class ToolRequestPartial(CamelShape):
    """A tool is asked."""

    type: Literal["toolRequest"]
    payload: ToolRequestPayload


class ToolResponsePartial(CamelShape):
    """A tool has answered."""

    type: Literal["toolResponse"]
    payload: ToolResponsePayload


MessagePartial = Annotated[
    TextPartial | ToolRequestPartial | ToolResponsePartial, Field(discriminator="type")
]

PARTIALS: TypeAdapter[list[Any]] = TypeAdapter(
    list[MessagePartial], config=ConfigDict(defer_build=True)
)


class TurnDraft(CamelShape):
    """What a caller gives of a turn."""

    sender_id: Sender
    partials: Annotated[list[MessagePartial], Field(min_length=1, max_length=limits.PARTIALS_MAX)]


class MessageTurn(Entity):
    """What one sender said, until another did."""

    sender_id: Sender
    partials: list[MessagePartial]


class MessageThreadDraft(CamelShape):
    """What a caller gives."""

    turns: Annotated[list[TurnDraft], Field(max_length=limits.TURNS_MAX)] = Field(
        default_factory=list
    )


class MessageThread(Entity):
    """A conversation as it stood after one of its messages."""

    turns: list[MessageTurn]


MESSAGE_THREAD = EntityType(
    "messageThread",
    MessageThread,
    MessageThreadDraft,
    is_immutable=True,
    instead="Call thread_append: it makes a new thread that holds this one and some more",
    grows={"turns": "partials"},
    parts=("turns",),
)
