"""How recorded events become files, revisions, sittings and the story."""

from typing import Any

from hansard.kernel.effect import intent_key
from hansard.kernel.engine import Row
from hansard.kernel.event import Event
from hansard.kernel.view import Derivation, View
from hansard.recorder import story
from hansard.recorder.events import (
    Audited,
    ExternalChangeSeen,
    FileFound,
    FileOpAborted,
    FileOpConflicted,
    FileOpDone,
    FileOpIntended,
    FileOpRefused,
    FileReported,
    PlanStepRecorded,
    RestoreBegun,
    SessionTitled,
    StepBegun,
)
from hansard.recorder.standing import derive_standing
from hansard.recorder.story import Stroke
from hansard.recorder.tables import (
    FILES,
    FOLDERS,
    OUTCOMES,
    PENDING,
    REVISIONS,
    TABLES,
    TOUCHED,
    VERSION,
    file_id,
    revision_key,
    touched_key,
)

SAID = ("undoes", "back_to", "before_unknown", "modified")
"""What a revision says besides, where its event does."""

MOVE_TARGET = "-to"
"""Ends the key of a pending move's second row, under the file that it goes to."""


def _titled(event: SessionTitled, derivation: Derivation) -> None:
    story.update_sitting(derivation, {"title": event.title, "user_message": event.user_message})


def _plan_step(event: PlanStepRecorded, derivation: Derivation) -> None:
    changes: Row = {"revision": event.revision, "steps": event.index + 1}
    if event.index == 0:
        changes["step"] = None
    story.update_sitting(derivation, changes)
    story.open_chapter(derivation, event.revision, event.index, event.step)


def _step_begun(event: StepBegun, derivation: Derivation) -> None:
    story.update_sitting(derivation, {"step": event.index})
    story.begin_chapter(derivation, event.revision, event.index)


def _audited(event: Audited, derivation: Derivation) -> None:
    story.tell_note(derivation, event)


def _intended(event: FileOpIntended, derivation: Derivation) -> None:
    entry = derivation.entry
    key = intent_key(entry.seq)
    row = event.model_dump(mode="json", exclude={"owner", "cites"}) | {
        "file": file_id(event.workspace, event.path),
        "seq": entry.seq,
        "owner": event.owner,
        "session": entry.session,
    }
    derivation.put(PENDING, key, row)
    if event.to is not None:
        target = {"file": file_id(event.workspace, event.to), "seq": entry.seq}
        derivation.put(PENDING, key + MOVE_TARGET, target | {"owner": event.owner})


def _done(event: FileOpDone, derivation: Derivation) -> None:
    row = _settled(derivation, event.intent)
    if event.recovered:
        derivation.put(OUTCOMES, intent_key(event.intent), {"status": "recovered"})
    after = row["after"] | {"mode": event.mode} if row["after"] else None
    source = "restored" if row["restore"] else "executed"
    _note_folders(derivation, row)
    if row["to"] is None:
        _revise(derivation, row, row["path"], after, source=source)
    else:
        _revise(derivation, row, row["path"], None, source=source, other=row["to"])
        _revise(derivation, row, row["to"], after, source=source, other=row["path"])
    _tell(derivation, row, Stroke(row["action"], added=row["added"], removed=row["removed"]))


def _note_folders(derivation: Derivation, row: Row) -> None:
    """Remember the folders that were made for a file."""
    *above, _ = (row["to"] or row["path"]).split("/")
    for level in range(row.get("makes", 0)):
        folder = "/".join(above[: len(above) - level])
        derivation.put(FOLDERS, file_id(row["workspace"], folder), {"path": folder})


def _aborted(event: FileOpAborted, derivation: Derivation) -> None:
    row = _settled(derivation, event.intent)
    outcome = {"status": "aborted", "code": event.code}
    derivation.put(OUTCOMES, intent_key(event.intent), outcome)
    _tell(derivation, row, Stroke("failed", code=event.code))


def _conflicted(event: FileOpConflicted, derivation: Derivation) -> None:
    row = _settled(derivation, event.intent)
    outcome = {"status": "conflict", "found": event.found}
    derivation.put(OUTCOMES, intent_key(event.intent), outcome)
    _tell(derivation, row, Stroke("failed", code="CONFLICT"))


def _refused(event: FileOpRefused, derivation: Derivation) -> None:
    _tell(derivation, _placed(event, derivation), Stroke("failed", code=event.code))


