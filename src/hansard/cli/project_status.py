"""Where a project stands: the overview on a terminal. Pure."""

from collections.abc import Iterator, Sequence

from hansard.cli.terminal.layout import Cell, Paint, paragraph, table
from hansard.kernel.clock import to_text, utc_now
from hansard.records.answers import OverviewAnswer
from hansard.records.briefing import DecisionSeen, LastSession
from hansard.sessions.session_shape import SessionShown
from hansard.sessions.wording import name_of, span, titled

INDENT = "  "
SHOWN_MAX = 5
"""How many of a kind fit the screen; a command lists all."""

LIVE = ("active", "idle")
FURTHER = (
    "hansard story tells it in full; hansard open shows the page; hansard help says what else."
)


def lines(
    overview: OverviewAnswer, paint: Paint, columns_max: int | None, *, now: str | None = None
) -> Iterator[str]:
    """Say who was here last, what holds, what waits, who is there and where to go on."""
    now = now or to_text(utc_now())
    project = overview.project
    yield from paragraph(f"{project.id}: {project.description or project.name}", columns_max)
    parts = {
        "Where we were": _last(overview.last_session, now),
        "Waits for you": _decisions(overview.proposals, overview.counts["proposals"], "proposals"),
        "Holds": _decisions(overview.decisions, overview.counts["decisions"], "list"),
        "Open": _open(overview),
        "Live": _live(overview.open_sessions, overview.counts["open_sessions"], now),
        "Checkpoint": _checkpoint(overview, now),
    }
    for heading, rows in parts.items():
        if rows:
            yield ""
            yield paint(heading, "yellow")
            room = None if columns_max is None else columns_max - len(INDENT)
            yield from (INDENT + line for line in _laid_out(rows, paint, room))
    yield ""
    for line in paragraph(FURTHER, columns_max):
        yield paint(line, "grey")


def _laid_out(rows: Sequence[Sequence[Cell]], paint: Paint, room: int | None) -> Iterator[str]:
    """Lay out rows that have several columns together, and others by themselves."""
    several = [row for row in rows if len(row) > 1]
    yield from table(several, paint, room)
    for [cell] in (row for row in rows if len(row) == 1):
        yield from table([[cell]], paint, room)


def _last(last: LastSession | None, now: str) -> list[list[Cell]]:
    if last is None:
        return [[("Nobody has worked here yet.", None)]]
    called = f'"{titled(last.title)}"' if last.title else last.id
    when = f"{span(last.last_activity, now)} ago"
    rows: list[list[Cell]] = [[(f"{called}, by {name_of(last.by)}, {when}", "green")]]
    rows += [[(line, None)] for line in last.did or ()]
    return rows + ([[(f"“{last.said}”", "cyan")]] if last.said else [])


def _decisions(seen: Sequence[DecisionSeen] | None, total: int, command: str) -> list[list[Cell]]:
    shown = (seen or [])[:SHOWN_MAX]
    rows: list[list[Cell]] = [
        [(one.id, "yellow"), (f"{one.title} ({one.target})", None)] for one in shown
    ]
    return rows + _more(total - len(shown), f"hansard decisions {command}")


def _open(overview: OverviewAnswer) -> list[list[Cell]]:
    shown = overview.open_records[:SHOWN_MAX]
    rows: list[list[Cell]] = [
        [(one.id, "yellow"), (f"{one.title} ({one.type})", None)] for one in shown
    ]
    return rows + _more(overview.counts["open_records"] - len(shown), "hansard records")


def _live(sessions: Sequence[SessionShown], total: int, now: str) -> list[list[Cell]]:
    there = [one for one in sessions if one.status in LIVE]
    rows: list[list[Cell]] = [
        [(name_of(one.by), "green"), (one.status, None), (_doing(one, now), None)]
        for one in there[:SHOWN_MAX]
    ]
    if not there:
        rows = [[("Nobody is here now.", None)]]
    away = total - len(there)
    return rows + ([[(f"{away} away: hansard sessions", "grey")]] if away > 0 else [])


def _doing(session: SessionShown, now: str) -> str:
    called = f'"{titled(session.title)}", ' if session.title else ""
    at = f", at {', '.join(session.active_records)}" if session.active_records else ""
    return f"{called}{span(session.last_activity, now)} ago{at}"


def _checkpoint(overview: OverviewAnswer, now: str) -> list[list[Cell]]:
    saved = overview.checkpoint
    if saved is None:
        return []
    called = f' "{titled(saved.name)}"' if saved.name else ""
    about = f"{called}, {span(saved.saved, now)} ago: hansard checkpoints show {saved.id}"
    return [[(f"{saved.id}{about}", None)]]


def _more(count: int, command: str) -> list[list[Cell]]:
    return [[(f"and {count} more: {command}", "grey")]] if count > 0 else []
