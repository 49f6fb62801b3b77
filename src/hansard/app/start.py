"""The composition root: which capabilities there are, and which engine holds the store."""

from collections.abc import Callable
from pathlib import Path

from hansard import recorder, records, sessions
from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings, store_location
from hansard.kernel.clock import Clock, utc_now
from hansard.kernel.engine import Engine, Schema
from hansard.kernel.problem import InvalidInput
from hansard.kernel.store import Store

POSTGRES_SCHEMES = ("postgresql://", "postgres://")
MEMORY = "memory:"
"""A store that is gone when the process ends, for trying things out."""


def catalog(settings: Settings | None = None) -> Catalog:
    """List what this Hansard can do, set up as these settings say."""
    settings = settings or Settings()
    return Catalog([
        sessions.capability(records.count_open),
        records.capability(),
        recorder.capability(
            Path(settings.workspace).expanduser(),
            store=_folder(store_location(settings)),
            redact=settings.redact == "on",
        ),
    ])  # fmt: skip


def open_engine(location: str, schema: Schema) -> Engine:
    """Open the engine a store's location asks for. Drivers are imported when chosen, not before."""
    if location == MEMORY:
        from hansard.engines.memory import MemoryEngine

        return MemoryEngine(schema)
    if location.startswith(POSTGRES_SCHEMES):
        try:
            from hansard.engines.postgres import PostgresEngine
        except ImportError as error:
            raise InvalidInput(
                "A PostgreSQL store needs the driver", hint="pip install 'hansard[postgres]'"
            ) from error
        return PostgresEngine(location, schema)
    from hansard.engines.sqlite import SqliteEngine

    return SqliteEngine(Path(location).expanduser(), schema)


def start(
    settings: Settings,
    opener: Callable[[str, Schema], Engine] = open_engine,
    *,
    clock: Clock = utc_now,
    known: Catalog | None = None,
) -> Application:
    """Build the application these settings describe, or one that knows another catalog."""
    known = known or catalog(settings)
    engine = opener(store_location(settings), known.schema)
    store = Store(engine, known.kinds, known.views)
    application = Application(
        known,
        store,
        default_project=settings.project,
        read_only=settings.read_only,
        clock=clock,
    )
    if not settings.read_only:
        application.recover()
    return application


def _folder(location: str) -> Path | None:
    """Give the folder a store lies in; `None` if it lies in no folder of this machine."""
    if location == MEMORY or location.startswith(POSTGRES_SCHEMES):
        return None
    return Path(location).expanduser()
