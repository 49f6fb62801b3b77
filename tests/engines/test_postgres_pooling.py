"""A real PgBouncer before PostgreSQL: refused where it would take our locks away."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from hansard.engines.postgres import PostgresEngine
from hansard.kernel.engine import Schema
from hansard.kernel.problem import StorageUnavailable
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
    with tempfile.TemporaryDirectory(prefix="hansard-pooler-") as name:
        Path(name).chmod(0o755)

        def start(mode: str) -> str:
            port, config = _free_port(), Path(name) / f"{mode}.ini"
            config.write_text(_config(postgres_url, mode, port))
            # Root is told whom to become; anybody else stays who they are.
            become = ["--user", UNPRIVILEGED] if os.geteuid() == 0 else []
            processes.append(subprocess.Popen([str(PROGRAM), "--quiet", *become, str(config)]))
            wait_until(lambda: _answers(port), "the pooler never came up")
            return f"postgresql://postgres@127.0.0.1:{port}/postgres"

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


def test_a_pooler_in_transaction_mode_is_refused_and_told_what_to_use_instead(
    pooled: Pool, postgres_namespace: str, postgres_url: str
) -> None:
    url = pooled("transaction")

    # Also when the pool has processes to choose from by now.
    refusals = [_refusal(url, postgres_namespace) for _ in range(3)]

    assert all("transaction mode" in one.message for one in refusals)
    assert all("server's own address" in (one.recovery_hint or "") for one in refusals)
    with psycopg.connect(postgres_url) as connection:
        asked = "SELECT count(*) FROM pg_namespace WHERE nspname = %s"
        assert connection.execute(asked, (postgres_namespace,)).fetchone() == (0,)


def _refusal(url: str, namespace: str) -> StorageUnavailable:
    with pytest.raises(StorageUnavailable) as refusal:
        PostgresEngine(url, Schema(()), namespace=namespace)
    return refusal.value


def test_a_pooler_in_session_mode_is_as_good_as_the_server(
    pooled: Pool, postgres_namespace: str
) -> None:
    engine = PostgresEngine(pooled("session"), Schema(()), namespace=postgres_namespace)

    lock = engine.hold("one")

    assert lock is not None
    assert lock.is_ours()
    assert engine.held(["one"]) == {"one"}
    engine.close()
