"""Assigns revisions to files; a file's history follows its moves.

The file that lies at a path has a history. A move takes it along; what comes to lie at the old path
has a history of its own. Only what is brought back there by a restore goes on where the file that
was there left, in a history that shares the revisions up to then.
"""

from dataclasses import dataclass, field
from typing import Any

from hansard.kernel.engine import Row
from hansard.kernel.view import Derivation
from hansard.recorder.tables import FILES, HISTORIES, REVISIONS, file_id, revision_key

Told = tuple[str, int] | None
"""The session and the place in its story where a change is shown."""


@dataclass(frozen=True, slots=True)
class PathChange:
    """What became of the file at a path."""

    workspace: str
    path: str
    seq: int
    action: str
    source: str
    after: dict[str, Any] | None
    added: int = 0
    removed: int = 0
    came_from: str | None = None
    """The path it was moved from."""
    went_to: str | None = None
    """The path it was moved to."""
    told: Told = None
    said: Row = field(default_factory=dict)
    """What else its event says."""


@dataclass(frozen=True, slots=True)
class RevisionPlace:
    """A revision's place in a history."""

    history: str
    revision: int


AWAY = RevisionPlace("", 0)
"""Of a row that says only that the file has gone."""


def revise(derivation: Derivation, change: PathChange) -> tuple[str, int]:
    """Put the next revision of a file; returns the id of its path, and its number there."""
    file = file_id(change.workspace, change.path)
    latest = derivation.get(FILES, file)
    number = latest["number"] + 1 if latest else 1
    place = _place(derivation, change, file, latest)
    row = {"file": file, "number": number, "seq": change.seq, "done": derivation.entry.seq}
    row |= {"history": place.history, "revision": place.revision, "added": change.added}
    row |= {"removed": change.removed, "action": change.action, "source": change.source}
    row |= {"after": change.after} | change.said
    if other := change.came_from or change.went_to:
        row["other"] = other
    if change.told:
        row["told"] = list(change.told)
    if place == AWAY and latest:
        row["left"] = latest["history"]
    derivation.put(REVISIONS, revision_key(file, number), row)
    derivation.put(FILES, file, _here(change, number, place, latest))
    return file, number


def continue_from(derivation: Derivation, change: PathChange, other: Row) -> None:
    """Continue the file at a path from another copy of it, unless there is one already."""
    file = file_id(change.workspace, change.path)
    if derivation.get(FILES, file) is not None:
        return
    place = _begin(
        derivation, file, file, change, RevisionPlace(other["history"], other["revision"])
    )
    row = {"file": file, "number": 1, "seq": change.seq, "done": derivation.entry.seq}
    row |= {"history": place.history, "revision": place.revision, "added": 0, "removed": 0}
    row |= {"action": change.action, "source": change.source, "after": change.after}
    derivation.put(REVISIONS, revision_key(file, 1), row)
    derivation.put(FILES, file, _here(change, 1, place, None))


def digest_held(after: dict[str, Any] | None) -> str:
    """Name what a file holds; empty where there is no file."""
    return (after.get("blob") or after["sha256"]) if after else ""


def _here(change: PathChange, number: int, place: RevisionPlace, latest: Row | None) -> Row:
    row = {"workspace": change.workspace, "path": change.path, "number": number, "seq": change.seq}
    row |= {"after": change.after, "digest": digest_held(change.after)}
    if place == AWAY:
        # Where it went is known by its history.
        assert latest is not None, "a file left a path that it never had"
        row |= {"history": latest["history"], "revision": latest["revision"], "is_away": True}
    else:
        row |= {"history": place.history, "revision": place.revision, "is_away": False}
    return row


def _place(
    derivation: Derivation, change: PathChange, file: str, latest: Row | None
) -> RevisionPlace:
    """Find the history that a change goes on, and keep where that now is."""
    if change.went_to is not None:
        return AWAY
    if change.came_from is not None:
        left = derivation.get(FILES, file_id(change.workspace, change.came_from))
        assert left is not None, "a file came from a path that it never had"
        return _go_on(derivation, left["history"], file, change, latest)
    if latest is None:
        return _begin(derivation, file, file, change)
    if not latest["is_away"]:
        return _go_on(derivation, latest["history"], file, change, None)
    base = (
        RevisionPlace(latest["history"], latest["revision"])
        if change.source == "restored"
        else None
    )
    return _begin(derivation, f"{file}.{change.seq}", file, change, base)


def _begin(
    derivation: Derivation,
    history: str,
    file: str,
    change: PathChange,
    base: RevisionPlace | None = None,
) -> RevisionPlace:
    place = RevisionPlace(history, base.revision + 1 if base else 1)
    row = {"file": file, "revision": place.revision, "since": change.seq}
    if base:
        row["base"] = [base.history, base.revision]
    elif history != file:
        row["is_over"] = True
    derivation.put(HISTORIES, history, row)
    return place


def _go_on(
    derivation: Derivation, history: str, file: str, change: PathChange, over: Row | None
) -> RevisionPlace:
    """Give a history its next revision; `over` is what was at the path that it comes to."""
    row = derivation.get(HISTORIES, history)
    assert row is not None, "a file has no history"
    place = RevisionPlace(history, row["revision"] + 1)
    if row["file"] != file:
        is_over = over is not None and over["history"] != history
        row = row | {"file": file, "since": change.seq, "is_over": is_over}
    derivation.put(HISTORIES, history, row | {"revision": place.revision})
    return place
