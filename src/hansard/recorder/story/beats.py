"""Builds the story of a session as it happens: chapters are plan steps, beats are acts.

Edits of one file are one beat as long as no longer pause than `PAUSE_S`, no other chapter, no note
and no change from outside comes between them. So a story of ten thousand edits is a few hundred
rows, already in the order in which they are told, and its first page needs no look at the rest.
"""

from dataclasses import dataclass
from typing import Any, Literal

from hansard.kernel.clock import from_text
from hansard.kernel.engine import Row
from hansard.kernel.event import Event
from hansard.kernel.view import Derivation
from hansard.recorder import limits
from hansard.recorder.events import Action, Audited, RestoreBegun
from hansard.recorder.story.chapters import (
    COUNTED,
    count,
    counted,
    end_current,
    head_of,
    put_row,
    row_at,
    sitting_of,
    update_sitting,
)
from hansard.recorder.tables import BEATS, chapter_of, file_id, story_place, touched_key
from hansard.sessions.events import Activated, Deactivated, SessionStarted, SessionWasClosed

QUIET = (Activated, Deactivated, SessionStarted)
"""What every session does all the time, and stories leave out."""

OWN = "recorder."
"""The prefix of the recorder's own kinds of events, which are shown in ways of their own."""


@dataclass(frozen=True, slots=True)
class FileAct:
    """One thing that was done to a file, or was not."""

    action: Action | None
    """`None` if it failed."""
    added: int = 0
    removed: int = 0
    code: str | None = None
    is_reported: bool = False
    is_external: bool = False
    is_irreversible: bool = False
    """Whether what the file held before is gone for good."""

    def counts(self) -> dict[str, int]:
        """Say how much each number of its beat grows."""
        if self.action is None:
            return {"failed": 1}
        lines = {"added": self.added, "removed": self.removed}
        if self.is_external:
            return lines | {"external": 1}
        lines |= {"edits": 1} | ({"reported": 1} if self.is_reported else {})
        return lines | ({"irreversible": 1} if self.is_irreversible else {})

    def work(self) -> dict[str, int]:
        """Say how much the numbers of its chapter and session grow, without what others did."""
        return {"external": 1} if self.is_external else self.counts()


def tell_note(derivation: Derivation, event: Audited) -> None:
    """Tell a decision, a milestone or a note, by itself."""
    beat = {"type": "note", "label": event.type}
    text = event.description[: limits.NOTE_SHOWN_CHARS]
    _tell_apart(derivation, event.revision, event.step, beat | {"text": text})


def tell_restore(derivation: Derivation, event: RestoreBegun) -> None:
    """Tell a restore as one beat, whatever the number of its files."""
    beat = {"type": "restore", "scope": event.scope, "point": event.point, "undone_by": None}
    beat |= {"is_undo": True} if event.is_undo else {}
    place = _tell_apart(derivation, event.revision, event.step, beat | dict.fromkeys(COUNTED, 0))
    derivation.put(BEATS, _restore_key(derivation.entry.seq), {"place": place})


def tell_elsewhere(event: Event, derivation: Derivation) -> None:
    """Tell what the session did through other capabilities; a run of the same is one beat."""
    session = derivation.entry.session
    if session is not None and _is_told(type(event)):
        _tell_run(derivation, session, event)
    if isinstance(event, SessionWasClosed):
        # Only now: its closing is the last thing shown under its step.
        end_current(derivation, event.id)


def may_tell_elsewhere(event: type[Event]) -> bool:
    """Whether `tell_elsewhere` does anything with events of this class."""
    return _is_told(event) or issubclass(event, SessionWasClosed)


def _is_told(event: type[Event]) -> bool:
    return (
        event.activity is not None
        and not event.kind.startswith(OWN)
        and not issubclass(event, QUIET)
    )


def tell_act(derivation: Derivation, session: str, row: Row, path: str, act: FileAct) -> int:
    """Tell what was done to a file, in the beat it belongs to; returns the beat's place."""
    if row["restore"]:
        return _tell_restored(derivation, session, row, act)
    head = head_of(derivation, session, row["revision"], row["step"])
    key = touched_key(session, file_id(row["workspace"], path))
    beat = _beat_of(derivation, head, key, act) or _new_beat(derivation, head, row, path, act)
    put_row(derivation, counted(head, act.work()) | {"is_told": True})
    put_row(derivation, _with_act(derivation, beat, row, act))
    derivation.put(BEATS, key, {"place": beat["place"]})
    count(derivation, session, act.work())
    _end_run(derivation, session)
    return int(beat["place"])


def restore_beat(derivation: Derivation, session: str, restore: int) -> Row:
    """Give the beat of a restore."""
    found = derivation.get(BEATS, _restore_key(restore))
    assert found is not None, f"s:{restore} restored a file and never began"
    return row_at(derivation, session, found["place"])


