"""`hansard anchor`: prints the head of each journal, to keep elsewhere."""

import typer

from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened
from hansard.cli.options import Json, settings_flags
from hansard.cli.terminal.text import print_json


@settings_flags
def anchor(flags: Flags, *, json: Json = False) -> int:
    """Print the head of each project. Kept elsewhere, it proves a later loss or rewrite.

    Give SEQ:HASH to `hansard verify --receipt` to compare a store with it.
    """
    with opened(flags, looking=True) as (application, _):
        for project, head in sorted(application.store.engine.heads().items()):
            if json:
                print_json({"project": project, "seq": head.seq, "hash": head.hash})
            else:
                print(f"{project} {head.seq}:{head.hash}")
    return 0


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(anchor)
