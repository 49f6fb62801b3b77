"""The composition root: which capabilities exist, and which engine holds the store."""

from collections.abc import Callable, Collection, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from hansard import embedders
from hansard.app import catalog_file, file_permissions, home_projects, preflight, workspaces
from hansard.app.anchoring import Anchoring, anchor_file
from hansard.app.application import Application, Limit
from hansard.app.catalog import Catalog
from hansard.app.settings import (
    Settings,
    embedder_key,
    key_location,
    secret,
    store_location,
)
from hansard.decisions.secret import KeptSecret
from hansard.hooks import locations, servers
from hansard.kernel.clock import Clock, utc_now
from hansard.kernel.deferred import Declared, Deferred, Part
from hansard.kernel.engine import Engine, ReadTx, Schema
from hansard.kernel.limits import MIB
from hansard.kernel.meaning import Meanings
from hansard.kernel.operation import Capability, Context, Home, Operation
from hansard.kernel.problem import InvalidInput
from hansard.kernel.store import Store
from hansard.sessions.presence import Presence
from hansard.sessions.rules import Quiet, Staleness

if TYPE_CHECKING:
    from hansard.app.quotas import Quotas as CallQuotas
    from hansard.app.rate_limit_file import RateLimitFile
    from hansard.checkpoints.limits import CheckpointQuotas
    from hansard.recorder.file_decisions import Governed
    from hansard.recorder.gateway import Gateway
    from hansard.records.briefing import Briefing

POSTGRES_SCHEMES = ("postgresql://", "postgres://")
MEMORY = "memory:"
"""A store that ends with the process, for trying things out."""


def catalog(
    settings: Settings | None = None, written: Mapping[str, Declared] | None = None
) -> Catalog:
    """List what this Hansard can do, set up as these settings say.

    A capability with a description is loaded when it is first needed.
    """
    composed = Composition(settings or Settings())
    written = catalog_file.written() if written is None else written
    parts: list[Part] = [
        Deferred(name, written[name], load, secret=composed.secrets.get(name))
        if name in written
        else load()
        for name, load in composed.capabilities.items()
    ]
    if isinstance(composed.meanings, embedders.VectorMeanings):
        parts.append(composed.meanings.capability(parts))
    return Catalog(parts)


class Composition:
    """How each capability is assembled; its parts are imported when that happens."""

    def __init__(self, settings: Settings) -> None:
        """Assemble them as these settings say."""
        self._settings = settings
        self._workspace = Path(settings.workspace).expanduser()
        self._presence = who_is_there(settings)
        self._staleness = staleness(settings)
        self._secret = KeptSecret(secret(settings))
        self.meanings = find_by_meaning(settings)
        self.secrets = {"decisions": self._secret}
        self.capabilities: dict[str, Callable[[], Capability]] = {
            "sessions": self._sessions,
            "records": self._records,
            "recorder": self._recorder,
            "checkpoints": self._checkpoints,
            "decisions": self._decisions,
            "entities": self._entities,
            "search": self._search,
            "why": self._why,
            "tokens": self._tokens,
            "people": self._people,
            "identities": self._identities,
        }
        """In the order in which their tools are listed."""

    def _sessions(self) -> Capability:
        from hansard.records.reading import count_open
        from hansard.sessions.capability import capability

        return capability(count_open)

    def _records(self) -> Capability:
        from hansard.records.capability import capability

        return capability(
            self._staleness,
            meanings=self.meanings,
            presence=self._presence,
            brief=_brief,
            tell=_tell,
        )

    def _recorder(self) -> Capability:
        from hansard.app.search_sources import ask_about
        from hansard.recorder.capability import capability

        return capability(
            self._workspace,
            store=_folder(store_location(self._settings)),
            redact=self._settings.redact == "on",
            governed=governed_in(self._workspace),
            ask_about=ask_about,
            presence=self._presence,
            staleness=self._staleness,
            key_file=key_location(self._settings),
            mark=partial(workspace_mark, Path(self._settings.workspace)),
        )

    def _checkpoints(self) -> Capability:
        from hansard.app import insight
        from hansard.checkpoints.capability import capability
        from hansard.checkpoints.limits import Retention

        return capability(
            quotas=checkpoint_quotas(self._settings),
            retention=Retention(self._settings.keep_checkpoints),
            since=insight.since,
            title_of=insight.title_of,
        )

    def _decisions(self) -> Capability:
        from hansard.app.citable_things import surroundings
        from hansard.app.insight import blast_radius
        from hansard.decisions.capability import capability
        from hansard.decisions.git import decision_log
        from hansard.recorder.contents.redaction import mask

        git = git_folder(self._settings)
        return capability(
            secret=self._secret,
            workspace=self._workspace,
            review_window_s=self._settings.review_window_s,
            meanings=self.meanings,
            blast_radius=blast_radius,
            followers=decision_log.followers(git) if git else None,
            mask=mask if self._settings.redact == "on" else str,
            around=surroundings(self._workspace),
        )

    def _entities(self) -> Capability:
        from hansard.entities.capability import capability

        return capability()

    def _search(self) -> Capability:
        from hansard.app import search_all

        return search_all.capability(self.meanings)

    def _why(self) -> Capability:
        from hansard.app.why import operation

        return operation.capability(gateway(self._settings), self._workspace)

    def _tokens(self) -> Capability:
        from hansard.app import tokens

        return tokens.capability()

    def _people(self) -> Capability:
        from hansard.app import people

        return people.capability()

    def _identities(self) -> Capability:
        from hansard.app import identities, sign_ins

        return identities.capability(sign_ins.EVENTS, [sign_ins.VIEW])