def _tell_restored(derivation: Derivation, session: str, row: Row, act: FileAct) -> int:
    """Tell what a restore did to a file: in its own beat, for it is nobody's work on the step."""
    beat = restore_beat(derivation, session, row["restore"])
    put_row(derivation, _with_act(derivation, beat, row, act))
    if act.action is not None:
        head = row_at(derivation, session, story_place(chapter_of(beat["place"])))
        put_row(derivation, counted(head, {"restored": 1}))
        count(derivation, session, {"restored": 1})
    return int(beat["place"])


def _beat_of(derivation: Derivation, head: Row, key: str, act: FileAct) -> Row | None:
    """Find the beat that goes on with this file, if it still does."""
    last = derivation.get(BEATS, key)
    if last is None or chapter_of(last["place"]) != chapter_of(head["place"]):
        return None
    session = head["session"]
    beat = row_at(derivation, session, last["place"])
    if beat["type"] != _type_of(act):
        return None
    if beat["last_seq"] < sitting_of(derivation, session)["interlude"]:
        return None
    pause = from_text(derivation.entry.at) - from_text(beat["last_at"])
    return beat if pause.total_seconds() <= limits.PAUSE_S else None


def _type_of(act: FileAct) -> Literal["file", "outside"]:
    return "outside" if act.is_external else "file"


def _new_beat(derivation: Derivation, head: Row, row: Row, path: str, act: FileAct) -> Row:
    place = story_place(chapter_of(head["place"]), row["seq"])
    beat = {"type": _type_of(act), "session": head["session"], "place": place, "path": path}
    times = {"first_at": derivation.entry.at, "first_seq": row["seq"]}
    told: Row = {"actions": {}, "codes": [], "undone_by": None}
    return beat | times | dict.fromkeys(COUNTED, 0) | told


def _with_act(derivation: Derivation, beat: Row, row: Row, act: FileAct) -> Row:
    """Give a beat with one more act in it."""
    last = {"last_at": derivation.entry.at, "last_seq": row["seq"]}
    beat = counted(beat, act.counts()) | last
    if beat["type"] == "restore":
        return beat
    actions, codes = beat["actions"], beat["codes"]
    if act.code and act.code not in codes:
        codes = [*codes, act.code]
    if act.action is not None:
        actions = actions | {act.action: actions.get(act.action, 0) + 1}
    moved = {"moved_from": row["path"]} if act.action == "move" else {}
    return beat | {"actions": actions, "codes": codes} | moved


def _tell_run(derivation: Derivation, session: str, event: Event) -> None:
    sitting = sitting_of(derivation, session)
    run = sitting["run"]
    if run and run["activity"] == event.activity:
        _lengthen(derivation, session, run["place"], event)
        return
    beat = {"type": "event", "activity": event.activity, "count": 1, "texts": [event.summary()]}
    place = _tell_apart(derivation, sitting["revision"], sitting["step"], beat)
    update_sitting(derivation, session, {"run": {"activity": event.activity, "place": place}})


def _tell_apart(
    derivation: Derivation, revision: int | None, step: int | None, told: dict[str, Any]
) -> int:
    """Put a beat by itself; edits after it begin beats of their own."""
    entry, session = derivation.entry, derivation.entry.session
    assert session is not None, "a story was told of no session"
    head = head_of(derivation, session, revision, step)
    place = story_place(chapter_of(head["place"]), entry.seq)
    times = {"first_at": entry.at, "last_at": entry.at, "first_seq": entry.seq}
    beat = told | times | {"last_seq": entry.seq, "session": session, "place": place}
    put_row(derivation, beat | {"author": str(entry.actor)})
    put_row(derivation, head | {"is_told": True})
    update_sitting(derivation, session, {"interlude": entry.seq, "run": None})
    return place


def _lengthen(derivation: Derivation, session: str, place: int, event: Event) -> None:
    """Put one more event into a run of the same kind."""
    entry = derivation.entry
    beat = row_at(derivation, session, place)
    texts = beat["texts"]
    if len(texts) < limits.SUMMARIES_SHOWN_MAX:
        texts = [*texts, event.summary()]
    grown = {"count": beat["count"] + 1, "texts": texts}
    put_row(derivation, beat | grown | {"last_at": entry.at, "last_seq": entry.seq})
    update_sitting(derivation, session, {"interlude": entry.seq})


def _end_run(derivation: Derivation, session: str) -> None:
    if sitting_of(derivation, session)["run"]:
        update_sitting(derivation, session, {"run": None})


def _restore_key(seq: int) -> str:
    return f"restore\n{seq}"
