"""`hansard serve`: MCP over HTTP."""

import typer

from hansard.app.settings import load
from hansard.app.start import start
from hansard.cli.flags import Flags
from hansard.cli.options import settings_flags


@settings_flags
def serve(flags: Flags) -> int:
    """Serve MCP over HTTP on this machine, until Ctrl-C."""
    # The web stack takes longest to load, so everything else may fail first.
    settings = load(flags)
    application = start(settings)
    application.follow()
    from hansard.mcp import http

    return http.serve(application, settings)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(serve)
