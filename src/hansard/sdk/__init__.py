"""Hansard as a Python library: the store is opened in this process, without any server."""

from hansard.sdk.checkpoints import Checkpoints
from hansard.sdk.client import Hansard

__all__ = ["Checkpoints", "Hansard"]
