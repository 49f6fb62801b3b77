"""The engine that runs everything twice keeps every promise, and finds work that breaks its own."""

from functools import partial

import pytest

from hansard.engines.memory import MemoryEngine, MemoryStore
from hansard.kernel.engine import Engine, ReadTx, WriteTx
from hansard.testing.engine_suite import SCHEMA, EngineSuite, Opener
from hansard.testing.suite.base import PROJECT, Noted, record
from hansard.testing.twice import Twice


def open_twice(shared: MemoryStore) -> Engine:
    return Twice(MemoryEngine(SCHEMA, shared))


class TestTwice(EngineSuite):
    across_processes = False

    @pytest.fixture
    def opener(self) -> Opener:
        return partial(open_twice, MemoryStore())


def test_all_work_runs_twice_and_only_the_second_run_lands() -> None:
    engine = open_twice(MemoryStore())
    touched: list[int] = []

    def write(tx: WriteTx) -> int:
        touched.append(tx.head().seq)
        return record(tx, Noted()).seq

    def read(tx: ReadTx) -> int:
        touched.append(tx.head().seq)
        return tx.head().seq

    assert engine.write(PROJECT, write) == 1
    assert engine.read(PROJECT, read) == 1
    assert touched == [0, 0, 1, 1]
