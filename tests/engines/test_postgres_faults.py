"""What PostgreSQL adds that can go wrong: lost connections, locks of others, locales, secrets."""

import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import Any

import psycopg
import pytest
from psycopg import sql

from hansard.engines.postgres import PostgresEngine, connections, notices, schema
from hansard.engines.postgres.connections import Connector
from hansard.engines.postgres.writing import ATTEMPTS_MAX
from hansard.kernel.engine import Engine, WriteTx
from hansard.kernel.problem import StorageUnavailable
from hansard.testing.suite.base import (
    PROJECT,
    SCHEMA,
    SOON_S,
    THINGS,
    Noted,
    Opener,
    entry_count,
    look,
    record,
    record_all,
)
from hansard.testing.suite.concurrency import at_once

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
def admin(postgres_url: str, postgres_namespace: str) -> Iterator[Admin]:
    """Give a connection of somebody else, on which our schema is the first."""
    with psycopg.connect(postgres_url, autocommit=True, application_name="admin") as connection:
        connection.execute(f"SET search_path = {postgres_namespace}".encode())
        yield connection


def cut_connections(admin: Admin) -> int:
    """End every connection of every engine, as a restart of the server would."""
    cut = admin.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE application_name = 'hansard'"
    ).fetchall()
    return len(cut)


@contextmanager
def on_insert(admin: Admin, body: str, *, deferred: bool = False) -> Iterator[None]:
    """Have the server do something with each entry: at once, or while the commit is under way."""
    admin.execute(
        f"CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN {body} RETURN NEW; END $$".encode()
    )
    deferral = "DEFERRABLE INITIALLY DEFERRED" if deferred else ""
    admin.execute(
        f"CREATE CONSTRAINT TRIGGER meddling AFTER INSERT ON journal {deferral} "
        "FOR EACH ROW EXECUTE FUNCTION meddle()".encode()
    )
    yield
    admin.execute("DROP FUNCTION meddle CASCADE")


def outcome_of(write: Callable[[], object]) -> object:
    with pytest.raises(StorageUnavailable) as refusal:
        write()
    return refusal.value.details.get("outcome")


def test_reads_and_writes_go_on_after_all_connections_were_cut(
    engine: Engine, admin: Admin
) -> None:
    record_all(engine, Noted())
    assert entry_count(engine) == 1

    for count in (2, 3):
        assert cut_connections(admin) >= 2
        assert entry_count(engine) == count - 1
        record_all(engine, Noted())

    assert entry_count(engine) == 3


def test_a_look_whose_connection_is_cut_is_taken_again(engine: Engine, admin: Admin) -> None:
    record_all(engine, Noted())
    cuts: list[int] = []

    def work(tx: Any) -> int:
        if not cuts:
            cuts.append(cut_connections(admin))
        seq: int = tx.head().seq
        return seq

    assert engine.read(PROJECT, work) == 1


def test_a_look_that_is_cut_twice_is_unavailable(engine: Engine, admin: Admin) -> None:
    def work(tx: Any) -> None:
        cut_connections(admin)
        tx.head()

    with pytest.raises(StorageUnavailable):
        engine.read(PROJECT, work)
    assert entry_count(engine) == 0


def test_a_write_cut_before_its_commit_did_not_land(engine: Engine, admin: Admin) -> None:
    record_all(engine, Noted())
    runs: list[int] = []

    def work(tx: WriteTx) -> None:
        runs.append(1)
        record(tx, Noted())
        cut_connections(admin)
        record(tx, Noted())

    assert outcome_of(lambda: engine.write(PROJECT, work)) == "not_written"
    assert len(runs) == 2
    assert entry_count(engine) == 1
    record_all(engine, Noted())


def test_of_a_write_cut_in_its_commit_it_is_found_out_that_it_did_not_land(
    engine: Engine, admin: Admin
) -> None:
    record_all(engine, Noted())

    with on_insert(admin, "PERFORM pg_terminate_backend(pg_backend_pid());", deferred=True):
        assert outcome_of(lambda: record_all(engine, Noted())) == "not_written"

    assert entry_count(engine) == 1
    record_all(engine, Noted())
    assert entry_count(engine) == 2


