"""What hosts report about their edits, and a file's content before them. Pure.

Hosts differ: some give the whole file as it was, some the texts they replaced, some the lines that
changed, some a patch. Lines are put back only where they fit exactly.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

NO_NEWLINE = "\\"
"""The beginning of the patch line that says that the line before has no newline."""

PATCH = "*** Begin Patch"
_SECTIONS = {
    "*** Add File: ": "add",
    "*** Update File: ": "update",
    "*** Delete File: ": "delete",
    "*** Move to: ": "move",
}

_OLD = ("old_string", "oldString", "old_str", "oldText", "old_text")
_NEW = ("new_string", "newString", "new_str", "newText", "new_text")
_ALL = ("replace_all", "replaceAll", "allow_multiple")

Replaced = dict[str, Any]
"""A text that took the place of another, as `record_file_edit` takes it: `old`, `new`, `all`."""


def replaced_texts(told: object) -> list[Replaced] | None:
    """Read a list of edits, or one; `None` if they cannot be followed."""
    edits = told if isinstance(told, list) else [told]
    read = [_replaced(edit) for edit in edits]
    found = [edit for edit in read if edit is not None]
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


def removed_text(hunks: object) -> str | None:
    """Give what a file held that a patch removes entirely; `None` if the patch leaves something."""
    if not isinstance(hunks, list) or len(hunks) != 1 or not isinstance(hunks[0], dict):
        return None
    lines = hunks[0].get("lines")
    if not isinstance(lines, list) or not all(isinstance(one, str) for one in lines):
        return None
    if not lines or not all(line.startswith("-") for line in lines):
        return None
    return "".join(f"{line[1:]}\n" for line in lines)


def patch_in(value: object) -> str | None:
    """Give the patch in a tool's argument; one host wraps it in JSON."""
    if not isinstance(value, str) or PATCH not in value:
        return None
    if not value.lstrip().startswith("{"):
        return value
    import json

    try:
        inside = json.loads(value)
    except ValueError:
        return value
    texts = inside.values() if isinstance(inside, dict) else ()
    return next((text for text in texts if isinstance(text, str) and PATCH in text), value)


def patched_paths(patch: str) -> Iterator[tuple[str, str]]:
    """Give what a patch of the `*** Begin Patch` form does to which file, in order.

    A file that is moved is deleted, and added under its other name.
    """
    last = ""
    for line in patch.splitlines():
        for mark, action in _SECTIONS.items():
            path = line.removeprefix(mark).strip()
            if not line.startswith(mark) or not path:
                continue
            if action == "move":
                yield "delete", last
                yield "add", path
            else:
                yield action, path
                last = path


def _replaced(edit: object) -> Replaced | None:
    if not isinstance(edit, dict):
        return None
    old, new = (next((edit[key] for key in keys if key in edit), None) for keys in (_OLD, _NEW))
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    return {"old": old, "new": new, "all": any(edit.get(key) is True for key in _ALL)}


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
