"""A Hansard that refuses on demand, with any problem there is: as a server and as a command."""

import sys
from typing import Annotated

import typer

from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings, load
from hansard.app.start import catalog, start
from hansard.cli.generate import all_problems
from hansard.kernel.operation import Capability, Context, Operation, Request, Result
from hansard.kernel.problem import Internal, Problem
from hansard.kernel.text import Label

PROBLEMS = {problem.__name__: problem for problem in all_problems(catalog())}
TOOL = "toy_refuse"
DETAILS = {"argument": "a", "retry_after_s": 7, "uri": "hansard://nowhere", "deep": {"list": [1]}}
"""For programs; some of them are what adapters look at."""


class Refuse(Request):
    """Arguments of toy_refuse."""

    problem: Label


class NotRefused(Result):
    """What never comes."""

    def text(self) -> str:
        return "Not refused"


def made(name: str) -> Problem:
    """Make a problem as something would raise it."""
    problem = PROBLEMS[name]
    if problem is Internal:
        return Internal("0badc0de")
    return problem("Refused on purpose: é, 漢", hint=f"Ask for less than {name}", **DETAILS)


def refuse(request: Refuse, _: Context) -> NotRefused:
    """Refuse."""
    raise made(request.problem)


CAPABILITY = Capability(
    "toy_refusals",
    (Operation(TOOL, "Refuse.", Refuse, NotRefused, refuse, writes=False, session="none"),),
)


def opened(settings: Settings) -> Application:
    """Start what Hansard can do, and refusing."""
    return start(settings, known=Catalog([*catalog(settings).capabilities, CAPABILITY]))


def command(problem: str, *, json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """Refuse at the command line."""
    del json
    raise made(problem)


def register(app: typer.Typer) -> None:
    """Add the command, as the modules of commands do."""
    app.command("refuse")(command)


def main() -> int:
    """Serve as the first argument says."""
    settings = load({})
    application = opened(settings)
    if sys.argv[1] == "http":
        from hansard.http import server
        from hansard.http.site import Site

        site = Site(application, settings)
        return server.serve(application, settings, site, front=site.around)
    from hansard.mcp.stdio import serve

    return serve(application, settings)


if __name__ == "__main__":
    sys.exit(main())
