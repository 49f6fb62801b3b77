"""`hansard serve`: MCP over HTTP, and the page."""

import typer

from hansard.app.settings import load
from hansard.app.start import start
from hansard.cli.flags import Flags
from hansard.cli.options import settings_flags
from hansard.kernel.problem import Problem


@settings_flags
def serve(flags: Flags) -> int:
    """Serve MCP over HTTP and the page, until Ctrl-C: on this machine, and elsewhere by token."""
    # The web stack takes longest to load, so everything else may fail first.
    settings = load(flags)
    application = start(settings)
    application.follow()
    from hansard.http.server import Page
    from hansard.mcp import http

    try:
        page = Page(application, settings)
    except Problem:
        application.close()
        raise
    return http.serve(application, settings, page, front=page.around)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(serve)
