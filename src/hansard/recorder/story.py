"""The story of a session, folded as it happens: chapters are plan steps, beats are what was done.

Edits of one file are one beat as long as no longer pause than `PAUSE_S`, no other chapter and no
note comes between them. So a story of ten thousand edits is a few hundred rows, already in the
order in which they are told, and its first page needs no look at the rest.
"""

from dataclasses import dataclass
from typing import Any, Literal

from hansard.kernel.clock import from_text
from hansard.kernel.engine import Row
from hansard.kernel.event import Event
from hansard.kernel.view import Derivation
from hansard.recorder import limits
from hansard.recorder.events import Audited, RestoreBegun
from hansard.recorder.tables import (
    BEATS,
    SITTINGS,
    STORY,
    chapter_number,
    chapter_of,
    file_id,
    story_key,
    story_place,
    touched_key,
)
from hansard.sessions.events import Activated, Deactivated, SessionStarted

QUIET = (Activated, Deactivated, SessionStarted)
"""What every session does all the time and no story is about."""

OWN = "recorder."
"""How the kinds of the recorder's own events begin; they are told in ways of their own."""

COUNTED = ("edits", "added", "removed", "failed", "external", "reported")


@dataclass(frozen=True, slots=True)
class Stroke:
    """One thing that was done to a file, or was not."""

    what: Literal["create", "edit", "delete", "move", "failed", "external"]
    added: int = 0
    removed: int = 0
    code: str | None = None
    is_reported: bool = False

    def counts(self) -> dict[str, int]:
        """Say by how much each number of a beat grows."""
        if self.what == "failed":
            return {"failed": 1}
        if self.what == "external":
            return {"external": 1}
        lines = {"edits": 1, "added": self.added, "removed": self.removed}
        return lines | ({"reported": 1} if self.is_reported else {})


def update_sitting(derivation: Derivation, changes: Row) -> None:
    """Change what is known of the session that the entry belongs to."""
    session = _session(derivation)
    derivation.put(SITTINGS, session, _sitting(derivation, session) | changes)


def count(derivation: Derivation, session: str, counts: dict[str, int]) -> None:
    """Add to a session's numbers."""
    row = _sitting(derivation, session)
    derivation.put(SITTINGS, session, _counted(row, counts))


def open_chapter(derivation: Derivation, revision: int, step: int, title: str) -> None:
    """Put the head of a plan step's chapter."""
    head = _new_head(_session(derivation), revision, step) | {"title": title}
    _put(derivation, head)


def begin_chapter(derivation: Derivation, revision: int, step: int) -> None:
    """Note when a step was begun, the first time."""
    head = _head(derivation, _session(derivation), revision, step)
    if head["begun"] is None:
        _put(derivation, head | {"begun": derivation.entry.at})


def tell_note(derivation: Derivation, event: Audited) -> None:
    """Tell a decision, a milestone or a note, by itself."""
    beat = {"type": "note", "label": event.type}
    text = event.description[: limits.NOTE_SHOWN_CHARS]
    _tell_apart(derivation, event.revision, event.step, beat | {"text": text})


def tell_restore(derivation: Derivation, event: RestoreBegun) -> None:
    """Tell a restore as one beat, whatever the number of its files."""
    beat = {"type": "restore", "scope": event.scope, "point": event.point}
    _tell_apart(derivation, event.revision, event.step, beat | dict.fromkeys(COUNTED, 0))


def tell_elsewhere(event: Event, derivation: Derivation) -> None:
    """Tell what the session did through other capabilities; a run of the same is one beat."""
    entry = derivation.entry
    if event.activity is None or entry.session is None or event.kind.startswith(OWN):
        return
    if isinstance(event, QUIET):
        return
    sitting = _sitting(derivation, entry.session)
    run = sitting["run"]
    if run and run["activity"] == event.activity:
        _lengthen(derivation, entry.session, run["place"], event)
        return
    beat = {"type": "event", "activity": event.activity, "count": 1, "texts": [event.summary()]}
    place = _tell_apart(derivation, sitting["revision"], sitting["step"], beat)
    update_sitting(derivation, {"run": {"activity": event.activity, "place": place}})


def tell_stroke(derivation: Derivation, session: str, row: Row, path: str, stroke: Stroke) -> None:
    """Tell what was done to a file: in the beat it belongs to, its chapter and the whole."""
    head = _head(derivation, session, row["revision"], row["step"])
    _put(derivation, _counted(head, stroke.counts()) | {"is_told": True})
    if row["restore"]:
        beat = _row(derivation, session, story_place(chapter_of(head["place"]), row["restore"]))
        key = None
    else:
        key = touched_key(session, file_id(row["workspace"], path))
        beat = _beat_of(derivation, session, head, key) or _new_beat(derivation, head, row, path)
    _put(derivation, _struck(derivation, beat, row, stroke))
    if key:
        derivation.put(BEATS, key, {"place": beat["place"]})
    count(derivation, session, stroke.counts())
    _end_run(derivation, session)