def _brief(tx: ReadTx, context: Context) -> "Briefing":
    from hansard.app import briefing

    return briefing.brief(tx, context)


def _tell(context: Context) -> list[str]:
    from hansard.app import briefing

    return briefing.tell(context)


def workspace_mark(folder: Path) -> str | None:
    """Say what identifies a workspace wherever it lies: its repository, or its own file."""
    found = workspaces.look(folder)
    surest = found.identity()
    if surest.startswith(workspaces.PLACE):
        return f"file:{found.project}" if found.project else None
    return f"{surest}/{found.within}"


def governed_in(folder: Path) -> "Governed":
    """Give what finds the decisions about a workspace's files, wherever in its repository it is."""
    from hansard.decisions.governed_files import governed

    @cache
    def within() -> str:
        way = folder.expanduser().resolve().relative_to(workspaces.top_of(folder))
        return "" if way == Path() else way.as_posix()

    return lambda tx, path: governed(tx, path, within=within())


def gateway(settings: Settings) -> "Gateway":
    """Give a reader its own handle on the workspace, opened on first use."""
    from hansard.recorder.gateway import Gateway

    return Gateway(
        Path(settings.workspace).expanduser(),
        store=_folder(store_location(settings)),
        redact=settings.redact == "on",
        governed=governed_in(Path(settings.workspace)),
        key_file=key_location(settings),
        mark=partial(workspace_mark, Path(settings.workspace)),
    )


def find_by_meaning(settings: Settings) -> Meanings:
    """Build the search by meaning that these settings name. Nothing is loaded yet."""
    return embedders.choose(
        cast("embedders.Choice", settings.embedder),
        url=settings.embedder_url,
        model=settings.embedder_model,
        key=embedder_key(),
    )


def who_is_there(settings: Settings) -> Presence:
    """Build what finds out who is present, as these settings say."""
    quiet = Quiet(idle_s=60.0 * settings.idle_minutes, away_s=60.0 * settings.away_minutes)
    return Presence(quiet, _ended)


def _ended(store: Store, identities: Collection[str], now: str) -> set[str]:
    from hansard.app import tokens

    return tokens.ended(store, identities, now)


def checkpoint_quotas(settings: Settings) -> "CheckpointQuotas":
    """Give the limits of what checkpoints may take."""
    from hansard.checkpoints.limits import CheckpointQuotas

    return CheckpointQuotas(
        checkpoint_bytes_max=settings.checkpoint_max_mib * MIB,
        session_bytes_max=settings.session_max_mib * MIB,
        store_bytes_max=settings.store_max_gib * 1024 * MIB,
    )


