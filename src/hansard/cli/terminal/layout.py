"""Lays out rows and paragraphs for the window; in a pipe a row is one line."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence

from hansard.cli.terminal.screen import columns, width
from hansard.cli.terminal.text import printable

GAP = "  "
LAST_COLUMNS_MIN = 26
"""If the last column would get less than this, it goes on a line of its own."""

Cell = tuple[str, str | None]
"""A text and its colour."""
Paint = Callable[[str, str], str]


def room() -> int | None:
    """Say how wide rows may be; `None` if the output is no terminal."""
    return columns() if sys.stdout.isatty() else None


def table(rows: Sequence[Sequence[Cell]], paint: Paint, columns_max: int | None) -> list[str]:
    """Lay out rows in columns; the last one takes the remaining width, and wraps under itself."""
    rows = _without_empty(rows)
    plain = [[printable(text) for text, _ in row] for row in rows]
    wide = [max(map(width, cells)) for cells in zip(*(row[:-1] for row in plain), strict=True)]
    indent = sum(wide) + len(GAP) * len(wide)
    lines: list[str] = []
    for texts, row in zip(plain, rows, strict=True):
        cells = zip(texts, wide, row, strict=False)
        head = GAP.join(_painted(_padded(text, size), one[1], paint) for text, size, one in cells)
        rest = [
            _painted(line, row[-1][1], paint) for line in _beside(texts[-1], indent, columns_max)
        ]
        lines += _joined(head, rest, indent, columns_max)
    return lines


def _without_empty(rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Leave out empty columns, except the last."""
    columns_of = zip(*(row[:-1] for row in rows), strict=True)
    filled = [any(text for text, _ in column) for column in columns_of]
    return [
        [*(cell for cell, is_filled in zip(row, filled, strict=False) if is_filled), row[-1]]
        for row in rows
    ]


def paragraph(text: str, columns_max: int | None, indent: str = "") -> Iterator[str]:
    """Break a text between words, each line begun alike."""
    room_left = None if columns_max is None else max(columns_max - len(indent), 1)
    for line in wrapped(printable(text), room_left):
        yield (indent + line).rstrip()


def wrapped(text: str, columns_max: int | None) -> list[str]:
    """Break a text between words; a word longer than a line is alone on it, uncut."""
    if columns_max is None or width(text) <= columns_max:
        return [text]
    lines, line = [], ""
    for word in re.findall(r"\s*\S+", text):
        if line and width(line + word) > columns_max:
            lines.append(line)
            line = word.lstrip()
        else:
            line += word
    return [*lines, line]


def _beside(text: str, indent: int, columns_max: int | None) -> list[str]:
    """Break the last column, or put it below if there is too little room beside."""
    if columns_max is None:
        return [text]
    left = columns_max - indent
    return wrapped(text, left if left >= LAST_COLUMNS_MIN else max(columns_max - len(GAP), 1))


def _joined(head: str, rest: list[str], indent: int, columns_max: int | None) -> list[str]:
    if columns_max is not None and columns_max - indent < LAST_COLUMNS_MIN:
        return [head.rstrip(), *(GAP + line for line in rest)]
    first = f"{head}{GAP}{rest[0]}" if indent else rest[0]
    return [first.rstrip(), *(" " * indent + line for line in rest[1:])]


def _padded(text: str, size: int) -> str:
    return text + " " * (size - width(text))


def _painted(text: str, colour: str | None, paint: Paint) -> str:
    return paint(text, colour) if colour and text.strip() else text
