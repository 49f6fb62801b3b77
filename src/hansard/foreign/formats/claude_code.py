"""Transcripts of Claude Code: one file of JSON Lines a session, and one a subagent below it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hansard.foreign import patching
from hansard.foreign.formats.session_rows import begin_session
from hansard.foreign.items import ForeignFormat, Item, Skipped
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

NAME = "claude-code"
SUBAGENTS = "subagents"
"""The folder beside a session's file that holds those of its subagents."""

TITLES = {"summary": "summary", "custom-title": "customTitle", "ai-title": "aiTitle"}
SPAWNING = ("Task", "Agent")
OURS_BEGIN = ("<command-", "<local-command", "Caveat: ", "<system-reminder>", "<bash-")
"""What the host says in the user's name."""


def fits(path: Path) -> bool:
    """Whether this is a transcript, or a folder of them."""
    for one in sources(path, ".jsonl")[:20]:
        for row in first_objects(one):
            if "sessionId" in row and ("parentUuid" in row or "leafUuid" in row):
                return "message" not in row or "parts" not in inner(row, "message")
            if row.get("type") in ("summary", "file-history-snapshot") and "uuid" not in row:
                return True
    return False


def read(path: Path) -> Iterator[Item]:
    """Read a transcript, or all that lie in a folder."""
    for one in sources(path, ".jsonl"):
        yield from _session(one)


def _session(path: Path) -> Iterator[Item]:
    is_subagent = path.parent.name == SUBAGENTS
    identifier = path.stem
    transcript: TranscriptSession | None = None
    titles: list[str] = []
    calls: dict[str, Row] = {}
    seen: set[str] = set()
    for _, row in json_lines(path):
        if isinstance(row, Skipped):
            yield row
            continue
        if title := text(row, TITLES.get(str(row.get("type")), "")):
            titles.append(title)
        named = text(row, "sessionId")
        uuid = text(row, "uuid")
        if named is None or uuid is None or uuid in seen:
            continue
        seen.add(uuid)
        if transcript is None:
            begun = f"{named}~{identifier}" if is_subagent else named
            transcript = begin_session(NAME, "Claude Code", begun, row)
            transcript.session.parent = named if is_subagent else None
        _line(transcript, row, uuid, calls)
    if transcript is None:
        yield Skipped(path.name, "nothing in it is of a session")
        return
    transcript.session.title = titles[-1] if titles else None
    yield transcript.session


def _line(transcript: TranscriptSession, row: Row, uuid: str, calls: dict[str, Row]) -> None:
    at = moment(row.get("timestamp"))
    content = inner(row, "message").get("content")
    match row.get("type"):
        case "assistant":
            for block in rows(content):
                if block.get("type") == "tool_use" and isinstance(block.get("id"), str):
                    calls[block["id"]] = block
                elif said := text(block, "text"):
                    transcript.session.last_words = said
        case "user" if row.get("isMeta") is True:
            return
        case "user" if row.get("isCompactSummary") is True:
            transcript.note(
                uuid, COMPACTED, "The host went on from a summary of what came before", at
            )
        case "user":
            answers = [one for one in rows(content) if one.get("type") == "tool_result"]
            if answers:
                _answered(transcript, row, answers[0], calls, at)
            else:
                _said(transcript, uuid, content, at)
        case "system" if row.get("subtype") == "compact_boundary":
            transcript.note(uuid, COMPACTED, "The host shortened its context", at)


def _said(transcript: TranscriptSession, uuid: str, content: object, at: str | None) -> None:
    parts = [content] if isinstance(content, str) else [text(one, "text") for one in rows(content)]
    words = "\n".join(part for part in parts if part).replace("\0", "")
    if not words.startswith(OURS_BEGIN):
        transcript.say(uuid, words, at)


def _answered(
    transcript: TranscriptSession, row: Row, answer: Row, calls: dict[str, Row], at: str | None
) -> None:
    """Tell what a tool did, from what was asked of it and what it says."""
    call = calls.get(str(answer.get("tool_use_id")), {})
    result = inner(row, "toolUseResult")
    asked, uuid = inner(call, "input"), str(row["uuid"])
    if answer.get("is_error") is True:
        return
    if call.get("name") in SPAWNING:
        what = text(asked, "description", "prompt") or "a subagent"
        transcript.note(uuid, SUBAGENT, what, at)
    elif command := text(asked, "command"):
        changed = inner(result, "bashEditDiff")
        transcript.shell(
            uuid, command, at, tells_files=bool(changed) and not changed.get("moreFiles")
        )
        _by_shell(transcript, uuid, changed, at)
    elif (path := text(result, "filePath")) and "structuredPatch" in result:
        _edit(transcript, uuid, path, result, at)
    elif read := text(inner(result, "file"), "filePath"):
        _learn(transcript, read, inner(result, "file"))


def _edit(transcript: TranscriptSession, uuid: str, path: str, result: Row, at: str | None) -> None:
    before, written = result.get("originalFile"), result.get("content")
    hunks = patching.from_lines(result.get("structuredPatch"))
    if result.get("type") == "create" and isinstance(written, str):
        transcript.create(uuid, path, written, at)
    elif isinstance(written, str):
        transcript.write(uuid, path, written, before if isinstance(before, str) else None, at)
    elif isinstance(before, str):
        after = patching.patched(before, hunks)
        after = _replaced(before, result) if after is None else after
        if after is None:
            transcript.patch(uuid, path, hunks, at)
        else:
            transcript.write(uuid, path, after, before, at)
    else:
        transcript.patch(uuid, path, hunks, at)


def _replaced(before: str, result: Row) -> str | None:
    old, new = result.get("oldString"), result.get("newString")
    if not isinstance(old, str) or not isinstance(new, str) or old not in before:
        return None
    return before.replace(old, new, -1 if result.get("replaceAll") is True else 1)


def _by_shell(transcript: TranscriptSession, uuid: str, changed: Row, at: str | None) -> None:
    for number, one in enumerate(rows(changed.get("files"))):
        path, key = text(one, "filePath"), f"{uuid}:{number}"
        hunks = patching.from_lines(one.get("hunks"))
        if path is None:
            continue
        made = patching.made_by(hunks) if one.get("created") is True else None
        if made is not None:
            transcript.create(key, path, made, at)
        elif one.get("deleted") is True:
            transcript.delete(key, path, patching.unmade_by(hunks), at)
        else:
            transcript.patch(key, path, hunks, at)


def _learn(transcript: TranscriptSession, path: str, file: dict[str, Any]) -> None:
    """Note the content of a file that was read from its first line to its last."""
    content = file.get("content")
    is_whole = file.get("startLine") == 1 and file.get("numLines") == file.get("totalLines")
    if isinstance(content, str) and is_whole:
        transcript.files[path] = content


FORMAT = ForeignFormat(
    NAME, "transcripts of Claude Code", "~/.claude/projects/SLUG/SESSION.jsonl", fits, read
)
