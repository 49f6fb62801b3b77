"""Derives files, revisions, sittings and the story from recorded events."""

from hansard.kernel.effect import intent_key
from hansard.kernel.engine import Range, Row, Where
from hansard.kernel.event import Event
from hansard.kernel.view import Derivation, View
from hansard.recorder.events import (
    Audited,
    ExternalChangeSeen,
    FileFound,
    FileOpAborted,
    FileOpConflicted,
    FileOpDone,
    FileOpDoneLate,
    FileOpIntended,
    FileOpRefused,
    FileRef,
    FileReported,
    PlanStepRecorded,
    RestoreBegun,
    SessionTitled,
    StepBegun,
    StepEnded,
    WorkspaceSeen,
)
from hansard.recorder.history.copies import derive_copy
from hansard.recorder.history.revisions import PathChange, Told, revise
from hansard.recorder.history.standing import derive_standing
from hansard.recorder.story import beats, chapters
from hansard.recorder.story.beats import FileAct
from hansard.recorder.story.reverted_work import tell_taken_back
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
    touched_key,
)

SAID = ("undoes", "back_to", "restore", "before_unknown", "modified", "regions")
"""What a revision says besides, where its event does."""

MOVE_TARGET = "-to"
"""Ends the key of a pending move's second row, under the file that it goes to."""


def _titled(event: SessionTitled, derivation: Derivation) -> None:
    told = {"title": event.title, "user_message": event.user_message}
    chapters.update_sitting(derivation, _session(derivation), told)


def _plan_step(event: PlanStepRecorded, derivation: Derivation) -> None:
    chapters.open_chapter(derivation, _session(derivation), event)


def _step_begun(event: StepBegun, derivation: Derivation) -> None:
    chapters.begin_chapter(derivation, _session(derivation), event.revision, event.index)


def _step_ended(event: StepEnded, derivation: Derivation) -> None:
    session = _session(derivation)
    chapters.end_chapter(derivation, session, event.revision, event.index, event.status)


def _audited(event: Audited, derivation: Derivation) -> None:
    beats.tell_note(derivation, event)


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
    _accomplish(derivation, row, event.mode)


def _done_late(event: FileOpDoneLate, derivation: Derivation) -> None:
    """Put right what was judged too early, unless the change was meanwhile seen as another's."""
    key = intent_key(event.intent)
    judged = derivation.get(OUTCOMES, key)
    assert judged is not None, f"s:{event.intent} was done late and never judged"
    derivation.delete(OUTCOMES, key)
    row = judged["intended"]
    paths = [path for path in (row["path"], row["to"]) if path is not None]
    files = (derivation.get(FILES, file_id(row["workspace"], path)) for path in paths)
    if all(file is None or file["seq"] < event.intent for file in files):
        _accomplish(derivation, row, event.mode)


def _accomplish(derivation: Derivation, row: Row, mode: int | None) -> None:
    """Make a revision of a change that was announced and made."""
    lets_go = row["to"] is None and row["before"] and row["before"] != row["after"]
    act = FileAct(
        row["action"],
        added=row["added"],
        removed=row["removed"],
        is_irreversible=bool(lets_go) and not FileRef.model_validate(row["before"]).is_kept,
    )
    row |= {"after": row["after"] | {"mode": mode} if row["after"] else None}
    row |= {"source": "restored" if row["restore"] else "executed"}
    _note_folders(derivation, row)
    _revise(derivation, row, _tell(derivation, row, act))


def _note_folders(derivation: Derivation, row: Row) -> None:
    """Remember the folders that were made for a file."""
    *above, _ = (row["to"] or row["path"]).split("/")
    for level in range(row.get("makes", 0)):
        folder = "/".join(above[: len(above) - level])
        derivation.put(FOLDERS, file_id(row["workspace"], folder), {"path": folder})


def _aborted(event: FileOpAborted, derivation: Derivation) -> None:
    row = _settled(derivation, event.intent)
    outcome = {"status": "aborted", "code": event.code, "intended": row}
    derivation.put(OUTCOMES, intent_key(event.intent), outcome)
    _tell(derivation, row, FileAct(None, code=event.code))


def _conflicted(event: FileOpConflicted, derivation: Derivation) -> None:
    row = _settled(derivation, event.intent)
    outcome = {"status": "conflict", "found": event.found, "intended": row}
    derivation.put(OUTCOMES, intent_key(event.intent), outcome)
    _tell(derivation, row, FileAct(None, code="CONFLICT"))


def _refused(event: FileOpRefused, derivation: Derivation) -> None:
    _tell(derivation, _placed(event, derivation), FileAct(None, code=event.code))


def _found(event: FileFound, derivation: Derivation) -> None:
    row = _placed(event, derivation) | {"action": "create", "source": "found"}
    row |= {"after": row["content"], "added": 0, "removed": 0}
    _revise(derivation, row, None)


def _external(event: ExternalChangeSeen, derivation: Derivation) -> None:
    row = _placed(event, derivation) | {"action": event.action, "source": "external"}
    if event.moved_to is not None:
        # Told where it came to.
        revise(derivation, _change(row, event.path, None, went_to=event.moved_to))
        return
    act = FileAct(event.action, event.added, event.removed, is_external=True)
    came_from = event.moved_from
    if came_from is not None:
        row |= {"path": came_from, "to": event.path}
        act = FileAct(event.action, is_external=True)
    row |= {"added": act.added, "removed": act.removed}
    told = _tell(derivation, row, act)
    revise(derivation, _change(row, event.path, told, came_from=came_from))


