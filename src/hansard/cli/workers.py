"""`hansard serve --workers N`: several processes that answer as one."""

import secrets
import sys

from hansard.app.settings import Settings, store_location
from hansard.app.start import MEMORY
from hansard.cli.listen_port import listen_on
from hansard.cli.terminal.stderr import say
from hansard.http.page_key import from_here, leave_key
from hansard.kernel.problem import InvalidInput

WORKERS_MAX = 64
KEY_BYTES = 24


def serve_by_workers(settings: Settings) -> int:
    """Serve by as many processes as the settings say, until told to end; gives the exit code."""
    _require_possible(settings)
    from hansard.http.workers.supervisor import Supervisor, as_program

    listener, key = listen_on(settings), secrets.token_urlsafe(KEY_BYTES)
    port: int = listener.getsockname()[1]
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    base = f"http://{host}:{port}"
    kept = leave_key(port, from_here(base, port), key)

    def announce(page: str) -> None:
        say(f"Hansard listens on {base}/mcp, with {settings.workers} workers\n{page}")

    try:
        spawn = as_program(sys.argv[1:])
        return Supervisor(settings.workers, listener, key, spawn, say, announce).run()
    finally:
        if kept:
            kept.unlink(missing_ok=True)


def _require_possible(settings: Settings) -> None:
    """Refuse what several processes cannot do, in one sentence."""
    if not 1 <= settings.workers <= WORKERS_MAX:
        raise InvalidInput(f"There are 1 to {WORKERS_MAX} workers", argument="workers")
    if store_location(settings) == MEMORY:
        raise InvalidInput(
            "A store in memory belongs to one process, so it takes no workers",
            hint="Name a folder or a database with --store, or leave --workers out",
            argument="workers",
        )
    if sys.platform == "win32":
        raise InvalidInput("Windows lets no two processes share a port", argument="workers")
