"""`hansard serve`: MCP over HTTP, and the page."""

import typer

from hansard.app.homes import choose
from hansard.app.hook_server import HookServer
from hansard.app.settings import load
from hansard.app.start import start
from hansard.app.tracing import traced
from hansard.cli.flags import Flags
from hansard.cli.opened_store import settled_line
from hansard.cli.options import settings_flags
from hansard.cli.terminal.stderr import say
from hansard.kernel.problem import Problem


@settings_flags
def serve(flags: Flags) -> int:
    """Serve MCP over HTTP and the page, until Ctrl-C: on this machine, and elsewhere by token."""
    # The web stack takes longest to load, so everything else may fail first.
    settings = load(flags)
    application = traced(start(settings, home=choose(settings, say=say)))
    if application.settled:
        say(settled_line(application.settled))
    application.follow()
    from hansard.cli.listening import listen_on
    from hansard.http import server
    from hansard.http.site import Site

    try:
        site = Site(application, settings, also="\n".join(application.news()))
        listener = listen_on(settings)
    except Problem:
        application.close()
        raise
    with HookServer(settings, say):
        return server.serve(application, settings, site, front=site.around, listener=listener)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(serve)
