"""The capability of entities: its operations, events and views."""

from hansard.entities.events import EVENTS
from hansard.entities.metrics.events import EVENTS as METRIC_EVENTS
from hansard.entities.metrics.operations import OPERATIONS as METRIC_OPERATIONS
from hansard.entities.metrics.views import VIEWS as METRIC_VIEWS
from hansard.entities.operations import OPERATIONS
from hansard.entities.passages import PASSAGES
from hansard.entities.views import VIEW
from hansard.kernel.operation import Capability


def capability() -> Capability:
    """Make the capability."""
    return Capability(
        "entities",
        (*OPERATIONS, *METRIC_OPERATIONS),
        (*EVENTS, *METRIC_EVENTS),
        (VIEW, *METRIC_VIEWS),
        passages=PASSAGES,
        keeps_text=True,
    )