@pytest.mark.parametrize("deferred", [False, True])
@pytest.mark.parametrize("sqlstate", ["40001", "40P01"])
def test_work_that_others_got_in_the_way_of_is_tried_again(
    engine: Engine, admin: Admin, postgres_namespace: str, sqlstate: str, *, deferred: bool
) -> None:
    admin.execute("CREATE SEQUENCE attempts")
    counted = f"nextval('{postgres_namespace}.attempts')"
    body = f"IF {counted} < 3 THEN RAISE 'busy' USING ERRCODE = '{sqlstate}'; END IF;"

    with on_insert(admin, body, deferred=deferred):
        record_all(engine, Noted())

    assert entry_count(engine) == 1


@pytest.mark.parametrize("before", [0, 1], ids=["of a new project", "ahead of the lock"])
def test_work_that_others_always_get_in_the_way_of_is_given_up(
    engine: Engine, admin: Admin, before: int
) -> None:
    record_all(engine, *[Noted()] * before)
    runs: list[int] = []

    def work(tx: WriteTx) -> None:
        runs.append(1)
        record(tx, Noted())

    with on_insert(admin, "RAISE 'busy' USING ERRCODE = '40001';"):
        assert outcome_of(lambda: engine.write(PROJECT, work)) == "not_written"

    assert len(runs) == ATTEMPTS_MAX
    assert entry_count(engine) == before


@pytest.mark.parametrize("sqlstate", ["53100", "53200", "57014", "58030"])
def test_a_server_in_trouble_is_unavailable_and_nothing_lands(
    engine: Engine, admin: Admin, sqlstate: str
) -> None:
    with on_insert(admin, f"RAISE 'no' USING ERRCODE = '{sqlstate}';"):
        assert outcome_of(lambda: record_all(engine, Noted())) == "not_written"

    assert entry_count(engine) == 0
    record_all(engine, Noted())


def test_a_read_only_server_can_be_read(engine: Engine, admin: Admin, opener: Opener) -> None:
    record_all(engine, Noted())
    admin.execute("ALTER DATABASE postgres SET default_transaction_read_only = on")
    try:
        with closing(opener()) as late:
            assert entry_count(late) == 1
            assert outcome_of(lambda: record_all(late, Noted())) == "not_written"
    finally:
        admin.execute("SET default_transaction_read_only = off")
        admin.execute("ALTER DATABASE postgres RESET default_transaction_read_only")


def test_a_project_that_another_process_holds_is_unavailable_for_a_while(
    engine: Engine, admin: Admin, postgres_url: str, postgres_namespace: str
) -> None:
    record_all(engine, Noted())
    hasty = PostgresEngine(postgres_url, SCHEMA, namespace=postgres_namespace, lock_wait_s=0.1)

    with closing(hasty), admin.transaction():
        admin.execute("SELECT * FROM heads WHERE project = %s FOR UPDATE", (PROJECT,))
        assert outcome_of(lambda: record_all(hasty, Noted())) == "not_written"
        record_all(engine, Noted(), project="another")
        assert entry_count(engine) == 1

    record_all(engine, Noted())
    assert entry_count(engine) == 2


def test_of_two_first_writers_both_land(engine: Engine, admin: Admin, opener: Opener) -> None:
    with closing(opener()) as other:
        at_once(lambda number: record_all((engine, other)[number % 2], Noted()), range(8))

    assert entry_count(engine) == 8


def test_watches_are_told_after_the_connection_was_cut(
    engine: Engine, admin: Admin, opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "RECONNECT_S", 0.05)

    with closing(opener()) as other, closing(engine.watch()) as watch:
        record_all(other, Noted())
        assert watch.wait(SOON_S)
        cut_connections(admin)
        assert watch.wait(SOON_S), "something may have been missed, which is news"
        while watch.wait(0.3):
            pass
        record_all(other, Noted())
        assert watch.wait(SOON_S)


