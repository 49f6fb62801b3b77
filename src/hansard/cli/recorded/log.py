"""`hansard log`: the journal of a project, for people and, with `--json`, for programs."""

import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import orjson
import typer

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened, project_of
from hansard.cli.options import Json, settings_flags
from hansard.cli.terminal.layout import Cell, Paint, room, table
from hansard.cli.terminal.text import painter, print_json, printable
from hansard.kernel import as_of
from hansard.kernel.engine import ReadTx, Watch
from hansard.kernel.event import Entry, Event, Kinds
from hansard.kernel.ids import IdBlockGranted, IdBlockReserved
from hansard.kernel.limits import ENTRIES_PAGE, LIST_LIMIT_DEFAULT
from hansard.kernel.problem import InvalidInput
from hansard.kernel.store import CATALOG, Store
from hansard.recorder.events import FileOpDone

WAKE_S = 1.0
"""How long a wait for news lasts at most, so that Ctrl-C is never far."""

SUMMARY_CHARS_MAX = 200
PLACE_CHARS = 6
WHO_CHARS = 10
"""The width reserved for most names and numbers, so that rows line up."""

_LIMIT_HELP = f"The newest so many; {LIST_LIMIT_DEFAULT}, or all with --since."
_SINCE_HELP = "After a seq s:340, a tick t:12 or an ISO time."
_SESSION_HELP = "Only what this session did."
_KIND_HELP = "Only this kind, by name or capability; may be repeated."

UNREAD = (
    (re.compile(r"^Session \S+ (?=started|saved|closed|taken up|left)"), "Session "),
    (re.compile(r" \((?:now )?[a-zA-Z]\w+::\w+\)"), ""),
    (re.compile(r"\b(chat|run|graph|thread|document) [a-zA-Z]\w+::\w+", re.IGNORECASE), r"\1"),
)
"""Parts of a summary that mean nothing to people, as on the page."""

Show = Callable[[Entry, Event | None], None]


@dataclass(frozen=True, slots=True)
class _Source:
    """Which entries of which journal are requested."""

    store: Store
    project: str
    session: str | None
    kinds: frozenset[str] | None

    def newest(self, after: int, limit: int) -> tuple[list[Entry], int]:
        """Give the last entries in order, and the seq up to which that is all."""

        def work(tx: ReadTx) -> tuple[list[Entry], int]:
            page = tx.entries(
                after=after, limit=limit, descending=True, kinds=self.kinds, session=self.session
            )
            return page[::-1], tx.head().seq

        return self.store.engine.read(self.project, work)

    def page(self, after: int) -> tuple[list[Entry], int]:
        """Give the next entries, and the seq up to which that is all."""

        def work(tx: ReadTx) -> tuple[list[Entry], int]:
            page = tx.entries(
                after=after, limit=ENTRIES_PAGE, kinds=self.kinds, session=self.session
            )
            return page, page[-1].seq if len(page) == ENTRIES_PAGE else tx.head().seq

        return self.store.engine.read(self.project, work)


@settings_flags
def log(
    flags: Flags,
    *,
    json: Json = False,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on as it grows.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help=_LIMIT_HELP)] = None,
    since: Annotated[str | None, typer.Option(metavar="POINT", help=_SINCE_HELP)] = None,
    session: Annotated[str | None, typer.Option(metavar="ID", help=_SESSION_HELP)] = None,
    kind: Annotated[list[str] | None, typer.Option(metavar="KIND", help=_KIND_HELP)] = None,
) -> int:
    """Show the journal of a project, oldest first. The store's own is the project @catalog."""
    with opened(flags, looking=True) as (application, settings):
        store = application.store
        project = _project(application, settings)
        if session and project != CATALOG:
            from hansard.cli.naming.resolving import SESSION, meant_id

            session = meant_id(application, SESSION, session)
        source = _Source(store, project, session, _chosen(store.kinds, kind))
        after = store.engine.read(source.project, lambda tx: _resolve(tx, since))
        if limit is None and since is None:
            limit = LIST_LIMIT_DEFAULT
        show = _show_json if json else _line_printer()
        _print(source, after, limit, follow=follow, show=show)
    return 0


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(log)


