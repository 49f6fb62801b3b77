"""`hansard top`: who works on what, live."""

import shutil
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated

import typer

from hansard.cli.desk import Desk, desk, told
from hansard.cli.flags import Flags
from hansard.cli.options import Json, settings_flags
from hansard.cli.recorded.lanes import SessionLane, frame
from hansard.cli.terminal import screen
from hansard.cli.terminal.text import painter, print_json
from hansard.decisions.tables import DECISIONS
from hansard.kernel.clock import to_text, utc_now
from hansard.kernel.engine import ReadTx, Where
from hansard.kernel.store import UNMADE
from hansard.recorder.answers import SessionListAnswer, SessionListed, TimelineAnswer
from hansard.recorder.story.chapters import steps_of
from hansard.recorder.story.plans import PlannedStep

REFRESH_S = 1.0
LANES_MAX = 20
ORDER = ["active", "idle", "away", "ended"]
WAITING: Where = {"kind": "proposal", "status": "proposed"}

Look = Callable[[], tuple[list[SessionLane], int]]


@settings_flags
def top(
    flags: Flags,
    *,
    once: Annotated[bool, typer.Option("--once", help="Show it once, and end.")] = False,
    json: Json = False,
) -> None:
    """Show who works on what, live: a lane for each session that has not ended. q ends it."""
    with desk(flags) as opened:

        def look() -> tuple[list[SessionLane], int]:
            return _lanes(opened)

        if json:
            for lane in look()[0]:
                print_json(lane.as_json())
        elif once or not screen.is_screen():
            lanes, waits = look()
            size = shutil.get_terminal_size()
            for line in _drawn(lanes, waits, columns=size.columns, rows=4 * LANES_MAX):
                print(line)
        else:
            _watch(look)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(top)


def _watch(look: Look) -> None:
    """Draw until the user quits."""
    with suppress(KeyboardInterrupt), screen.own_page() as next_key:
        key: str | None = None
        while key not in ("q", "escape", ""):
            size = shutil.get_terminal_size()
            lanes, waits = look()
            screen.draw(_drawn(lanes, waits, columns=size.columns, rows=size.lines - 1))
            key = next_key(REFRESH_S)


def _drawn(lanes: list[SessionLane], waits: int, *, columns: int, rows: int) -> list[str]:
    now = to_text(utc_now())
    return frame(lanes, waits, painter(), now=now, columns=columns, rows=rows)


def _lanes(opened: Desk) -> tuple[list[SessionLane], int]:
    """Gather the lanes, those with somebody there first, and how many proposals wait."""
    application = opened.application
    project = application.own_project()
    if project == UNMADE:
        return [], 0
    listed = told(SessionListAnswer, opened.ask("list_sessions", limit=LANES_MAX)).sessions
    going = sorted(
        (one for one in listed if one.status != "ended"), key=lambda one: ORDER.index(one.status)
    )
    lanes = [_lane(opened, project, one) for one in going]
    waits = application.store.read(project, lambda tx: tx.tally(DECISIONS, WAITING).get(None, 0))
    return lanes, waits


def _lane(opened: Desk, project: str, session: SessionListed) -> SessionLane:
    def steps(tx: ReadTx) -> list[PlannedStep]:
        return steps_of(tx, session.session_id)

    items = told(TimelineAnswer, opened.ask("get_timeline", session_id=session.session_id, limit=1))
    return SessionLane(
        session=session.session_id,
        title=session.title,
        by=session.by,
        status=session.status,
        last_activity=session.last_activity,
        records=session.active_records,
        steps=opened.application.store.read(project, steps),
        deed=next((one.summary for one in items.timeline), None),
    )
