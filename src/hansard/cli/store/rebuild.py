"""`hansard rebuild`: rebuilds the views from the journal."""

import sys
from functools import partial
from typing import Annotated

import typer

from hansard.app.verify import projects_of
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened
from hansard.cli.options import Json, settings_flags
from hansard.cli.terminal.stderr import say
from hansard.cli.terminal.text import print_told
from hansard.kernel.rebuilding import Reached
from hansard.sessions.contract import ProjectNotFound

TOLD_ENTRIES = 50_000
"""How many entries, a multiple of a page, lie between two messages of progress."""


@settings_flags
def rebuild(
    flags: Flags,
    *,
    project: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Only this project; may be repeated.")
    ] = None,
    json: Json = False,
) -> int:
    """Derive tables and indexes again from the journal. The journal itself is not touched."""
    with opened(flags) as (application, _):
        store = application.store
        for name in project or ():
            if name not in projects_of(store.engine):
                raise ProjectNotFound(f"There is no project {name}", project_id=name)
        heads = store.engine.heads()
        for name in project or sorted(heads):
            if name not in heads:
                told = f"{name}: nothing to derive from yet"
                print_told(told, {"project": name, "entries": 0}, json=json)
                continue
            if sys.stderr.isatty():
                say(f"{name}: {heads[name].seq:,} entries …")
            entries = store.rebuild(name, told=partial(_tell, name))
            told = f"{name}: derived again from {entries:,} entries"
            print_told(told, {"project": name, "entries": entries}, json=json)
    return 0


def _tell(project: str, reached: Reached) -> None:
    """Report progress from time to time."""
    if sys.stderr.isatty() and reached.seq % TOLD_ENTRIES == 0:
        say(f"{project}: {reached.seq:,} of {reached.of:,}")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(rebuild)
