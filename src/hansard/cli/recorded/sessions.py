"""`hansard sessions`: who is present, what they have open, and ending sessions."""

from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from hansard.app.settings import sources
from hansard.cli.desk import Ask, desk, told
from hansard.cli.flags import Flags
from hansard.cli.options import Json, all_flags, settings_flags
from hansard.cli.recorded.session_finding import meant, projects_of, sessions_of
from hansard.cli.terminal.layout import Cell, room, table
from hansard.cli.terminal.text import painter, print_json, print_told, printable
from hansard.kernel.clock import to_text, utc_now
from hansard.kernel.problem import InvalidInput
from hansard.kernel.text import counted
from hansard.recorder.answers import SessionListed
from hansard.sessions.contract import SessionEndedAnswer
from hansard.sessions.directory import SEPARATOR, project_of
from hansard.sessions.wording import name_of, span, titled

COLOURS = {"active": "green", "idle": "yellow", "away": "grey", "ended": "grey"}
ORDER = list(COLOURS)
ENDED_SHOWN = 10
ACTIVE_SHOWN = 4

Paint = Callable[[str, str], str]
Named = Annotated[
    str,
    typer.Argument(metavar="SESSION", help="An id, its beginning, a title, or @latest."),
]


@settings_flags
def listing(
    flags: Flags,
    context: typer.Context,
    *,
    every: Annotated[bool, typer.Option("--all", help="Also all those that have ended.")] = False,
    json: Json = False,
) -> None:
    """List sessions, those with somebody in them first; of all projects, unless one is named."""
    context.obj = flags
    if context.invoked_subcommand is not None:
        return
    with desk(flags) as at:
        found = _ordered(_all(at.ask, flags))
        ended = [one for one in found if one.status == "ended"]
        shown = found if every or json else found[: len(found) - len(ended)] + ended[:ENDED_SHOWN]
        if json:
            for one in shown:
                print_json(one.model_dump(mode="json", exclude_none=True))
            return
        for line in _table(shown, painter()):
            print(line)
        if hidden := len(found) - len(shown):
            print(f"… and {hidden} that have ended; --all shows them")
        if not found:
            print("No session yet. The first write of a client begins one.")


@settings_flags
def show(flags: Flags, context: typer.Context, session: Named, *, json: Json = False) -> None:
    """Show everything about a session."""
    given = all_flags(flags, context)
    with desk(given) as at:
        one = meant(_here(at.ask, session), session)
        if json:
            print_json(one.model_dump(mode="json", exclude_none=True))
            return
        for name, value in _facts(one).items():
            if value:
                print(f"{name:<12} {printable(value)}")


@settings_flags
def end(
    flags: Flags,
    context: typer.Context,
    sessions: Annotated[
        list[str] | None, typer.Argument(metavar="[SESSION]…", help="Those to end.")
    ] = None,
    *,
    away: Annotated[bool, typer.Option("--away", help="All that nobody is in any more.")] = False,
    json: Json = False,
) -> None:
    """End sessions: nothing stays open in them, and nothing that was written is lost."""
    given = all_flags(flags, context)
    if not sessions and not away:
        raise InvalidInput("Which session?", hint="Name some, or give --away")
    with desk(given) as at:
        chosen = [meant(_here(at.ask, one), one) for one in sessions or ()]
        if away:
            chosen += [one for one in _all(at.ask, given) if one.status == "away"]
        for one in {(one.project_id, one.session_id): one for one in chosen}.values():
            _end(at.ask, one, json=json)
        if not chosen and not json:
            print("Nobody is away.")


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(help="Sessions: who is there, and ending them.", rich_markup_mode=None)
    group.callback(invoke_without_command=True)(listing)
    group.command()(show)
    group.command()(end)
    app.add_typer(group, name="sessions")


def _all(ask: Ask, flags: Flags) -> list[SessionListed]:
    """Gather the sessions of the project that was named, or of all."""
    if "project" in sources(flags):
        return list(sessions_of(ask))
    return [one for project in projects_of(ask) for one in sessions_of(ask, project)]


def _here(ask: Ask, named: str) -> list[SessionListed]:
    """Gather the sessions that a name may mean: those of the project that is meant here.

    A name never reaches into another project; only an id that Hansard made leads to its own.
    """
    own, led = list(sessions_of(ask)), project_of(named)
    if led is None or led not in list(projects_of(ask)):
        return own
    if any(one.session_id == named for one in own):
        return own
    return [one for one in sessions_of(ask, led) if one.session_id == named]


def _ordered(sessions: Sequence[SessionListed]) -> list[SessionListed]:
    """Sort those with somebody there first, then the latest active."""
    latest = sorted(sessions, key=lambda one: one.last_activity, reverse=True)
    return sorted(latest, key=lambda one: ORDER.index(one.status))


def _end(ask: Ask, session: SessionListed, *, json: bool) -> None:
    where = {"session_id": session.session_id, "project_id": session.project_id}
    if session.status == "ended":
        already = f"{session.session_id} has ended already."
        print_told(already, {**where, "ended": "already"}, json=json)
        return
    told(SessionEndedAnswer, ask("close_session", **where))
    title = f" ({titled(session.title)})" if session.title else ""
    print_told(f"{session.session_id}{title} is ended.", {**where, "ended": "now"}, json=json)


def _table(sessions: Sequence[SessionListed], paint: Paint) -> list[str]:
    """Lay sessions out; in a window without what they share, which a name need not have."""
    now, columns_max = to_text(utc_now()), room()
    is_window = columns_max is not None
    is_shared = is_window and len({one.project_id for one in sessions}) == 1
    rows: list[list[Cell]] = [
        [
            (one.status, COLOURS[one.status]),
            (name_of(one.by), None),
            (one.client or "", "grey"),
            ("" if is_shared else one.project_id, None),
            (f"{span(one.last_activity, now)} ago", None),
            (_active(one), None),
            (one.session_id.rpartition(SEPARATOR)[2] if is_window else one.session_id, "yellow"),
            (titled(one.title) if one.title else "", None),
        ]
        for one in sessions
    ]
    return table(rows, paint, columns_max)


def _active(session: SessionListed) -> str:
    """Name what is open in a session, as far as there is room."""
    records = session.active_records
    more = session.more_active or len(records) > ACTIVE_SHOWN
    return ", ".join(records[:ACTIVE_SHOWN]) + (", …" if more else "") or "-"


def _facts(one: SessionListed) -> dict[str, str]:
    return {
        "Session": one.session_id,
        "Title": one.title or "",
        "Project": one.project_id,
        "Status": f"{one.status}, stale" if one.stale else one.status,
        "By": one.by,
        "Client": one.client or "",
        "Since": one.created,
        "Last active": one.last_activity,
        "Open": ", ".join(one.active_records) + (", …" if one.more_active else ""),
        "Behind": counted(one.tick_gap, "write", "writes") if one.tick_gap else "",
        "Branch of": one.parent_session or "",
        "Files": f"{counted(one.edits, 'edit', 'edits')} in {counted(one.files, 'file', 'files')}"
        if one.edits
        else "",
    }
