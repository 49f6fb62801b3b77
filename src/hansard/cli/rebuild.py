"""`hansard rebuild`: derive the views again from the journal."""

import sys
from typing import Annotated

import typer

from hansard.app.verify import projects_of
from hansard.cli.flags import Flags
from hansard.cli.opening import opened
from hansard.cli.options import settings_flags
from hansard.cli.saying import say
from hansard.sessions.contract import ProjectNotFound


@settings_flags
def rebuild(
    flags: Flags,
    *,
    project: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Only this project; may be repeated.")
    ] = None,
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
                print(f"{name}: nothing to derive from yet")
                continue
            if sys.stderr.isatty():
                say(f"{name}: {heads[name].seq:,} entries …")
            print(f"{name}: derived again from {store.rebuild(name):,} entries", flush=True)
    return 0


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(rebuild)
