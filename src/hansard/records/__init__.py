"""Reasoning that survives the chat: records in a tree, activated, changed, synced (source 000)."""

from hansard.kernel.operation import Capability
from hansard.records import activation, changes, commands, overview, queries
from hansard.records.events import EVENTS
from hansard.records.reading import count_open
from hansard.records.views import VIEW
from hansard.sessions.rules import Staleness

__all__ = ["Staleness", "capability", "count_open"]


def capability(staleness: Staleness | None = None) -> Capability:
    """Make the capability; `staleness` says from when on a session counts as stale."""
    thresholds = staleness or Staleness()
    return Capability(
        "records",
        (
            *overview.operations(thresholds),
            *queries.OPERATIONS,
            *activation.operations(thresholds),
            *commands.OPERATIONS,
            *changes.operations(thresholds),
        ),
        EVENTS,
        (VIEW,),
    )
