"""chatThread: whom one chats with, and the thread that the chat has come to."""

from collections.abc import Mapping
from typing import Any

from hansard.entities.types.entity import CamelShape, Entity, EntityType
from hansard.kernel.problem import InvalidInput
from hansard.kernel.text import Description, Id, Title


class ChatThreadDraft(CamelShape):
    """What a caller gives. Without a thread, the chat begins with an empty one."""

    name: Title
    description: Description = ""
    thread_id: Id | None = None
    participant_id: Id


class ChatThread(Entity):
    """A chat: the one thing that moves on when a thread is appended to."""

    name: Title
    description: Description
    thread_id: Id
    participant_id: Id


def _stays_somewhere(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    del before
    if after["threadId"] is None:
        raise InvalidInput("data.threadId: a chat is always at a thread", argument="data.threadId")


CHAT_THREAD = EntityType(
    "chatThread",
    ChatThread,
    ChatThreadDraft,
    where=("name", "threadId", "participantId"),
    references={"threadId": "messageThread"},
    title="name",
    texts=("description",),
    check_change=_stays_somewhere,
)
