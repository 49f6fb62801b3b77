"""Transcripts of Qwen Code: JSON Lines, a tree like Claude Code's with the parts of Gemini."""

from collections.abc import Iterator
from pathlib import Path

from hansard.foreign.formats.gemini_parts import args_of, tell_call, words
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
from hansard.foreign.transcripts import COMPACTED, TranscriptSession

NAME = "qwen-code"


def fits(path: Path) -> bool:
    """Whether this is a transcript, or a folder of them."""
    return any(
        "sessionId" in row and isinstance(inner(row, "message").get("parts"), list)
        for one in sources(path, ".jsonl")[:20]
        for row in first_objects(one)
    )


def read(path: Path) -> Iterator[Item]:
    """Read a transcript, or all that lie in a folder."""
    for one in sources(path, ".jsonl"):
        yield from _session(one)


def _session(path: Path) -> Iterator[Item]:
    transcript: TranscriptSession | None = None
    calls: dict[str, Row] = {}
    seen: set[str] = set()
    for _, row in json_lines(path):
        if isinstance(row, Skipped):
            yield row
            continue
        named, uuid = text(row, "sessionId"), text(row, "uuid")
        if named is None or uuid is None or uuid in seen:
            continue
        seen.add(uuid)
        transcript = transcript or begin_session(NAME, "Qwen Code", named, row)
        _line(transcript, row, uuid, calls)
    if transcript is None:
        yield Skipped(path.name, "nothing in it is of a session")
    else:
        yield transcript.session


def _line(transcript: TranscriptSession, row: Row, uuid: str, calls: dict[str, Row]) -> None:
    at = moment(row.get("timestamp"))
    parts = inner(row, "message").get("parts")
    match row.get("type"):
        case "user":
            transcript.say(uuid, words(parts), at)
        case "assistant":
            for part in rows(parts):
                call = inner(part, "functionCall")
                if identifier := text(call, "id"):
                    calls[identifier] = call
            transcript.session.last_words = words(parts) or transcript.session.last_words
        case "tool_result":
            result = inner(row, "toolCallResult")
            call = calls.get(str(result.get("callId")), {})
            if result.get("status") == "success":
                shown = result.get("resultDisplay")
                tell_call(transcript, uuid, call.get("name"), args_of(call), shown, at=at)
        case "system" if row.get("subtype") == "chat_compression":
            transcript.note(uuid, COMPACTED, "The host shortened its context", at)


FORMAT = ForeignFormat(
    NAME, "transcripts of Qwen Code", "~/.qwen/projects/SLUG/chats/SESSION.jsonl", fits, read
)
