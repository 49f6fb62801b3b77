"""Of a commit whose answer is lost, PostgreSQL is asked whether it landed."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import patch

import psycopg
import pytest

from hansard.engines.postgres import PostgresEngine
from hansard.kernel.engine import Engine, Table, WriteTx
from hansard.kernel.problem import StorageUnavailable
from hansard.testing.suite.base import (
    DATED,
    PROJECT,
    SCHEMA,
    THINGS,
    Noted,
    Opener,
    entry_count,
    record,
)
from tests.engines.keeping_back import AT_ONCE

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

    def lose(connection: Any) -> None:
        losses.append(connection)
        connection.close()
        then()

    def execute(connection: Any, query: Any, *more: Any, **named: Any) -> Any:
        is_at_once = isinstance(query, bytes) and query.startswith(AT_ONCE.encode())
        is_commit = not losses and (query == "COMMIT" or is_at_once)
        if is_commit:
            commits.append(connection)
            if not lands:
                lose(connection)
        answer = plain(connection, query, *more, **named)
        if is_commit and is_at_once:
            lose(connection)
            raise psycopg.OperationalError("the answer was lost")
        return answer

    @contextmanager
    def piped(connection: Any) -> Iterator[Any]:
        with pipeline(connection) as opened:
            yield opened
        if connection in commits and not losses:
            lose(connection)
            raise psycopg.OperationalError("the answer was lost")

    with (
        patch.object(psycopg.Connection, "execute", execute),
        patch.object(psycopg.Connection, "pipeline", piped),
    ):
        yield
    assert losses, "no answer was lost"


@dataclass
class Counter:
    """Counts in a table. Where its rows keep their past, a commit takes several statements."""

    table: Table

    def __call__(self, tx: WriteTx, *, text: str = "") -> int:
        """Count up, with an entry, and say how far."""
        row = tx.get(self.table, "counter") or {"n": 0}
        seq = record(tx, Noted(text=text)).seq
        tx.put(self.table, "counter", {"n": row["n"] + 1}, seq=seq)
        return int(row["n"]) + 1

    def changed(self, tx: WriteTx) -> None:
        """Change something, without an entry."""
        tx.put(self.table, "other", {"n": 1}, seq=tx.head().seq)


@pytest.fixture(params=[THINGS, DATED], ids=lambda table: str(table.name))
def counted(request: pytest.FixtureRequest) -> Counter:
    return Counter(request.param)


def test_a_write_that_landed_is_answered_though_its_answer_was_lost(
    engine: Engine, counted: Counter
) -> None:
    assert engine.write(PROJECT, counted) == 1

    with answer_lost():
        assert engine.write(PROJECT, counted) == 2

    assert entry_count(engine) == 2
    assert engine.write(PROJECT, counted) == 3


def test_it_is_found_among_what_others_wrote_since(
    engine: Engine, opener: Opener, counted: Counter
) -> None:
    engine.write(PROJECT, counted)

    with closing(opener()) as other, answer_lost(then=lambda: other.write(PROJECT, counted)):
        assert engine.write(PROJECT, counted) == 2

    assert entry_count(engine) == 3
    assert engine.write(PROJECT, counted) == 4


def test_one_that_did_not_land_is_done_again_upon_what_others_wrote_since(
    engine: Engine, opener: Opener, counted: Counter
) -> None:
    engine.write(PROJECT, counted)

    def others() -> None:
        with closing(opener()) as other:
            other.write(PROJECT, partial(counted, text="by another"))

    with answer_lost(then=others, lands=False):
        assert engine.write(PROJECT, counted) == 3

    assert entry_count(engine) == 3


@pytest.mark.parametrize("has_entry", [True, False])
def test_a_change_without_an_entry_is_not_told_from_what_others_did_since(
    engine: Engine, opener: Opener, counted: Counter, has_entry: bool
) -> None:
    engine.write(PROJECT, counted)

    def others() -> None:
        with closing(opener()) as other:
            other.write(PROJECT, counted if has_entry else counted.changed)

    with answer_lost(then=others, lands=False), pytest.raises(StorageUnavailable) as refusal:
        engine.write(PROJECT, counted.changed)

    assert refusal.value.details["outcome"] == "unknown"


def test_where_nobody_can_be_asked_the_outcome_is_unknown(engine: Engine, counted: Counter) -> None:
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
