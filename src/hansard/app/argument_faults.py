"""Explains what is wrong with an argument, and suggests what was meant. Pure."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hansard.app.schema import input_schema
from hansard.kernel.operation import Operation
from hansard.kernel.suggestion import nearest

Json = dict[str, Any]

PATH_CHARS_MAX = 200

_EDITS = ("edits: [{old, new}]", "old")
_TEXT = ("content", "body", "description", "query")

ALSO_CALLED: Mapping[str, Sequence[str]] = {
    "file": ("path",),
    "file_path": ("path",),
    "filename": ("path",),
    "message": ("description", "user_message", "summary"),
    "name": ("title",),
    "new_str": _EDITS,
    "new_string": _EDITS,
    "note": ("summary", "reason", "description"),
    "old_str": _EDITS,
    "old_string": _EDITS,
    "op": ("action",),
    "operation": ("action",),
    "q": ("query",),
    "session": ("session_id", "sessionId"),
    "status": ("to_state", "state", "states"),
    "text": _TEXT,
    "value": ("context", "data", *_TEXT),
    "why": ("rationale", "reason"),
}
"""What other tools call an argument, and what it may be called here."""

IDS = ("id", "decision_id", "record_id", "checkpointId", "proposal_id")
"""Names that different operations give the same thing."""


def fault(operation: Operation, error: Mapping[str, Any]) -> dict[str, str]:
    """Say which argument is wrong, and why, when a model has refused one."""
    place = error["loc"]
    path = ".".join(str(part) for part in place)[:PATH_CHARS_MAX] or "arguments"
    if error["type"] == "extra_forbidden":
        return _unknown(path, str(place[-1]), _taken(input_schema(operation), place[:-1]))
    why = "is required" if error["type"] == "missing" else str(error["msg"])
    return {"argument": path, "why": why.removeprefix("Value error, ")}


def meant(wanted: str, there: Collection[str]) -> str | None:
    """Guess which of the accepted arguments was meant."""
    others = IDS if wanted in IDS else ALSO_CALLED.get(wanted.casefold(), ())
    known = (name for name in others if name.partition(":")[0] in there)
    return next(known, None) or nearest(wanted, there)


def _unknown(path: str, name: str, there: Collection[str]) -> dict[str, str]:
    told = {"argument": path, "why": "there is no such argument"}
    if found := meant(name, there):
        return told | {"why": f"{told['why']}; did you mean {found}?", "did_you_mean": found}
    return told


def _taken(schema: Json, place: Sequence[str | int]) -> Collection[str]:
    """Name the arguments that are accepted at a place within an operation's arguments."""
    for part in place:
        is_item = isinstance(part, int)
        schema = schema.get("items", {}) if is_item else schema.get("properties", {}).get(part, {})
    return list(schema.get("properties", {}))
