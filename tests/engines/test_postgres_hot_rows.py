"""What a process remembers of PostgreSQL is never other than what is there."""

import itertools
import os
import threading
from collections.abc import Callable, Iterator
from functools import partial

import psycopg
import pytest
from psycopg import sql

from hansard.engines.postgres import PostgresEngine, row_cache, write_transaction
from hansard.engines.postgres.row_cache import UNKNOWN, Mark, RowCache
from hansard.kernel.blob import Digest, seal
from hansard.kernel.engine import ReadTx, Row, Schema, Table, WriteTx
from hansard.kernel.event import Head
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.postgres

NOTES = Table("hot_notes")
DATED = Table("hot_dated", history=True)
SCHEMA = Schema((NOTES, DATED))
PROJECT = "alpha"

Open = Callable[[], PostgresEngine]


@pytest.fixture
def open_engine_here(postgres_url: str, postgres_namespace: str) -> Iterator[Open]:
    """Open the same store as another process would, with a memory of its own."""
    opened: list[PostgresEngine] = []

    def opener() -> PostgresEngine:
        engine = PostgresEngine(
            postgres_url, SCHEMA, namespace=postgres_namespace, lock_wait_s=PATIENCE_S
        )
        opened.append(engine)
        return engine

    yield opener
    for engine in opened:
        engine.close()


def put(engine: PostgresEngine, key: str, row: Row | None, table: Table = NOTES) -> None:
    def work(tx: WriteTx) -> None:
        if row is None:
            tx.delete(table, key, seq=tx.head().seq + 1)
        else:
            tx.put(table, key, row, seq=tx.head().seq + 1)

    engine.write(PROJECT, work)


def get(engine: PostgresEngine, key: str, table: Table = NOTES) -> Row | None:
    return engine.read(PROJECT, lambda tx: tx.get(table, key))


def get_to_write(engine: PostgresEngine, key: str) -> Row | None:
    return engine.write(PROJECT, lambda tx: tx.get(NOTES, key))


def test_what_another_process_changes_is_seen_by_one_that_remembers(
    open_engine_here: Open,
) -> None:
    ours, theirs = open_engine_here(), open_engine_here()
    put(ours, "k", {"n": 1})
    assert get(ours, "k") == {"n": 1}

    put(theirs, "k", {"n": 2})

    assert get(ours, "k") == {"n": 2}
    assert get_to_write(ours, "k") == {"n": 2}


def test_a_read_that_others_overtake_each_time_still_sees_one_state(
    open_engine_here: Open,
) -> None:
    ours, theirs = open_engine_here(), open_engine_here()
    counter = itertools.count(1)

    def both(tx: WriteTx, number: int) -> None:
        for key in ("first", "second"):
            tx.put(NOTES, key, {"n": number}, seq=tx.head().seq + 1)

    def overtaken(tx: ReadTx) -> list[Row | None]:
        first = tx.get(NOTES, "first")
        theirs.write(PROJECT, partial(both, number=next(counter)))
        return [first, tx.get(NOTES, "second")]

    theirs.write(PROJECT, partial(both, number=0))

    assert ours.read(PROJECT, overtaken) == [{"n": 1}, {"n": 1}]


def test_a_store_that_the_parent_opened_answers_no_fork(
    open_engine_here: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = open_engine_here()
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: -1)

        with pytest.raises(RuntimeError, match="after a fork"):
            engine.heads()

    assert engine.heads() == {}


def test_what_another_process_deletes_is_gone_for_one_that_remembers(
    open_engine_here: Open,
) -> None:
    ours, theirs = open_engine_here(), open_engine_here()
    put(ours, "k", {"n": 1})

    put(theirs, "k", None)

    assert get(ours, "k") is None
    assert get_to_write(ours, "k") is None


def test_that_there_is_no_such_row_is_forgotten_too(open_engine_here: Open) -> None:
    ours, theirs = open_engine_here(), open_engine_here()
    put(ours, "other", {})
    assert get(ours, "k") is None

    put(theirs, "k", {"n": 1})

    assert get(ours, "k") == {"n": 1}


