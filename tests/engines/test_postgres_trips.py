"""What is not asked of PostgreSQL, since it is known, and what is asked together."""

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import Any

import psycopg
import pytest
from psycopg import sql

from hansard.engines.postgres import PostgresEngine, write_buffer
from hansard.engines.postgres.read_queries import BEGIN_LOOK
from hansard.kernel.blob import Blob, seal
from hansard.kernel.engine import Engine, ReadTx, WriteTx
from hansard.testing.suite.base import (
    DATED,
    OTHER,
    PROJECT,
    SCHEMA,
    THINGS,
    Noted,
    Opener,
    look,
    record,
)
from tests.engines.wire import Asked, Wire

pytestmark = pytest.mark.postgres


@pytest.fixture
def opener(postgres_url: str, postgres_namespace: str) -> Opener:
    return partial(PostgresEngine, postgres_url, SCHEMA, namespace=postgres_namespace)


@pytest.fixture
def engine(opener: Opener) -> Iterator[Engine]:
    with closing(opener()) as engine:
        engine.write(PROJECT, lambda tx: put(tx, "first"))
        yield engine


def put(tx: WriteTx, *keys: str) -> None:
    seq = record(tx, Noted()).seq
    for key in keys:
        tx.put(THINGS, key, {"size": seq}, seq=seq)
        tx.put(DATED, key, {"size": seq}, seq=seq)


def things(tx: ReadTx) -> list[str]:
    return [found.key for found in tx.scan(THINGS, limit=99)]


def asked(call: Callable[[], object]) -> Asked:
    """Count what is asked for one call."""
    wire = Wire()
    with wire.counting():
        return wire.of(call)


def test_a_change_that_only_inserts_is_one_statement(engine: Engine) -> None:
    def work(tx: WriteTx) -> None:
        seq = record(tx, Noted()).seq
        tx.put(THINGS, "first", {"size": seq}, seq=seq)

    taken = asked(lambda: engine.write(PROJECT, work))

    assert (len(taken.statements), taken.round_trips) == (1, 1), taken.statements


def test_a_question_is_asked_once_while_nothing_changes(engine: Engine) -> None:
    assert asked(lambda: look(engine, things)).round_trips == 2

    again = asked(lambda: look(engine, things))

    assert (len(again.statements), again.round_trips) == (1, 1)


def test_what_this_process_changed_elsewhere_leaves_an_answer_as_it_is(engine: Engine) -> None:
    look(engine, things)
    engine.write(PROJECT, lambda tx: tx.put(DATED, "other", {}, seq=tx.head().seq))

    assert asked(lambda: look(engine, things)).round_trips == 1


def test_a_look_before_a_write_is_not_asked_again_for_it(engine: Engine) -> None:
    look(engine, things)

    def work(tx: WriteTx) -> None:
        assert things(tx) == ["first"]
        put(tx, "second")

    taken = asked(lambda: engine.write(PROJECT, work))

    assert taken.round_trips == 1, taken.statements
    assert look(engine, things) == ["first", "second"]