def test_watches_are_told_once_the_server_that_took_no_connection_takes_one_again(
    engine: Engine, admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "RECONNECT_S", 0.05)
    plain, refusals = Connector.connect, [psycopg.OperationalError(), psycopg.OperationalError()]

    def refused_at_first(connector: Connector) -> connections.Connection:
        if refusals and threading.current_thread().name == "postgres-notices":
            raise refusals.pop()
        return plain(connector)

    with closing(engine.watch()) as watch:
        monkeypatch.setattr(Connector, "connect", refused_at_first)
        cut_connections(admin)

        assert watch.wait(SOON_S)
        assert refusals == []


def test_writers_of_one_project_share_commits(
    engine: Engine, admin: Admin, postgres_namespace: str
) -> None:
    together = threading.Barrier(32)

    def write(number: int) -> None:
        together.wait(SOON_S)
        for _ in range(4):
            record_all(engine, Noted(text=str(number)))

    at_once(write, range(32))

    heads = sql.Identifier(postgres_namespace, "heads")
    [[changes]] = admin.execute(sql.SQL("SELECT changes FROM {}").format(heads)).fetchall()
    assert entry_count(engine) == 128
    assert changes < 64


def test_every_text_column_and_index_sorts_by_bytes(engine: Engine, admin: Admin) -> None:
    # Words are compared by bytes in any case; the index for them does not ask for a collation.
    collations = admin.execute(
        "SELECT c.relname, a.attname, l.collname FROM pg_attribute a "
        "JOIN pg_class c ON c.oid = a.attrelid JOIN pg_collation l ON l.oid = a.attcollation "
        "WHERE c.relnamespace = current_schema::regnamespace AND a.attname <> 'words'"
    ).fetchall()

    assert len(collations) > 30
    assert [each for each in collations if each[2] != "C"] == []


def test_a_write_is_durable_whatever_the_servers_default(admin: Admin, opener: Opener) -> None:
    admin.execute("ALTER ROLE postgres SET synchronous_commit = off")
    try:
        with closing(opener()) as engine:
            shown = engine.write(PROJECT, lambda tx: _all(tx, "SHOW synchronous_commit"))
    finally:
        admin.execute("ALTER ROLE postgres RESET synchronous_commit")

    assert shown == [("on",)]


def test_a_store_of_a_newer_format_is_refused_and_not_touched(
    engine: Engine, admin: Admin, opener: Opener
) -> None:
    engine.close()
    admin.execute(f"UPDATE hansard_format SET number = {schema.FORMAT + 1}".encode())
    admin.execute("DROP TABLE things_v2")

    with pytest.raises(StorageUnavailable):
        opener()

    assert admin.execute("SELECT to_regclass('things_v2')").fetchone() == (None,)


def test_what_is_missing_is_made_and_what_is_there_stays(
    engine: Engine, admin: Admin, opener: Opener
) -> None:
    engine.write(PROJECT, lambda tx: tx.put(THINGS, "key", {"color": "red"}, seq=1))
    engine.close()
    admin.execute("DROP TABLE things_v2")

    with closing(opener()) as again:
        assert look(again, lambda tx: tx.get(THINGS, "key")) == {"color": "red"}
        assert admin.execute("SELECT to_regclass('things_v2') IS NULL").fetchone() == (False,)


def test_many_can_open_a_new_store_at_once(opener: Opener) -> None:
    engines: list[Engine] = []

    at_once(lambda _: engines.append(opener()), range(8))

    for engine in engines:
        record_all(engine, Noted())
        engine.close()
    with closing(opener()) as last:
        assert entry_count(last) == 8


