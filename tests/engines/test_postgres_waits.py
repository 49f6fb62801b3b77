"""How long PostgreSQL is waited for: a locked project, a look, a lost commit."""

import itertools
import os
import socket
import threading
import zlib
from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest

from hansard.engines.postgres import PostgresEngine, writing
from hansard.engines.postgres import engine as postgres_engine
from hansard.engines.postgres.engine import LANES
from hansard.kernel.problem import StorageUnavailable
from hansard.testing.suite.base import PROJECT, SCHEMA, Noted, entry_count, record_all
from tests.engines.test_postgres_faults import Admin, on_insert
from tests.patience import PATIENCE_S, wait_until

pytestmark = pytest.mark.postgres


@pytest.fixture
def patient(postgres_url: str, postgres_namespace: str) -> Iterator[PostgresEngine]:
    engine = PostgresEngine(
        postgres_url, SCHEMA, namespace=postgres_namespace, lock_wait_s=PATIENCE_S
    )
    with closing(engine):
        yield engine


@pytest.fixture
def somebody(postgres_url: str, postgres_namespace: str) -> Iterator[Admin]:
    """Give a connection of somebody else, on which our schema is the first."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"SET search_path = {postgres_namespace}".encode())
        yield connection


def test_who_waits_for_a_locked_project_holds_up_no_other(
    patient: PostgresEngine, somebody: Admin
) -> None:
    lane = zlib.crc32(PROJECT.encode()) % LANES
    names = (f"beside {number}" for number in itertools.count())
    beside = next(name for name in names if zlib.crc32(name.encode()) % LANES == lane)
    record_all(patient, Noted())
    waiting = [threading.Thread(target=record_all, args=(patient, Noted())) for _ in range(3)]
    with somebody.transaction():
        somebody.execute("SELECT * FROM heads WHERE project = %s FOR UPDATE", (PROJECT,))
        for thread in waiting:
            thread.start()
        wait_until(lambda: is_waiting(somebody, "transactionid"))

        record_all(patient, Noted(), project=beside)

        assert all(thread.is_alive() for thread in waiting)
    for thread in waiting:
        thread.join(PATIENCE_S)

    assert entry_count(patient) == 4


def test_a_lost_commit_that_goes_on_for_longer_than_a_turn_is_waited_for(
    patient: PostgresEngine, somebody: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "TURN_S", 0.1)
    record_all(patient, Noted())
    [lane] = [lane for lane in patient._lanes if lane._connection is not None]
    lost = lane._connection
    assert lost is not None
    writer = threading.Thread(target=record_all, args=(patient, Noted()))
    with on_insert(somebody, "PERFORM pg_sleep(1);", deferred=True):
        writer.start()
        wait_until(lambda: is_waiting(somebody, "PgSleep"))
        with socket.socket(fileno=os.dup(lost.fileno())) as end:
            end.shutdown(socket.SHUT_RDWR)
        writer.join(PATIENCE_S)

    assert lost.closed
    assert entry_count(patient) == 2


def test_a_look_that_takes_too_long_is_ended_but_not_what_goes_over_all(
    postgres_url: str, postgres_namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_engine, "LOOK_MAX_S", 0.2)
    with closing(PostgresEngine(postgres_url, SCHEMA, namespace=postgres_namespace)) as engine:
        with pytest.raises(StorageUnavailable):
            engine.read(PROJECT, lambda tx: tx._ask(f"SELECT pg_sleep({PATIENCE_S})"))  # type: ignore[attr-defined]
        engine._look_over_all(lambda reader: reader.execute("SELECT pg_sleep(1)"))
        engine.write(PROJECT, lambda tx: tx._ask("SELECT pg_sleep(1)"))  # type: ignore[attr-defined]

        assert entry_count(engine) == 0


def is_waiting(admin: Admin, event: str) -> bool:
    """Whether a process of the server waits for this."""
    statement = "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = %s"
    return admin.execute(statement, (event,)).fetchall() == [(True,)]
