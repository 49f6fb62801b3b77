"""Opens the store for a command that reads. Reading never creates one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from hansard.app import home_projects
from hansard.app.application import Application
from hansard.app.pending_hooks import take_in
from hansard.app.preflight import require_place
from hansard.app.settings import Settings, load, store_location
from hansard.app.start import MEMORY, POSTGRES_SCHEMES, catalog, open_engine, start
from hansard.cli.flags import Flags
from hansard.cli.terminal.stderr import say
from hansard.cli.terminal.text import printable
from hansard.kernel.effect import Settled, Verdict
from hansard.kernel.engine import Engine, Schema
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.store import CATALOG, Store

SETTLED_SHOWN = 5

VERDICTS: dict[Verdict, str] = {
    "done": "found done",
    "undone": "found undone",
    "conflict": "conflict, left alone",
}


@contextmanager
def opened(
    flags: Flags, *, looking: bool = False, makes_store: bool = False
) -> Iterator[tuple[Application, Settings]]:
    """Open the store that the settings name, for a while; `makes_store` creates it first.

    A reader settles nothing that was left open, and leaves every file as it is.
    """
    settings = load(flags)
    if folder := store_folder(settings):
        require_place(folder)
    # What hooks have reported since is part of what there is to see.
    take_in(settings, say)
    if makes_store:
        start(settings).close()
    if not _exists(settings):
        raise StorageUnavailable(
            f"There is no store in {store_location(settings)} yet",
            hint="Name another with --store; the first client that connects makes one",
        )
    # A project's name may be mistyped.
    home = home_projects.choose(settings, must_exist=True, say=say)
    if looking:
        opener = partial(_open_to_look, blobs=settings.blobs)
        application = start(replace(settings, read_only=True), opener, home=home)
    else:
        application = start(settings, home=home)
    try:
        yield application, settings
    finally:
        application.close()


@contextmanager
def looked_at(settings: Settings) -> Iterator[Store]:
    """Open a store that is there, in a further process of a command that looks at it."""
    known = catalog(settings)
    engine = _open_to_look(store_location(settings), known.schema, blobs=settings.blobs)
    try:
        yield Store(engine, known.kinds, known.views)
    finally:
        engine.close()


def project_of(application: Application, settings: Settings) -> str:
    """Give the key of the project that is meant; the store's own journal has no other name."""
    return CATALOG if settings.project == CATALOG else application.own_project()


def settled_line(settled: Sequence[Settled]) -> str:
    """Say in one line what a start has settled; empty if that was nothing."""
    if not settled:
        return ""
    shown = "; ".join(f"{one.what}: {VERDICTS[one.verdict]}" for one in settled[:SETTLED_SHOWN])
    more = f"; and {len(settled) - SETTLED_SHOWN} more" if len(settled) > SETTLED_SHOWN else ""
    return printable(f"Settled what was left open: {shown}{more}. `hansard doctor` says more.")


def store_folder(settings: Settings) -> Path | None:
    """Give the folder of the store, if it is one of its own on this machine."""
    return _folder(store_location(settings))


def _folder(location: str) -> Path | None:
    if location == MEMORY or location.startswith(POSTGRES_SCHEMES):
        return None
    return Path(location).expanduser()


def _exists(settings: Settings) -> bool:
    try:
        return store_exists(settings)
    except OSError as error:
        raise StorageUnavailable(
            f"The store in {store_location(settings)} cannot be looked at: {error.strerror}",
            hint="Run this as the user whose store it is",
        ) from error


def _open_to_look(location: str, schema: Schema, *, blobs: str = "") -> Engine:
    folder = _folder(location)
    if folder is None:
        return open_engine(location, schema, blobs=blobs)
    from hansard.engines.sqlite import SqliteEngine

    return SqliteEngine(folder, schema, looking=True)


def store_exists(settings: Settings) -> bool:
    """Whether there is a store to open; a database server is asked by opening it."""
    from hansard.engines.sqlite.database import DATABASE, remains

    folder = store_folder(settings)
    # Where a database is missing, opening what is left of its store says so.
    return folder is None or (folder / DATABASE).exists() or bool(remains(folder))
