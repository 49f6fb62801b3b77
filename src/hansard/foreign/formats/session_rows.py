"""How a session begins in the transcripts of Claude Code and of Qwen Code."""

from hansard.foreign.items import Session
from hansard.foreign.reading import Row, moment, text
from hansard.foreign.transcripts import TranscriptSession

ABOUT = ("version", "gitBranch")


def begin_session(format_name: str, host: str, identifier: str, row: Row) -> TranscriptSession:
    """Begin a session with what its first row says of it."""
    session = Session(identifier, f"{format_name}:{identifier}", host)
    session.folder = text(row, "cwd")
    session.began = moment(row.get("timestamp"))
    session.circumstances = {name: found for name in ABOUT if (found := text(row, name))}
    return TranscriptSession(session)
