"""Truncates texts for display with a mark, and recognizes a truncated text that comes back.

A caller that writes a truncated text in place of the whole would lose the rest. Pure.
"""

import re
from collections.abc import Iterator


def left_out(chars: int) -> str:
    """Say in a text how much of it is missing there."""
    return f"… [{chars} characters left out] …"


_LEFT_OUT = re.compile(re.escape(left_out(0)).replace("0", "([0-9]{1,9})", 1))

TELLTALE = left_out(0).partition("0")[2]
"""A part of every mark, and so of every text that was cut."""


def cut(text: str, chars_max: int) -> str:
    """Give no more than the beginning of a text, and say there how much is missing."""
    if len(text) <= chars_max:
        return text
    kept = max(0, chars_max - len(left_out(len(text))))
    return text[:kept] + left_out(len(text) - kept)


def pieces(text: str) -> Iterator[tuple[str, int, str]]:
    """Give what stands before and after each mark of something left out, and how much that is."""
    for found in _LEFT_OUT.finditer(text):
        yield text[: found.start()], int(found[1]), text[found.end() :]


def is_cut_of(given: str, whole: str) -> bool:
    """Whether a text is a truncated one that was shown, perhaps joined to one line."""
    plain = _plain(whole)
    return TELLTALE in given and any(
        (head or tail) and plain.startswith(_plain(head)) and plain.endswith(_plain(tail))
        for head, _, tail in pieces(given)
    )


def _plain(text: str) -> str:
    return " ".join(text.split())