def test_what_is_cleared_is_remembered_by_nobody(open_engine_here: Open) -> None:
    ours, theirs = open_engine_here(), open_engine_here()
    put(ours, "k", {"n": 1})
    assert get(ours, "k")
    assert get(theirs, "k")

    def clear(tx: WriteTx) -> Row | None:
        tx.clear((NOTES,), ())
        return tx.get(NOTES, "k")

    assert ours.write(PROJECT, clear) is None
    assert get(ours, "k") is None
    assert get(theirs, "k") is None


def test_a_dropped_blob_is_remembered_by_nobody(open_engine_here: Open) -> None:
    ours, theirs = open_engine_here(), open_engine_here()
    blob = seal(b"some content")
    ours.write(PROJECT, lambda tx: tx.keep(blob))
    for engine in (ours, theirs):
        assert engine.read(PROJECT, lambda tx: tx.blob(blob.digest))

    theirs.write(PROJECT, lambda tx: tx.drop(blob.digest))

    for engine in (ours, theirs):
        assert engine.read(PROJECT, lambda tx: tx.blob(blob.digest)) is None


def test_work_that_fails_leaves_nothing_in_memory(open_engine_here: Open) -> None:
    ours = open_engine_here()
    put(ours, "k", {"n": 1})

    def fail(tx: WriteTx) -> None:
        tx.put(NOTES, "k", {"n": 2}, seq=1)
        assert tx.get(NOTES, "k") == {"n": 2}
        raise KeyError

    with pytest.raises(KeyError):
        ours.write(PROJECT, fail)

    assert get(ours, "k") == {"n": 1}
    assert get_to_write(ours, "k") == {"n": 1}


def test_work_that_shares_a_commit_sees_what_was_done_before_it_and_not_what_failed(
    open_engine_here: Open,
) -> None:
    ours, holder = open_engine_here(), open_engine_here()
    put(ours, "k", {"n": 0})
    begun, go_on = threading.Event(), threading.Event()

    def hold(_: WriteTx) -> None:
        begun.set()
        assert go_on.wait(PATIENCE_S)

    def raised(tx: WriteTx, fails: bool) -> None:
        row = tx.get(NOTES, "k") or {}
        tx.put(NOTES, "k", {"n": row["n"] + 1}, seq=1)
        if fails:
            raise KeyError

    def count(fails: bool) -> None:
        try:
            ours.write(PROJECT, lambda tx: raised(tx, fails))
        except KeyError:
            assert fails

    first = threading.Thread(target=lambda: holder.write(PROJECT, hold))
    first.start()
    assert begun.wait(PATIENCE_S)
    # While somebody else has the project, these wait, and then go together.
    others = [threading.Thread(target=count, args=(number % 2 == 1,)) for number in range(20)]
    for thread in others:
        thread.start()
    go_on.set()
    for thread in (first, *others):
        thread.join(PATIENCE_S)

    assert get(ours, "k") == {"n": 10}
    assert get(holder, "k") == {"n": 10}


def test_a_look_sees_one_state_though_the_project_moves_while_it_looks(
    open_engine_here: Open,
) -> None:
    ours, theirs = open_engine_here(), open_engine_here()
    put(ours, "a", {"n": 1})
    put(ours, "b", {"n": 1})
    fresh = open_engine_here()
    assert get(fresh, "a") == {"n": 1}
    looks: list[tuple[Row | None, Row | None]] = []

    def look(tx: ReadTx) -> tuple[Row | None, Row | None]:
        first = tx.get(NOTES, "a")
        if not looks:
            put_both(theirs)
        looks.append((first, tx.get(NOTES, "b")))
        return looks[-1]

    def put_both(engine: PostgresEngine) -> None:
        def work(tx: WriteTx) -> None:
            tx.put(NOTES, "a", {"n": 2}, seq=1)
            tx.put(NOTES, "b", {"n": 2}, seq=1)

        engine.write(PROJECT, work)

    found = fresh.read(PROJECT, look)

    assert found in [({"n": 1}, {"n": 1}), ({"n": 2}, {"n": 2})]


