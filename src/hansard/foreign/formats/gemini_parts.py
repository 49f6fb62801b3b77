"""What the transcripts of Gemini CLI and of Qwen Code have in common: parts, and shown results."""

from hansard.foreign.reading import Row, inner, rows, text
from hansard.foreign.transcripts import TranscriptSession

SHELLS = ("run_shell_command",)


def words(content: object) -> str:
    """Give the text of parts, or a text that stands alone."""
    if isinstance(content, str):
        return content.replace("\0", "")
    said = [text(one, "text") for one in rows(content) if one.get("thought") is not True]
    return "\n".join(one for one in said if one)


def tell_call(
    transcript: TranscriptSession,
    key: str,
    name: object,
    asked: Row,
    shown: object,
    *,
    at: str | None,
) -> None:
    """Tell what a call of a tool did, from its arguments and what its user was shown of it."""
    result = shown if isinstance(shown, dict) else {}
    path = text(result, "filePath") or text(asked, "file_path")
    after = result.get("newContent")
    if name in SHELLS:
        transcript.shell(key, text(asked, "command") or "", at)
    elif path and isinstance(after, str):
        before = result.get("originalContent")
        if not before and _is_made(result):
            transcript.create(key, path, after, at)
        else:
            transcript.write(key, path, after, before if isinstance(before, str) else None, at)


def _is_made(result: Row) -> bool:
    """Whether a file was new: one that was there and empty has no other sign than its patch."""
    if isinstance(result.get("isNewFile"), bool):
        return bool(result["isNewFile"])
    return "\tOriginal" in str(result.get("fileDiff", "")) or "@@ -0,0" in str(
        result.get("fileDiff", "")
    )


def args_of(call: Row) -> Row:
    """Give the arguments of a call."""
    return inner(call, "args")
