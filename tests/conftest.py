"""Fixtures for all tests. Every test that takes `app` runs on every engine."""

import os
import signal
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import hypothesis
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
from hansard.kernel.operation import Caller, Capability, Seat
from hansard.testing.twice import Twice
from tests import choosing, toy
from tests.choosing import pytest_addoption, pytest_collection_modifyitems, pytest_report_header
from tests.crash import ledger
from tests.crash import table as fault_table
from tests.crash.table import pytest_runtest_setup
from tests.hosts import table as host_table
from tests.launcher import programs
from tests.object_store import object_store
from tests.patience import PATIENCE_S, lengthen
from tests.postgres_server import postgres_namespace, postgres_url

__all__ = [
    "object_store",
    "postgres_namespace",
    "postgres_url",
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_report_header",
    "pytest_runtest_setup",
]

ENGINES = ["twice", "sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
"""`twice` is the engine in memory, which does all work once more; alone it would prove no more."""

EXTRA = [toy.CAPABILITY]

USUAL: dict[int, Any] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGQUIT: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
}
"""What a program in the foreground does at each signal."""

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


def pytest_configure(config: pytest.Config) -> None:
    """Keep the user's own settings and keys out of it, and hear Ctrl-C also in the background.

    And keep bytecode, also where the environment says not to: each program would compile anew.
    """
    choosing.settle(config)
    if ledger.PATH:
        config.pluginmanager.register(ledger.Ledger(Path(ledger.PATH)))
    lengthen()
    programs.help_asyncio()
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="hansard-tests-")
    # Shells have their background ignore these, and children inherit that.
    for number, default in USUAL.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, default)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the tables that tests have filled."""
    fault_table.show(terminalreporter)
    host_table.show(terminalreporter)


hypothesis.settings.register_profile(
    "hansard",
    # How long an example takes says more about the machine than about the code.
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    # What fails for one must fail for all who look at it.
    derandomize=bool(os.environ.get("CI")),
    print_blob=True,
)
hypothesis.settings.load_profile("hansard")


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock()


@pytest.fixture(params=ENGINES)
def open_engine(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str, Schema], Engine]:
    """Open the engine under test; opening it again in the same test finds the same store."""
    shared = MemoryStore()

    def opener(_: str, schema: Schema) -> Engine:
        match request.param:
            case "twice":
                return Twice(MemoryEngine(schema, shared))
            case "sqlite":
                return SqliteEngine(tmp_path / "store", schema)
            case _:
                url = request.getfixturevalue("emptied_postgres")
                return PostgresEngine(url, schema, lock_wait_s=PATIENCE_S)

    return opener


@pytest.fixture(scope="session")
def broom(postgres_url: str) -> Iterator["Broom"]:
    """Give what empties the database between tests."""
    broom = Broom(postgres_url)
    yield broom
    broom.close()


@pytest.fixture
def emptied_postgres(postgres_url: str, broom: "Broom") -> str:
    """Give a database whose tables are laid out already, by the test before, but empty.

    Laying them out takes a second; doing so for every test would take longer than all tests.
    """
    broom.sweep()
    return postgres_url


class Broom:
    """Empties all tables by one connection, which has planned how: a new one takes far longer."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection = psycopg.connect(url, autocommit=True)

    def sweep(self) -> None:
        """Empty them; a test may have ended the connection."""
        try:
            self._connection.execute(EMPTY_ALL_TABLES)
        except psycopg.OperationalError:
            self.close()
            self._connection = psycopg.connect(self._url, autocommit=True)
            self._connection.execute(EMPTY_ALL_TABLES)

    def close(self) -> None:
        self._connection.close()


# Deleting is quicker than truncating, which makes a new file for each table and index. `restored`
# is where tests of backups put a second store.
EMPTY_ALL_TABLES = """
DO $$
DECLARE found record;
BEGIN
    FOR found IN
        SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname IN ('hansard', 'restored') AND c.relname NOT LIKE 'hansard_%'
        AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    LOOP
        EXECUTE format('DELETE FROM %I.%I', found.nspname, found.relname);
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

        def opener(*, also: Sequence[Capability] = (), **given: Any) -> Application:
            settings = Settings(**{"workspace": str(files)} | given)
            app = start.start(
                settings,
                open_engine,
                clock=clock,
                known=Catalog([*start.catalog(settings).parts, *EXTRA, *also]),
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
