"""The checkpoints of a project, and for each session what its next save needs to know."""

from typing import Any

from hansard.checkpoints.events import (
    CheckpointDeleted,
    CheckpointLoaded,
    CheckpointSaved,
    KeyMarked,
)
from hansard.kernel.engine import Row, Table
from hansard.kernel.ids import taken
from hansard.kernel.view import Derivation, View

VERSION = 1
PREFIX = "C"

CHECKPOINTS = Table(
    "checkpoints",
    {"session": "text", "number": "integer", "context": "text"},
    (("session", "number"), ("context", "session")),
    version=VERSION,
)

CONTEXTS = Table("contexts", version=VERSION)
"""By session: what was last saved or loaded, how many saves there were, its marks, its weight."""

USAGE = Table("checkpoint_usage", version=VERSION)
"""One row: the bytes of all contexts of the project, each counted once."""

USAGE_KEY = "project"

NO_CONTEXT: dict[str, Any] = {
    "looked_at": None,
    "saves": 0,
    "marks": {},
    "bytes": 0,
    "tags": [],
}
"""A session that has neither saved nor marked anything."""


def _saved(event: CheckpointSaved, derivation: Derivation) -> None:
    entry = derivation.entry
    taken(derivation, PREFIX, event.id)
    row = event.model_dump(mode="json") | {"seq": entry.seq, "tick": entry.tick, "at": entry.at}
    before = derivation.get(CONTEXTS, event.session) or NO_CONTEXT
    after = before | {
        "looked_at": event.id,
        "saves": event.number + 1,
        "tags": sorted({*before["tags"], *event.tags}),
    }
    derivation.put(CONTEXTS, event.session, after)
    _weigh(derivation, row, 1)
    derivation.put(CHECKPOINTS, event.id, row | {"agent": entry.actor.id})


def _loaded(event: CheckpointLoaded, derivation: Derivation) -> None:
    row = derivation.get(CONTEXTS, event.session)
    assert row is not None, "a checkpoint was loaded from a session that saved none"
    derivation.put(CONTEXTS, event.session, row | {"looked_at": event.id})


def _deleted(event: CheckpointDeleted, derivation: Derivation) -> None:
    gone = derivation.get(CHECKPOINTS, event.id)
    assert gone is not None, "a checkpoint was deleted that never was"
    derivation.delete(CHECKPOINTS, event.id)
    _weigh(derivation, gone, -1)


def _marked(event: KeyMarked, derivation: Derivation) -> None:
    row = derivation.get(CONTEXTS, event.session) or NO_CONTEXT
    marks = row["marks"] | {event.key: derivation.entry.seq}
    derivation.put(CONTEXTS, event.session, row | {"marks": marks})


def _weigh(derivation: Derivation, row: Row, sign: int) -> None:
    """Count a context that no other checkpoint of the session, or of the project, has."""
    size_bytes = sign * row["size_bytes"]
    same = {"context": row["context"]}
    if not derivation.scan(CHECKPOINTS, same, limit=1):
        used = derivation.get(USAGE, USAGE_KEY) or {"bytes": 0}
        derivation.put(USAGE, USAGE_KEY, {"bytes": used["bytes"] + size_bytes})
    if not derivation.scan(CHECKPOINTS, same | {"session": row["session"]}, limit=1):
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
            CheckpointLoaded: _loaded,
            CheckpointDeleted: _deleted,
            KeyMarked: _marked,
        },
    ),
)
