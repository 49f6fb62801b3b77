"""Events of entities. Values are in blobs; events carry digests and short texts."""

from typing import ClassVar

from hansard.entities.types.entity import Status
from hansard.kernel.blob import Digest
from hansard.kernel.event import Event

CALLED = {
    "agentGraph": "graph",
    "agentGraphExecution": "run",
    "chatThread": "chat",
    "messageThread": "thread",
    "modelConnection": "connection",
    "textDocument": "document",
}
"""What people call the types; others by their own name."""


def called(identifier: str) -> str:
    """Name the type of an entity as people do, by its id."""
    type_name = identifier.partition("::")[0]
    return CALLED.get(type_name, type_name)


def _parts(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number:,} {noun}s"


class EntityEvent(Event):
    """Something happened to one entity."""

    id: str

    def subject(self) -> str:
        """Give the entity."""
        return self.id


class EntityCreated(EntityEvent):
    kind: ClassVar[str] = "entities.entity_created.v1"
    activity: ClassVar[str | None] = "entity_created"

    type: str
    title: str
    content: Digest
    """All that was given, with what was left out filled in, as JSON."""
    previous_id: str | None = None
    """The document that this one is the next version of."""

    def summary(self) -> str:
        """Name it, and what it comes after."""
        named = f" “{self.title}”" if self.title else ""
        after = f", revises {self.previous_id}" if self.previous_id else ""
        return f"{called(self.id).capitalize()}{named} made ({self.id}{after})"


class EntityUpdated(EntityEvent):
    kind: ClassVar[str] = "entities.entity_updated.v1"
    activity: ClassVar[str | None] = "entity_updated"

    type: str
    title: str
    changed: list[str]
    content: Digest
    """All of it, after the given fields were merged in."""

    def summary(self) -> str:
        """Name what changed."""
        return f"{called(self.id).capitalize()} changed: {', '.join(self.changed)} ({self.id})"


class EntityDeleted(EntityEvent):
    kind: ClassVar[str] = "entities.entity_deleted.v1"
    activity: ClassVar[str | None] = "entity_deleted"

    type: str

    def summary(self) -> str:
        """Name it."""
        return f"{called(self.id).capitalize()} deleted ({self.id})"


class ThreadExtended(EntityEvent):
    """A thread was made: what another one held, and some more."""

    kind: ClassVar[str] = "entities.thread_extended.v1"
    activity: ClassVar[str | None] = "thread_appended"

    parent_id: str | None
    """The thread it was made from; `None` is the empty one."""
    segment: Digest | None
    """What it adds; `None` adds nothing, which is a fork."""
    sender: str
    """Who spoke last in it."""
    partials: int
    """How many it adds."""
    chat_id: str | None = None
    """The chat that has come to this thread with it."""

    def summary(self) -> str:
        """Say who added how much, and to what."""
        parts = _parts(self.partials, "part")
        if self.parent_id is None:
            first = f" by {self.sender}, {parts}" if self.partials else ""
            return f"Thread begun{first} ({self.id})"
        if not self.partials:
            return f"Thread forked from {self.parent_id} ({self.id})"
        where = f"the chat {self.chat_id}" if self.chat_id else f"thread {self.parent_id}"
        return f"{self.sender} wrote {parts} to {where} (now {self.id})"


BECAME: dict[Status | None, str] = {
    "notStarted": "made",
    "inProgress": "begun",
    "completed": "completed",
    "failed": "failed",
    None: "went on",
}
"""What a run did, by what it has become."""


class ExecutionAdvanced(EntityEvent):
    """A run went on: something happened in it, it began, or it ended."""

    kind: ClassVar[str] = "entities.execution_advanced.v1"
    activity: ClassVar[str | None] = "execution_advanced"

    status: Status | None
    """What it has become; `None` means that it has not changed."""
    happened: Digest | None
    """The events, as a list of JSON."""
    count: int

    def summary(self) -> str:
        """Say how it stands and how much happened."""
        happened = f", {_parts(self.count, 'event')}" if self.count else ""
        return f"Run {BECAME[self.status]}{happened} ({self.id})"


class ExecutionRecorded(EntityEvent):
    """A run was recorded when it was over, with the times and events that it had."""

    kind: ClassVar[str] = "entities.execution_recorded.v1"
    activity: ClassVar[str | None] = "execution_recorded"

    status: Status
    content: Digest
    """As in the event of a run's making."""
    start_time: str
    end_time: str
    happened: Digest | None
    """The events, each with the time at which it happened."""
    count: int

    def summary(self) -> str:
        """Say how it ended, and when."""
        when = f"{self.start_time[:19]} to {self.end_time[:19]}"
        events = _parts(self.count, "event")
        return f"Run {BECAME[self.status]}, {events}, {when}; recorded later ({self.id})"


class EntityImported(EntityEvent):
    """An entity was taken over from an export, with its id and its times."""

    kind: ClassVar[str] = "entities.entity_imported.v1"
    activity: ClassVar[str | None] = "entity_imported"

    type: str
    created_at: str
    updated_at: str
    content: Digest | None
    """As in the event of its making; of a thread, what it adds."""
    parent_id: str | None = None
    """The thread that it goes on from, or the document that it is the next version of."""
    is_deleted: bool = False
    """Whether it is here only for the threads that go on from it."""
    is_next: bool = False
    """Whether the document before it leads to this one, whichever others follow it as well."""
    start_time: str | None = None
    end_time: str | None = None
    happened: Digest | None = None
    count: int = 0

    def summary(self) -> str:
        """Name it."""
        return f"{called(self.id).capitalize()} imported ({self.id})"


EVENTS: tuple[type[Event], ...] = (
    EntityCreated,
    EntityUpdated,
    EntityDeleted,
    ThreadExtended,
    ExecutionAdvanced,
    ExecutionRecorded,
    EntityImported,
)
