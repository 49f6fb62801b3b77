"""Of a commit whose answer is lost, PostgreSQL is asked whether it landed."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

import psycopg
import pytest

from hansard.engines.postgres import PostgresEngine
from hansard.kernel.engine import Engine, WriteTx
from hansard.kernel.problem import StorageUnavailable
from hansard.testing.suite.base import (
    PROJECT,
    SCHEMA,
    THINGS,
    Noted,
    Opener,
    entry_count,
    record,
)

pytestmark = pytest.mark.postgres


@pytest.fixture
def opener(postgres_url: str, postgres_namespace: str) -> Opener:
    return partial(PostgresEngine, postgres_url, SCHEMA, namespace=postgres_namespace)


@pytest.fixture
def engine(opener: Opener) -> Iterator[Engine]:
    with closing(opener()) as engine:
        yield engine


@contextmanager
def answer_lost(then: Callable[[], object] = lambda: None, *, lands: bool = True) -> Iterator[None]:
    """Have the next commit land, and its connection break before the answer is heard.

    `then` happens before anybody can ask. If not `lands`, it breaks before the commit is sent.
    """
    plain, pipeline = psycopg.Connection.execute, psycopg.Connection.pipeline
    commits: list[Any] = []
    losses: list[Any] = []

    def execute(connection: Any, query: Any, *more: Any, **named: Any) -> Any:
        if query == "COMMIT" and not losses:
            commits.append(connection)
            if not lands:
                losses.append(connection)
                connection.close()
                then()
        return plain(connection, query, *more, **named)

    @contextmanager
    def piped(connection: Any) -> Iterator[Any]:
        with pipeline(connection) as opened:
            yield opened
        if connection in commits and not losses:
            losses.append(connection)
            connection.close()
            then()
            raise psycopg.OperationalError("the answer was lost")

    with (
        patch.object(psycopg.Connection, "execute", execute),
        patch.object(psycopg.Connection, "pipeline", piped),
    ):
        yield
    assert losses, "no answer was lost"


def counted(tx: WriteTx, *, text: str = "") -> int:
    """Count up, with an entry, and say how far."""
    row = tx.get(THINGS, "counter") or {"n": 0}
    tx.put(THINGS, "counter", {"n": row["n"] + 1}, seq=record(tx, Noted(text=text)).seq)
    return int(row["n"]) + 1


def test_a_write_that_landed_is_answered_though_its_answer_was_lost(engine: Engine) -> None:
    assert engine.write(PROJECT, counted) == 1

    with answer_lost():
        assert engine.write(PROJECT, counted) == 2

    assert entry_count(engine) == 2
    assert engine.write(PROJECT, counted) == 3


def test_it_is_found_among_what_others_wrote_since(engine: Engine, opener: Opener) -> None:
    engine.write(PROJECT, counted)

    with closing(opener()) as other, answer_lost(then=lambda: other.write(PROJECT, counted)):
        assert engine.write(PROJECT, counted) == 2

    assert entry_count(engine) == 3
    assert engine.write(PROJECT, counted) == 4


def test_one_that_did_not_land_is_done_again_upon_what_others_wrote_since(
    engine: Engine, opener: Opener
) -> None:
    engine.write(PROJECT, counted)

    def others() -> None:
        with closing(opener()) as other:
            other.write(PROJECT, partial(counted, text="by another"))

    with answer_lost(then=others, lands=False):
        assert engine.write(PROJECT, counted) == 3

    assert entry_count(engine) == 3


def changed(tx: WriteTx) -> None:
    tx.put(THINGS, "other", {"n": 1}, seq=tx.head().seq)


@pytest.mark.parametrize("other_work", [counted, changed])
def test_a_change_without_an_entry_is_not_told_from_what_others_did_since(
    engine: Engine, opener: Opener, other_work: Callable[[WriteTx], object]
) -> None:
    engine.write(PROJECT, counted)

    def others() -> None:
        with closing(opener()) as other:
            other.write(PROJECT, other_work)

    with answer_lost(then=others, lands=False), pytest.raises(StorageUnavailable) as refusal:
        engine.write(PROJECT, changed)

    assert refusal.value.details["outcome"] == "unknown"


def test_where_nobody_can_be_asked_the_outcome_is_unknown(engine: Engine) -> None:
    engine.write(PROJECT, counted)
    gone = psycopg.OperationalError("nobody is there")

    with (
        patch.object(psycopg.Connection, "connect", side_effect=gone),
        answer_lost(),
        pytest.raises(StorageUnavailable) as refusal,
    ):
        engine.write(PROJECT, counted)

    assert refusal.value.details["outcome"] == "unknown"
    assert engine.write(PROJECT, counted) == 3
