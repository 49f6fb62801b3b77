"""Entities in Python: an object each, with the methods of source 002."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self, TypeVar

from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.entities import transfer
from hansard.entities.contract import (
    Change,
    EntitiesImportedAnswer,
    EntityShownAnswer,
    EntityWrittenAnswer,
)
from hansard.entities.contract import (
    EntityListAnswer as Listed,
)
from hansard.entities.limits import IMPORTED_MAX, TURNS_SHOWN_MAX
from hansard.entities.types.entity import Status
from hansard.kernel import paging
from hansard.kernel.limits import LIST_LIMIT_MAX
from hansard.kernel.operation import Caller, Result
from hansard.sdk.call import Call
from hansard.sdk.subscription import subscribe

Json = dict[str, Any]
R = TypeVar("R", bound=Result)


def text(content: str) -> Json:
    """Make a partial of something said."""
    return {"type": "text", "payload": {"content": content}}


def tool_request(call_id: str, tool: str, given: Any) -> Json:
    """Make a partial that asks a tool."""
    payload = {"callId": call_id, "shortId": tool, "input": given}
    return {"type": "toolRequest", "payload": payload}


def tool_response(call_id: str, output: str, status: Status = "completed") -> Json:
    """Make a partial of what a tool answered."""
    payload = {"callId": call_id, "status": status, "output": output}
    return {"type": "toolResponse", "payload": payload}


class EntityHandle:
    """An entity as it stood when it was read; its fields are items, as the wire spells them."""

    type: ClassVar[str]

    def __init__(self, call: Call, entity: Mapping[str, Any]) -> None:
        """Show what was read."""
        self._call = call
        self._fields = dict(entity)

    @property
    def id(self) -> str:
        """Name it."""
        return str(self._fields["id"])

    @property
    def created_at(self) -> str:
        """Say when it was made."""
        return str(self._fields["createdAt"])

    @property
    def updated_at(self) -> str:
        """Say when it was last changed: no two versions of it have the same."""
        return str(self._fields["updatedAt"])

    def __getitem__(self, field: str) -> Any:
        return self._fields[field]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EntityHandle) and self._fields == other._fields

    def __hash__(self) -> int:
        return hash((self.id, self.updated_at))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id})"

    def as_dict(self) -> Json:
        """Give all of it."""
        return dict(self._fields)

    def refresh(self) -> Self:
        """Read it again."""
        shown = _as(EntityShownAnswer, self._call("entity_get", id=self.id))
        return type(self)(self._call, shown.entity)

    def update(self, *, blindly: bool = False, **fields: Any) -> Self:
        """Change fields, unless somebody else has changed it since it was read.

        `blindly` changes it in any case. Returns it as it stands then.
        """
        expected = {} if blindly else {"expected_updated_at": self.updated_at}
        return self._written("entity_update", id=self.id, data=fields, **expected)

    def delete(self) -> None:
        """Take it away."""
        self._call("entity_delete", id=self.id)

    def _written(self, operation: str, **arguments: Any) -> Self:
        written = _as(EntityWrittenAnswer, self._call(operation, **arguments))
        return type(self)(self._call, written.entity)


class TextDocumentHandle(EntityHandle):
    """A document, one version of it."""

    type = "textDocument"

    def revise(self, content: str, title: str | None = None, *, fork: bool = False) -> Self:
        """Make the next version; this one stays as it is. A second one needs `fork`."""
        given = {} if title is None else {"title": title}
        return self._written("document_revise", id=self.id, content=content, fork=fork, **given)

    def previous(self) -> "TextDocumentHandle | None":
        """Give the version before this one."""
        return self._linked(self["previousId"])

    def next(self) -> "TextDocumentHandle | None":
        """Give the version after this one, as far as there is one now."""
        return self._linked(self.refresh()["nextId"])

    def _linked(self, identifier: str | None) -> "TextDocumentHandle | None":
        if identifier is None:
            return None
        shown = _as(EntityShownAnswer, self._call("entity_get", id=identifier))
        return TextDocumentHandle(self._call, shown.entity)


class ModelConnectionHandle(EntityHandle):
    """A connection to a model; its `data` is redacted."""

    type = "modelConnection"


class MessageThreadHandle(EntityHandle):
    """A thread, which never changes: each method makes a new one, saves it and returns it."""

    type = "messageThread"

    def add_partial(self, sender: str, partial: Mapping[str, Any]) -> "MessageThreadHandle":
        """Go on with a partial: in the last turn if it is the sender's, else in a new one."""
        return self.add_partials(sender, [partial])

    def add_partials(
        self, sender: str, partials: Iterable[Mapping[str, Any]]
    ) -> "MessageThreadHandle":
        """Go on with some partials of one sender."""
        given = [dict(one) for one in partials]
        return self._written("thread_append", thread_id=self.id, sender=sender, partials=given)

    def add_text(self, sender: str, content: str) -> "MessageThreadHandle":
        """Go on with something said."""
        return self.add_partial(sender, text(content))

    def fork(self) -> "MessageThreadHandle":
        """Make a thread of its own that holds the same; it costs no copy."""
        return self._written("thread_append", thread_id=self.id, sender="fork", partials=[])

    def turns(self, last: int | None = None) -> list[Json]:
        """Give the turns, or the last few of them; only those that are asked for are read."""
        turns: list[Json] = []
        cursor: Json = {}
        while last is None or len(turns) < last:
            limit = TURNS_SHOWN_MAX if last is None else min(last, TURNS_SHOWN_MAX)
            shown = _as(
                EntityShownAnswer, self._call("entity_get", id=self.id, limit=limit, **cursor)
            )
            turns = _joined(shown.entity["turns"], turns)
            if shown.nextCursor is None:
                break
            cursor = {"cursor": shown.nextCursor}
        return turns if last is None else turns[-last:]


