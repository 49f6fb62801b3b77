"""Asking about entities, and the values that the tests give."""

from dataclasses import dataclass
from typing import Any, TypeVar

from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.entities import transfer
from hansard.entities.contract import (
    EntitiesImportedAnswer,
    EntityGoneAnswer,
    EntityListAnswer,
    EntityShownAnswer,
    EntityWrittenAnswer,
    ThreadWrittenAnswer,
)
from hansard.kernel.engine import ReadTx
from hansard.kernel.operation import Caller, Result
from tests.conftest import a_caller
from tests.entities.schemas import check_answer

R = TypeVar("R", bound=Result)
Json = dict[str, Any]

DOCUMENT: Json = {"title": "A plan", "type": "markdown", "content": "# Plan\n\nShip it."}
CONNECTION: Json = {
    "name": "main",
    "description": "the usual",
    "accessFormat": "anthropic",
    "providerId": "anthropic",
    "modelId": "m-1",
    "data": {"apiKey": "sk-very-secret-value"},
}
GRAPH: Json = {
    "name": "agent",
    "description": "asks, then acts",
    "nodes": [
        {"id": "a", "nodeId": "llm", "position": {"x": 0, "y": 1.5}, "parameters": {"t": 0.2}},
        {"id": "b", "nodeId": "tool", "position": {"x": 2, "y": 0}},
    ],
    "edges": [
        {"sourceNodeId": "a", "sourcePortId": "out", "targetNodeId": "b", "targetPortId": "in"},
        {"sourceNodeId": "b", "sourcePortId": "out", "targetNodeId": "a", "targetPortId": "in"},
    ],
}
CHAT: Json = {"name": "support", "description": "", "participantId": "user-1"}


def said(content: str) -> Json:
    """Make a text partial."""
    return {"type": "text", "payload": {"content": content}}


def asked(call: str, tool: str = "grep") -> Json:
    """Make a tool request."""
    payload = {"callId": call, "shortId": tool, "input": {"q": [1, None]}}
    return {"type": "toolRequest", "payload": payload}


def answered(call: str, output: str = "found", status: str = "completed") -> Json:
    """Make a tool response."""
    payload = {"callId": call, "status": status, "output": output}
    return {"type": "toolResponse", "payload": payload}


def texts(entity: Json) -> list[tuple[str, list[str]]]:
    """Give who said what, of a thread of texts."""
    return [
        (turn["senderId"], [one["payload"]["content"] for one in turn["partials"]])
        for turn in entity["turns"]
    ]


@dataclass(frozen=True)
class Asking:
    """Somebody who asks an application about entities."""

    app: Application
    caller: Caller

    def ask(self, expected: type[R], name: str, /, **arguments: Any) -> R:
        result = self.app.call(name, arguments, self.caller)
        assert isinstance(result, expected)
        assert result.text().strip()
        check_answer(result)
        return result

    def create(self, type_name: str, data: Json, **rest: Any) -> Json:
        return self.ask(
            EntityWrittenAnswer, "entity_create", type=type_name, data=data, **rest
        ).entity

    def get(self, identifier: str, **rest: Any) -> Json:
        return self.ask(EntityShownAnswer, "entity_get", id=identifier, **rest).entity

    def update(self, identifier: str, data: Json, **rest: Any) -> Json:
        return self.ask(
            EntityWrittenAnswer, "entity_update", id=identifier, data=data, **rest
        ).entity

    def delete(self, identifier: str) -> None:
        assert self.ask(EntityGoneAnswer, "entity_delete", id=identifier).id == identifier

    def list(self, type_name: str, **rest: Any) -> EntityListAnswer:
        return self.ask(EntityListAnswer, "entity_list", type=type_name, **rest)

    def append(self, thread: str, sender: str, *partials: Json) -> Json:
        return self.ask(
            ThreadWrittenAnswer,
            "thread_append",
            thread_id=thread,
            sender=sender,
            partials=list(partials),
        ).entity

    def append_to_chat(
        self, chat: str, sender: str, *partials: Json, **rest: Any
    ) -> ThreadWrittenAnswer:
        return self.ask(
            ThreadWrittenAnswer,
            "thread_append",
            chat_id=chat,
            sender=sender,
            partials=list(partials),
            **rest,
        )

    def revise(self, identifier: str, content: str, **rest: Any) -> Json:
        return self.ask(
            EntityWrittenAnswer, "document_revise", id=identifier, content=content, **rest
        ).entity

    def happen(self, identifier: str, *events: Json, **rest: Any) -> Json:
        given = {"events": list(events)} if events else {}
        return self.ask(
            EntityWrittenAnswer, "execution_event", id=identifier, **given, **rest
        ).entity

    def thread(self, identifier: str) -> Json:
        """Give a whole thread, page by page."""
        pages: list[Json] = []
        cursor: Json = {}
        while True:
            shown = self.ask(EntityShownAnswer, "entity_get", id=identifier, limit=1000, **cursor)
            pages.insert(0, shown.entity)
            if shown.nextCursor is None:
                break
            cursor = {"cursor": shown.nextCursor}
        turns: list[Json] = []
        for page in pages:
            for turn in page["turns"]:
                if turns and turns[-1]["id"] == turn["id"]:
                    turns[-1]["partials"] += turn["partials"]
                else:
                    turns.append(turn)
        return {key: pages[0][key] for key in ("id", "createdAt", "updatedAt")} | {"turns": turns}

    def head(self) -> int:
        """Give the project's last seq."""
        return self.app.store.read(self.app.default_project, lambda tx: tx.head().seq)


def exported(app: Application, *, reveal: bool = False) -> list[Json]:
    """Export the entities of the project."""

    def work(tx: ReadTx) -> list[Json]:
        return list(transfer.export(tx, reveal=reveal))

    return app.store.read(app.default_project, work)


def take_over(app: Application, lines: list[Json]) -> EntitiesImportedAnswer:
    """Import lines of an export."""
    importing = Application(Catalog([transfer.capability()]), app.store, home=app.home)
    imported = importing.call("entity_import", {"lines": lines}, a_caller())
    assert isinstance(imported, EntitiesImportedAnswer)
    assert imported.text()
    return imported
