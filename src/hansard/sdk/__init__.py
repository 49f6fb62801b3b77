"""Hansard as a Python library: the store is opened in this process, without any server."""

from hansard.sdk.checkpoints import Checkpoints
from hansard.sdk.client import Hansard
from hansard.sdk.entities import Entities
from hansard.sdk.metrics import Metrics
from hansard.sdk.records import Records

__all__ = ["Checkpoints", "Entities", "Hansard", "Metrics", "Records"]