class ChatThreadHandle(EntityHandle):
    """A chat, and the thread it has come to."""

    type = "chatThread"

    def thread(self) -> MessageThreadHandle:
        """Give the thread that the chat had come to when it was read."""
        shown = _as(EntityShownAnswer, self._call("entity_get", id=self["threadId"]))
        return MessageThreadHandle(self._call, shown.entity)

    def append(
        self, sender: str, *partials: Mapping[str, Any], after: MessageThreadHandle | None = None
    ) -> MessageThreadHandle:
        """Append to where the chat is now, so that nothing of others is lost.

        With `after`, only if the chat has not moved on from that thread: ENTITY_CONFLICT else.
        """
        expected = {} if after is None else {"thread_id": after.id}
        arguments = {"sender": sender, "partials": [dict(one) for one in partials], **expected}
        written = _as(
            EntityWrittenAnswer, self._call("thread_append", chat_id=self.id, **arguments)
        )
        return MessageThreadHandle(self._call, written.entity)


class AgentGraphHandle(EntityHandle):
    """A graph of an agent."""

    type = "agentGraph"

    def execute(self) -> "AgentGraphExecutionHandle":
        """Make a run of it, which has not begun."""
        given = {"agentGraphId": self.id}
        made = self._call("entity_create", type=AgentGraphExecutionHandle.type, data=given)
        return AgentGraphExecutionHandle(self._call, _as(EntityWrittenAnswer, made).entity)

    def record_run(
        self,
        status: Status,
        start_time: str,
        end_time: str,
        events: Sequence[Mapping[str, Any]] = (),
    ) -> "AgentGraphExecutionHandle":
        """Record a run that is over, with its own times; each event has its time as `at`."""
        times = {"startTime": start_time, "endTime": end_time}
        given = {"agentGraphId": self.id, "status": status, "events": [*map(dict, events)], **times}
        made = self._call("entity_create", type=AgentGraphExecutionHandle.type, data=given)
        return AgentGraphExecutionHandle(self._call, _as(EntityWrittenAnswer, made).entity)


class AgentGraphExecutionHandle(EntityHandle):
    """A run of a graph. Each method returns it as it stands then."""

    type = "agentGraphExecution"

    def begin(self) -> Self:
        """Start it."""
        return self._written("execution_event", id=self.id, status="inProgress")

    def add_event(self, kind: str, **fields: Any) -> Self:
        """Add what happened: `add_event("nodeStarted", nodeId="a")`."""
        return self.add_events([{"type": kind, **fields}])

    def add_events(self, events: Sequence[Mapping[str, Any]]) -> Self:
        """Add what happened, in order."""
        given = [dict(event) for event in events]
        return self._written("execution_event", id=self.id, events=given)

    def complete(self) -> Self:
        """End it as completed. Nothing of it changes any more."""
        return self._written("execution_event", id=self.id, status="completed")

    def fail(self, error: str | None = None) -> Self:
        """End it as failed, with what went wrong as its last event."""
        said = [{"type": "log", "level": "error", "message": error}] if error else []
        return self._written("execution_event", id=self.id, status="failed", events=said)


class SettingsHandle(EntityHandle):
    """The settings of the project."""

    type = "settings"


class MetricHandle(EntityHandle):
    """A single measurement."""

    type = "metric"


CLASSES: dict[str, type[EntityHandle]] = {
    one.type: one
    for one in (
        TextDocumentHandle,
        ModelConnectionHandle,
        MessageThreadHandle,
        ChatThreadHandle,
        AgentGraphHandle,
        AgentGraphExecutionHandle,
        SettingsHandle,
        MetricHandle,
    )
}