def test_a_row_that_one_entry_changes_twice_is_as_it_was_left_and_its_past_is_kept(
    open_engine_here: Open,
) -> None:
    ours = open_engine_here()
    ours.write(PROJECT, lambda tx: tx.put(DATED, "k", {"n": 0}, seq=1))

    def work(tx: WriteTx) -> list[Row]:
        tx.put(DATED, "k", {"n": 1}, seq=2)
        tx.delete(DATED, "k", seq=2)
        tx.put(DATED, "k", {"n": 2}, seq=2)
        tx.put(DATED, "k", {"n": 3}, seq=3)
        return [version.row for version in tx.versions(DATED, "k")]

    assert ours.write(PROJECT, work) == [{"n": 0}, {"n": 2}, {"n": 3}]
    assert get(ours, "k", DATED) == {"n": 3}
    assert ours.read(PROJECT, lambda tx: tx.get(DATED, "k", as_of=2)) == {"n": 2}


def test_work_of_any_length_is_sent_in_parts_and_is_as_it_was_left(
    open_engine_here: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_transaction, "CHANGES_MAX", 5)
    ours = open_engine_here()
    put(ours, "k0", {"n": -1})
    large = seal(os.urandom(2 * row_cache.ROW_BYTES_MAX))

    def work(tx: WriteTx) -> list[Row | None]:
        tx.keep(large)
        assert tx.blob(large.digest) == large
        for number in range(23):
            tx.put(NOTES, f"k{number % 7}", {"n": number}, seq=1)
        return [tx.get(NOTES, f"k{number}") for number in range(8)]

    left = [{"n": number} for number in (21, 22, 16, 17, 18, 19, 20)]
    assert ours.write(PROJECT, work) == [*left, None]
    assert [get(ours, f"k{number}") for number in range(8)] == [*left, None]


def test_a_row_that_is_given_can_be_changed_without_changing_what_is_remembered(
    open_engine_here: Open,
) -> None:
    ours = open_engine_here()
    put(ours, "k", {"list": [1]})

    given = get(ours, "k")
    assert given is not None
    given["list"].append(2)

    assert get(ours, "k") == {"list": [1]}


def test_a_store_from_before_there_were_marks_gets_them(
    open_engine_here: Open, postgres_url: str, postgres_namespace: str
) -> None:
    put(open_engine_here(), "k", {"n": 1})
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        heads = sql.Identifier(postgres_namespace, "heads")
        admin.execute(sql.SQL("ALTER TABLE {} DROP COLUMN changes").format(heads))

    ours, theirs = open_engine_here(), open_engine_here()
    put(ours, "k", {"n": 2})

    assert get(ours, "k") == {"n": 2}
    put(theirs, "k", {"n": 3})
    assert get(ours, "k") == {"n": 3}


def test_memory_is_bounded_and_what_was_longest_not_asked_for_goes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(row_cache, "BYTES_MAX", 3_000)
    hot, mark = RowCache(), _mark(1, "h")
    place = ("table", "key")
    for name in ("old", "used", "new"):
        hot.learn(name, mark, {place: "x" * 700})
        hot.find("old", mark, place)

    hot.learn("newest", mark, {place: "x" * 700})

    found = {name: hot.find(name, mark, place) for name in ("old", "used", "new", "newest")}
    assert found["used"] is UNKNOWN
    assert UNKNOWN not in {found["old"], found["new"], found["newest"]}


def test_a_row_too_long_to_remember_is_not_taken_for_what_it_was() -> None:
    hot, place = RowCache(), ("table", "key")
    before, after = _mark(1, "h"), _mark(2, "i")
    hot.learn("p", before, {place: "short"})

    hot.move("p", before, after, {place: "x" * (row_cache.ROW_BYTES_MAX + 1)}, ())

    assert hot.find("p", after, place) is UNKNOWN
    assert hot.find("p", before, place) is UNKNOWN


def test_an_older_look_does_not_take_the_place_of_a_newer_one() -> None:
    hot, place = RowCache(), ("table", "key")
    older, newer = _mark(1, "h"), _mark(2, "i")
    hot.learn("p", newer, {place: "new"})

    hot.learn("p", older, {place: "old"})
    hot.move("p", older, _mark(2, "other"), {place: "other"}, ())

    assert hot.find("p", newer, place) == "new"


def _mark(number: int, hashed: str) -> Mark:
    return Mark(number, Head(number, number, Digest(hashed), ""))
