"""What was sent ahead of a lock and arrives late does not land after somebody was told it did not.

A connection can break while the server has not heard yet what was sent on it. It holds no lock
then, and nothing shows that it is on its way.
"""

from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from hansard.engines.postgres import PostgresEngine
from hansard.kernel.engine import Engine, Table, WriteTx
from hansard.kernel.problem import StorageUnavailable
from hansard.testing.suite.base import (
    DATED,
    PROJECT,
    SCHEMA,
    THINGS,
    Noted,
    entry_count,
    record,
)
from tests.engines.keeping_back import Fate, KeepingBack, keeping_back

pytestmark = pytest.mark.postgres


@pytest.fixture
def wire(postgres_url: str) -> Iterator[KeepingBack]:
    folder = conninfo_to_dict(postgres_url)["host"]
    with keeping_back(str(Path(str(folder)) / ".s.PGSQL.5432")) as wire:
        yield wire


@dataclass
class Counter:
    """Counts in a table. Where its rows keep their past, a commit takes several statements."""

    table: Table

    def __call__(self, tx: WriteTx) -> int:
        """Count up, with an entry, and say how far."""
        row = tx.get(self.table, "counter") or {"n": 0}
        tx.put(self.table, "counter", {"n": row["n"] + 1}, seq=record(tx, Noted()).seq)
        return int(row["n"]) + 1

    def keyed(self, tx: WriteTx) -> int:
        """Count up, or say how far that was the first time."""
        row = tx.get(self.table, "key")
        if row is None:
            row = {"n": self(tx)}
            tx.put(self.table, "key", row, seq=tx.head().seq)
        return int(row["n"])


@pytest.fixture(params=[THINGS, DATED], ids=lambda table: str(table.name))
def counted(request: pytest.FixtureRequest) -> Counter:
    return Counter(request.param)


@pytest.fixture
def engine(wire: KeepingBack, postgres_namespace: str, counted: Counter) -> Iterator[Engine]:
    """Give one that writes ahead of the lock, by the wire."""
    with closing(PostgresEngine(wire.url, SCHEMA, namespace=postgres_namespace)) as engine:
        engine.write(PROJECT, counted)
        yield engine


def outcome_of(engine: Engine, counted: Counter) -> object:
    with pytest.raises(StorageUnavailable) as refusal:
        engine.write(PROJECT, counted)
    return refusal.value.details["outcome"]


def test_what_arrives_late_is_not_done_beside_what_was_done_instead(
    engine: Engine, wire: KeepingBack, counted: Counter
) -> None:
    wire.keep_back()

    assert engine.write(PROJECT, counted) == 2

    assert entry_count(engine) == 2
    assert engine.write(PROJECT, counted) == 3


def test_what_was_told_not_to_be_written_does_not_land_later(
    engine: Engine, wire: KeepingBack, counted: Counter
) -> None:
    wire.keep_back(retry="lost")

    assert outcome_of(engine, counted) == "not_written"
    wire.deliver()

    assert entry_count(engine) == 1
    assert engine.write(PROJECT, counted) == 2


def test_where_it_cannot_be_made_sure_that_it_will_not_land_the_outcome_is_unknown(
    engine: Engine, wire: KeepingBack, counted: Counter
) -> None:
    wire.keep_back(look="lost")

    assert outcome_of(engine, counted) == "unknown"
    wire.deliver()

    assert entry_count(engine) == 2
    assert engine.write(PROJECT, counted) == 3


@pytest.mark.parametrize("retry", ["passed", "lost"])
def test_what_is_asked_for_again_under_its_key_is_done_once(
    engine: Engine, wire: KeepingBack, counted: Counter, retry: Fate
) -> None:
    wire.keep_back(retry=retry)

    with suppress(StorageUnavailable):
        assert engine.write(PROJECT, counted.keyed) == 2
    wire.deliver()

    assert entry_count(engine) == (2 if retry == "passed" else 1)
    assert engine.write(PROJECT, counted.keyed) == 2
    assert entry_count(engine) == 2
