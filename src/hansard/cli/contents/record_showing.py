"""Shows a whole record wrapped to the window, then its surroundings."""

import textwrap
from collections.abc import Callable, Iterator, Sequence

from hansard.cli.terminal import markdown
from hansard.cli.terminal.layout import Cell, room, table
from hansard.cli.terminal.screen import columns
from hansard.cli.terminal.text import printable
from hansard.kernel.clock import to_text, utc_now
from hansard.records.answers import ContextBundle
from hansard.records.shapes import Record, RecordRef
from hansard.sessions.wording import name_of, span

INDENT = "  "
COLUMNS_MAX = 100
"""Longer lines are hard to read, however wide the window is."""

Paint = Callable[[str, str], str]
STATE_COLOURS = {"OPEN": "green", "LATER": "yellow", "RESOLVED": "blue", "DISCARDED": "grey"}


def lines(bundle: ContextBundle, paint: Paint) -> Iterator[str]:
    """Show a record with its body, its parent and what lies under it."""
    record = bundle.target
    yield from table([[(record.id, "yellow"), (record.title, None)]], paint, room())
    state = paint(record.state, STATE_COLOURS[record.state])
    by = f"{name_of(record.author)}, {span(record.modified, to_text(utc_now()))} ago"
    about = printable(f"{record.type}, by {by} (t:{record.version})")
    yield f"{state} {paint(about, 'grey')}"
    yield ""
    yield from _wrapped(record.summary)
    yield from (printable(line) for line in _facts(record))
    yield ""
    yield from _read(record.body)
    around = list(_around(bundle, paint))
    if around:
        yield ""
        yield from around


def tree(refs: Sequence[RecordRef], paint: Paint, columns_max: int | None) -> list[str]:
    """Show records in a tree: a parent comes before what lies under it."""
    depths: dict[str | None, int] = {None: -1}
    rows: list[list[Cell]] = []
    for ref in refs:
        depth = depths[ref.id] = depths.get(ref.parent_id, -1) + 1
        state = (ref.state, STATE_COLOURS[ref.state])
        rows.append([
            (f"{INDENT * depth}{ref.id}", "yellow"), state, (f"{ref.title} ({ref.type})", None),
        ])  # fmt: skip
    return table(rows, paint, columns_max)


def line(ref: RecordRef | Record, paint: Paint) -> str:
    """Show a record in a line."""
    state = paint(ref.state, STATE_COLOURS[ref.state])
    about = paint(f"({printable(ref.type)})", "grey")
    return f"{paint(ref.id, 'yellow')} {state} {printable(ref.title)} {about}"


def _facts(record: Record) -> Iterator[str]:
    if record.reason:
        yield f"Reason: {record.reason}"
    if record.resolved_by:
        yield f"Resolved by {record.resolved_by}"
    if record.related:
        yield f"Related: {', '.join(record.related)}"
    if record.cites:
        yield f"Cites: {', '.join(record.cites)}"
    for key, value in (record.metadata or {}).items():
        yield f"{key}: {value}"


def _around(bundle: ContextBundle, paint: Paint) -> Iterator[str]:
    if bundle.parent:
        yield f"Under {line(bundle.parent, paint)}"
    children = bundle.children
    below = [*children.open, *(children.open_refs or ()), *children.other]
    if below:
        yield "Below it"
    rows: list[list[Cell]] = [
        [
            (f"{INDENT}{one.id}", "yellow"),
            (one.state, STATE_COLOURS[one.state]),
            (f"{one.title} ({one.type})", None),
        ]
        for one in below
    ]
    yield from table(rows, paint, room())
    if bundle.grandchildren_count:
        yield f"  and {bundle.grandchildren_count} below them: `hansard records` shows the tree"


def _read(text: str) -> Iterator[str]:
    """Draw a body on a terminal; a pipe gets its lines."""
    if markdown.is_drawn():
        return markdown.drawn(text, min(columns(), COLUMNS_MAX))
    return _wrapped(text)


def _wrapped(text: str) -> Iterator[str]:
    """Break lines between words; those that are laid out by hand stay as they are."""
    width = min(columns(), COLUMNS_MAX)
    for one in text.splitlines():
        indent = one[: len(one) - len(one.lstrip())]
        yield from map(
            printable,
            textwrap.wrap(
                one,
                width,
                subsequent_indent=indent,
                break_long_words=False,
                break_on_hyphens=False,
                drop_whitespace=True,
            )
            or [""],
        )
