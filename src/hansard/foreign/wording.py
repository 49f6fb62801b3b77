"""Fits foreign texts into ours: one line, a limited length, never empty. Pure."""

from hansard.kernel.limits import (
    BODY_BYTES_MAX,
    DESCRIPTION_CHARS_MAX,
    LABEL_CHARS_MAX,
    SUMMARY_CHARS_MAX,
    TITLE_CHARS_MAX,
)
from hansard.kernel.text import one_line

CUT = "…"


def as_title(text: str, otherwise: str = "(untitled)") -> str:
    """Give the first line that says something, as a title."""
    lines = (one_line(line).strip() for line in text.splitlines())
    return _within(next(filter(None, lines), otherwise), TITLE_CHARS_MAX)


def as_label(text: str, otherwise: str = "note") -> str:
    """Give a word or two on one line."""
    return _within(one_line(text).strip(), LABEL_CHARS_MAX) or otherwise


def as_summary(text: str) -> str:
    """Give the beginning of a text."""
    return _within(text.replace("\0", "").strip(), SUMMARY_CHARS_MAX)


def as_description(text: str) -> str:
    """Give what a note can hold of a text."""
    return _within(text.replace("\0", "").strip(), DESCRIPTION_CHARS_MAX)


def as_body(text: str) -> str:
    """Give what a body can hold of a text."""
    text = text.replace("\0", "")
    raw = text.encode(errors="replace")
    return text if len(raw) <= BODY_BYTES_MAX else raw[:BODY_BYTES_MAX].decode(errors="ignore")


def _within(text: str, chars_max: int) -> str:
    return text if len(text) <= chars_max else text[: chars_max - 1] + CUT