def _reported(event: FileReported, derivation: Derivation) -> None:
    row = _placed(event, derivation) | {"source": "reported"}
    act = FileAct(event.action, added=event.added, removed=event.removed, is_reported=True)
    _revise(derivation, row, _tell(derivation, row, act))


def _restore_begun(event: RestoreBegun, derivation: Derivation) -> None:
    beats.tell_restore(derivation, event)


def _placed(event: Event, derivation: Derivation) -> Row:
    """Give an event's fields with its place, as a pending operation has them."""
    entry = derivation.entry
    fields = {"to": None, "restore": None, "revision": None, "step": None}
    return fields | event.model_dump(mode="json") | {"seq": entry.seq, "session": entry.session}


def _revise(derivation: Derivation, row: Row, told: Told) -> None:
    """Put what became of a file; of one that was moved, at both paths."""
    if row["to"] is None:
        return _put(derivation, row, _change(row, row["path"], told))
    gone = row | {"after": None, "added": 0, "removed": 0}
    came = row | {"added": 0, "removed": 0}
    _put(derivation, row, _change(gone, row["path"], None, went_to=row["to"]))
    return _put(derivation, row, _change(came, row["to"], told, came_from=row["path"]))


def _put(derivation: Derivation, row: Row, change: PathChange) -> None:
    """Put a revision; one that goes back also takes others back."""
    if row["restore"] and not row.get("undoes") and row.get("back_to") is None:
        change.said["back_to"] = _back_to(derivation, row, change)
    file, number = revise(derivation, change)
    if row["restore"]:
        turned = derive_standing(derivation, file, number)
        tell_taken_back(derivation, file, turned, row["restore"])


def _back_to(derivation: Derivation, row: Row, change: PathChange) -> int:
    """Find the revision that a restore went back to which does not say so: by its point."""
    assert row["session"] is not None, "a file was restored in no session"
    point = beats.restore_beat(derivation, row["session"], row["restore"])["point"]
    file = file_id(change.workspace, change.path)
    later: Where = {"file": file, "seq": Range(at_least=point + 1)}
    for found in derivation.scan(REVISIONS, later, limit=1):
        return int(found.row["number"]) - 1
    latest = derivation.get(FILES, file)
    return int(latest["number"]) if latest else 0


def _change(
    row: Row, path: str, told: Told, came_from: str | None = None, went_to: str | None = None
) -> PathChange:
    return PathChange(
        workspace=row["workspace"],
        path=path,
        seq=row["seq"],
        action=row["action"],
        source=row["source"],
        after=row["after"],
        added=row["added"],
        removed=row["removed"],
        came_from=came_from,
        went_to=went_to,
        told=told,
        said={name: row[name] for name in SAID if row.get(name) is not None},
    )


def _settled(derivation: Derivation, intent: int) -> Row:
    """Take an operation off the pending ones."""
    key = intent_key(intent)
    row = derivation.get(PENDING, key)
    assert row is not None, f"s:{intent} was settled but never announced"
    derivation.delete(PENDING, key)
    if row["to"] is not None:
        derivation.delete(PENDING, key + MOVE_TARGET)
    return row


def _tell(derivation: Derivation, row: Row, act: FileAct) -> Told:
    """Tell what was done to a file in its session's story, if it was done in one."""
    session = row["session"]
    if session is None:
        return None
    path = row["to"] if row["to"] and act.action == "move" else row["path"]
    if act.action is not None:
        _touch(derivation, session, row, row["path"], is_away=row["to"] is not None)
        if row["to"]:
            _touch(derivation, session, row, row["to"], is_same=True)
    return session, beats.tell_act(derivation, session, row, path, act)


def _touch(
    derivation: Derivation,
    session: str,
    row: Row,
    path: str,
    *,
    is_away: bool = False,
    is_same: bool = False,
) -> None:
    """Note a path that a session has changed; `is_same` says that its file is counted already."""
    file = file_id(row["workspace"], path)
    key = touched_key(session, file)
    before = derivation.get(TOUCHED, key)
    if before is None:
        before = {"session": session, "file": file, "workspace": row["workspace"], "path": path}
        before |= {"first_seq": row["seq"]}
        if not is_same:
            chapters.count(derivation, session, {"files": 1})
    derivation.put(TOUCHED, key, before | {"seq": row["seq"], "is_away": is_away})


def _session(derivation: Derivation) -> str:
    session = derivation.entry.session
    assert session is not None, f"{derivation.entry.kind} happened in no session"
    return session


VIEW = View(
    "recorder",
    VERSION,
    TABLES,
    on={
        SessionTitled: _titled,
        PlanStepRecorded: _plan_step,
        StepBegun: _step_begun,
        StepEnded: _step_ended,
        Audited: _audited,
        FileOpIntended: _intended,
        FileOpDone: _done,
        FileOpDoneLate: _done_late,
        FileOpAborted: _aborted,
        FileOpConflicted: _conflicted,
        FileOpRefused: _refused,
        FileFound: _found,
        ExternalChangeSeen: _external,
        FileReported: _reported,
        RestoreBegun: _restore_begun,
        WorkspaceSeen: derive_copy,
    },
    on_any=beats.tell_elsewhere,
    for_any=beats.may_tell_elsewhere,
)
