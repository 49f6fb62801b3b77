"""`hansard export-to`: a project, written for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from hansard.cli.cli_session import looking
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened, project_of
from hansard.cli.options import Json, settings_flags
from hansard.cli.terminal.text import print_json
from hansard.foreign.exports import EXPORTS
from hansard.kernel.problem import InvalidInput
from hansard.kernel.suggestion import did_you_mean


@settings_flags
def export_to(
    flags: Flags,
    name: Annotated[str, typer.Argument(metavar="FORMAT", help=f"One of {', '.join(EXPORTS)}.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file or folder that is new.")],
    *,
    json: Json = False,
) -> int:
    """Write the project for other programs: as it stands, without its history.

    `hansard export` writes what can be imported exactly. Anyone who has the file can read it all.
    """
    if name not in EXPORTS:
        there = f"There are {', '.join(EXPORTS)}"
        raise InvalidInput(
            f"There is no format {name[:100]}", hint=did_you_mean(name, EXPORTS) or there
        )
    with opened(flags, looking=True) as (application, settings):
        project_of(application, settings)  # refuses one that is not there, before any file is made
        counts = EXPORTS[name].write(application, looking(settings), path.expanduser())
    if json:
        print_json({"format": name, "path": str(path), "written": counts})
    else:
        told = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
        print(f"{path}: {told or 'nothing is recorded yet'}")
    return 0


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("export-to")(export_to)