def _beat_of(derivation: Derivation, session: str, head: Row, key: str) -> Row | None:
    """Find the beat that goes on with this file, if it still does."""
    last = derivation.get(BEATS, key)
    if last is None or chapter_of(last["place"]) != chapter_of(head["place"]):
        return None
    beat = _row(derivation, session, last["place"])
    if beat["last_seq"] < _sitting(derivation, session)["interlude"]:
        return None
    pause = from_text(derivation.entry.at) - from_text(beat["last_at"])
    return beat if pause.total_seconds() <= limits.PAUSE_S else None


def _new_beat(derivation: Derivation, head: Row, row: Row, path: str) -> Row:
    place = story_place(chapter_of(head["place"]), row["seq"])
    beat = {"type": "file", "session": head["session"], "place": place, "path": path}
    times = {"first_at": derivation.entry.at, "first_seq": row["seq"]}
    return beat | times | dict.fromkeys(COUNTED, 0) | {"actions": {}, "codes": []}


def _struck(derivation: Derivation, beat: Row, row: Row, stroke: Stroke) -> Row:
    """Give a beat with one more stroke in it."""
    last = {"last_at": derivation.entry.at, "last_seq": row["seq"]}
    beat = _counted(beat, stroke.counts()) | last
    if beat["type"] != "file":
        return beat
    actions, codes = beat["actions"], beat["codes"]
    if stroke.code and stroke.code not in codes:
        codes = [*codes, stroke.code]
    if stroke.what not in ("failed", "external"):
        actions = actions | {stroke.what: actions.get(stroke.what, 0) + 1}
    moved = {"moved_from": row["path"]} if stroke.what == "move" else {}
    return beat | {"actions": actions, "codes": codes} | moved


def _tell_apart(
    derivation: Derivation, revision: int | None, step: int | None, told: dict[str, Any]
) -> int:
    """Put a beat that stands by itself; edits after it begin beats of their own."""
    entry, session = derivation.entry, _session(derivation)
    head = _head(derivation, session, revision, step)
    place = story_place(chapter_of(head["place"]), entry.seq)
    times = {"first_at": entry.at, "last_at": entry.at, "first_seq": entry.seq}
    beat = told | times | {"last_seq": entry.seq, "session": session, "place": place}
    _put(derivation, beat | {"author": f"{entry.actor.kind}:{entry.actor.id}"})
    _put(derivation, head | {"is_told": True})
    update_sitting(derivation, {"interlude": entry.seq, "run": None})
    return place


def _lengthen(derivation: Derivation, session: str, place: int, event: Event) -> None:
    """Put one more event into a run of the same kind."""
    entry = derivation.entry
    beat = _row(derivation, session, place)
    texts = beat["texts"]
    if len(texts) < limits.SUMMARIES_SHOWN_MAX:
        texts = [*texts, event.summary()]
    grown = {"count": beat["count"] + 1, "texts": texts}
    _put(derivation, beat | grown | {"last_at": entry.at, "last_seq": entry.seq})
    update_sitting(derivation, {"interlude": entry.seq})


def _end_run(derivation: Derivation, session: str) -> None:
    row = _sitting(derivation, session)
    if row["run"]:
        derivation.put(SITTINGS, session, row | {"run": None})


def _head(derivation: Derivation, session: str, revision: int | None, step: int | None) -> Row:
    """Give the head of a chapter; one without a step has none until something happens in it."""
    key = story_key(session, story_place(chapter_number(revision, step)))
    return derivation.get(STORY, key) or _new_head(session, revision, step)


def _new_head(session: str, revision: int | None, step: int | None) -> Row:
    place = story_place(chapter_number(revision, step))
    told = {"type": "chapter", "session": session, "place": place, "title": None, "begun": None}
    told |= {"revision": revision, "step": step, "is_told": False}
    return told | dict.fromkeys(COUNTED, 0)


def _row(derivation: Derivation, session: str, place: int) -> Row:
    row = derivation.get(STORY, story_key(session, place))
    assert row is not None, f"the story of {session} has lost its beat at {place}"
    return row


def _put(derivation: Derivation, row: Row) -> None:
    derivation.put(STORY, story_key(row["session"], row["place"]), row)


def _counted(row: Row, counts: dict[str, int]) -> Row:
    return row | {name: row.get(name, 0) + number for name, number in counts.items()}


def _sitting(derivation: Derivation, session: str) -> Row:
    return derivation.get(SITTINGS, session) or new_sitting()


def new_sitting() -> Row:
    """Give what is known of a session that the recorder has not heard of."""
    plan = {"title": None, "user_message": None, "revision": None, "steps": 0, "step": None}
    return plan | {"interlude": 0, "run": None, "files": 0} | dict.fromkeys(COUNTED, 0)


def _session(derivation: Derivation) -> str:
    session = derivation.entry.session
    assert session is not None, "a story was told of no session"
    return session
