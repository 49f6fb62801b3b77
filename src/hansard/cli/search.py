"""`hansard search`: everything at once, best first."""

import shlex
from collections.abc import Iterator
from typing import Annotated, get_args

import typer

from hansard.app.search_answers import Kind, Thing, ThingsFoundAnswer
from hansard.cli.desk import asking, told
from hansard.cli.flags import Flags
from hansard.cli.options import Json, settings_flags
from hansard.cli.terminal.layout import Paint, paragraph, room, table
from hansard.cli.terminal.text import painter, print_json
from hansard.kernel.clock import to_text, utc_now
from hansard.kernel.problem import InvalidInput
from hansard.sessions.wording import name_of, span

KINDS: tuple[str, ...] = get_args(Kind)

SHOWS = {
    "record": "hansard records show",
    "decision": "hansard decisions show",
    "checkpoint": "hansard checkpoints show",
    "entity": "hansard entities show",
    "file": "hansard evolution",
    "commit": "git show",
}
"""The command that shows each kind of hit; an entry is on its session's timeline."""

WORDS = {
    "timeline": "entry",
    "messageThread": "thread",
    "chatThread": "chat",
    "agentGraph": "graph",
    "agentGraphExecution": "run",
    "textDocument": "document",
    "modelConnection": "model",
}
"""Kinds that people call by another name."""


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
            ThingsFoundAnswer, ask("search", query=" ".join(query), kinds=kind or None, limit=limit)
        )
    if json:
        for thing in found.results:
            print_json(thing.model_dump(mode="json", exclude_none=True))
        return
    for line in lines(found, painter(), room()):
        print(line)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(search)


def lines(found: ThingsFoundAnswer, paint: Paint, columns_max: int | None) -> Iterator[str]:
    """Show what was found, and how to look at it."""
    for line in found.searched_instead():
        yield from paragraph(line, columns_max)
    for one in found.results:
        yield from table([[(_place(one), "yellow"), (_about(one), None)]], paint, columns_max)
        if one.snippet.strip() and one.snippet not in one.title:
            yield from (paint(line, "grey") for line in paragraph(one.snippet, columns_max, "    "))
    if not found.results:
        yield "Nothing matches."
        return
    yield from paragraph(f"To look at the first: {_command(found.results[0])}", columns_max)


def _command(one: Thing) -> str:
    if one.line:
        return f"hansard why {shlex.quote(f'{one.title}:{one.line}')}"
    if one.kind == "timeline":
        return f"hansard timeline {shlex.quote(one.session or '')}".rstrip()
    return f"{SHOWS[one.kind]} {shlex.quote(one.id.removeprefix('path:'))}"


def _place(one: Thing) -> str:
    path = one.id.removeprefix("path:")
    return f"{path}:{one.line}" if one.line else path


def _about(one: Thing) -> str:
    status = f", {one.status.lower()}" if one.status else ""
    named = "" if one.kind == "file" else f"{one.title} "
    kind = one.id.partition("::")[0] if one.kind == "entity" else one.kind
    return f"{named}({WORDS.get(kind, kind)}{status}{_when(one)})"


def _when(one: Thing) -> str:
    by = f", {name_of(one.author)}" if one.author else ""
    return f"{by}, {span(one.at, to_text(utc_now()))} ago" if one.at else by
