"""Imports a host's session: its title, its messages, and its changes of files."""

from datetime import timedelta
from pathlib import PurePosixPath
from typing import Any

from hansard.foreign import limits
from hansard.foreign.import_run import ImportRun
from hansard.foreign.items import Edited, Happening, NotedItem, Said, Session, Skipped
from hansard.foreign.wording import as_body, as_description, as_label, as_summary, as_title
from hansard.kernel.clock import from_text, utc_now
from hansard.kernel.limits import FILE_BYTES_MAX
from hansard.kernel.problem import Problem
from hansard.recorder.workspace import paths
from hansard.sessions.directory import chosen_id, find_session

IMPORTED, USER = "imported", "user_message"
PARTS_MAX = 1_000


def take_session(importing: ImportRun, session: Session) -> None:
    """Take one session over, or say why not."""
    if reason := _foreign(importing, session):
        importing.report.skip(Skipped(session.id, reason))
        return
    first, rest = _opening(session)
    is_new = importing.is_new("sessions", session.key, _identity(session))
    if first:
        (importing.report.new if is_new else importing.report.known)["prompts"] += 1
    if is_new:
        _begin(importing, session, first)
    for one in rest:
        _take(importing, session, one)
    if not importing.is_dry and _is_over(session):
        _end(importing, session)


def _foreign(importing: ImportRun, session: Session) -> str | None:
    """Say why a session is not for this project, if it is not."""
    folder = importing.source.folder
    if session.folder and not PurePosixPath(session.folder).is_relative_to(folder):
        return f"it was in another folder than {folder}; --folder names the one that is meant"
    if not session.happenings:
        return "nothing happened in it"
    is_ours = importing.taken(session.key) is not None
    if not is_ours and find_session(
        importing.application.store, handle(session), importing.project
    ):
        return "it was recorded here as it happened"
    return None


def handle(session: Session, part: int = 1) -> str:
    """Name a session as it is named here; what Hansard alone can make is respelled."""
    name = chosen_id(session.id)
    return name if part == 1 else f"{name}.{part}"


def _opening(session: Session) -> tuple[Said | None, list[Happening]]:
    """Give what the user said first, if all begins with it, and everything else."""
    first = session.happenings[0]
    return (
        (first, session.happenings[1:]) if isinstance(first, Said) else (None, session.happenings)
    )


def _identity(session: Session) -> dict[str, Any]:
    """Give what of a session does not change as it grows."""
    return {"id": session.id, "began": session.began}


def _begin(importing: ImportRun, session: Session, first: Said | None) -> None:
    if importing.is_dry:
        return
    words = session.title or (first.text if first else f"{session.host} session {session.id[:8]}")
    title = f"Subagent: {words}" if session.parent else words
    told = {"title": as_title(title)}
    if first:
        told["user_message"] = as_body(first.text)
    where = handle(session)
    importing.write(
        "record_session_start",
        told,
        session.key,
        _identity(session),
        at=session.began,
        session=where,
    )
    note = {"type": IMPORTED, "description": as_description(_circumstances(session))}
    importing.write(
        "audit_event", note, f"{session.key}/@about", note, at=session.began, session=where
    )


def _circumstances(session: Session) -> str:
    """Say in a few words what session of which host this was."""
    times = " to ".join(one[:19] for one in (session.began, session.ended) if one)
    told = [f"{session.host} session {session.id}", *([times] if times else [])]
    told += [f"in {session.folder}"] if session.folder else []
    told += [f"subagent of {session.parent}"] if session.parent else []
    told += [f"{name} {value}" for name, value in session.circumstances.items()]
    return ", ".join(told)


def _take(importing: ImportRun, session: Session, one: Happening) -> None:
    match one:
        case Said():
            note = {"type": USER, "description": as_description(one.text)}
            _note(importing, session, "prompts", one, note)
        case NotedItem():
            note = {"type": as_label(one.type), "description": as_description(one.text)}
            _note(importing, session, "notes", one, note)
        case Edited():
            _edit(importing, session, one)


def _note(
    importing: ImportRun, session: Session, kind: str, one: Said | NotedItem, note: dict[str, Any]
) -> None:
    if note["description"] and importing.is_new(kind, one.key, note):
        _write(importing, session, "audit_event", note, one)


def _edit(importing: ImportRun, session: Session, one: Edited) -> None:
    place = f"{session.id}: {one.path}"
    try:
        path = _path(importing, session, one.path)
    except Problem as problem:
        importing.report.skip(Skipped(place, _why(problem)))
        return
    if any(len((side or "").encode()) > FILE_BYTES_MAX for side in (one.before, one.after)):
        importing.report.skip(Skipped(place, "the file is larger than those that are recorded"))
        return
    name, told = _reported(one, path)
    if importing.is_new("edits", one.key, told):
        _write(importing, session, name, told, one)


def _path(importing: ImportRun, session: Session, path: str) -> str:
    """Give a path from the workspace's root on, or refuse it before anything is written."""
    folder = str(importing.source.folder)
    if session.folder and not path.startswith("/"):
        path = f"{session.folder}/{path}"
    return "/".join(paths.parse(path, folder))


def _why(problem: Problem) -> str:
    reasons = {"PATH_OUTSIDE_WORKSPACE": "a file outside the folder was changed"}
    return reasons.get(problem.code, f"a path that none can have here ({problem.code})")


def _reported(one: Edited, path: str) -> tuple[str, dict[str, Any]]:
    told: dict[str, Any] = {"path": path}
    before = {} if one.before is None else {"old_content": one.before}
    if one.after is None:
        return "record_file_delete", told | before
    told["content"] = one.after
    return ("record_file_create", told) if one.is_new else ("record_file_edit", told | before)


def _write(
    importing: ImportRun, session: Session, name: str, told: dict[str, Any], one: Happening
) -> None:
    """Write under the session, or under its next part if it was ended here since."""
    if importing.is_dry:
        return
    try:
        importing.write(
            name, told, one.key, told, at=one.at, session=_open_part(importing, session)
        )
    except Problem as problem:
        importing.require_going(problem)
        importing.report.skip(Skipped(f"{session.id}: {name}", f"refused: {problem.code}"))


def _open_part(importing: ImportRun, session: Session) -> str:
    for part in range(1, PARTS_MAX):
        name = handle(session, part)
        row = find_session(importing.application.store, name, importing.project)
        if row is None:
            title = {"title": as_title(f"{session.title or session.host}, continued")}
            key = f"{session.key}/@part{part}"
            importing.write("record_session_start", title, key, title, session=name)
            return name
        if row["status"] != "closed":
            return name
    return handle(session)


def _is_over(session: Session) -> bool:
    ended = session.ended
    if session.is_over or ended is None:
        return True
    return utc_now() - from_text(ended) > timedelta(seconds=limits.QUIET_S)


def _end(importing: ImportRun, session: Session) -> None:
    """End what is still open of it."""
    summary = {"summary": as_summary(session.last_words)} if session.last_words else {}
    for part in range(1, PARTS_MAX):
        name = handle(session, part)
        row = find_session(importing.application.store, name, importing.project)
        if row is None:
            return
        if row["status"] != "closed":
            key, at = f"{session.key}/@end{part}", session.ended
            importing.write("record_session_end", summary, key, summary, at=at, session=name)