def _found(event: FileFound, derivation: Derivation) -> None:
    row = _placed(event, derivation) | {"action": "create", "added": 0, "removed": 0}
    after = event.content.model_dump(mode="json")
    _revise(derivation, row, event.path, after, source="found")


def _external(event: ExternalChangeSeen, derivation: Derivation) -> None:
    row = _placed(event, derivation) | {"action": _external_action(event)}
    after = event.after.model_dump(mode="json") if event.after else None
    _revise(derivation, row, event.path, after, source="external")
    _tell(derivation, row, Stroke("external", added=event.added, removed=event.removed))


def _reported(event: FileReported, derivation: Derivation) -> None:
    row = _placed(event, derivation)
    after = event.after.model_dump(mode="json") if event.after else None
    _revise(derivation, row, event.path, after, source="reported")
    stroke = Stroke(event.action, added=event.added, removed=event.removed, is_reported=True)
    _tell(derivation, row, stroke)


def _restore_begun(event: RestoreBegun, derivation: Derivation) -> None:
    story.tell_restore(derivation, event)


def _placed(event: Event, derivation: Derivation) -> Row:
    """Give an event's fields with its place, as a pending operation has them."""
    entry = derivation.entry
    fields = {"to": None, "restore": None, "revision": None, "step": None}
    return fields | event.model_dump(mode="json") | {"seq": entry.seq, "session": entry.session}


def _external_action(event: ExternalChangeSeen) -> str:
    if event.after is None:
        return "delete"
    return "create" if event.before is None else "edit"


def _settled(derivation: Derivation, intent: int) -> Row:
    """Take an operation off the pending ones."""
    key = intent_key(intent)
    row = derivation.get(PENDING, key)
    assert row is not None, f"s:{intent} was settled but never announced"
    derivation.delete(PENDING, key)
    if row["to"] is not None:
        derivation.delete(PENDING, key + MOVE_TARGET)
    return row


def _revise(
    derivation: Derivation,
    row: Row,
    path: str,
    after: dict[str, Any] | None,
    *,
    source: str,
    other: str | None = None,
) -> None:
    """Put the next revision of a file."""
    file = file_id(row["workspace"], path)
    latest = derivation.get(FILES, file)
    number = latest["number"] + 1 if latest else 1
    place = {"file": file, "number": number, "seq": row["seq"], "done": derivation.entry.seq}
    # A moved file keeps its lines, so neither of its two paths gained or lost any.
    lines = {"added": 0 if other else row["added"], "removed": 0 if other else row["removed"]}
    revised = place | lines | {"action": row["action"], "source": source, "after": after}
    said = {name: row[name] for name in SAID if name in row}
    derivation.put(REVISIONS, revision_key(file, number), revised | _other(other) | said)
    here = {"workspace": row["workspace"], "path": path, "number": number, "seq": row["seq"]}
    derivation.put(FILES, file, here | {"after": after})
    if row["restore"]:
        derive_standing(derivation, file, number)


def _other(path: str | None) -> dict[str, str]:
    return {"other": path} if path else {}


def _tell(derivation: Derivation, row: Row, stroke: Stroke) -> None:
    """Tell what was done to a file in its session's story, if it was done in one."""
    session = row["session"]
    if session is None:
        return
    path = row["to"] if row["to"] and stroke.what == "move" else row["path"]
    for each in [row["path"], *([row["to"]] if row["to"] else [])]:
        _touch(derivation, session, row, each, stroke)
    story.tell_stroke(derivation, session, row, path, stroke)


def _touch(derivation: Derivation, session: str, row: Row, path: str, stroke: Stroke) -> None:
    if stroke.what == "failed":
        return
    file = file_id(row["workspace"], path)
    key = touched_key(session, file)
    before = derivation.get(TOUCHED, key)
    fresh = {"session": session, "file": file, "workspace": row["workspace"], "path": path}
    if before is None:
        before = fresh | {"first_seq": row["seq"]}
        story.count(derivation, session, {"files": 1})
    derivation.put(TOUCHED, key, before | {"seq": row["seq"]})


VIEW = View(
    "recorder",
    VERSION,
    TABLES,
    on={
        SessionTitled: _titled,
        PlanStepRecorded: _plan_step,
        StepBegun: _step_begun,
        Audited: _audited,
        FileOpIntended: _intended,
        FileOpDone: _done,
        FileOpAborted: _aborted,
        FileOpConflicted: _conflicted,
        FileOpRefused: _refused,
        FileFound: _found,
        ExternalChangeSeen: _external,
        FileReported: _reported,
        RestoreBegun: _restore_begun,
    },
    on_any=story.tell_elsewhere,
)