def test_namespaces_are_stores_of_their_own(
    engine: Engine, postgres_url: str, postgres_namespace: str, admin: Admin
) -> None:
    elsewhere = f"{postgres_namespace}_b"
    with closing(PostgresEngine(postgres_url, SCHEMA, namespace=elsewhere)) as other:
        with closing(other.watch()) as watch:
            record_all(engine, Noted())
            assert entry_count(other) == 0
            assert not watch.wait(0.1)
        assert engine.hold("name") is not None
        assert other.hold("name") is not None
    admin.execute(f"DROP SCHEMA {elsewhere} CASCADE".encode())


def test_a_database_that_cannot_hold_every_text_is_refused(postgres_url: str, admin: Admin) -> None:
    admin.execute(
        "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'"
    )
    try:
        with pytest.raises(StorageUnavailable):
            PostgresEngine(postgres_url.replace("/postgres?", "/latin?"), SCHEMA)
    finally:
        admin.execute("DROP DATABASE latin WITH (FORCE)")


def test_a_user_without_rights_is_told(
    engine: Engine, postgres_url: str, postgres_namespace: str, admin: Admin
) -> None:
    record_all(engine, Noted())
    admin.execute("CREATE ROLE guest LOGIN")
    admin.execute(f"GRANT USAGE ON SCHEMA {postgres_namespace} TO guest".encode())
    admin.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {postgres_namespace} TO guest".encode())
    guest = postgres_url.replace("postgres@", "guest@")
    try:
        with pytest.raises(StorageUnavailable):
            PostgresEngine(guest, SCHEMA, namespace=f"{postgres_namespace}_new")
        with closing(PostgresEngine(guest, SCHEMA, namespace=postgres_namespace)) as reader:
            assert entry_count(reader) == 1
            assert outcome_of(lambda: record_all(reader, Noted())) == "not_written"
    finally:
        admin.execute("DROP OWNED BY guest; DROP ROLE guest")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://someone:hunter2secret@127.0.0.1:1/db",
        "postgresql://someone:hunter2secret@127.0.0.1:1/db?nonsense=1",
        "postgresql://someone:hunter2secret@[bad/db",
        "postgresql://someone:hunter2%ZZsecret@127.0.0.1:1/db",
        "host=127.0.0.1 port=1 password=hunter2secret user",
        "hunter2secret",
    ],
)
def test_no_error_shows_the_url_or_the_password(url: str) -> None:
    with pytest.raises(StorageUnavailable) as refusal:
        PostgresEngine(url, SCHEMA)

    shown = "".join(traceback.format_exception(refusal.value))
    told = repr(refusal.value.as_dict())
    assert "hunter2" not in told
    assert "127.0.0.1" not in told
    assert "hunter2" not in shown.replace(f"{url!r}", "")


def test_readers_wait_in_line_for_a_connection_and_not_for_ever(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "POOL_WAIT_S", 0.2)
    release = threading.Event()
    inside = threading.Barrier(9)

    def occupy(tx: Any) -> None:
        inside.wait(SOON_S)
        release.wait(SOON_S)

    threads = [threading.Thread(target=engine.read, args=(PROJECT, occupy)) for _ in range(8)]
    for thread in threads:
        thread.start()
    inside.wait(SOON_S)
    began = time.monotonic()
    with pytest.raises(StorageUnavailable):
        entry_count(engine)
    assert time.monotonic() - began < SOON_S
    release.set()
    for thread in threads:
        thread.join(SOON_S)

    assert entry_count(engine) == 0


def test_a_mistake_of_ours_is_loud_and_undoes_only_itself(engine: Engine) -> None:
    def work(tx: WriteTx) -> None:
        record(tx, Noted())
        _all(tx, "SELECT no_such_column")

    with pytest.raises(psycopg.errors.UndefinedColumn):
        engine.write(PROJECT, work)
    with pytest.raises(psycopg.errors.UndefinedColumn):
        engine.read(PROJECT, lambda tx: _all(tx, "SELECT no_such_column"))

    record_all(engine, Noted())
    assert entry_count(engine) == 1


def _all(tx: Any, statement: str) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = tx._ask(statement)
    return rows