class Entities:
    """Makes, finds, lists, watches and carries the entities of a project."""

    def __init__(self, call: Call, application: Application, caller: Caller) -> None:
        """Ask through this; what no tool does is asked of the store."""
        self._call = call
        self._application = application
        self._caller = caller

    def create(self, type_name: str, **fields: Any) -> EntityHandle:
        """Make an entity of a type, with its fields as the wire spells them."""
        made = _as(EntityWrittenAnswer, self._call("entity_create", type=type_name, data=fields))
        return self._made(made.entity)

    def get(self, identifier: str, *, as_of: str | None = None) -> EntityHandle:
        """Read an entity, now or as it stood."""
        then = {} if as_of is None else {"as_of": as_of}
        shown = _as(EntityShownAnswer, self._call("entity_get", id=identifier, **then))
        return self._made(shown.entity)

    def list(
        self, type_name: str, where: Mapping[str, Any] | None = None, order: str | None = None
    ) -> Iterator[EntityHandle]:
        """Go through the entities of a type, newest first, or by `order`: "-updatedAt"."""
        arguments: Json = {"type": type_name, "limit": LIST_LIMIT_MAX}
        if order is not None:
            arguments["order"] = order
        if where is not None:
            arguments["where"] = dict(where)

        def ask(**place: str) -> Listed:
            return _as(Listed, self._call("entity_list", **arguments, **place))

        return (self._made(entity) for page in paging.answers(ask) for entity in page.entities)

    def document(self, title: str, content: str) -> TextDocumentHandle:
        """Make a document."""
        return _of(
            TextDocumentHandle, self.create(TextDocumentHandle.type, title=title, content=content)
        )

    def thread(self, *turns: Mapping[str, Any]) -> MessageThreadHandle:
        """Make a thread, with some turns `{"senderId": …, "partials": […]}` or none."""
        given = [dict(one) for one in turns]
        return _of(MessageThreadHandle, self.create(MessageThreadHandle.type, turns=given))

    def chat(self, name: str, participant_id: str, **fields: Any) -> ChatThreadHandle:
        """Make a chat, which begins with an empty thread unless `threadId` is given."""
        made = self.create(ChatThreadHandle.type, name=name, participantId=participant_id, **fields)
        return _of(ChatThreadHandle, made)

    def graph(
        self, name: str, nodes: Sequence[Json] = (), edges: Sequence[Json] = (), **fields: Any
    ) -> AgentGraphHandle:
        """Make a graph."""
        given = {"nodes": [*nodes], "edges": [*edges], **fields}
        return _of(AgentGraphHandle, self.create(AgentGraphHandle.type, name=name, **given))

    def settings(self) -> SettingsHandle:
        """Give the project's settings, which are made when they are first read."""
        return _of(SettingsHandle, self.get("settings"))

    def subscribe(
        self,
        identifier: str | None = None,
        *,
        type_name: str | None = None,
        since: int | None = None,
        timeout_s: float | None = None,
    ) -> Iterator[Change]:
        """Subscribe to changes from now on, or since an entry: of one entity, of a type, or of all.

        It ends when nothing has happened for the timeout; without one, never by itself.
        """
        application = self._application
        return subscribe(
            application.store,
            application.own_project,
            identifier=identifier,
            type_name=type_name,
            since=since,
            timeout_s=timeout_s,
        )

    def export(self) -> Iterator[Json]:
        """Give every entity as a value for a line of JSON; what is secret is redacted."""
        application = self._application
        lines = application.store.read(
            application.own_project(), lambda tx: list(transfer.export(tx))
        )
        yield from lines

    def import_lines(self, lines: Iterable[Json]) -> int:
        """Take over what was exported; returns how many were not here yet."""
        application = self._application
        importing = Application(
            Catalog([transfer.capability()]),
            application.store,
            home=application.home,
            read_only=application.read_only,
        )
        waiting, imported = list(lines), 0
        for start in range(0, len(waiting), IMPORTED_MAX):
            some = {"lines": waiting[start : start + IMPORTED_MAX]}
            result = importing.call("entity_import", some, self._caller)
            imported += _as(EntitiesImportedAnswer, result).imported
        return imported

    def _made(self, entity: Json) -> EntityHandle:
        declared = CLASSES[str(entity["id"]).partition("::")[0]]
        return declared(self._call, entity)


def _joined(earlier: list[Json], later: list[Json]) -> list[Json]:
    """Put two pages of turns together; a turn may have been cut in two."""
    if earlier and later and earlier[-1]["id"] == later[0]["id"]:
        both = earlier[-1]["partials"] + later[0]["partials"]
        return [*earlier[:-1], later[0] | {"partials": both}, *later[1:]]
    return [*earlier, *later]


def _as(expected: type[R], result: Result) -> R:
    assert isinstance(result, expected), f"the operation answers with {type(result).__name__}"
    return result


T = TypeVar("T", bound=EntityHandle)


def _of(expected: type[T], entity: EntityHandle) -> T:
    assert isinstance(entity, expected), f"{entity.id} is no {expected.type}"
    return entity
