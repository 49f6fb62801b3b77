"""Transcripts of GitHub Copilot CLI: a file of events a session."""

from collections.abc import Iterator
from pathlib import Path

from hansard.foreign import patching
from hansard.foreign.items import ForeignFormat, Item, Session, Skipped
from hansard.foreign.reading import Row, first_objects, inner, json_lines, moment, sources, text
from hansard.foreign.transcripts import COMPACTED, SUBAGENT, TranscriptSession

NAME = "copilot-cli"
SHELLS = ("bash", "powershell")


def fits(path: Path) -> bool:
    """Whether this is a file of events, or a folder of them."""
    return any(
        row.get("type") == "session.start" and "copilotVersion" in inner(row, "data")
        for one in sources(path, ".jsonl")[:20]
        for row in first_objects(one, 1)
    )


def read(path: Path) -> Iterator[Item]:
    """Read a session, or all that lie in a folder."""
    for one in sources(path, ".jsonl"):
        yield from _session(one)


def _session(path: Path) -> Iterator[Item]:
    transcript: TranscriptSession | None = None
    calls: dict[str, Row] = {}
    for number, row in json_lines(path):
        if isinstance(row, Skipped):
            yield row
            continue
        data = inner(row, "data")
        if row.get("type") == "session.start" and (identifier := text(data, "sessionId")):
            transcript = transcript or _begin(row, identifier)
        elif transcript is not None:
            _event(transcript, text(row, "id") or f"l{number}", row, calls)
    if transcript is None:
        yield Skipped(path.name, "nothing in it is of a session")
    else:
        yield transcript.session


def _begin(row: Row, identifier: str) -> TranscriptSession:
    data = inner(row, "data")
    session = Session(identifier, f"{NAME}:{identifier}", "Copilot CLI")
    session.folder = text(inner(data, "context"), "cwd")
    session.began = moment(data.get("startTime")) or moment(row.get("timestamp"))
    told = {
        "version": text(data, "copilotVersion"),
        "branch": text(inner(data, "context"), "branch"),
        "model": text(data, "selectedModel"),
    }
    session.circumstances = {name: found for name, found in told.items() if found}
    return TranscriptSession(session)


def _event(transcript: TranscriptSession, key: str, row: Row, calls: dict[str, Row]) -> None:
    at, data = moment(row.get("timestamp")), inner(row, "data")
    match row.get("type"):
        case "user.message":
            transcript.say(key, text(data, "content") or "", at)
        case "assistant.message":
            transcript.session.last_words = text(data, "content") or transcript.session.last_words
        case "tool.execution_start":
            calls[str(data.get("toolCallId"))] = data
        case "tool.execution_complete" if data.get("success") is True:
            call = calls.get(str(data.get("toolCallId")), {})
            _did(transcript, key, call, data, at)
        case "subagent.started" | "subagent.start":
            what = text(data, "agentDisplayName", "agentName", "name")
            transcript.note(key, SUBAGENT, what or "a subagent", at)
        case "session.compaction_complete":
            transcript.note(key, COMPACTED, "The host shortened its context", at)
        case "session.title_changed":
            transcript.session.title = text(data, "title") or transcript.session.title
        case "session.shutdown":
            transcript.session.is_over = True


def _did(transcript: TranscriptSession, key: str, call: Row, data: Row, at: str | None) -> None:
    asked, name = inner(call, "arguments"), call.get("toolName")
    path, written = text(asked, "path"), asked.get("file_text")
    if name in SHELLS:
        transcript.shell(key, text(asked, "command") or "", at)
    elif name == "create" and path and isinstance(written, str):
        transcript.create(key, path, written, at)
    elif name == "edit" and path:
        _edit(transcript, key, path, asked, inner(data, "result"), at=at)
    elif name == "view" and path and "view_range" not in asked:
        _learn(transcript, path, data)


def _edit(
    transcript: TranscriptSession, key: str, path: str, asked: Row, result: Row, *, at: str | None
) -> None:
    old, new = asked.get("old_str"), asked.get("new_str")
    hunks = patching.from_diff(text(result, "detailedContent") or "")
    known = transcript.files.get(path)
    if known is not None and patching.patched(known, hunks) is not None:
        transcript.patch(key, path, hunks, at)
    elif isinstance(old, str) and isinstance(new, str):
        transcript.replace(key, path, old, new, at)
    else:
        transcript.patch(key, path, hunks, at)


def _learn(transcript: TranscriptSession, path: str, data: Row) -> None:
    """Note the content of a file that was shown in full: as long as the host says that it was."""
    content = inner(data, "result").get("content")
    measured = inner(data, "toolTelemetry", "metrics")
    lengths = {measured.get("resultLength"), measured.get("resultForLlmLength")}
    if isinstance(content, str) and lengths == {len(content)}:
        transcript.files[path] = content


FORMAT = ForeignFormat(
    NAME,
    "transcripts of GitHub Copilot CLI",
    "~/.copilot/session-state/SESSION/events.jsonl",
    fits,
    read,
)
