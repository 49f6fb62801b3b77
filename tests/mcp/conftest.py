"""Fixtures for the MCP tests: an application in memory, and server processes on real wires."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.app.start import catalog, start
from tests import toy
from tests.mcp.processes import HttpServer, StdioServer

StartStdio = Callable[..., StdioServer]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def application() -> Iterator[Application]:
    """What Hansard can do, and the toy's notes, over an empty store in memory."""
    known = Catalog([*catalog().capabilities, toy.CAPABILITY])
    application = start(Settings(store="memory:"), known=known)
    yield application
    application.close()


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "store")


@pytest.fixture
def start_stdio(store: str) -> Iterator[StartStdio]:
    """Start stdio servers on the test's store."""
    with ExitStack() as stack:

        def starter(
            program: str = "tests.mcp.programs", *, reads: bool = True, **settings: str
        ) -> StdioServer:
            server = StdioServer(program, {"store": store} | settings, reads=reads)
            return stack.enter_context(server)

        yield starter


@pytest.fixture
def stdio(start_stdio: StartStdio) -> StdioServer:
    """A stdio server that has done the handshake."""
    server = start_stdio()
    server.open()
    return server


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    """An HTTP server that the tests of a file share."""
    store = tmp_path_factory.mktemp("http") / "store"
    with HttpServer({"store": str(store)}) as server:
        yield server


@pytest.fixture
def own_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the servers that are started anew end when they think it is time."""
    monkeypatch.setenv("OWN_LIMITS", "1")


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The pipe that a waiting call reads from."""
    path = tmp_path / "gate"
    os.mkfifo(path)
    monkeypatch.setenv("WAIT_FOR", str(path))
    return path
