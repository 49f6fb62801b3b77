"""Asking about entities, on every engine."""

import pytest

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from tests.entities.asking import Asking


@pytest.fixture
def entities_of(app: Application, agent: Caller) -> Asking:
    """An agent who asks about entities."""
    return Asking(app, agent)
