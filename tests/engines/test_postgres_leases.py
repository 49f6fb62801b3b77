"""Locks on PostgreSQL are leases: they end with their process or their time, not a connection."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import Any

import psycopg
import pytest

from hansard.engines.postgres import PostgresEngine, integrity, leases, process_liveness, schema
from hansard.engines.postgres.leases import PostgresLock
from hansard.kernel.engine import Engine, Lock, WriteTx
from hansard.kernel.problem import StorageUnavailable
from hansard.testing.suite.base import PROJECT, SCHEMA, Noted, Opener, entry_count, record
from tests.engines.wire import Wire
from tests.patience import PATIENCE_S, wait_until

pytestmark = pytest.mark.postgres

Admin = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture
def opener(postgres_url: str, postgres_namespace: str) -> Opener:
    return partial(PostgresEngine, postgres_url, SCHEMA, namespace=postgres_namespace)


@pytest.fixture
def engine(opener: Opener) -> Iterator[Engine]:
    with closing(opener()) as engine:
        yield engine


@pytest.fixture
def elsewhere(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """Give an engine on another machine, from where nobody's life can be seen."""
    with monkeypatch.context() as patch:
        patch.setattr(process_liveness, "_machine", lambda: "another machine")
        other = opener()
    with closing(other):
        yield other


@pytest.fixture
def admin(postgres_url: str, postgres_namespace: str) -> Iterator[Admin]:
    with psycopg.connect(postgres_url, autocommit=True, application_name="admin") as connection:
        connection.execute(f"SET search_path = {postgres_namespace}".encode())
        yield connection


@pytest.fixture
def releasing(postgres_url: str, postgres_namespace: str) -> Iterator[Admin]:
    """Give a second connection, on which a commit can be under way."""
    with psycopg.connect(postgres_url, autocommit=True, application_name="admin") as connection:
        connection.execute(f"SET search_path = {postgres_namespace}".encode())
        yield connection


def cut_connections(admin: Admin) -> None:
    admin.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE application_name = 'hansard'"
    )


def let_time_pass(admin: Admin) -> None:
    """Have every lease be over, as if its process had stood still for long."""
    admin.execute("UPDATE leases SET until = now() - interval '1 hour'")
    served_for_long(admin)


def served_for_long(admin: Admin) -> None:
    """Have the server have answered all the time."""
    admin.execute(
        "INSERT INTO lease_service VALUES (true, now() - interval '1 hour', now()) "
        "ON CONFLICT (one) DO UPDATE SET since = EXCLUDED.since, last = EXCLUDED.last"
    )


def taken(engine: Engine, name: str = "name") -> Lock:
    lock = engine.hold(name)
    assert lock is not None
    return lock


def test_a_lock_outlives_its_connection(engine: Engine, admin: Admin, opener: Opener) -> None:
    held = taken(engine)

    cut_connections(admin)

    with closing(opener()) as other:
        assert other.hold("name") is None
        assert other.held(["name"]) == {"name"}
        assert held.is_ours()
        cut_connections(admin)
        with held:
            pass
        assert other.hold("name") is not None


def test_on_one_machine_whoever_lives_keeps_its_locks_however_late(
    engine: Engine, admin: Admin, opener: Opener
) -> None:
    held = taken(engine)
    let_time_pass(admin)

    with closing(opener()) as other:
        assert other.hold("name") is None
        assert other.held(["name"]) == {"name"}
        assert held.is_ours()


def test_from_another_machine_a_lock_can_be_had_once_its_time_has_passed(
    engine: Engine, admin: Admin, elsewhere: Engine
) -> None:
    held = taken(engine)
    assert elsewhere.hold("name") is None
    let_time_pass(admin)
    assert elsewhere.held(["name"]) == set()

    theirs = taken(elsewhere)

    assert theirs.is_ours()
    assert not held.is_ours()
    assert not held.renew()
    with held:
        pass
    assert theirs.is_ours(), "what is not ours is not let go of"
    with theirs:
        pass
    assert held.renew()


