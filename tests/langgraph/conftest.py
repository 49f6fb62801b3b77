"""Savers on every engine."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from hansard.app.application import Application
from hansard.langgraph import HansardSaver
from hansard.sdk import Hansard
from tests.conftest import OpenApp

OpenSaver = Callable[..., HansardSaver]


@pytest.fixture
def open_saver(open_app: OpenApp) -> Iterator[OpenSaver]:
    """Open savers on the same store, each as another process would see it."""
    with ExitStack() as stack:

        def opener(**settings: object) -> HansardSaver:
            hansard = Hansard(application=open_app(**settings))
            return stack.enter_context(HansardSaver(hansard))

        yield opener


@pytest.fixture
def app(open_app: OpenApp) -> Application:
    return open_app()


@pytest.fixture
def saver(app: Application) -> HansardSaver:
    return HansardSaver(Hansard(application=app))