def staleness(settings: Settings) -> Staleness:
    """Give how far behind a session counts as stale, and how stale."""
    levels = settings.stale_ticks, settings.stale_moderate_ticks, settings.stale_severe_ticks
    if not 0 < levels[0] <= levels[1] <= levels[2]:
        raise InvalidInput(
            "stale_ticks, stale_moderate_ticks and stale_severe_ticks must each be at least as "
            "large as the one before, and the first at least 1",
            argument="stale_ticks",
        )
    return Staleness(*levels)


def quota(settings: Settings, shared: "RateLimitFile | None" = None) -> Limit:
    """Give what refuses calls beyond the quotas; made with the first write, as no read counts."""
    made = cache(partial(call_quotas, settings, shared))

    def limit(operation: Operation, context: Context) -> None:
        if operation.writes:
            made()(operation, context)

    return limit


def call_quotas(settings: Settings, shared: "RateLimitFile | None" = None) -> "CallQuotas":
    """Give the limits of what sessions may hold, and callers write."""
    from hansard.app.quotas import Quotas as CallQuotas

    return CallQuotas(
        session_entries=settings.session_max_entries,
        writes_per_day=settings.writes_per_day,
        for_everyone=settings.limit_everyone,
        shared=shared,
    )


def open_engine(location: str, schema: Schema, *, blobs: str = "") -> Engine:
    """Open the engine a store's location asks for. Drivers are imported when chosen, not before."""
    if blobs and not location.startswith(POSTGRES_SCHEMES):
        raise InvalidInput(
            "blobs: only a store in PostgreSQL keeps its blobs in an object store", argument="blobs"
        )
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
        return PostgresEngine(location, schema, blobs=blobs)
    from hansard.engines.sqlite import SqliteEngine

    folder = Path(location).expanduser()
    preflight.require_place(folder)
    return SqliteEngine(folder, schema)


def start(
    settings: Settings,
    opener: Callable[[str, Schema], Engine] | None = None,
    *,
    clock: Clock = utc_now,
    known: Catalog | None = None,
    home: Home | None = None,
    shared: "RateLimitFile | None" = None,
) -> Application:
    """Build the application these settings describe, or one with another catalog or home.

    `shared` is where several processes count together how much their callers have left.
    """
    preflight.require_files()
    anchors = anchor_location(settings)
    known = known or catalog(settings)
    opener = opener or partial(open_engine, blobs=settings.blobs)
    engine = opener(store_location(settings), known.schema)
    store = Store(engine, known.kinds, known.views)
    embedders.open_store(known.parts, store)
    application = Application(
        known,
        store,
        home=home or home_projects.choose(settings),
        read_only=settings.read_only,
        clock=clock,
        limit=quota(settings, shared),
        redact=settings.redact == "on",
        anchoring=Anchoring(anchors) if anchors else None,
        is_there=partial(_is_there, settings),
    )
    if not settings.read_only:
        if folder := _folder(store_location(settings)):
            file_permissions.tighten(folder)
            servers.sweep(str(folder / locations.FOLDER))
        application.recover()
    return application


def _is_there(settings: Settings, tx: ReadTx, ref: str) -> bool:
    # What knows it is loaded when something is cited.
    from hansard.app.citable_things import is_known

    return is_known(partial(gateway, settings), tx, ref)


def bytes_used(settings: Settings) -> int | None:
    """Say how much a store takes on disk; `None` if it lies in no folder of this machine."""
    folder = _folder(store_location(settings))
    if folder is None:
        return None
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def git_folder(settings: Settings) -> Path | None:
    """Say where the Git repositories of decisions lie; `None` if they are turned off."""
    if settings.git_folder:
        return Path(settings.git_folder).expanduser()
    from hansard.decisions.git import decision_log

    store = _folder(store_location(settings))
    return store / decision_log.FOLDER if store else None


def anchor_location(settings: Settings) -> Path | None:
    """Say in which file anchors are noted; `None` if in none."""
    return anchor_file(settings.anchor_file, _folder(store_location(settings)))


def _folder(location: str) -> Path | None:
    """Give the folder a store lies in; `None` if it lies in no folder of this machine."""
    if location == MEMORY or location.startswith(POSTGRES_SCHEMES):
        return None
    return Path(location).expanduser()
