"""Entities as text: a thread as a chat, a graph as its edges, an execution as a run. Pure."""

from collections.abc import Container, Iterator, Mapping
from typing import Any

from hansard.kernel.blob import canonical_json

Json = Mapping[str, Any]

LINE_CHARS_MAX = 200
"""How much of one entity a list shows."""

_OWN = ("id", "createdAt", "updatedAt")

_LONG = ("content", "nodes", "edges", "events", "turns")

MADE = ("threadId", "status")
"""What a write may have made of an entity, besides what it was given."""


def whole(entity: Json, cursor: str | None = None) -> str:
    """Show all of an entity, under its id."""
    head = f"[{entity['id']}] {_times(entity)}"
    lines = [head, *_SHOWN.get(_type(entity), _fields)(entity)]
    if cursor:
        lines.append(f"Earlier ones: cursor={cursor}")
    return "\n".join(lines)


def written(entity: Json) -> str:
    """Name an entity after a write, with what its writer may not know."""
    made = "".join(f", {name} {entity[name]}" for name in MADE if name in entity)
    return f"[{entity['id']}] written {entity['updatedAt']}{made}"


def line(entity: Json) -> str:
    """Show an entity in one line."""
    kept = brief(entity)
    said = kept.get("said") or canonical_json(_without(kept, _OWN)).decode()
    return _cut(f"[{entity['id']}] {entity['updatedAt']} {said}")


def brief(entity: Json) -> dict[str, Any]:
    """Give an entity without what is long in it; of a thread, how it begins."""
    kept = _without(entity, ("createdAt", *_LONG))
    return kept | {"said": _cut(" / ".join(_turns(entity)))} if "turns" in entity else kept


def _without(entity: Json, names: Container[str]) -> dict[str, Any]:
    return {name: value for name, value in entity.items() if name not in names}


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LINE_CHARS_MAX else flat[:LINE_CHARS_MAX] + "…"


def _times(one: Json) -> str:
    """Say when it was made and last changed; where that was at once, both are one time."""
    made, changed = one["createdAt"], one["updatedAt"]
    return f"created {made}" if made == changed else f"created {made}, updated {changed}"


def _type(entity: Json) -> str:
    return str(entity["id"]).partition("::")[0]


def _fields(entity: Json) -> Iterator[str]:
    for name, value in entity.items():
        if name not in _OWN:
            yield f"{name}: {value if isinstance(value, str) else canonical_json(value).decode()}"


def _document(entity: Json) -> Iterator[str]:
    before, after = entity["previousId"], entity["nextId"]
    previous = f"previous version {before}" if before else "the first version"
    following = f"replaced by {after}" if after else "the current one"
    yield f"{entity['title']} ({entity['type']}; {previous}, {following})"
    yield str(entity["content"])


def _thread(entity: Json) -> Iterator[str]:
    """Show a chat with its turns told apart, each under its id and times."""
    if "turnsTotal" in entity:
        yield _shown_of(entity)
    for turn in entity["turns"]:
        yield f"({turn['id']} {_times(turn)})"
        yield from _said(turn)


def _turns(entity: Json) -> Iterator[str]:
    if "turnsTotal" in entity:
        yield _shown_of(entity)
    for turn in entity["turns"]:
        yield from _said(turn)


def _shown_of(entity: Json) -> str:
    return f"({len(entity['turns'])} of {entity['turnsTotal']} turns)"


def _said(turn: Json) -> Iterator[str]:
    for partial in turn["partials"]:
        yield f"{turn['senderId']}: {_partial(partial)}"


def _partial(partial: Json) -> str:
    payload = partial["payload"]
    match partial["type"]:
        case "text":
            return str(payload["content"])
        case "toolRequest":
            asked = canonical_json(payload["input"]).decode()
            return f"→ {payload['shortId']} {asked} ({payload['callId']})"
        case _:
            return f"← {payload['status']} ({payload['callId']}) {payload['output']}"


def _graph(entity: Json) -> Iterator[str]:
    yield f"{entity['name']}: {entity['description']}" if entity["description"] else entity["name"]
    for node in entity["nodes"]:
        given = node["parameters"]
        shown = "" if given is None else f" {canonical_json(given).decode()}"
        x, y = node["position"]["x"], node["position"]["y"]
        yield f"  {node['id']} is {node['nodeId']} at {x}, {y}{shown} ({_times(node)})"
    for edge in entity["edges"]:
        source = f"{edge['sourceNodeId']}.{edge['sourcePortId']}"
        target = f"{edge['targetNodeId']}.{edge['targetPortId']}"
        yield f"  {source} → {target} ({edge['id']} {_times(edge)})"


def _run(entity: Json) -> Iterator[str]:
    span = f"{entity['startTime'] or 'not begun'} to {entity['endTime'] or '…'}"
    later = " (recorded later)" if entity["recordedLater"] else ""
    yield f"{entity['status']}, a run of {entity['agentGraphId']}: {span}{later}"
    if "eventsTotal" in entity:
        yield f"({len(entity['events'])} of {entity['eventsTotal']} events)"
    for event in entity["events"]:
        given = {name: value for name, value in event.items() if name not in _EVENT_HEAD}
        yield f"  {event['index']} {event['at']} {event['type']} {_event(given)}".rstrip()


_EVENT_HEAD = ("index", "at", "type")


def _event(given: Json) -> str:
    shown = (
        str(value) if isinstance(value, str) else canonical_json(value).decode()
        for value in given.values()
        if value is not None
    )
    return " ".join(shown)


_SHOWN = {
    "textDocument": _document,
    "messageThread": _thread,
    "agentGraph": _graph,
    "agentGraphExecution": _run,
}
