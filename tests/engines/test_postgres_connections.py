"""A connection to PostgreSQL: when it is lent, for how long, and what is prepared on it."""

import select
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import psycopg
import pytest

from hansard.engines.postgres import connections, watched
from hansard.engines.postgres.connections import LIFETIME_S, Connector, Pool, backend_of, has_news
from hansard.engines.postgres.servers import Servers
from hansard.engines.postgres.watched import SilentServerError, WatchedConnection

pytestmark = pytest.mark.postgres

Admin = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture
def admin(postgres_url: str) -> Iterator[Admin]:
    with psycopg.connect(postgres_url, autocommit=True, application_name="admin") as connection:
        yield connection


def test_a_connection_that_the_server_has_ended_is_not_lent(postgres_url: str) -> None:
    pool = Pool(Connector(postgres_url, lock_wait_s=1.0), size=2)
    with pool.connection() as lost, pool.connection() as kept:
        ended, remains = backend_of(lost), backend_of(kept)
    with psycopg.connect(postgres_url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 60000)", [ended])

    with pool.connection() as first, pool.connection() as second:
        there = {backend_of(first), backend_of(second)}
    pool.close()

    assert ended not in there
    assert remains in there


@pytest.mark.parametrize("has_poll", [True, False], ids=["poll", "select"])
def test_a_connection_that_the_server_ends_has_news_of_it(
    postgres_url: str, admin: Admin, monkeypatch: pytest.MonkeyPatch, *, has_poll: bool
) -> None:
    with closing(Connector(postgres_url, lock_wait_s=1.0).connect()) as connection:
        if not has_poll:  # as on Windows
            monkeypatch.delattr(select, "poll")
        before = has_news(connection)
        admin.execute("SELECT pg_terminate_backend(%s, 5000)", [backend_of(connection)])

        assert (before, has_news(connection)) == (False, True)


def test_what_the_server_left_out_after_a_failure_is_prepared_anew(postgres_url: str) -> None:
    with closing(Connector(postgres_url, lock_wait_s=1.0).connect()) as connection:
        for statement in ("BEGIN", "SELECT 2", "ROLLBACK"):  # psycopg knows their texts
            connection.execute(statement)
        connection.execute("BEGIN")
        with suppress(psycopg.errors.DivisionByZero), connection.pipeline():
            connection.execute("SELECT 1 / 0")
            connection.execute("SELECT 2", prepare=True)
        connections.end_transaction(connection)

        assert connection.execute("SELECT 2", prepare=True).fetchone() == (2,)


def test_a_connection_that_is_in_use_when_the_pool_closes_is_closed_after_it(
    postgres_url: str,
) -> None:
    pool = Pool(Connector(postgres_url, lock_wait_s=1.0), size=1)

    with pool.connection() as lent:
        pool.close()
        assert lent.execute("SELECT 1").fetchone() == (1,)

    assert lent.closed


def test_a_connection_that_cannot_be_made_ready_is_closed(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect, made = Servers.connect, list[WatchedConnection]()

    def connected(servers: Servers) -> WatchedConnection:
        made.append(connect(servers))
        return made[-1]

    monkeypatch.setattr(Servers, "connect", connected)
    with pytest.raises(psycopg.errors.UndefinedObject):
        Connector(postgres_url, lock_wait_s=1.0).connect(no_such_setting="1")

    assert [one.closed for one in made] == [True]


def test_a_silent_server_that_nobody_can_doubt_is_given_up(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watched, "SILENCE_S", 0.1)
    with WatchedConnection.connect(postgres_url, autocommit=True) as connection:
        with pytest.raises(SilentServerError):
            connection.execute("SELECT pg_sleep(5)")

        assert connection.closed


def test_a_connection_is_used_for_so_long_and_no_longer(postgres_url: str) -> None:
    now = [0.0]
    pool = Pool(Connector(postgres_url, lock_wait_s=1.0), size=1, timer=lambda: now[0])
    processes = []
    for at in (0.0, LIFETIME_S - 1, LIFETIME_S, LIFETIME_S + 1):
        now[0] = at
        with pool.connection() as lent:
            processes.append(backend_of(lent))
    pool.close()

    assert processes[0] == processes[1] != processes[2] == processes[3]
