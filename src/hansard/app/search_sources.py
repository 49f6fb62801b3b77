"""Sources of the search over everything besides records, decisions and entities.

Notes, plan steps and titles of the timeline, files by their paths, and checkpoints by name and
tags: each has a row with its title, and a document with its words.
"""

from hansard.checkpoints.events import CheckpointAmended, CheckpointDeleted, CheckpointSaved
from hansard.kernel.engine import ReadTx, Table, Topic
from hansard.kernel.view import Derivation, View
from hansard.recorder.events import (
    Audited,
    ExternalChangeSeen,
    FileEvent,
    FileFound,
    FileOpIntended,
    FileReported,
    PlanStepRecorded,
    SessionTitled,
)

VERSION = 3

THINGS = Table("things", {"kind": "text"}, (("kind",),), version=VERSION, is_large=True)
"""By id (`s:340`, `path:src/a.py`, a checkpoint's): its kind, its title, its session and entry."""

WORDS = Topic("things", THINGS, {"title": 4.0, "labels": 1.0})


def _noted(event: Audited, derivation: Derivation) -> None:
    _put(derivation, f"s:{derivation.entry.seq}", "timeline", event.description, event.type)


def _planned(event: PlanStepRecorded, derivation: Derivation) -> None:
    _put(derivation, f"s:{derivation.entry.seq}", "timeline", event.step, "plan step")


def _titled(event: SessionTitled, derivation: Derivation) -> None:
    _put(derivation, f"s:{derivation.entry.seq}", "timeline", event.title, "session")


def _met(event: FileEvent, derivation: Derivation) -> None:
    to = getattr(event, "to", None)
    for path in [event.path, *([to] if to else [])]:
        key = _file_key(path)
        # A file is found by its path, which never changes: the first time is enough.
        if derivation.get(THINGS, key) is None:
            _put(derivation, key, "file", path)


def ask_about(tx: ReadTx, path: str) -> None:
    """Read the rows that the view reads when a change to a file is recorded."""
    tx.get(THINGS, _file_key(path))


def _file_key(path: str) -> str:
    return f"path:{path}"


def _saved(event: CheckpointSaved | CheckpointAmended, derivation: Derivation) -> None:
    title = event.name or f"Checkpoint of {event.session}"
    _put(derivation, event.id, "checkpoint", title, " ".join([event.id, *event.tags]))


def _deleted(event: CheckpointDeleted, derivation: Derivation) -> None:
    derivation.delete(THINGS, event.id)
    derivation.index(WORDS, event.id, None)


def _put(derivation: Derivation, key: str, kind: str, title: str, labels: str = "") -> None:
    entry = derivation.entry
    row = {"kind": kind, "title": title, "session": entry.session, "seq": entry.seq, "at": entry.at}
    derivation.put(THINGS, key, row | {"labels": labels})
    derivation.index(WORDS, key, {"title": title, "labels": labels})


VIEW = View(
    "things",
    VERSION,
    (THINGS,),
    on={
        Audited: _noted,
        PlanStepRecorded: _planned,
        SessionTitled: _titled,
        FileOpIntended: _met,
        FileFound: _met,
        ExternalChangeSeen: _met,
        FileReported: _met,
        CheckpointSaved: _saved,
        CheckpointAmended: _saved,
        CheckpointDeleted: _deleted,
    },
    topics=(WORDS,),
)