def test_a_write_of_any_number_of_rows_is_few_statements_and_one_trip(engine: Engine) -> None:
    keys = [f"k{number}" for number in range(write_buffer.TOGETHER_MAX // 4)]

    taken = asked(lambda: engine.write(PROJECT, lambda tx: put(tx, *keys)))

    assert (len(taken.statements), taken.round_trips) == (5, 1), taken.statements
    assert set(look(engine, things)) == {"first", *keys}


def test_more_rows_than_go_together_are_as_they_were_put(engine: Engine, opener: Opener) -> None:
    keys = [f"k{number:04}" for number in range(write_buffer.ROWS_MAX + 50)]
    for _ in range(2):
        engine.write(PROJECT, lambda tx: put(tx, *keys))

    with closing(opener()) as other:
        found = look(other, lambda tx: tx.scan(DATED, {"size": 3}, limit=999))
        before = look(other, lambda tx: tx.scan(DATED, limit=999, as_of=2))

    assert [one.key for one in found] == keys
    assert {one.row["size"] for one in before} == {1, 2}
    assert len(before) == len(keys) + 1


def test_what_is_foreseen_is_asked_together(engine: Engine) -> None:
    def work(tx: ReadTx) -> list[Any]:
        asks: list[Callable[[], Any]] = [
            lambda: tx.scan(THINGS, limit=5),
            lambda: tx.tally(DATED),
            # The second of these can only be asked once the first is known.
            lambda: tx.get(DATED, tx.scan(THINGS, limit=7)[0].key, as_of=1),
            lambda: tx.entries(limit=5),
        ]
        tx.prefetch(*asks)
        return [ask() for ask in asks]

    found: list[Any] = []
    taken = asked(lambda: found.extend(look(engine, work)))

    assert taken.round_trips == 1 + 2, taken.statements
    assert found[1:3] == [{None: 1}, {"size": 1}]


def test_a_look_that_needs_a_transaction_begins_it_once(engine: Engine) -> None:
    taken = asked(
        lambda: look(engine, lambda tx: [tx.filed(one, limit=9) for one in (THINGS, DATED)])
    )

    assert taken.statements.count(BEGIN_LOOK) == 1, taken.statements


def test_a_project_that_is_not_there_is_looked_at_once(engine: Engine) -> None:
    def call() -> None:
        with engine.steady():
            assert engine.read(OTHER, lambda tx: tx.filed(THINGS, limit=9)) == {}

    taken = asked(call)

    assert taken.statements.count(BEGIN_LOOK) == 1, taken.statements


def test_in_a_steady_time_a_head_is_asked_for_once(engine: Engine) -> None:
    look(engine, things)

    def call() -> None:
        with engine.steady():
            for _ in range(5):
                look(engine, things)

    assert asked(call).round_trips == 1


def test_what_was_changed_by_hand_is_seen_once_all_is_forgotten(
    engine: Engine, postgres_url: str, postgres_namespace: str
) -> None:
    look(engine, things)
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        table = sql.Identifier(postgres_namespace, "things_v1")
        admin.execute(sql.SQL("DELETE FROM {}").format(table))

    engine.forget()

    assert look(engine, things) == []
    assert look(engine, lambda tx: tx.get(THINGS, "first")) is None


def test_after_another_wrote_what_a_look_asked_before_is_asked_together(
    engine: Engine, opener: Opener
) -> None:
    blob = seal(b"some content")
    engine.write(PROJECT, lambda tx: tx.keep(blob))

    def work(tx: ReadTx) -> list[Any]:
        rows = [tx.get(table, key) for table in (THINGS, DATED) for key in ("first", "none")]
        return [rows, things(tx), tx.tally(DATED), tx.blob(blob.digest), tx.entries(limit=9)]

    look(engine, work)
    with closing(opener()) as other:
        other.write(PROJECT, lambda tx: put(tx, "first", "second"))
        found: list[Any] = []
        taken = asked(lambda: found.extend(look(engine, work)))

        assert taken.round_trips == 1 + 1, taken.statements
        assert found == look(other, work)


def test_what_nobody_asked_for_before_is_asked_together_like_what_was(
    engine: Engine, opener: Opener
) -> None:
    def look_for(thing: str) -> Asked:
        return asked(lambda: look(engine, partial(work, thing=thing)))

    def work(tx: ReadTx, *, thing: str) -> list[Any]:
        found = [tx.get(THINGS, key) for key in (thing, "all")]
        return [*found, tx.get(DATED, thing), tx.get(DATED, f"{thing}\nfirst")]

    with closing(opener()) as other:
        other.write(PROJECT, lambda tx: put(tx, *both("thing 0"), *both("thing 1")))
        slow, quick = look_for("thing 0"), look_for("thing 1")

        assert (slow.round_trips, quick.round_trips) == (1 + 4, 1 + 1)
        assert len(quick.statements) == 1 + 1, "all rows in one, with the head again"
        found = partial(work, thing="thing 1")
        assert look(engine, found) == look(other, found)


def both(thing: str) -> tuple[str, str]:
    return thing, f"{thing}\nfirst"


def test_after_another_wrote_a_write_asks_together_and_leaves_alone_what_it_has_changed(
    engine: Engine, opener: Opener
) -> None:
    def count(tx: WriteTx) -> list[Any]:
        seq = record(tx, Noted()).seq
        counted = (tx.get(THINGS, "count") or {"size": 0})["size"] + 1
        tx.put(THINGS, "count", {"size": counted}, seq=seq)
        again = tx.get(DATED, "count")
        tx.put(DATED, "count", {"size": counted}, seq=seq)
        return [counted, again, things(tx), tx.get(THINGS, "count"), tx.get(DATED, "count")]

    with closing(opener()) as other:
        for number in range(1, 6):
            writer = (engine, other)[number % 2]
            counted, again, keys, now, dated = writer.write(PROJECT, count)
            assert counted == now["size"] == dated["size"] == number
            assert (again or {"size": 0})["size"] == number - 1
            assert keys == ["count", "first"]

        taken = asked(lambda: engine.write(PROJECT, count))

    assert taken.round_trips <= 2 + 2, taken.statements


def test_what_is_asked_together_in_work_that_failed_was_never_there(
    engine: Engine, opener: Opener
) -> None:
    look(engine, lambda tx: (tx.get(DATED, "x"), things(tx)))
    with closing(opener()) as other:
        other.write(PROJECT, lambda tx: put(tx, "second"))

    def fail(tx: WriteTx) -> None:
        tx.put(THINGS, "bad", {}, seq=1)
        assert tx.tally(THINGS) == {None: 3}
        tx.get(DATED, "x")
        raise KeyError

    with pytest.raises(KeyError):
        engine.write(PROJECT, fail)

    assert look(engine, things) == ["first", "second"]


def test_a_blob_that_is_kept_already_is_as_it_was_kept_first(
    engine: Engine, opener: Opener
) -> None:
    content = b"some content " * 100
    first = seal(content)
    other_way = Blob(first.digest, len(content), "raw", content)
    assert first.codec != other_way.codec
    with closing(opener()) as other:
        other.write(PROJECT, lambda tx: tx.keep(first))

    engine.write(PROJECT, lambda tx: tx.keep(other_way))

    assert look(engine, lambda tx: tx.blob(first.digest)) == first
    assert look(engine, lambda tx: tx.kept([first.digest])[first.digest].codec) == first.codec
