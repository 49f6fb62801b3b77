"""`hansard status`, and `hansard` alone on a terminal: where were we?"""

import typer

from hansard.app.application import Application
from hansard.app.settings import load
from hansard.cli.desk import desk, told
from hansard.cli.flags import Flags
from hansard.cli.opened_store import store_exists
from hansard.cli.options import Json, settings_flags
from hansard.cli.project_status import lines
from hansard.cli.terminal.layout import room
from hansard.cli.terminal.text import painter, print_json, printable
from hansard.cli.welcome import program
from hansard.kernel.store import CATALOG, UNMADE
from hansard.records.answers import OverviewAnswer
from hansard.records.limits import BUDGET_TOKENS_MAX
from hansard.sessions import projects

PROJECTS_NAMED_MAX = 8


@settings_flags
def status(flags: Flags, *, json: Json = False) -> None:
    """Say where you were: the last session, what holds, what waits for you, who is there."""
    with desk(flags, is_anyones=False, may_write=False) as at:
        if at.application.own_project() == UNMADE and not json:
            print(_not_made(at.application))
            return
        overview = told(
            OverviewAnswer, at.ask("get_project_overview", budget_tokens=BUDGET_TOKENS_MAX)
        )
    if json:
        print_json(overview.model_dump(mode="json", exclude_none=True))
        return
    for line in lines(overview, painter(), room()):
        print(line)


def has_store() -> bool:
    """Whether there is a store to report on for a user who types `hansard` alone."""
    return store_exists(load({}))


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(status)


def _not_made(application: Application) -> str:
    """Say that this folder has no project yet, and which others there are."""
    name = application.home.name(application.store)
    found = application.store.read(CATALOG, projects.every)
    others = [printable(one.row["id"]) for one in found if not one.row["is_archived"]]
    more = ", …" if len(others) > PROJECTS_NAMED_MAX else ""
    listed = f"{', '.join(others[:PROJECTS_NAMED_MAX])}{more}"
    known = f"Known are {listed}; --project names one." if others else "No project is there yet."
    begin = f"The first write of a client begins it: `{program()} help start` says how."
    return f"Nothing is recorded of {printable(name)} yet.\n{known}\n{begin}"
