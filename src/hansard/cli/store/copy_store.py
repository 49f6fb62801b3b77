"""`hansard copy-store`: the whole store into another place, such as PostgreSQL, and proved."""

from dataclasses import replace
from typing import Annotated

import typer

from hansard.app import people
from hansard.app.keeping.copy_store import transfer
from hansard.app.settings import Settings, load, store_location
from hansard.app.start import POSTGRES_SCHEMES, start
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened
from hansard.cli.options import Json, settings_flags
from hansard.cli.person_proof import person
from hansard.cli.store.backup import print_heads
from hansard.cli.terminal.text import print_json, show_progress
from hansard.kernel.clock import to_text, utc_now
from hansard.kernel.problem import InvalidInput


@settings_flags
def copy_store(
    flags: Flags,
    target: Annotated[
        str,
        typer.Argument(metavar="STORE", help="A new folder, or an empty postgresql:// database."),
    ],
    *,
    json: Json = False,
) -> int:
    """Take every project of the store into STORE, entry for entry, and prove that it is the same.

    The store stays as it is, and others may write to it meanwhile. To move: copy, end the servers,
    copy once more (only what is new is taken over), then start them with --store STORE.
    """
    with opened(_of_source(flags)) as (source, settings):
        copy = start(replace(settings, store=_required(target, settings), blobs=load(flags).blobs))
        try:
            if people.known(copy.store):
                person(copy, "add to a store that knows a secret")
            at = to_text(utc_now())
            heads = transfer(source.store, copy.store, at=at, progress=show_progress)
        finally:
            copy.close()
    if json:
        print_json({"heads": heads})
        return 0
    print(f"{len(heads)} journals are in the new store as they are in this one, and proved sound")
    print_heads(heads)
    return 0


def _of_source(flags: Flags) -> Flags:
    """Read the settings for the source: a place for blobs may be meant for the target only."""
    is_database = store_location(load(flags)).startswith(POSTGRES_SCHEMES)
    return flags if is_database else {**flags, "blobs": ""}


def _required(target: str, settings: Settings) -> str:
    if not target.strip() or target == store_location(settings):
        raise InvalidInput("Name another place than that of the store", argument="STORE")
    return target


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("copy-store")(copy_store)
