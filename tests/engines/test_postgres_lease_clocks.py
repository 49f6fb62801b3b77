"""Leases end by the clock of the database, which may leap, and while the database answers.

What a clock says is changed for Hansard alone: its connections find a `clock_timestamp` of the
test's before PostgreSQL's own.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from hansard.engines.postgres import PostgresEngine, lease_service, process_liveness
from hansard.kernel.engine import Lock, WriteTx
from hansard.kernel.problem import StorageUnavailable
from hansard.testing.suite.base import PROJECT, SCHEMA, Noted, entry_count, record, record_all
from tests.patience import wait_until
from tests.postgres_pair import Pair, postgres_pair

pytestmark = pytest.mark.postgres

Admin = psycopg.Connection[tuple[Any, ...]]

CLOCK = (
    "CREATE SCHEMA {0}; CREATE TABLE {0}.ahead (of interval); "
    "CREATE FUNCTION {0}.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE "
    "AS $$ SELECT pg_catalog.clock_timestamp() + coalesce(({1}), interval '0') $$"
)
LEAPS = ["10 minutes", "-10 minutes", "2 days"]


@contextmanager
def elsewhere(open_engine: Callable[[], PostgresEngine]) -> Iterator[PostgresEngine]:
    """Open an engine on another machine, from where nobody's life can be seen."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process_liveness, "_machine", lambda: "another machine")
        other = open_engine()
    with closing(other):
        yield other


@contextmanager
def standing_still(engine: PostgresEngine) -> Iterator[None]:
    """Have an engine renew nothing meanwhile."""
    with engine._leases._lock:
        yield


def taken(engine: PostgresEngine) -> Lock:
    lock = engine.hold("name")
    assert lock is not None
    return lock


def record_under(lock: Lock, tx: WriteTx) -> None:
    tx.require(lock)
    record(tx, Noted())


class Skewed:
    """A store in a database whose clock can leap."""

    def __init__(self, url: str, namespace: str) -> None:
        clock = f"{namespace}_clock"
        self.namespace = namespace
        self.admin: Admin = psycopg.connect(
            make_conninfo(url, options=f"-csearch_path={clock},pg_catalog"), autocommit=True
        )
        self.admin.execute(CLOCK.format(clock, f"SELECT of FROM {clock}.ahead").encode())
        path = f"-csearch_path={clock},pg_catalog"
        where = make_conninfo(url, options=path, application_name="hansard")
        self.opened = partial(PostgresEngine, where, SCHEMA, namespace=namespace)

    def leap(self, by: str) -> None:
        self.admin.execute("INSERT INTO ahead VALUES (%s)", (by,))

    def serve_for_long(self) -> None:
        """Have the server have answered for an hour."""
        self.admin.execute(
            f"INSERT INTO {self.namespace}.lease_service VALUES "
            "(true, clock_timestamp() - interval '1 h', clock_timestamp()) "
            "ON CONFLICT (one) DO UPDATE SET since = EXCLUDED.since, last = EXCLUDED.last".encode()
        )

    def die_holding(self) -> None:
        """Leave a lease that nobody will ever renew."""
        self.admin.execute(
            f"INSERT INTO {self.namespace}.leases VALUES "
            "('name', -1, 'dead', 'a third machine', clock_timestamp() + interval '15 s')".encode()
        )


