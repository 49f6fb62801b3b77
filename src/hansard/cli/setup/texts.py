"""A text under edit: its line ends, its indent, and its replaced pieces."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

Path = tuple[str | int, ...]
"""The way to a value: names of members, and places in arrays."""

Splice = tuple[int, int, str]
"""From where to where, and what stands there instead."""

BOM = "\ufeff"

_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)


class LeftAloneError(Exception):
    """A file is not understood, or not ours to write; it stays as it is, and this says why."""


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """Exchange pieces of a text. They must not overlap."""
    for start, end, instead in sorted(splices, reverse=True):
        text = text[:start] + instead + text[end:]
    return text


def newline_of(text: str) -> str:
    """Give the line end that a text uses."""
    return "\r\n" if "\r\n" in text else "\n"


def indent_of(text: str) -> str:
    """Give the step by which a text is indented: what its first indented line has."""
    found = _INDENT.search(text)
    return found[1] if found else "  "


def line_of(text: str, at: int) -> int:
    """Give the number of the line that a place is on."""
    return text.count("\n", 0, at) + 1


def value_at(data: Any, path: Sequence[str | int]) -> Any:
    """Follow a path through read data; `None` where it leads nowhere."""
    for step in path:
        if isinstance(data, dict) and isinstance(step, str):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data
