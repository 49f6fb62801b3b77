"""Of several servers the primary is written and read, whatever else takes writes or hangs."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from typing import Any

import psycopg
import pytest

from hansard.engines.postgres import PostgresEngine, notices, servers, watched
from hansard.kernel.event import Entry
from hansard.kernel.problem import StorageUnavailable
from hansard.testing.suite.base import PROJECT, SCHEMA, Noted, entry_count, record_all
from tests.patience import PATIENCE_S, wait_until
from tests.postgres_pair import Pair, postgres_pair

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.slow("runs two database servers, one of which is lost"),
]


@pytest.fixture
def pair() -> Iterator[Pair]:
    with postgres_pair() as running:
        yield running


def cut_connections(pair: Pair, number: int) -> None:
    """End every connection of Hansard to a server."""
    with pair.connect(number) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
            "WHERE application_name = 'hansard'"
        )


def has_recorded(engine: PostgresEngine) -> bool:
    """Whether an entry could be recorded now."""
    try:
        record_all(engine, Noted())
    except StorageUnavailable:
        return False
    return True


def patient(url: str) -> str:
    """Have each server waited for: one that does not answer in time is not known to be there."""
    return f"{url}?connect_timeout={int(PATIENCE_S)}"


def fail_over(pair: Pair, engine: PostgresEngine) -> None:
    """Record an entry, lose the primary, and record another one on the standby."""
    record_all(engine, Noted())
    pair.lose_the_primary()
    pair.promote()
    wait_until(lambda: has_recorded(engine))


def test_a_primary_that_returns_after_it_was_replaced_is_neither_read_nor_written(
    pair: Pair,
) -> None:
    with closing(PostgresEngine(pair.url_of_the_first_first, SCHEMA)) as running:
        fail_over(pair, running)
        with pair.returning(0):
            cut_connections(pair, 1)

            with closing(PostgresEngine(pair.url_of_the_first_first, SCHEMA)) as new:
                assert [entry_count(engine) for engine in (running, new)] == [2, 2]
                record_all(new, Noted())
                record_all(running, Noted())

            assert entry_count(running) == 4


def test_a_running_server_does_not_go_back_to_a_replaced_primary_when_the_new_one_is_lost(
    pair: Pair,
) -> None:
    with closing(PostgresEngine(pair.url, SCHEMA)) as running:
        fail_over(pair, running)
        with pair.returning(0):
            pair.lose(1)

            with pytest.raises(StorageUnavailable):
                entry_count(running)

            with pair.returning(1, "-csynchronous_standby_names="):
                assert entry_count(running) == 2


def test_of_two_standbys_that_were_both_promoted_none_is_read_or_written(pair: Pair) -> None:
    with closing(PostgresEngine(pair.url, SCHEMA)) as running:
        record_all(running, Noted())
        pair.lose(0)
        pair.promote(1)  # before the other is there, whose promotion it would follow
        pair.make_standby(0)
        with pair.returning(0, "-csynchronous_standby_names="):
            pair.promote(0)
            cut_connections(pair, 1)

            for url in (pair.url, pair.url_of_the_first_first):
                with pytest.raises(StorageUnavailable, match="two servers take writes"):
                    PostgresEngine(patient(url), SCHEMA)

        wait_until(lambda: has_recorded(running))


def refusal_of(call: Callable[..., object], *arguments: object) -> str:
    """Say with which words a call is refused, if it is."""
    try:
        call(*arguments)
    except StorageUnavailable as refusal:
        return str(refusal)
    return ""


def can_go_on(engine: PostgresEngine) -> bool:
    """Whether the store can be read and written."""
    return can_be_read(engine) and has_recorded(engine)


def test_running_stores_leave_two_standbys_that_were_both_promoted_until_one_is_ended(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "SURVEY_HOLDS_S", 0.2)
    with closing(PostgresEngine(patient(pair.url), SCHEMA)) as running:
        record_all(running, Noted())
        pair.lose(0)
        pair.promote(1)
        wait_until(lambda: can_go_on(running))
        pair.make_standby(0)
        with pair.returning(0, "-csynchronous_standby_names="):
            assert can_go_on(running)
            pair.promote(0)

            wait_until(lambda: "two servers" in refusal_of(entry_count, running))
            assert "stop the one" in refusal_of(record_all, running, Noted())

        wait_until(lambda: can_go_on(running))


@pytest.mark.usefixtures("hasty")
def test_who_waits_for_an_answer_is_told_that_two_standbys_were_promoted(pair: Pair) -> None:
    with closing(PostgresEngine(pair.url_of_the_first_first, SCHEMA)) as running:
        fail_over(pair, running)
        pair.make_standby(0)
        with pair.returning(0, "-csynchronous_standby_names="):
            pair.promote(0)

            with pytest.raises(StorageUnavailable, match="two servers take writes"):
                running.read(PROJECT, lambda tx: tx._ask("SELECT pg_sleep(60)"))  # type: ignore[attr-defined]


def test_a_primary_that_is_named_twice_is_one(pair: Pair) -> None:
    port = pair.ports[0]
    twice = f"postgresql://postgres@127.0.0.1:{port},localhost:{port}/postgres"
    with closing(PostgresEngine(twice, SCHEMA)) as engine:
        record_all(engine, Noted())

        assert entry_count(engine) == 1


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a silent server doubted soon."""
    monkeypatch.setattr(watched, "SILENCE_S", 0.5)
    monkeypatch.setattr(notices, "PRIMARY_S", 0.5)


