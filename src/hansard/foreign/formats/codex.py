"""Transcripts of Codex: one rollout file of JSON Lines a session."""

import re
from collections.abc import Iterator
from pathlib import Path

from hansard.foreign import patching
from hansard.foreign.items import ForeignFormat, Item, Said, Session, Skipped
from hansard.foreign.reading import (
    Row,
    first_objects,
    inner,
    json_lines,
    moment,
    rows,
    sources,
    text,
)
from hansard.foreign.transcripts import COMPACTED, SUBAGENT, TranscriptSession

NAME = "codex"
KINDS = ("session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state")
OURS_BEGIN = ("<environment_context>", "<user_instructions>", "# AGENTS.md", "<permissions")
"""What the host says in the user's name."""

FROM_MODEL = "item:"
"""Begins the keys of prompts as the model got them, which count only where no others are told."""

_IN_NAME = re.compile(r"rollout-[0-9T:-]+-([0-9a-f]{8}-[0-9a-f-]{27})$")


def fits(path: Path) -> bool:
    """Whether this is a rollout, or a folder of them."""
    return any(
        row.get("type") in KINDS and isinstance(row.get("payload"), dict)
        for one in sources(path, ".jsonl")[:20]
        for row in first_objects(one)
    )


def read(path: Path) -> Iterator[Item]:
    """Read a rollout, or all that lie in a folder."""
    for one in sources(path, ".jsonl"):
        yield from _session(one)


def _session(path: Path) -> Iterator[Item]:
    named = _IN_NAME.search(path.stem)
    session = Session(named[1] if named else "", "", "Codex")
    lines: list[tuple[str, Row, str | None]] = []
    for number, row in json_lines(path):
        if isinstance(row, Skipped):
            yield row
            continue
        at = moment(row.get("timestamp"))
        session.began = session.began or at
        _about(session, row)
        ordinal = row.get("ordinal")
        lines.append((str(ordinal if isinstance(ordinal, int) else f"l{number}"), row, at))
    if not session.id:
        yield Skipped(path.name, "nothing in it is of a session")
        return
    session.key = f"{NAME}:{session.id}"
    transcript = TranscriptSession(session)
    for key, row, at in lines:
        _line(transcript, key, row, at)
    _one_voice(session)
    yield session


def _about(session: Session, row: Row) -> None:
    payload = inner(row, "payload")
    if row.get("type") == "session_meta":
        session.id = text(payload, "id") or session.id
        if version := text(payload, "cli_version"):
            session.circumstances["version"] = version
        if branch := text(inner(payload, "git"), "branch"):
            session.circumstances["branch"] = branch
        spawned = inner(payload, "source", "subagent", "thread_spawn")
        session.parent = text(spawned, "parent_thread_id")
    session.id = session.id or text(payload, "thread_id") or ""
    session.folder = session.folder or text(payload, "cwd")
    if row.get("type") == "turn_context" and (model := text(payload, "model")):
        session.circumstances["model"] = model


def _line(transcript: TranscriptSession, key: str, row: Row, at: str | None) -> None:
    payload = inner(row, "payload")
    match row.get("type"), payload.get("type"):
        case "compacted", _:
            transcript.note(key, COMPACTED, "The host shortened its context", at)
        case "response_item", "message" if payload.get("role") == "user":
            words = _words(payload.get("content"))
            if not words.startswith(OURS_BEGIN):
                transcript.say(f"{FROM_MODEL}{key}", words, at)
        case "event_msg", "user_message":
            transcript.say(key, text(payload, "message") or "", at)
        case "event_msg", "agent_message":
            transcript.session.last_words = (
                text(payload, "message") or transcript.session.last_words
            )
        case "event_msg", "patch_apply_end" if payload.get("success") is True:
            _changes(transcript, key, inner(payload, "changes"), at)
        case "event_msg", "exec_command_end":
            _command(transcript, key, payload, at)
        case "event_msg", "item_completed":
            _completed(transcript, key, inner(payload, "item"), at)


def _completed(transcript: TranscriptSession, key: str, item: Row, at: str | None) -> None:
    match item.get("type"):
        case "UserMessage":
            transcript.say(key, _words(item.get("content")), at)
        case "AgentMessage":
            transcript.session.last_words = (
                _words(item.get("content")) or transcript.session.last_words
            )
        case "FileChange" if item.get("status") in (None, "completed"):
            _changes(transcript, key, inner(item, "changes"), at)
        case "CommandExecution":
            _command(transcript, key, item, at)
        case "CollabAgentToolCall" | "SubAgentActivity":
            transcript.note(key, SUBAGENT, text(item, "prompt", "tool", "kind") or "a subagent", at)


def _changes(transcript: TranscriptSession, key: str, changes: Row, at: str | None) -> None:
    for number, path in enumerate(sorted(changes)):
        change, one = inner(changes, path), f"{key}:{number}"
        content = change.get("content")
        match change.get("type"):
            case "add" if isinstance(content, str):
                transcript.create(one, path, content, at)
            case "delete":
                transcript.delete(one, path, content if isinstance(content, str) else None, at)
            case "update":
                transcript.patch(
                    one, path, patching.from_diff(text(change, "unified_diff") or ""), at
                )
                if moved := text(change, "move_path"):
                    _moved(transcript, one, path, moved, at)


def _moved(transcript: TranscriptSession, key: str, path: str, moved: str, at: str | None) -> None:
    content = transcript.files.get(path)
    if content is None:
        transcript.note(f"{key}:moved", "file_move", f"{path} was moved to {moved}", at)
        return
    transcript.delete(f"{key}:from", path, content, at)
    transcript.create(f"{key}:to", moved, content, at)


def _command(transcript: TranscriptSession, key: str, item: Row, at: str | None) -> None:
    command = item.get("command")
    parts = [one for one in command if isinstance(one, str)] if isinstance(command, list) else []
    words = parts[-1] if parts else text(item, "command")
    transcript.shell(key, words or "", at)


def _words(content: object) -> str:
    said = [text(one, "text") for one in rows(content)]
    return "\n".join(one for one in said if one)


def _one_voice(session: Session) -> None:
    """Leave out the prompts as the model got them where the host also tells them as they were."""
    said = [one for one in session.happenings if isinstance(one, Said)]
    as_got = {one.key for one in said if f"/{FROM_MODEL}" in one.key}
    if len(as_got) < len(said):
        session.happenings = [one for one in session.happenings if one.key not in as_got]


FORMAT = ForeignFormat(
    NAME, "transcripts of Codex", "~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl", fits, read
)
