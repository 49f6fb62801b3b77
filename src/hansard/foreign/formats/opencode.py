"""Sessions of OpenCode, in its database: sessions, their messages, and the parts of these."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from hansard.engines.sqlite.foreign_database import ForeignDatabase, has_tables, looking_at
from hansard.foreign import patching
from hansard.foreign.items import ForeignFormat, Item, Session, Skipped
from hansard.foreign.reading import Row, files_below, inner, moment, text
from hansard.foreign.transcripts import COMPACTED, SUBAGENT, TranscriptSession

NAME = "opencode"
TABLES = ("session", "message", "part")
SESSION = ("id", "parent_id", "directory", "title", "version", "time_created", "time_archived")


def fits(path: Path) -> bool:
    """Whether this is OpenCode's database, or the folder that it lies in."""
    return any(has_tables(one, *TABLES) for one in _files(path))


def read(path: Path) -> Iterator[Item]:
    """Read every session of a database."""
    for one in _files(path):
        if has_tables(one, *TABLES):
            with looking_at(one) as database:
                yield from _sessions(database)


def _files(path: Path) -> list[Path]:
    return files_below(path, ".db") if path.is_dir() else [path]


def _sessions(database: ForeignDatabase) -> Iterator[Item]:
    roles: dict[str, str] = {}
    tellings: dict[str, TranscriptSession] = {}
    for row in database.rows("session", SESSION, ("time_created", "id")):
        if transcript := _begin(row):
            tellings[transcript.session.id] = transcript
    for row in database.rows("message", ("id", "data"), ("time_created", "id")):
        roles[str(row["id"])] = str(_data(row).get("role"))
    wanted = ("id", "message_id", "session_id", "time_created", "data")
    for row in database.rows("part", wanted, ("time_created", "id")):
        part, transcript = _data(row), tellings.get(str(row["session_id"]))
        if not part:
            yield Skipped(f"part {row['id']}", "a part is not JSON")
        elif transcript:
            _part(transcript, str(row["id"]), part, roles.get(str(row["message_id"])), row)
    for transcript in tellings.values():
        yield transcript.session


def _begin(row: Row) -> TranscriptSession | None:
    identifier = text(row, "id")
    if identifier is None:
        return None
    session = Session(identifier, f"{NAME}:{identifier}", "OpenCode")
    session.folder, session.parent = text(row, "directory"), text(row, "parent_id")
    session.title, session.began = text(row, "title"), moment(row["time_created"])
    if version := text(row, "version"):
        session.circumstances["version"] = version
    session.is_over = bool(row["time_archived"])
    return TranscriptSession(session)


def _data(row: Row) -> Row:
    try:
        found: Any = orjson.loads(row["data"])
    except (orjson.JSONDecodeError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


def _part(transcript: TranscriptSession, key: str, part: Row, role: str | None, row: Row) -> None:
    at = moment(row["time_created"])
    match part.get("type"):
        case "text" if role == "user" and part.get("synthetic") is not True:
            transcript.say(key, text(part, "text") or "", at)
        case "text" if role == "assistant":
            transcript.session.last_words = text(part, "text") or transcript.session.last_words
        case "compaction":
            transcript.note(key, COMPACTED, "The host shortened its context", at)
        case "tool" if inner(part, "state").get("status") == "completed":
            _tool(transcript, key, part, at)


def _tool(transcript: TranscriptSession, key: str, part: Row, at: str | None) -> None:
    asked, told = inner(part, "state", "input"), inner(part, "state", "metadata")
    path, written = text(asked, "filePath"), asked.get("content")
    match part.get("tool"):
        case "bash":
            transcript.shell(key, text(asked, "command") or "", at)
        case "task":
            transcript.note(key, SUBAGENT, text(asked, "description", "prompt") or "a subagent", at)
        case "read" if path:
            _learn(transcript, path, inner(told, "display"))
        case "write" if path and isinstance(written, str):
            if told.get("exists") is False:
                transcript.create(key, path, written, at)
            else:
                transcript.write(key, path, written, None, at)
        case "edit" if path:
            _edit(transcript, key, path, inner(told, "filediff"), asked, at=at)


def _edit(
    transcript: TranscriptSession, key: str, path: str, change: Row, asked: Row, *, at: str | None
) -> None:
    before, after = change.get("before"), change.get("after")
    hunks = patching.from_diff(text(change, "patch", "diff") or "")
    if isinstance(before, str) and isinstance(after, str):
        transcript.write(key, path, after, before, at)
        return
    _end_last_line(transcript, path, hunks)
    if not hunks:
        old, new = str(asked.get("oldString") or ""), str(asked.get("newString") or "")
        transcript.replace(key, path, old, new, at)
    else:
        transcript.patch(key, path, hunks, at)


def _learn(transcript: TranscriptSession, path: str, shown: Row) -> None:
    """Note the content of a file that was read in full, but not whether its last line ends."""
    content = shown.get("text")
    is_whole = shown.get("lineStart") == 1 and shown.get("lineEnd") == shown.get("totalLines")
    transcript.files.pop(path, None)
    if isinstance(content, str) and is_whole and shown.get("truncated") is False:
        transcript.unended[path] = content


def _end_last_line(
    transcript: TranscriptSession, path: str, hunks: list[patching.PatchHunk]
) -> None:
    """Note whether the last line ends, if a patch touches it: it would say that it does not."""
    content = transcript.unended.pop(path, None)
    if content is None or not hunks or path in transcript.files:
        return
    if hunks[-1].start + len(hunks[-1].old) == len(content.split("\n")):
        transcript.files[path] = f"{content}\n"


FORMAT = ForeignFormat(
    NAME, "sessions of OpenCode", "~/.local/share/opencode/opencode.db", fits, read
)
