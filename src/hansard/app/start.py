"""The composition root: which capabilities there are, and which engine holds the store."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import cast

from hansard import checkpoints, decisions, embedders, entities, recorder, records, sessions
from hansard.app import (
    briefing,
    circumstances,
    everything,
    homes,
    insight,
    people,
    tightening,
    tokens,
    why,
    workspaces,
)
from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.quotas import Quotas as CallQuotas
from hansard.app.settings import (
    Settings,
    embedder_key,
    key_location,
    secret,
    store_location,
)
from hansard.app.surroundings import surroundings
from hansard.checkpoints.limits import Quotas, Retention
from hansard.decisions import gitlog
from hansard.hooks import places, servers
from hansard.kernel.clock import Clock, utc_now
from hansard.kernel.engine import Engine, Schema
from hansard.kernel.limits import MIB
from hansard.kernel.meaning import Meanings
from hansard.kernel.operation import Home
from hansard.kernel.problem import InvalidInput
from hansard.kernel.store import Store
from hansard.recorder.gateway import Gateway
from hansard.recorder.redaction import mask
from hansard.sessions.presence import Presence
from hansard.sessions.rules import Quiet

POSTGRES_SCHEMES = ("postgresql://", "postgres://")
MEMORY = "memory:"
"""A store that is gone when the process ends, for trying things out."""


def catalog(settings: Settings | None = None) -> Catalog:
    """List what this Hansard can do, set up as these settings say."""
    settings = settings or Settings()
    meanings, presence = find_by_meaning(settings), who_is_there(settings)
    capabilities = [
        sessions.capability(records.count_open),
        records.capability(
            staleness(settings),
            meanings=meanings,
            presence=presence,
            brief=briefing.brief,
            tell=briefing.tell,
        ),
        recorder.capability(
            Path(settings.workspace).expanduser(),
            store=_folder(store_location(settings)),
            redact=settings.redact == "on",
            governed=decisions.governed,
            presence=presence,
            staleness=staleness(settings),
            key_file=key_location(settings),
            mark=partial(workspace_mark, Path(settings.workspace)),
        ),
        checkpoints.capability(
            quotas=checkpoint_quotas(settings),
            retention=Retention(settings.keep_checkpoints),
            since=insight.since,
            title_of=insight.title_of,
        ),
        decisions.capability(
            secret=secret(settings),
            workspace=Path(settings.workspace).expanduser(),
            review_window_s=settings.review_window_s,
            meanings=meanings,
            blast_radius=insight.blast_radius,
            followers=gitlog.followers(git) if (git := git_folder(settings)) else None,
            mask=mask if settings.redact == "on" else str,
            around=surroundings(Path(settings.workspace).expanduser()),
        ),
        entities.capability(),
        everything.capability(meanings),
        why.capability(gateway(settings), Path(settings.workspace).expanduser()),
        tokens.capability(),
        people.capability(),
    ]
    if isinstance(meanings, embedders.VectorMeanings):
        capabilities.append(meanings.capability(capabilities))
    return Catalog(capabilities)


def workspace_mark(folder: Path) -> str | None:
    """Say by what a workspace is known wherever it lies: its repository, or its own file."""
    found = workspaces.look(folder)
    surest = found.identity()
    if surest.startswith(workspaces.PLACE):
        return f"file:{found.project}" if found.project else None
    return f"{surest}/{found.within}"


def gateway(settings: Settings) -> Gateway:
    """Give whoever only looks a hand of its own on the workspace, opened on first use."""
    return Gateway(
        Path(settings.workspace).expanduser(),
        store=_folder(store_location(settings)),
        redact=settings.redact == "on",
        governed=decisions.governed,
        key_file=key_location(settings),
        mark=partial(workspace_mark, Path(settings.workspace)),
    )


def find_by_meaning(settings: Settings) -> Meanings:
    """Make what finds by meaning, as these settings say. Nothing is loaded yet."""
    return embedders.choose(
        cast("embedders.Choice", settings.embedder),
        url=settings.embedder_url,
        model=settings.embedder_model,
        key=embedder_key(),
    )


def who_is_there(settings: Settings) -> Presence:
    """Make what finds out who is there, as these settings say."""
    quiet = Quiet(idle_s=60.0 * settings.idle_minutes, away_s=60.0 * settings.away_minutes)
    return Presence(quiet, tokens.ended)


def checkpoint_quotas(settings: Settings) -> Quotas:
    """Give the limits of what checkpoints may take."""
    return Quotas(
        checkpoint_bytes_max=settings.checkpoint_max_mib * MIB,
        session_bytes_max=settings.session_max_mib * MIB,
        store_bytes_max=settings.store_max_gib * 1024 * MIB,
    )


def staleness(settings: Settings) -> records.Staleness:
    """Give from when on a session counts as stale, and how much."""
    levels = settings.stale_ticks, settings.stale_moderate_ticks, settings.stale_severe_ticks
    if not 0 < levels[0] <= levels[1] <= levels[2]:
        raise InvalidInput(
            "stale_ticks, stale_moderate_ticks and stale_severe_ticks must each be at least as "
            "large as the one before, and the first at least 1",
            argument="stale_ticks",
        )
    return records.Staleness(*levels)


def call_quotas(settings: Settings) -> CallQuotas:
    """Give the limits of what sessions may hold, and callers write."""
    return CallQuotas(
        session_entries=settings.session_max_entries,
        writes_per_day=settings.writes_per_day,
        for_everyone=settings.limit_everyone,
    )


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

    folder = Path(location).expanduser()
    circumstances.require_place(folder)
    return SqliteEngine(folder, schema)


def start(
    settings: Settings,
    opener: Callable[[str, Schema], Engine] = open_engine,
    *,
    clock: Clock = utc_now,
    known: Catalog | None = None,
    home: Home | None = None,
) -> Application:
    """Build the application these settings describe, or one with another catalog or home."""
    circumstances.require_files()
    known = known or catalog(settings)
    engine = opener(store_location(settings), known.schema)
    store = Store(engine, known.kinds, known.views)
    embedders.open_store(known.capabilities, store)
    application = Application(
        known,
        store,
        home=home or homes.choose(settings),
        read_only=settings.read_only,
        clock=clock,
        limit=call_quotas(settings),
        redact=settings.redact == "on",
    )
    if not settings.read_only:
        if folder := _folder(store_location(settings)):
            tightening.tighten(folder)
            servers.sweep(str(folder / places.FOLDER))
        application.recover()
    return application


def bytes_used(settings: Settings) -> int | None:
    """Say how much a store takes on disk; `None` if it lies in no folder of this machine."""
    folder = _folder(store_location(settings))
    if folder is None:
        return None
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def git_folder(settings: Settings) -> Path | None:
    """Say where the Git repositories of decisions lie; `None` if there shall be none."""
    if settings.git_folder:
        return Path(settings.git_folder).expanduser()
    store = _folder(store_location(settings))
    return store / gitlog.FOLDER if store else None


def _folder(location: str) -> Path | None:
    """Give the folder a store lies in; `None` if it lies in no folder of this machine."""
    if location == MEMORY or location.startswith(POSTGRES_SCHEMES):
        return None
    return Path(location).expanduser()
