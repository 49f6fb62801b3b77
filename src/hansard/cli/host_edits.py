"""What hosts say of the edits they made, and what a file held before them. Pure.

Hosts differ: some give the whole file as it was, some the texts they replaced, some the lines that
changed. Lines are put back only where they fit exactly.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from hansard.recorder.before import Replaced

NO_NEWLINE = "\\"
"""What a line of a patch begins with that says that the one before it does not end."""


def replaced_texts(told: object) -> tuple[Replaced, ...] | None:
    """Read a list of edits, or one; `None` if it is none that can be followed."""
    edits = told if isinstance(told, list) else [told]
    read = [_replaced(edit) for edit in edits]
    found = tuple(edit for edit in read if edit is not None)
    return found if found and len(found) == len(read) else None


def unpatched(now: str, hunks: object) -> str | None:
    """Give what a file held before a patch, whose hunks have lines and places; `None` if unsure."""
    if not isinstance(hunks, list) or not hunks or not all(isinstance(one, dict) for one in hunks):
        return None
    end = "\r\n" if "\r\n" in now else "\n"
    lines = now.split(end)
    was: list[str] = []
    reached = 0
    for hunk in hunks:
        sides = _sides(hunk)
        if sides is None:
            return None
        start, old, new = sides
        if start < reached or lines[start : start + len(new)] != new:
            return None
        was += [*lines[reached:start], *old]
        reached = start + len(new)
    return end.join([*was, *lines[reached:]])


def _replaced(edit: object) -> Replaced | None:
    if not isinstance(edit, dict):
        return None
    old, new = edit.get("old_string"), edit.get("new_string")
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    return Replaced(old, new, everywhere=edit.get("replace_all") is True)


def _sides(hunk: Mapping[str, Any]) -> tuple[int, list[str], list[str]] | None:
    """Give where a hunk begins in the new file, its old lines and its new ones."""
    start, lines = hunk.get("newStart"), hunk.get("lines")
    if not isinstance(start, int) or not isinstance(lines, list):
        return None
    if not all(isinstance(line, str) and line for line in lines):
        return None
    # Whether the last line ends is not said clearly enough to put it back.
    if any(line.startswith(NO_NEWLINE) for line in lines):
        return None
    new = _of(lines, "+")
    return (start - 1 if new else start), _of(lines, "-"), new


def _of(lines: Sequence[str], sign: str) -> list[str]:
    return [line[1:].removesuffix("\r") for line in lines if line[0] in (" ", sign)]