@pytest.fixture
def skewed(postgres_url: str, postgres_namespace: str) -> Iterator[Skewed]:
    skewed = Skewed(postgres_url, postgres_namespace)
    with skewed.admin:
        yield skewed


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a leap of some minutes noticed, although tests are patient."""
    monkeypatch.setattr(lease_service, "PAUSE_S", 60.0)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("leap", LEAPS)
def test_nobody_loses_a_lock_by_a_clock_that_leaps(skewed: Skewed, leap: str) -> None:
    with closing(skewed.opened()) as engine, elsewhere(skewed.opened) as other:
        held = taken(engine)
        skewed.serve_for_long()

        with standing_still(engine):
            skewed.leap(leap)

            other._leases._renew_all()
            assert other.hold("name") is None
            assert other.held(["name"]) == {"name"}

        assert held.is_ours()
        engine.write(PROJECT, partial(record_under, held))


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("leap", LEAPS)
def test_a_dead_ones_lock_is_taken_a_term_after_the_clock_has_leapt(
    skewed: Skewed, leap: str
) -> None:
    with elsewhere(skewed.opened) as other:
        skewed.die_holding()
        skewed.serve_for_long()
        skewed.leap(leap)
        assert other.hold("name") is None

        skewed.serve_for_long()  # no clock goes back as far as to the lease's end
        skewed.admin.execute(
            f"UPDATE {skewed.namespace}.leases SET until = until - interval '1 minute'".encode()
        )

        assert other.held(["name"]) == set()
        assert other.hold("name") is not None


def test_who_holds_nothing_counts_the_term_of_a_lost_machine_to_its_end(
    skewed: Skewed,
) -> None:
    with elsewhere(partial(skewed.opened, lease_s=0.3)) as other:
        skewed.die_holding()
        skewed.admin.execute(f"UPDATE {skewed.namespace}.leases SET until = '-infinity'".encode())
        assert other.hold("name") is None
        asked = f"SELECT last - since > interval '0.5 s' FROM {skewed.namespace}.lease_service"

        wait_until(lambda: skewed.admin.execute(asked.encode()).fetchall() == [(True,)])

        assert other.hold("name") is not None


def test_who_is_patient_takes_what_a_lost_machine_left_though_nobody_else_is_there(
    skewed: Skewed,
) -> None:
    with elsewhere(partial(skewed.opened, lease_s=0.3)) as other:
        skewed.die_holding()
        skewed.admin.execute(f"UPDATE {skewed.namespace}.leases SET until = '-infinity'".encode())

        assert other.hold("name", patiently=True) is not None


def test_whoever_may_only_read_takes_nobody_for_dead(
    skewed: Skewed, postgres_url: str, postgres_namespace: str
) -> None:
    with closing(skewed.opened()):
        skewed.die_holding()
        skewed.serve_for_long()
        skewed.leap("30 s")
        path = f"-csearch_path={postgres_namespace}_clock,pg_catalog"
        where = make_conninfo(postgres_url, options=f"{path} -cdefault_transaction_read_only=on")
        looker = partial(PostgresEngine, where, SCHEMA, namespace=postgres_namespace)
        with elsewhere(looker) as other:
            assert other.held(["name"]) == {"name"}


slow = pytest.mark.slow("runs two database servers, one of which is lost")


@pytest.fixture
def pair() -> Iterator[Pair]:
    with postgres_pair() as running:
        yield running


@slow
@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("leap", LEAPS)
def test_nobody_loses_a_lock_to_a_promoted_server_with_another_clock(pair: Pair, leap: str) -> None:
    is_second = f"SELECT interval '{leap}' WHERE inet_server_port() = {pair.ports[1]}"
    with pair.connect(0) as admin:
        admin.execute(CLOCK.format("clock", is_second).encode())
    url = f"{pair.url}?options=-csearch_path%3Dclock,pg_catalog"
    with (
        closing(PostgresEngine(url, SCHEMA)) as engine,
        elsewhere(partial(PostgresEngine, url, SCHEMA)) as other,
    ):
        held = taken(engine)
        with pair.connect(0) as admin:
            admin.execute("INSERT INTO hansard.lease_service VALUES (true, '-infinity', now())")
        record_all(engine, Noted())
        with standing_still(engine):
            pair.lose_the_primary()
            pair.promote()

            assert _soon(partial(other.held, ["name"])) == {"name"}
            assert other.hold("name") is None

        assert _soon(held.is_ours)
        engine.write(PROJECT, partial(record_under, held))
        # Should it be taken for dead all the same, nothing of it is taken for its own.
        with pair.connect(1) as admin, standing_still(engine):
            admin.execute("UPDATE hansard.leases SET until = '-infinity'")
            admin.execute(
                "UPDATE hansard.lease_service SET since = '-infinity', "
                f"last = now() + interval '{leap}'".encode()
            )
            assert other.hold("name") is not None
        assert not held.is_ours()
        with pytest.raises(StorageUnavailable):
            engine.write(PROJECT, partial(record_under, held))
        assert entry_count(other) == 2


@slow
def test_nobody_loses_a_lock_while_the_database_is_gone(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_service, "PAUSE_S", 0.5)
    opened = partial(PostgresEngine, pair.url, SCHEMA, lease_s=1.0)
    with ExitStack() as stack:
        engine = stack.enter_context(closing(opened()))
        other = stack.enter_context(elsewhere(opened))
        held = taken(engine)
        with pair.connect(0) as admin:
            wait_until(partial(_has_served, admin))
        with standing_still(engine):
            pair.lose_the_primary()
            time.sleep(1.5)  # longer than a lease lasts
            stack.enter_context(pair.returning(0))

            assert _soon(partial(other.held, ["name"])) == {"name"}
            assert other.hold("name") is None

        assert _soon(held.is_ours)
        engine.write(PROJECT, partial(record_under, held))


def _has_served(admin: Admin) -> bool:
    rows = admin.execute("SELECT last - since > interval '2 s' FROM hansard.lease_service")
    return rows.fetchall() == [(True,)]


def _soon(ask: Callable[[], Any]) -> Any:
    """Ask until somebody answers."""
    answers: list[Any] = []

    def has_answered() -> bool:
        try:
            answers.append(ask())
        except StorageUnavailable:
            return False
        return True

    wait_until(has_answered)
    return answers[0]
