"""The capability of checkpoints: its operations, events and views."""

from hansard.checkpoints.commands import Saving
from hansard.checkpoints.events import EVENTS
from hansard.checkpoints.limits import CheckpointQuotas, Retention
from hansard.checkpoints.loading import Loading, TellSince, TitleOf, ticks_passed
from hansard.checkpoints.operations import operations
from hansard.checkpoints.threads.events import EVENTS as THREAD_EVENTS
from hansard.checkpoints.threads.views import VIEWS as THREAD_VIEWS
from hansard.checkpoints.views import VIEWS
from hansard.kernel.operation import Capability


def capability(
    *,
    quotas: CheckpointQuotas | None = None,
    retention: Retention | None = None,
    since: TellSince = ticks_passed,
    title_of: TitleOf = lambda _tx, _session: None,
) -> Capability:
    """Make the capability; what changed since, and titles, come from the layer above."""
    saving = Saving(quotas or CheckpointQuotas(), retention or Retention())
    return Capability(
        "checkpoints",
        operations(saving, Loading(since, title_of)),
        (*EVENTS, *THREAD_EVENTS),
        (*VIEWS, *THREAD_VIEWS),
        keeps_text=True,
    )
