"""`hansard backup`: a complete copy of the store, taken while others write to it, and proved."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from hansard.app.keeping.backup import (
    MANIFEST,
    Backup,
    OpenStore,
    back_up,
    forget,
    unreadable,
)
from hansard.app.settings import Settings
from hansard.app.start import catalog, open_engine
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened, store_folder
from hansard.cli.options import Json, settings_flags
from hansard.cli.terminal.stderr import say
from hansard.cli.terminal.text import print_json, show_progress
from hansard.kernel.clock import to_text, utc_now
from hansard.kernel.problem import InvalidInput
from hansard.kernel.store import Store


@settings_flags
def backup(
    flags: Flags,
    folder: Annotated[str, typer.Argument(metavar="DIR", help="Where backups are kept.")],
    *,
    whole: Annotated[
        bool, typer.Option("--whole", help="Copy every file, sharing none with older backups.")
    ] = False,
    keep: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Then remove all but the newest N.")
    ] = None,
    json: Json = False,
) -> int:
    """Copy the store into a new folder in DIR, while others go on writing, and prove the copy.

    Only files that the backup before lacks are copied. The repository of decisions is not: it is
    made again from the journal. Keep the heads this prints elsewhere, to compare them later.
    """
    if not folder.strip():
        raise InvalidInput("Name the folder that backups are kept in; its name is empty")
    target = Path(folder)
    warn_of_unreadable(target)
    with opened(flags) as (application, settings):
        taken = back_up(
            application.store,
            store_folder(settings),
            target,
            at=to_text(utc_now()),
            open_store=open_copies(settings),
            whole=whole,
            progress=show_progress,
        )
    removed = forget(target, taken, keep=keep) if keep else []
    if json:
        print_json(_shown(taken) | {"removed": [str(path) for path in removed]})
    else:
        new = f"{taken.copied:,} {'was' if taken.copied == 1 else 'were'}"
        anew = f"{new} copied" if taken.copied else "none was new"
        print(f"{taken.folder}: the whole store, proved sound; of its contents, {anew}")
        print_heads(taken.heads)
        for path in removed:
            print(f"removed {path}")
    return 0


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(backup)


def warn_of_unreadable(target: Path) -> None:
    """Name the backups in a folder that are skipped, since they do not say what they hold."""
    for folder in unreadable(target):
        say(f"{folder} is damaged, and is not counted as a backup: its {MANIFEST} cannot be read")


def open_copies(settings: Settings) -> OpenStore:
    """Build what opens a store in some folder as these settings would open their own."""
    known = catalog(settings)

    @contextmanager
    def open_copy(folder: Path) -> Iterator[Store]:
        engine = open_engine(str(folder), known.schema)
        try:
            yield Store(engine, known.kinds, known.views)
        finally:
            engine.close()

    return open_copy


def print_heads(heads: dict[str, tuple[int, str]]) -> None:
    """Print where each journal ends, as `hansard anchor` does."""
    for project, (seq, digest) in heads.items():
        print(f"{project} {seq}:{digest}")


def _shown(taken: Backup) -> dict[str, object]:
    return {
        "folder": str(taken.folder),
        "taken_at": taken.taken_at,
        "form": taken.form,
        "copied": taken.copied,
        "heads": taken.heads,
    }
