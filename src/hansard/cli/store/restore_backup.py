"""`hansard restore-backup`: make a backup the store again."""

from pathlib import Path
from typing import Annotated

import typer

from hansard.app import people
from hansard.app.keeping.backup import Backup, find_backup
from hansard.app.keeping.restoring import Heads, restore_bundles, restore_folder
from hansard.app.settings import Settings, load
from hansard.app.start import start
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened, store_folder
from hansard.cli.options import Json, settings_flags
from hansard.cli.person_proof import person
from hansard.cli.store.backup import open_copies, print_heads, warn_of_unreadable
from hansard.cli.terminal.text import print_json, show_progress
from hansard.kernel.problem import StorageUnavailable


@settings_flags
def restore_backup(
    flags: Flags,
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder of backups, or one of them.")
    ],
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Set a store that is there already aside.")
    ] = False,
    json: Json = False,
) -> int:
    """Bring back the newest backup in DIR, or the one that DIR is, and prove it.

    It goes where --store says, which must be empty or new. What --force replaces is kept beside
    it. Compare the heads this prints with those you kept.
    """
    warn_of_unreadable(folder)
    backup = find_backup(folder)
    settings = load(flags)
    if store_folder(settings) is None or force:
        _require_person(flags)
    heads, aside = _restored(settings, backup, force=force)
    if json:
        shown = {"taken_at": backup.taken_at, "heads": heads}
        print_json(shown | {"set_aside": str(aside) if aside else None})
        return 0
    print(f"Restored the backup of {backup.taken_at}, proved sound")
    if aside:
        print(f"What was there is now {aside}")
    print_heads(heads)
    return 0


def _restored(settings: Settings, backup: Backup, *, force: bool) -> tuple[Heads, Path | None]:
    """Bring a backup back; gives the heads, and where what was there before is now."""
    location = store_folder(settings)
    if location is not None:
        opener = open_copies(settings)
        return restore_folder(
            backup, location, open_store=opener, force=force, progress=show_progress
        )
    application = start(settings)
    try:
        return restore_bundles(backup, application.store, progress=show_progress), None
    finally:
        application.close()


def _require_person(flags: Flags) -> None:
    """Require proof before replacing or adding to a store that knows a secret.

    The backup may know none, or another.
    """
    try:
        with opened(flags) as (application, _):
            if people.known(application.store):
                person(application, "replace a store that knows a secret")
    except StorageUnavailable:
        return  # there is none, or nothing in it that could be asked


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("restore-backup")(restore_backup)
