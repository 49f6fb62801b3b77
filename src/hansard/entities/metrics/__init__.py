"""Metrics: measurements by the thousand in one journal entry, and what they come to."""

from hansard.entities.metrics.events import EVENTS
from hansard.entities.metrics.operations import OPERATIONS
from hansard.entities.metrics.views import VIEWS

__all__ = ["EVENTS", "OPERATIONS", "VIEWS"]
