"""A real PgBouncer before PostgreSQL, in the mode that lends a process for each transaction."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from hansard.engines.postgres import PostgresEngine, notices
from hansard.engines.postgres.write_transaction import PostgresWriteTx
from hansard.engines.postgres.writing import TURN_S
from hansard.kernel.engine import WriteTx
from hansard.testing.engine_suite import SCHEMA, EngineSuite, Opener
from hansard.testing.suite.base import PROJECT, Noted, record_all
from tests.patience import PATIENCE_S, wait_until
from tests.postgres_server import UNPRIVILEGED

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.skipif(PROGRAM is None, reason="pgbouncer is not installed"),
]

Pool = Callable[[str], str]


@pytest.fixture
def pooled(postgres_url: str) -> Iterator[Pool]:
    """Give what starts a pooler in some mode before the server, and gives its URL."""
    processes: list[subprocess.Popen[bytes]] = []
    started: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="hansard-pooler-") as name:
        Path(name).chmod(0o755)

        def start(mode: str) -> str:
            if mode in started:
                return started[mode]
            port, config = _free_port(), Path(name) / f"{mode}.ini"
            config.write_text(_config(postgres_url, mode, port))
            # Root is told whom to become; anybody else stays who they are.
            become = ["--user", UNPRIVILEGED] if os.geteuid() == 0 else []
            processes.append(subprocess.Popen([str(PROGRAM), "--quiet", *become, str(config)]))
            wait_until(lambda: _answers(port), "the pooler never came up")
            started[mode] = f"postgresql://postgres@127.0.0.1:{port}/postgres"
            return started[mode]

        yield start
        for process in processes:
            process.terminate()
            process.wait(PATIENCE_S)


def _config(url: str, mode: str, port: int) -> str:
    server = conninfo_to_dict(url)
    at = f"host={server['host']}" + (f" port={server['port']}" if "port" in server else "")
    return (
        f"[databases]\npostgres = {at} dbname={server.get('dbname', 'postgres')} user=postgres\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = any\npool_mode = {mode}\ndefault_pool_size = 30\nmax_client_conn = 100\n"
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


@pytest.fixture
def lent(pooled: Pool, postgres_namespace: str) -> Opener:
    """Give what opens a store through a pooler that lends a process for a transaction."""
    return partial(PostgresEngine, pooled("transaction"), SCHEMA, namespace=postgres_namespace)


@pytest.mark.slow("every promise of the seam once more, through a pooler")
class TestThroughAPooler(EngineSuite):
    @pytest.fixture
    def opener(self, lent: Opener, monkeypatch: pytest.MonkeyPatch) -> Opener:
        monkeypatch.setattr(notices, "POLL_S", 0.01)  # the suite takes quiet for the end of news
        return lent


def test_through_a_pooler_locks_are_kept_and_watches_are_told(
    lent: Opener, postgres_url: str, postgres_namespace: str
) -> None:
    direct = PostgresEngine(postgres_url, SCHEMA, namespace=postgres_namespace)
    with closing(lent()) as one, closing(lent()) as other, closing(direct):
        held = one.hold("one")
        assert held is not None
        for _ in range(5):
            record_all(other, Noted())
        assert held.is_ours()
        assert other.held(["one"]) == direct.held(["one"]) == {"one"}
        assert other.hold("one") is None

        for watcher in (one, direct):
            with closing(watcher.watch()) as watch:
                while watch.wait(0.5):
                    pass
                record_all(other, Noted())
                assert watch.wait(PATIENCE_S)


def test_a_write_through_a_pooler_is_durable_whatever_the_servers_default(
    lent: Opener, postgres_url: str
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute("ALTER ROLE postgres SET synchronous_commit = off")
        try:
            with closing(lent()) as engine:
                shown = engine.write(PROJECT, lambda tx: _shown(tx, "synchronous_commit"))
                waits = engine.write(PROJECT, lambda tx: _shown(tx, "lock_timeout"))
        finally:
            admin.execute("ALTER ROLE postgres RESET synchronous_commit")

    assert shown == "on"
    assert waits == f"{TURN_S * 1000:g}ms"


def test_a_beat_through_a_pooler_waits_for_no_standby_and_for_no_commit(
    lent: Opener, postgres_url: str, postgres_namespace: str
) -> None:
    settings = ("synchronous_commit", "lock_timeout", "transaction_isolation")
    ask = ", ".join(f"current_setting('{setting}')" for setting in settings)
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute("ALTER ROLE postgres SET default_transaction_isolation = serializable")
        try:
            with closing(lent()) as engine:
                assert isinstance(engine, PostgresEngine)
                shown = engine._leases._ask(f"SELECT {ask}")
                assert engine.hold("one") is not None
                engine._leases._renew_all()
        finally:
            admin.execute("ALTER ROLE postgres RESET default_transaction_isolation")

    assert shown == [("off", "1s", "read committed")]


def test_what_others_are_lent_after_us_has_none_of_our_settings(lent: Opener, pooled: Pool) -> None:
    with closing(lent()) as engine:
        record_all(engine, Noted())
        left = [_asked(pooled("transaction"), "SHOW lock_timeout") for _ in range(3)]

    assert left == ["0"] * 3


def _shown(tx: WriteTx, setting: str) -> str:
    assert isinstance(tx, PostgresWriteTx)
    [[value]] = tx._ask(f"SELECT current_setting('{setting}')")
    return str(value)


def _asked(url: str, question: str) -> str:
    with psycopg.connect(url, autocommit=True) as connection:
        [[value]] = connection.execute(question.encode()).fetchall()
    return str(value)


def test_a_pooler_in_session_mode_is_as_good_as_the_server(
    pooled: Pool, postgres_namespace: str
) -> None:
    with closing(PostgresEngine(pooled("session"), SCHEMA, namespace=postgres_namespace)) as engine:
        lock = engine.hold("one")

        assert lock is not None
        assert lock.is_ours()
        assert engine.held(["one"]) == {"one"}
        assert not engine._notices._only_looks
