"""Transcripts of Gemini CLI: JSON Lines in which a message may come again with more; older JSON."""

import hashlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from hansard.foreign.formats.gemini_parts import args_of, tell_call, words
from hansard.foreign.items import Edited, ForeignFormat, Item, Session, Skipped
from hansard.foreign.reading import (
    Row,
    beginning,
    first_objects,
    json_document,
    json_lines,
    moment,
    rows,
    sources,
    text,
)
from hansard.foreign.transcripts import TranscriptSession
from hansard.kernel.problem import InvalidInput

NAME = "gemini-cli"


def fits(path: Path) -> bool:
    """Whether this is a transcript, or a folder of them."""
    for one in sources(path, ".jsonl", ".json")[:20]:
        if any("sessionId" in row and "projectHash" in row for row in first_objects(one, 1)):
            return True
        start = beginning(one)
        if one.suffix == ".json" and b'"projectHash"' in start and b'"sessionId"' in start:
            return True
    return False


def read(path: Path) -> Iterator[Item]:
    """Read a transcript, or all that lie in a folder."""
    for one in sources(path, ".jsonl", ".json"):
        yield from _session(one)


def _session(path: Path) -> Iterator[Item]:
    head: Row = {}
    messages: dict[str, Row] = {}
    for row in _rows(path):
        if isinstance(row, Skipped):
            yield row
        elif "sessionId" in row:
            head = head or row
        elif identifier := text(row, "id"):
            # A message comes again when its tools have answered; it stays where it first stood.
            messages[identifier] = row
    identifier = text(head, "sessionId")
    if identifier is None:
        yield Skipped(path.name, "nothing in it is of a session")
        return
    session = Session(identifier, f"{NAME}:{identifier}", "Gemini CLI")
    session.began = moment(head.get("startTime"))
    transcript = TranscriptSession(session)
    for key, message in messages.items():
        _message(transcript, key, message)
    session.title = text(head, "summary")
    session.folder = _folder(text(head, "projectHash") or "", session)
    yield session


def _rows(path: Path) -> Iterator[Row | Skipped]:
    if path.suffix != ".json":
        yield from (row for _, row in json_lines(path))
        return
    try:
        document: Any = json_document(path)
    except InvalidInput as problem:
        yield Skipped(path.name, problem.message)
        return
    if isinstance(document, dict):
        yield document
        yield from rows(document.get("messages"))


def _message(transcript: TranscriptSession, key: str, message: Row) -> None:
    at = moment(message.get("timestamp"))
    said = words(message.get("content"))
    if message.get("type") == "user":
        transcript.say(key, said, at)
        return
    for number, call in enumerate(rows(message.get("toolCalls"))):
        if call.get("status") == "success":
            when = moment(call.get("timestamp")) or at
            called = text(call, "id") or f"{key}:{number}"
            tell_call(
                transcript,
                called,
                call.get("name"),
                args_of(call),
                call.get("resultDisplay"),
                at=when,
            )
    if message.get("type") == "gemini" and said.strip():
        transcript.session.last_words = said


def _folder(project_hash: str, session: Session) -> str | None:
    """Find the folder whose digest the transcript names among those that its files lie in."""
    paths = [one.path for one in session.happenings if isinstance(one, Edited)]
    above = (folder for path in paths for folder in PurePosixPath(path).parents)
    for folder in dict.fromkeys(map(str, above)):
        if hashlib.sha256(folder.encode()).hexdigest() == project_hash:
            return folder
    return None


FORMAT = ForeignFormat(
    NAME, "transcripts of Gemini CLI", "~/.gemini/tmp/PROJECT/chats/session-….jsonl", fits, read
)
