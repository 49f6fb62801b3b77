"""The capability of sessions: its operations, events and views."""

from collections.abc import Callable

from hansard.kernel.engine import ReadTx
from hansard.kernel.operation import Capability
from hansard.sessions import citations, commands, queries
from hansard.sessions.events import EVENTS
from hansard.sessions.project_views import VIEW as DIRECTORY
from hansard.sessions.views import VIEWS


def capability(count_open_records: Callable[[ReadTx], int] = lambda _: 0) -> Capability:
    """Make the capability; how open records are counted comes from the layer above."""
    return Capability(
        "sessions",
        (*commands.OPERATIONS, *queries.operations(count_open_records)),
        EVENTS,
        (DIRECTORY, *VIEWS, citations.VIEW),
    )
