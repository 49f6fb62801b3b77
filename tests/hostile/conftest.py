"""Real servers on stores of their own, and an application for what needs no server."""

from collections.abc import Iterator

import pytest

from hansard.app.application import Application
from tests.app.kept import fill, opened
from tests.hostile.serving import HansardServer, serving_stdio


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    """An application over a SQLite store with something in it."""
    folder = tmp_path_factory.mktemp("application")
    workspace = folder / "ws"
    workspace.mkdir()
    with opened(folder / "store", workspace=str(workspace)) as app:
        fill(app, notes=2)
        yield app


@pytest.fixture(scope="module")
def stdio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HansardServer]:
    """The real server with all its tools, shared by the tests of a file."""
    with serving_stdio(tmp_path_factory.mktemp("stdio")) as server:
        yield server
