"""One real entity of every type, as a caller reads it."""

from typing import Any

from hansard.app.application import Application
from hansard.kernel.operation import Caller

SAID: list[dict[str, Any]] = [
    {"type": "text", "payload": {"content": "I will look."}},
    {"type": "toolRequest", "payload": {"callId": "1", "shortId": "look", "input": {"at": [1]}}},
]
ANSWERED: list[dict[str, Any]] = [
    {"type": "toolResponse", "payload": {"callId": "1", "status": "completed", "output": "seen"}}
]
AT = {"position": {"x": 1.5, "y": 2}}

GIVEN: dict[str, dict[str, Any]] = {
    "textDocument": {"title": "Notes", "content": "# Notes"},
    "modelConnection": {
        "name": "Fast",
        "accessFormat": "openai",
        "providerId": "p",
        "modelId": "m",
        "data": {"key": "secret"},
    },
    "messageThread": {
        "turns": [
            {"senderId": "assistant", "partials": SAID},
            {"senderId": "tool", "partials": ANSWERED},
        ]
    },
    "chatThread": {"name": "Chat", "participantId": "someone"},
    "agentGraph": {
        "name": "Graph",
        "nodes": [
            {"id": "a", "nodeId": "start", "parameters": {"n": None}, **AT},
            {"id": "b", "nodeId": "end", **AT},
        ],
        "edges": [
            {
                "sourceNodeId": "a",
                "sourcePortId": "out",
                "targetNodeId": "b",
                "targetPortId": "in",
            }
        ],
    },
    "agentGraphExecution": {"status": "inProgress"},
    "metric": {"name": "ms", "value": 3, "dimensions": {"model": "a"}},
    "settings": {"theme": "dark", "lastPage": "/", "unknown": {"kept": True}},
}


def one_of_each(app: Application, caller: Caller) -> dict[str, dict[str, Any]]:
    """Make an entity of each type, and give them as they are read."""
    made: dict[str, dict[str, Any]] = {}
    for name, given in GIVEN.items():
        data = given
        if name == "agentGraphExecution":
            data = given | {"agentGraphId": made["agentGraph"]["id"]}
        identifier = _entity(app, caller, "entity_create", type=name, data=data)["id"]
        made[name] = _entity(app, caller, "entity_get", id=identifier)
    return made


def _entity(app: Application, caller: Caller, operation: str, **arguments: Any) -> dict[str, Any]:
    entity: dict[str, Any] = app.call(operation, arguments, caller).model_dump(mode="json")[
        "entity"
    ]
    return entity
