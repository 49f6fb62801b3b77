"""`hansard why`: who wrote a line, when, in which session and step, and why."""

import re
from typing import Annotated

import typer

from hansard.app.why.answers import WhyAnswer
from hansard.cli.desk import desk, told
from hansard.cli.flags import Flags
from hansard.cli.options import Json, settings_flags
from hansard.cli.terminal.layout import paragraph, room
from hansard.cli.terminal.text import painter, print_json, printable
from hansard.kernel.problem import InvalidInput

_PLACE = re.compile(r"(?P<path>.+):(?P<line>\d+)(?:-(?P<last>\d+))?", re.DOTALL)


@settings_flags
def why(
    flags: Flags,
    place: Annotated[str, typer.Argument(metavar="PATH:LINE", help="Or PATH:FIRST-LAST.")],
    *,
    revision: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Of this revision; else as it is now.")
    ] = None,
    json: Json = False,
) -> None:
    """Say why a line is there: who wrote it, in which session and step, and on what grounds."""
    named = _PLACE.fullmatch(place)
    if named is None:
        raise InvalidInput(
            f"{place} names no line", hint="Name the file and the line, such as src/a.py:42"
        )
    lines = {"line": int(named["line"]), "end_line": int(named["last"]) if named["last"] else None}
    with desk(flags) as opened:
        answer = told(WhyAnswer, opened.ask("why", path=named["path"], at=revision, **lines))
    if json:
        print_json(answer.model_dump(mode="json", exclude_none=True))
        return
    paint = painter()
    for one in answer.lines:
        head, rest = one.place(answer.path), one.told()
        print(paint(printable(head), "yellow"))
        for line in paragraph(rest, room()):
            print(line)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(why)
