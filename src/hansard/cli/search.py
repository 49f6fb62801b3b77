"""`hansard search`: everything at once, best first."""

import shlex
from collections.abc import Iterator
from typing import Annotated, get_args

import typer

from hansard.app.search_all import Kind, Thing, ThingsFound
from hansard.cli.desk import asking, told
from hansard.cli.flags import Flags
from hansard.cli.options import Json, settings_flags
from hansard.cli.terminal.layout import Paint, paragraph, room, table
from hansard.cli.terminal.text import painter, print_json
from hansard.kernel.problem import InvalidInput

KINDS: tuple[str, ...] = get_args(Kind)

SHOWS = {
    "record": "hansard records show",
    "decision": "hansard decisions show",
    "checkpoint": "hansard checkpoints show",
    "entity": "hansard entities show",
    "file": "hansard evolution",
    "commit": "git show",
}
"""How to look at each kind of thing that is found; an entry is on its session's timeline."""


@settings_flags
def search(
    flags: Flags,
    query: Annotated[list[str], typer.Argument(metavar="WORDS…")],
    *,
    kind: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help=f"Only {', '.join(KINDS)}; may be repeated."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, metavar="N")] = 10,
    json: Json = False,
) -> None:
    """Search records, decisions, files, checkpoints, entities and commits, best first."""
    for one in kind or ():
        if one not in KINDS:
            raise InvalidInput(f"--kind: must be one of {', '.join(KINDS)}")
    with asking(flags) as ask:
        found = told(
            ThingsFound, ask("search", query=" ".join(query), kinds=kind or None, limit=limit)
        )
    if json:
        for thing in found.results:
            print_json(thing.model_dump(mode="json", exclude_none=True))
        return
    for line in _lines(found, painter(), room()):
        print(line)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(search)


def _lines(found: ThingsFound, paint: Paint, columns_max: int | None) -> Iterator[str]:
    for one in found.results:
        yield from table([[(one.id, "yellow"), (_about(one), None)]], paint, columns_max)
        if one.snippet.strip() and one.snippet not in one.title:
            yield from (paint(line, "grey") for line in paragraph(one.snippet, columns_max, "    "))
    if not found.results:
        yield "Nothing matches."
        return
    yield from paragraph(f"To look at the first: {_command(found.results[0])}", columns_max)


def _command(one: Thing) -> str:
    if one.kind == "timeline":
        return f"hansard timeline {shlex.quote(one.session or '')}".rstrip()
    return f"{SHOWS[one.kind]} {shlex.quote(one.id.removeprefix('path:'))}"


def _about(one: Thing) -> str:
    status = f", {one.status.lower()}" if one.status else ""
    return f"{one.title} ({one.kind}{status})"
