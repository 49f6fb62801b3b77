"""Fixtures for all tests. Every test that takes `app` runs on every engine."""

import os
import signal
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from hansard.app import start
from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.engines.memory import MemoryEngine, MemoryStore
from hansard.engines.postgres import PostgresEngine
from hansard.engines.sqlite import SqliteEngine
from hansard.kernel.engine import Engine, Schema
from hansard.kernel.event import Actor
from hansard.kernel.operation import Caller, Seat
from hansard.testing.twice import Twice
from tests import toy
from tests.crash.table import pytest_runtest_setup, pytest_terminal_summary
from tests.launcher import programs
from tests.postgres_server import postgres_namespace, postgres_url

__all__ = [
    "postgres_namespace",
    "postgres_url",
    "pytest_runtest_setup",
    "pytest_terminal_summary",
]

ENGINES = ["memory", "twice", "sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]

EXTRA = [toy.CAPABILITY]

OpenApp = Callable[..., Application]


class SteppingClock:
    """A clock that moves one second with every look, so that no two writes share a time."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Start the programs of a test that is marked `cold` by new interpreters."""
    is_cold = item.get_closest_marker("cold") is not None
    with programs.starting(cold=is_cold or programs.ALL_COLD):
        return (yield)


def pytest_configure() -> None:
    """Keep the user's own settings and keys out of it, and hear Ctrl-C also in the background."""
    os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="hansard-tests-")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock()


@pytest.fixture(params=ENGINES)
def open_engine(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str, Schema], Engine]:
    """Open the engine under test; opening it again in the same test finds the same store."""
    shared = MemoryStore()

    def opener(_: str, schema: Schema) -> Engine:
        match request.param:
            case "memory":
                return MemoryEngine(schema, shared)
            case "twice":
                return Twice(MemoryEngine(schema, shared))
            case "sqlite":
                return SqliteEngine(tmp_path / "store", schema)
            case _:
                url = request.getfixturevalue("emptied_postgres")
                return PostgresEngine(url, schema)

    return opener


@pytest.fixture
def emptied_postgres(postgres_url: str) -> str:
    """Give a database whose tables are laid out already, by the test before, but empty.

    Laying them out takes a second; doing so for every test would take longer than all tests.
    """
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(EMPTY_ALL_TABLES)
    return postgres_url


EMPTY_ALL_TABLES = """
DO $$
DECLARE found record;
BEGIN
    FOR found IN
        SELECT tablename FROM pg_tables
        WHERE schemaname = 'hansard' AND tablename NOT LIKE 'hansard_%'
    LOOP
        EXECUTE format('DELETE FROM hansard.%I', found.tablename);
    END LOOP;
END $$
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The folder whose files agents may change."""
    folder = tmp_path / "workspace"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def open_app(
    open_engine: Callable[[str, Schema], Engine], clock: SteppingClock, files: Path
) -> Iterator[OpenApp]:
    """Open applications on the same store, each as another process would see it."""
    with ExitStack() as stack:

        def opener(**given: Any) -> Application:
            settings = Settings(**{"workspace": str(files)} | given)
            app = start.start(
                settings,
                open_engine,
                clock=clock,
                known=Catalog([*start.catalog(settings).capabilities, *EXTRA]),
            )
            stack.callback(app.close)
            return app

        yield opener


@pytest.fixture
def app(open_app: OpenApp) -> Application:
    return open_app()


def a_caller(
    kind: str = "agent", role: str = "agent", *, seat: bool = True, **rest: object
) -> Caller:
    """Make a caller; two calls give two chats."""
    actor = Actor(kind, f"test-{kind}", role)  # type: ignore[arg-type]
    return Caller(actor, seat=Seat() if seat else None, **rest)  # type: ignore[arg-type]


@pytest.fixture
def agent() -> Caller:
    return a_caller()


@pytest.fixture
def human() -> Caller:
    return a_caller("human", "admin")


@pytest.fixture
def viewer() -> Caller:
    return a_caller("human", "viewer")
