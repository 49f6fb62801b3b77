"""`hansard serve`: MCP over HTTP, and the page."""

from pathlib import Path

import typer

from hansard.app.home_projects import choose
from hansard.app.hook_server import HookServer
from hansard.app.rate_limit_file import RateLimitFile
from hansard.app.settings import Settings, load
from hansard.app.start import start
from hansard.app.tracing import traced
from hansard.cli.flags import Flags
from hansard.cli.opened_store import settled_line
from hansard.cli.options import settings_flags
from hansard.cli.terminal.stderr import say
from hansard.http.workers.worker_socket import Worker
from hansard.kernel.problem import Problem

BUCKETS = "callers"
"""The file in which workers count together how much their callers have left."""


@settings_flags
def serve(flags: Flags) -> int:
    """Serve MCP over HTTP and the page, until Ctrl-C: on this machine, and elsewhere by token."""
    settings = load(flags)
    worker = Worker.here()
    if settings.workers != 1 and worker is None:
        from hansard.cli.workers import serve_by_workers

        return serve_by_workers(settings)
    return _serve(settings, worker)


def _serve(settings: Settings, worker: Worker | None) -> int:
    """Serve in this process: alone, or as one of several workers."""
    # The web stack takes longest to load, so everything else may fail first.
    shared = RateLimitFile(Path(worker.folder) / BUCKETS) if worker else None
    application = traced(start(settings, home=choose(settings, say=say), shared=shared))
    if application.settled:
        say(settled_line(application.settled))
    application.follow()
    from hansard.cli.listen_port import listen_on
    from hansard.http import server
    from hansard.http.site import Site

    try:
        also = "\n".join(application.news())
        site = Site(application, settings, also=also, worker=worker, shared=shared)
        listener = worker.port() if worker else listen_on(settings)
    except Problem:
        application.close()
        raise
    with HookServer(settings, say):
        return server.serve(
            application, settings, site, front=site.around, listener=listener, worker=worker
        )


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(serve)
