"""How long a test waits for what must happen: one patience for all.

It is no promise of speed, which `make bench` measures. It only ends a test whose event never
comes, so it is far more than a busy machine could take; and less than the time that pytest gives
a test, so that it is the wait that fails, and says for what.
"""

import select
import sys
import time
from collections.abc import Callable

PATIENCE_S = 600.0

POLL_S = 0.01

LIMITS = {
    "hansard.app.hook_server": "ASK_S",
    "hansard.app.sso.fetching": "WAIT_S",
    "hansard.cli.open_page": "ANSWER_S",
    "hansard.embedders.http": "QUERY_WAIT_S",
    "hansard.embedders.shared": "QUERY_WAIT_S",
    "hansard.engines.group_commit": "COMMIT_WAIT_S",
    "hansard.engines.postgres.connections": "POOL_WAIT_S",
    "hansard.engines.postgres.engine": "LOOK_MAX_S",
    "hansard.engines.postgres.lease_service": "PAUSE_S",
    "hansard.engines.postgres.watched": "SILENCE_S",
    "hansard.hooks.folder_snapshot": "LOOK_S",
    "hansard.hooks.servers": "BRIEF_S",
    "hansard.kernel.effect": "WRITE_WAIT_S",
    "hansard.kernel.limits": "WRITE_WAIT_S",
    "hansard.mcp.forced_exit": "GIVE_UP_S",
    "hansard.http.server": "GRACE_S",
    "hansard.mcp.notices": "SEND_S",
    "hansard.recorder.workspace.folder": "TURN_WAIT_S",
    "hansard.recorder.limits": "FILE_WAIT_S",
}
"""Where Hansard itself gives up waiting, by module."""


def lengthen() -> None:
    """Have Hansard wait as long as the tests do, in the modules that are loaded by now.

    Its own limits are for people, who would rather be told; on a busy machine tests would meet
    them by chance. A test that is about one of them sets it.
    """
    for module, name in LIMITS.items():
        if module in sys.modules:
            setattr(sys.modules[module], name, PATIENCE_S)


def is_readable(descriptor: int, wait_s: float = 0.0) -> bool:
    """Whether there is something to read. By `poll`: `select` knows only the first 1,024."""
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN | select.POLLHUP)
    return bool(waiting.poll(wait_s * 1000))


def wait_until(has_happened: Callable[[], object], what: str = "it never happened") -> None:
    """Look again and again, where nothing tells of the event."""
    deadline = time.monotonic() + PATIENCE_S
    while not has_happened():
        assert time.monotonic() < deadline, what
        time.sleep(POLL_S)