@pytest.mark.usefixtures("hasty")
def test_a_primary_that_hangs_is_given_up_for_the_standby_that_was_promoted(pair: Pair) -> None:
    with closing(PostgresEngine(pair.url_of_the_first_first, SCHEMA)) as engine:
        record_all(engine, Noted())
        assert entry_count(engine) == 1
        with closing(engine.watch()) as watch, pair.hanging(0):
            pair.promote()

            assert entry_count(engine) == 1
            record_all(engine, Noted())
            assert entry_count(engine) == 2
            assert engine.hold("name") is not None
            while watch.wait(0):
                pass
            record_all(engine, Noted())
            assert watch.wait(PATIENCE_S)


@pytest.mark.usefixtures("hasty")
def test_a_commit_at_a_primary_that_hangs_is_unknown_while_nobody_can_be_asked(pair: Pair) -> None:
    with closing(PostgresEngine(pair.url_of_the_first_first, SCHEMA)) as engine:
        record_all(engine, Noted())
        with pair.hanging(0):
            with pytest.raises(StorageUnavailable) as refusal:
                record_all(engine, Noted())
            assert refusal.value.details["outcome"] == "unknown"
            with pytest.raises(StorageUnavailable):
                entry_count(engine)

        wait_until(lambda: has_recorded(engine))


@pytest.mark.usefixtures("hasty")
def test_a_statement_may_take_long_while_its_server_lives(pair: Pair) -> None:
    with closing(PostgresEngine(pair.url, SCHEMA)) as engine:
        engine.read(PROJECT, lambda tx: tx._ask("SELECT pg_sleep(3)"))  # type: ignore[attr-defined]

        assert entry_count(engine) == 0


@pytest.mark.parametrize("ends", ["pg_terminate_backend", "pg_cancel_backend"])
def test_a_commit_whose_wait_for_the_standby_is_ended_is_acknowledged_once_the_standby_has_it(
    pair: Pair, ends: str
) -> None:
    acknowledged: list[Entry] = []
    with closing(PostgresEngine(pair.url, SCHEMA)) as engine:
        acknowledged += record_all(engine, Noted()) + record_all(engine, Noted())
        pair.lose(1)
        writer = threading.Thread(
            target=lambda: acknowledged.extend(record_all(engine, Noted())), daemon=True
        )
        writer.start()
        with pair.connect(0) as admin:
            wait_until(lambda: waits_for_the_standby(admin))
            [ended] = waits_for_the_standby(admin)
            admin.execute(f"SELECT {ends}(%s)".encode(), ended[:1])
            wait_until(lambda: waits_for_the_standby(admin) - {ended} or len(acknowledged) > 2)

            assert len(acknowledged) == 2

        with pair.returning(1, "-csynchronous_standby_names="):
            writer.join(PATIENCE_S)
            assert len(acknowledged) == 3
            pair.lose_the_primary()
            pair.promote()
            wait_until(lambda: can_be_read(engine))

            assert entry_count(engine) == 3


def waits_for_the_standby(
    admin: psycopg.Connection[tuple[Any, ...]],
) -> set[tuple[int, datetime]]:
    """Give the commits that wait for the standby: the process of each, and since when."""
    rows = admin.execute(
        "SELECT pid, query_start FROM pg_stat_activity WHERE wait_event = 'SyncRep' "
        "AND application_name = 'hansard' AND query NOT LIKE '%pg_notify%'"
    ).fetchall()
    return {(int(process), since) for process, since in rows}


def can_be_read(engine: PostgresEngine) -> bool:
    try:
        entry_count(engine)
    except StorageUnavailable:
        return False
    return True