def _print(source: _Source, after: int, limit: int | None, *, follow: bool, show: Show) -> None:
    watch = source.store.engine.watch() if follow else None
    try:
        if limit is not None:
            entries, after = source.newest(after, limit)
            _show_all(source, entries, show)
        while watch or limit is None:
            page, after = source.page(after)
            _show_all(source, page, show)
            if len(page) < ENTRIES_PAGE and (watch is None or not _wait(watch)):
                break
    finally:
        if watch:
            watch.close()


def _wait(watch: Watch) -> bool:
    """Wait for news a while; false when the reader has ended it."""
    try:
        watch.wait(WAKE_S)
    except KeyboardInterrupt:
        return False
    return True


def _show_all(source: _Source, entries: Iterable[Entry], show: Show) -> None:
    for entry in entries:
        known = source.store.kinds.knows(entry.kind)
        show(entry, source.store.kinds.decode(entry) if known else None)


def _line_printer() -> Show:
    columns_max = room()
    return _show_line if columns_max is None else _rows(painter(), columns_max)


def _show_line(entry: Entry, event: Event | None) -> None:
    """Print an entry on a line of its own, for searching."""
    at = f"{entry.at[:10]} {entry.at[11:16]}"
    who = f"{entry.actor.kind}/{printable(entry.actor.id)}"
    summary = printable(event.summary()) if event else _without_event(entry)
    place = f"s:{entry.seq} t:{entry.tick} {at} {who} {_short(entry.kind)}"
    print(f"{place}  {summary[:SUMMARY_CHARS_MAX]}", flush=True)


def _rows(paint: Paint, columns_max: int) -> Show:
    """Build what prints entries in a window.

    It leaves out that a change went as announced, and which numbers are free.
    """

    def show(entry: Entry, event: Event | None) -> None:
        if isinstance(event, FileOpDone) and not event.recovered:
            return
        if isinstance(event, IdBlockGranted | IdBlockReserved):
            return
        said = plain(event.summary()) if event else f"{_short(entry.kind)} {_without_event(entry)}"
        row: list[Cell] = [
            (f"{f's:{entry.seq}':<{PLACE_CHARS}}", "yellow"),
            (f"{entry.at[5:10]} {entry.at[11:16]}", "grey"),
            (f"{entry.actor.id:<{WHO_CHARS}}", "cyan"),
            (said[:SUMMARY_CHARS_MAX], None),
        ]
        for line in table([row], paint, columns_max):
            print(line, flush=True)

    return show


def plain(summary: str) -> str:
    """Leave out the ids that nobody reads; a pipe and `--json` have them."""
    for pattern, instead in UNREAD:
        summary = pattern.sub(instead, summary)
    return summary


def _show_json(entry: Entry, _: Event | None) -> None:
    whole: dict[str, Any] = asdict(entry)
    body = entry.body
    shown = {"payload": None if body is None else orjson.loads(body)}
    print_json(whole | shown | {"redacted": entry.is_redacted})


def _without_event(entry: Entry) -> str:
    return "(redacted)" if entry.payload is None else "(of a kind this Hansard does not know)"


def _short(kind: str) -> str:
    """Leave out the version, which matters to programs."""
    return kind.rpartition(".")[0]


def _chosen(kinds: Kinds, wanted: list[str] | None) -> frozenset[str] | None:
    if not wanted:
        return None
    chosen = set()
    for name in wanted:
        matching = {event.kind for event in kinds if name in _names(event.kind)}
        if not matching:
            raise InvalidInput(
                f"--kind: no event is called {name}",
                hint=f"There are {', '.join(sorted(_short(event.kind) for event in kinds))}",
            )
        chosen |= matching
    return frozenset(chosen)


def _names(kind: str) -> set[str]:
    """Give the ways to ask for a kind: whole, without version, by name, by capability."""
    capability, name, _ = kind.split(".")
    return {kind, f"{capability}.{name}", name, capability}


def _resolve(tx: ReadTx, since: str | None) -> int:
    return 0 if since is None else as_of.resolve_since(tx, since, argument="--since")


def _project(application: Application, settings: Settings) -> str:
    """Give the key of the project that is meant.

    A key that was typed is taken as it is: a journal can be read where its directory cannot.
    """
    if settings.project in application.store.engine.heads():
        return settings.project
    return project_of(application, settings)
