"""`hansard export` and `hansard import`: a project in one file, for another store."""

from pathlib import Path
from typing import Annotated

import typer

from hansard.app import people
from hansard.app.application import Application
from hansard.app.keeping.bundle import reading
from hansard.app.keeping.exporting import export_project
from hansard.app.keeping.importing import import_project
from hansard.app.settings import load
from hansard.app.start import start
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened
from hansard.cli.options import Json, settings_flags
from hansard.cli.person_proof import person, signed
from hansard.cli.replay import write_replay
from hansard.cli.terminal.text import print_json, show_progress
from hansard.kernel.event import Stamp


@settings_flags
def export(
    flags: Flags,
    exported: Annotated[str, typer.Argument(metavar="PROJECT", help="Which project.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.")],
    *,
    html: Annotated[
        bool,
        typer.Option("--html", help="PROJECT is a session: write a page that replays it offline."),
    ] = False,
    json: Json = False,
) -> int:
    """Write a project into a file: its journal as JSON Lines and its blobs, in a packed archive.

    Anyone who has the file can read all of it.
    """
    if html:
        write_replay(flags, exported, file, json=json)
        return 0
    with opened(flags) as (application, _):
        head, end = export_project(application.store, exported, file, progress=show_progress)
    if json:
        counts = {"entries": end.entries, "blobs": end.blobs}
        print_json({"project": exported, "seq": head.seq, "hash": head.hash} | counts)
    else:
        print(f"{file}: {end.entries:,} entries, {end.blobs:,} blobs")
        print(f"{exported} {head.seq}:{head.hash}")
    return 0


@settings_flags
def import_bundle(
    flags: Flags,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `hansard export` wrote.")],
    *,
    name: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="Call the project this.")
    ] = None,
    json: Json = False,
) -> int:
    """Take a project in from a file, and derive its views.

    Under its own name every hash stays, and an import that was cut off goes on. Under another name
    the journal is chained anew, and receipts of the original do not fit it.
    """
    start(load(flags)).close()
    with opened(flags) as (application, _):
        stamp = _signed(application, file, name)
        done = import_project(application.store, file, stamp, name=name, progress=show_progress)
    if json:
        print_json(
            {
                "project": done.project,
                "seq": done.head.seq,
                "hash": done.head.hash,
                "entries": done.entries,
                "blobs": done.blobs,
                "renamed": done.is_renamed,
            }
        )
        return 0
    print(f"{done.project}: {done.entries:,} entries taken in, {done.blobs:,} blobs")
    print(f"{done.project} {done.head.seq}:{done.head.hash}")
    return 0


def _signed(application: Application, file: Path, name: str | None) -> Stamp:
    """Say who takes a project in.

    What a bundle adds to a project that is there reads as if it had been written here, people's
    decisions too: where the store knows a secret, that is for who proves it.
    """
    with reading(file) as bundle:
        project = name or bundle.opening.project
    if project in application.store.engine.heads() and people.known(application.store):
        return person(application, f"take entries into {project}, which is there")[0]
    return signed(application)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("export")(export)
    app.command("import")(import_bundle)
