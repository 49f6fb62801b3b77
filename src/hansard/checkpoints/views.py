"""The checkpoints of a project, and what each session's next save needs to know."""

from typing import Any

from hansard.checkpoints.events import (
    CheckpointAmended,
    CheckpointDeleted,
    CheckpointGivenInPart,
    CheckpointLoaded,
    CheckpointSaved,
    KeyMarked,
    KeyUnmarked,
    SessionTagged,
)
from hansard.kernel.engine import Row, Table
from hansard.kernel.ids import taken
from hansard.kernel.view import Derivation, View

VERSION = 3
GIVEN_MAX = 8
"""Checkpoints of which a session remembers that it was given a part only."""

PREFIX = "C"

CHECKPOINTS = Table(
    "checkpoints",
    {"session": "text", "number": "integer", "context": "text", "seq": "integer"},
    (("session", "number"), ("context", "session"), ("seq",)),
    version=VERSION,
    is_large=True,
)

CONTEXTS = Table("contexts", version=VERSION)
"""By session: what was last saved or loaded, how many saves there were, its marks, its weight."""

USAGE = Table("checkpoint_usage", {"bytes": "integer"}, version=VERSION)
"""One row: the bytes of all contexts of the project, each counted once."""

USAGE_KEY = "project"

NO_CONTEXT: dict[str, Any] = {
    "looked_at": None,
    "saves": 0,
    "marks": {},
    "bytes": 0,
    "tags": [],
    "own_tags": [],
    "accessed": None,
    "given": {},
}
"""A session that has neither saved, loaded nor marked anything."""

DESCRIBING = ("name", "tags", "classes", "extra", "cites")
"""What a saver says of a checkpoint, and may say anew."""


def _saved(event: CheckpointSaved, derivation: Derivation) -> None:
    entry = derivation.entry
    taken(derivation, PREFIX, event.id)
    row = event.model_dump(mode="json") | {"seq": entry.seq, "tick": entry.tick, "at": entry.at}
    tags = sorted({*_state(derivation, event.session)["tags"], *event.tags})
    _touch(
        derivation, event.session, looked_at=event.id, saves=event.number + 1, tags=tags, given={}
    )
    _weigh(derivation, row, 1)
    derivation.put(CHECKPOINTS, event.id, row | {"agent": entry.actor.id})


def _amended(event: CheckpointAmended, derivation: Derivation) -> None:
    row = derivation.get(CHECKPOINTS, event.id)
    assert row is not None, "a checkpoint was described anew that never was"
    said = event.model_dump(mode="json", include=set(DESCRIBING))
    derivation.put(CHECKPOINTS, event.id, row | said)
    tags = sorted({*_state(derivation, event.session)["tags"], *event.tags})
    _touch(derivation, event.session, looked_at=event.id, tags=tags)


def _loaded(event: CheckpointLoaded, derivation: Derivation) -> None:
    for session in {event.session, event.into or event.session}:
        _touch(derivation, session, looked_at=event.id)


def _given(event: CheckpointGivenInPart, derivation: Derivation) -> None:
    reader = event.into or event.session
    before = _state(derivation, reader)["given"]
    given = {one: left for one, left in before.items() if one != event.id}
    if event.lists or event.keys:
        given[event.id] = {"lists": event.lists, "keys": event.keys}
    _touch(derivation, reader, given=dict(list(given.items())[-GIVEN_MAX:]))


def _deleted(event: CheckpointDeleted, derivation: Derivation) -> None:
    gone = derivation.get(CHECKPOINTS, event.id)
    assert gone is not None, "a checkpoint was deleted that never was"
    derivation.delete(CHECKPOINTS, event.id)
    _weigh(derivation, gone, -1)


def _marked(event: KeyMarked, derivation: Derivation) -> None:
    marks = _state(derivation, event.session)["marks"] | {event.key: derivation.entry.seq}
    _touch(derivation, event.session, marks=marks)


def _unmarked(event: KeyUnmarked, derivation: Derivation) -> None:
    marks = _state(derivation, event.session)["marks"]
    left = {key: seq for key, seq in marks.items() if key != event.key}
    _touch(derivation, event.session, marks=left)


def _tagged(event: SessionTagged, derivation: Derivation) -> None:
    _touch(derivation, event.session, own_tags=event.tags)


def _state(derivation: Derivation, session: str) -> Row:
    return derivation.get(CONTEXTS, session) or NO_CONTEXT


def _touch(derivation: Derivation, session: str, **changes: Any) -> None:
    """Note what has changed of a session's context, and that it was used just now."""
    accessed = {"seq": derivation.entry.seq, "at": derivation.entry.at}
    row = _state(derivation, session) | changes | {"accessed": accessed}
    derivation.put(CONTEXTS, session, row)


def _weigh(derivation: Derivation, row: Row, sign: int) -> None:
    """Count a context that no other checkpoint of the session, or of the project, has."""
    size_bytes = sign * row["size_bytes"]
    same = {"context": row["context"]}
    is_only = not derivation.scan(CHECKPOINTS, same, limit=1)
    if is_only:
        used = derivation.get(USAGE, USAGE_KEY) or {"bytes": 0}
        derivation.put(USAGE, USAGE_KEY, {"bytes": used["bytes"] + size_bytes})
    if is_only or not derivation.scan(CHECKPOINTS, same | {"session": row["session"]}, limit=1):
        before = derivation.get(CONTEXTS, row["session"])
        assert before is not None, "a checkpoint is of a session that saved none"
        weighed = before | {"bytes": before["bytes"] + size_bytes}
        derivation.put(CONTEXTS, row["session"], weighed)


VIEWS = (
    View(
        "checkpoints",
        VERSION,
        (CHECKPOINTS, CONTEXTS, USAGE),
        on={
            CheckpointSaved: _saved,
            CheckpointAmended: _amended,
            CheckpointLoaded: _loaded,
            CheckpointGivenInPart: _given,
            CheckpointDeleted: _deleted,
            KeyMarked: _marked,
            KeyUnmarked: _unmarked,
            SessionTagged: _tagged,
        },
    ),
)
