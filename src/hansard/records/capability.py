"""The capability of records: its operations, events and view."""

from hansard.kernel.meaning import Meanings, NoMeanings
from hansard.kernel.operation import Capability
from hansard.records import activation, branching, commands, overview, queries, syncing, updating
from hansard.records.briefing import Brief, Tell, no_news, nothing_else
from hansard.records.events import EVENTS
from hansard.records.passages import PASSAGES
from hansard.records.views import VIEW
from hansard.sessions.presence import Presence
from hansard.sessions.rules import Staleness


def capability(
    staleness: Staleness | None = None,
    *,
    meanings: Meanings | None = None,
    presence: Presence | None = None,
    brief: Brief = nothing_else,
    tell: Tell = no_news,
) -> Capability:
    """Make the capability; `staleness` says when a session counts as stale.

    `meanings` finds by meaning what the words of a search do not find; `presence` finds out who is
    there; `brief` says what else there is to know besides records, `tell` gives the news for
    everybody.
    """
    thresholds, presence = staleness or Staleness(), presence or Presence()
    return Capability(
        "records",
        (
            *overview.operations(thresholds, presence, brief, tell),
            *queries.operations(meanings or NoMeanings(), presence),
            *activation.operations(thresholds, presence),
            *commands.OPERATIONS,
            updating.OPERATION,
            *syncing.operations(thresholds),
            *branching.operations(thresholds, presence),
        ),
        EVENTS,
        (VIEW,),
        passages=PASSAGES,
        keeps_text=True,
    )
