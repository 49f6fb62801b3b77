"""`hansard workspace`: the copies of a workspace, and continuing one of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from hansard.app.catalog import Catalog
from hansard.app.home_projects import choose
from hansard.app.settings import load
from hansard.app.start import catalog, gateway, start
from hansard.cli.cli_session import looking
from hansard.cli.desk import Ask, Desk, told
from hansard.cli.flags import Flags
from hansard.cli.options import Json, settings_flags
from hansard.cli.person_proof import PersonProof
from hansard.cli.terminal.stderr import say
from hansard.cli.terminal.text import painter, print_json, printable
from hansard.recorder.history import copy_operations
from hansard.recorder.history.copy_operations import CopiesAnswer

LIST, JOIN = "list", "join"


@settings_flags
def workspace(
    flags: Flags,
    what: Annotated[str, typer.Argument(metavar="list|join")] = LIST,
    copy: Annotated[
        str | None, typer.Argument(metavar="COPY", help="To join: the copy's id, or its beginning.")
    ] = None,
    *,
    json: Json = False,
) -> None:
    """List the copies of this workspace that the project knows, or join one: go on from it."""
    if what not in (LIST, JOIN) or (what == JOIN) != (copy is not None):
        raise typer.BadParameter("`hansard workspace`, or `hansard workspace join COPY`")
    with _asking(flags) as ask:
        if what == JOIN:
            print(printable(ask("join_workspace", copy_id=copy).text()))
            return
        answer = told(CopiesAnswer, ask("list_workspaces"))
    if json:
        print_json(answer.model_dump(mode="json", exclude_none=True))
        return
    paint = painter()
    for one in answer.copies:
        text = printable(one.text())
        print(paint(text, "yellow") if one.is_here else text)
    if not answer.copies:
        print("No files are recorded in this project.")
    elif not any(one.is_here for one in answer.copies):
        print("This folder is none of them; `hansard workspace join COPY` goes on from one.")


@contextmanager
def _asking(flags: Flags) -> Iterator[Ask]:
    """Open the store with the operations that only people use."""
    settings = load(flags)
    known = Catalog([*catalog(settings).parts, copy_operations.capability(gateway(settings))])
    application = start(settings, known=known, home=choose(settings, must_exist=True, say=say))
    try:
        yield Desk(application, settings, looking(), PersonProof(application), warns=False).ask
    finally:
        application.close()


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(workspace)
