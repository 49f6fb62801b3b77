"""Describes sessions in words: whose they are, and how long they have been quiet. Pure."""

from hansard.kernel.clock import from_text
from hansard.kernel.engine import Row

TITLE_SHOWN_CHARS = 80

_UNITS = (("d", 86_400), ("h", 3_600), ("min", 60))


def name_of(by: str) -> str:
    """Give the name of an author without the kind."""
    return by.partition(":")[2] or by


def titled(title: str, chars_max: int = TITLE_SHOWN_CHARS) -> str:
    """Give a title on one line, without invisible characters."""
    line = " ".join("".join(char if char.isprintable() else " " for char in title).split())
    return line if len(line) <= chars_max else line[: chars_max - 1].rstrip() + "…"


def whose(row: Row) -> str:
    """Say whose session it is, and which: by its title, or where it has none by its id."""
    which = f'session "{titled(row["title"])}"' if row["title"] else f"session {row['id']}"
    return f"{name_of(row['by'])}'s {which}"


def span(since: str, now: str) -> str:
    """Say how long it is from one time to another, roughly."""
    seconds = max(0.0, (from_text(now) - from_text(since)).total_seconds())
    for unit, size in _UNITS:
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds)} s"