def test_asking_for_a_lock_puts_its_end_off(
    engine: Engine, admin: Admin, elsewhere: Engine
) -> None:
    held = taken(engine)
    let_time_pass(admin)

    assert held.is_ours()

    assert elsewhere.hold("name") is None


def test_a_lock_that_was_let_go_of_is_not_ours_because_we_have_it_again(
    engine: Engine, admin: Admin, elsewhere: Engine
) -> None:
    held = taken(engine)
    let_time_pass(admin)
    with taken(elsewhere):
        pass

    engine._leases._renew_all()  # type: ignore[attr-defined]

    assert elsewhere.hold("name") is None, "it was taken again, so that nobody takes us for dead"
    assert not held.is_ours()
    assert held.renew()
    assert held.is_ours()


def test_who_has_a_lock_again_sees_what_was_written_by_who_had_it_meanwhile(
    engine: Engine, admin: Admin, elsewhere: Engine
) -> None:
    held = taken(engine)
    with engine.steady():
        assert entry_count(engine) == 0
        let_time_pass(admin)
        theirs = taken(elsewhere)
        with theirs:
            elsewhere.write(PROJECT, partial(_record_under, theirs))

        assert held.renew()

        assert entry_count(engine) == 1


def test_nothing_is_committed_under_a_lock_that_somebody_has_had(
    engine: Engine, admin: Admin, elsewhere: Engine
) -> None:
    held = taken(engine)
    engine.write(PROJECT, partial(_record_under, held))
    let_time_pass(admin)
    with taken(elsewhere):
        pass

    with pytest.raises(StorageUnavailable) as refusal:
        engine.write(PROJECT, partial(_record_under, held))

    assert refusal.value.details["outcome"] == "not_written"
    assert entry_count(engine) == 1


@pytest.mark.parametrize("is_moved", [False, True])
def test_who_changes_nothing_under_a_lost_lock_has_nobody_else_refused(
    engine: PostgresEngine, admin: Admin, elsewhere: Engine, *, is_moved: bool
) -> None:
    engine.write(PROJECT, partial(record, event=Noted()))
    held = taken(engine)
    let_time_pass(admin)
    with taken(elsewhere):
        pass
    if is_moved:  # then the work is done under the project's lock, and not ahead of it
        elsewhere.write(PROJECT, partial(record, event=Noted()))
    before = entry_count(elsewhere)

    write_together(engine, partial(_require, held), partial(record, event=Noted()))

    assert entry_count(engine) == before + 1


def test_whoever_commits_under_a_lock_is_waited_for(
    engine: Engine, admin: Admin, elsewhere: Engine
) -> None:
    held = taken(engine)
    seen: list[str] = []

    def work(tx: Any) -> None:
        _record_under(held, tx)
        tx.send()
        let_time_pass(admin)  # nor is the end of a lease held up by who commits under it
        assert elsewhere.hold("name") is None
        seen.append("refused")

    elsewhere._leases._connected().execute("SET lock_timeout = '50ms'")  # type: ignore[attr-defined]
    engine.write(PROJECT, work)

    assert seen == ["refused"]
    assert elsewhere.hold("name") is not None


def test_a_commit_that_waits_with_a_lock_it_releases_holds_nothing_else_up(
    engine: PostgresEngine, admin: Admin, elsewhere: PostgresEngine, releasing: Admin
) -> None:
    other, released = taken(engine, "other"), taken(engine, "released")
    let_time_pass(admin)
    with releasing.transaction():
        releasing.execute("DELETE FROM leases WHERE name = 'released'")

        engine._leases._renew_all()

        assert elsewhere.hold("other") is None
        assert elsewhere.hold("released") is None, "its time has passed, but its commit has not"
        assert other.is_ours()
    with other, released:
        assert other.is_ours()


def test_who_wants_a_lock_that_a_waiting_commit_releases_does_not_wait_for_it(
    engine: PostgresEngine, elsewhere: PostgresEngine, releasing: Admin
) -> None:
    taken(engine)
    with releasing.transaction():
        releasing.execute("DELETE FROM leases")
        elsewhere._leases._connected()
        wire = Wire()
        with wire.counting():
            asked = wire.of(lambda: elsewhere.hold("name"))

    assert len(asked.statements) == 2, "it was refused at once, and not after a wait"
    assert elsewhere.hold("name") is not None


def test_what_a_commit_waits_with_is_given_back_once_it_has_ended(
    engine: PostgresEngine, admin: Admin, releasing: Admin
) -> None:
    held = taken(engine)
    also = taken(engine, "also")
    engine._leases._connected().execute("SET lock_timeout = '50ms'")
    with releasing.transaction():
        releasing.execute("SELECT 1 FROM leases WHERE name = 'name' FOR KEY SHARE")
        with held:
            pass
        admin.execute("DELETE FROM leases WHERE name = 'also'")

        engine._leases._renew_all()

        assert _names(admin) == {"name", "also"}, "what was lost is taken again all the same"
        assert not also.is_ours()

    engine._leases._renew_all()

    assert _names(admin) == {"also"}


@pytest.mark.parametrize("is_moved", [False, True])
def test_a_lock_let_go_of_with_a_write_is_not_asked_about_again(
    engine: PostgresEngine, admin: Admin, elsewhere: Engine, *, is_moved: bool
) -> None:
    engine.write(PROJECT, partial(record, event=Noted()))
    locks = [taken(engine, name) for name in ("one", "other")]
    if is_moved:  # then the work is done under the project's lock, and not ahead of it
        elsewhere.write(PROJECT, partial(record, event=Noted()))

    with locks[0], locks[1]:
        write_together(engine, *(partial(_record_and_release, lock) for lock in locks))
        assert _names(admin) == set()
        wire = Wire()
        with wire.counting():
            ends = wire.of(lambda: _let_go(locks))

    assert ends.statements == []
    assert entry_count(elsewhere) == 3 + is_moved
    assert all(elsewhere.hold(name) is not None for name in ("one", "other"))


def test_a_lock_that_was_taken_again_after_a_write_let_go_of_it_is_let_go_of_at_the_end(
    engine: PostgresEngine, admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = taken(engine)
    noted = PostgresLock.was_released

    def renewed_first(lock: PostgresLock) -> None:
        engine._leases._renew_all()
        noted(lock)

    monkeypatch.setattr(PostgresLock, "was_released", renewed_first)
    with held:
        engine.write(PROJECT, partial(_record_and_release, held))
        assert _names(admin) == {"name"}, "a beat came between, which found it gone"

    assert _names(admin) == set()


def test_what_is_asked_with_a_lock_was_answered_once_it_was_ours(
    engine: Engine, opener: Opener
) -> None:
    engine.write(PROJECT, partial(record, event=Noted()))
    with closing(opener()) as other, engine.steady():
        assert entry_count(engine) == 1
        with taken(other):
            other.write(PROJECT, partial(record, event=Noted()))
            assert engine.hold("name") is None
            other.write(PROJECT, partial(record, event=Noted()))
        wire, seen = Wire(), list[int]()

        with wire.counting(), taken(engine):
            asked = wire.of(lambda: seen.append(entry_count(engine)))

    assert seen == [3]
    assert asked.statements == []


def test_who_takes_a_lock_over_sees_what_was_written_until_then(
    engine: PostgresEngine, admin: Admin, elsewhere: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.write(PROJECT, partial(record, event=Noted()))
    taken(elsewhere)
    let_time_pass(admin)
    replace = leases.Leases._replace

    def written_first(*arguments: Any, **more: Any) -> Any:
        elsewhere.write(PROJECT, partial(record, event=Noted()))
        return replace(*arguments, **more)

    monkeypatch.setattr(leases.Leases, "_replace", written_first)
    with engine.steady():
        assert entry_count(engine) == 1

        with taken(engine):
            assert entry_count(engine) == 2


def test_leases_are_renewed_while_their_process_lives(
    opener: Callable[..., Engine], admin: Admin
) -> None:
    with closing(opener(lease_s=0.3)) as engine:
        taken(engine)
        let_time_pass(admin)

        def is_renewed() -> bool:
            found = admin.execute("SELECT until > now() - interval '1 minute' FROM leases")
            return found.fetchall() == [(True,)]

        wait_until(is_renewed, "the lease was not renewed")


def test_what_could_not_be_given_back_is_given_back_later(
    engine: Engine, admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, taken(engine):
        patch.setattr(leases.Leases, "_let_go", _unreachable)
    assert _names(admin) == {"name"}
    assert engine.held(["name"]) == set()

    engine._leases._renew_all()  # type: ignore[attr-defined]

    assert _names(admin) == set()


def test_the_leases_of_those_long_dead_are_cleared_away(engine: Engine, admin: Admin) -> None:
    admin.execute(
        "INSERT INTO leases VALUES ('old', -1, 'm', '', now() - interval '2 days'), "
        "('newer', -2, 'm', '', now() - interval '2 hours')"
    )
    served_for_long(admin)

    engine._leases._renew_all()  # type: ignore[attr-defined]

    assert _names(admin) == {"newer"}


def test_a_program_that_does_not_know_the_table_of_service_verifies_all_the_same(
    engine: PostgresEngine, admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    served_for_long(admin)
    monkeypatch.setattr(
        integrity, "_NOT_A_PROJECT_S", integrity._NOT_A_PROJECT_S - {"lease_service"}
    )

    assert list(integrity.headless(engine._leases._connected(), engine._names)) == []


def test_an_older_program_with_the_store_open_is_not_met(
    engine: Engine, admin: Admin, opener: Opener, postgres_url: str
) -> None:
    engine.close()
    admin.execute(
        "DROP TABLE leases; DELETE FROM hansard_format; INSERT INTO hansard_format VALUES (1)"
    )
    with psycopg.connect(postgres_url, autocommit=True, application_name="hansard") as older:
        older.execute("SELECT pg_advisory_lock(1)")

        with pytest.raises(StorageUnavailable, match="older"):
            opener()
        # The server lets go of what a closed connection held a moment after it is closed.
        older.execute("SELECT pg_advisory_unlock_all()")

    with closing(opener()):
        assert admin.execute("SELECT max(number) FROM hansard_format").fetchone() == (
            schema.UNDIVIDED,
        )


def write_together(engine: PostgresEngine, *works: Callable[[Any], object]) -> None:
    """Have all of this done in one commit: it waits until the work before it has ended."""
    threads = [threading.Thread(target=engine.write, args=(PROJECT, work)) for work in works]

    def first(_: WriteTx) -> None:
        for thread in threads:
            if thread.ident is None:
                thread.start()
        wait_until(lambda: sum(lane._group._jobs.qsize() for lane in engine._lanes) == len(works))

    engine.write(PROJECT, first)
    for thread in threads:
        thread.join(PATIENCE_S)


def _require(lock: Lock, tx: Any) -> None:
    tx.require(lock)


def _record_under(lock: Lock, tx: Any) -> None:
    tx.require(lock)
    record(tx, Noted())


def _let_go(locks: list[Lock]) -> None:
    for lock in locks:
        lock.__exit__()


def _record_and_release(lock: Lock, tx: Any) -> None:
    record(tx, Noted())
    tx.release(lock)


def _unreachable(*_: object) -> None:
    raise psycopg.OperationalError


def _names(admin: Admin) -> set[str]:
    return {name for (name,) in admin.execute("SELECT name FROM leases")}
