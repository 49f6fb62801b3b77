"""Work done ahead of a project's lock ends as if it had been done under it, one after the other."""

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from hansard.engines.memory import MemoryEngine
from hansard.engines.postgres import PostgresEngine
from hansard.kernel.blob import Blob, seal
from hansard.kernel.engine import Engine, ReadTx, WriteTx
from hansard.testing.suite.base import (
    DATED,
    PAPERS,
    PROJECT,
    SCHEMA,
    THINGS,
    Noted,
    Opener,
    look,
    noise,
    record,
)
from tests.depth import deep
from tests.engines.wire import Wire
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.postgres

KEYS = ["a", "b", "c"]
BLOBS = [seal(noise(size, seed)) for seed, size in enumerate((100, 3_000, 40_000))]
THREADS_EACH, JOBS_EACH, STEPS_MAX = 3, 12, 6


@pytest.fixture
def opener(postgres_url: str, postgres_namespace: str) -> Opener:
    return partial(
        PostgresEngine, postgres_url, SCHEMA, namespace=postgres_namespace, lock_wait_s=PATIENCE_S
    )


@pytest.fixture
def pair(opener: Opener) -> Iterator[tuple[Engine, Engine]]:
    """Two servers on one store."""
    with closing(opener()) as ours, closing(opener()) as theirs:
        yield ours, theirs


class RefusedError(Exception):
    """What a rule raises, with what it went by."""

    def __init__(self, head: int, answers: list[Any]) -> None:
        super().__init__(head, answers)
        self.head = head
        self.answers = answers


def size_of(tx: ReadTx) -> int:
    row = tx.get(THINGS, "k") or {"size": 0}
    return int(row["size"])


def set_size(size: int, tx: WriteTx) -> None:
    seq = record(tx, Noted()).seq
    tx.put(THINGS, "k", {"size": size}, seq=seq)


def test_nobody_is_refused_for_what_has_been_changed_elsewhere(pair: tuple[Engine, Engine]) -> None:
    ours, theirs = pair
    ours.write(PROJECT, partial(set_size, 1))
    theirs.write(PROJECT, partial(set_size, 2))

    def work(tx: WriteTx) -> None:
        if size_of(tx) == 1:
            raise RefusedError(tx.head().seq, [])
        set_size(3, tx)

    ours.write(PROJECT, work)

    assert look(theirs, size_of) == 3


def test_what_is_changed_while_work_is_done_has_it_done_anew(pair: tuple[Engine, Engine]) -> None:
    ours, theirs = pair
    ours.write(PROJECT, partial(set_size, 1))
    seen: list[int] = []

    def work(tx: WriteTx) -> None:
        seen.append(size_of(tx))
        if len(seen) == 1:
            theirs.write(PROJECT, partial(set_size, 5))
        set_size(seen[-1] + 1, tx)

    ours.write(PROJECT, work)

    assert seen == [1, 5]
    assert look(theirs, size_of) == look(ours, size_of) == 6


def test_a_project_that_others_stopped_changing_is_written_ahead_again(
    pair: tuple[Engine, Engine],
) -> None:
    ours, theirs = pair
    ours.write(PROJECT, partial(set_size, 1))
    theirs.write(PROJECT, partial(set_size, 2))
    wire = Wire()

    with wire.counting():
        trips = [
            wire.of(lambda: ours.write(PROJECT, partial(set_size, 3))).round_trips for _ in range(4)
        ]

    assert max(trips) > 1
    assert trips[-1] == 1


def test_work_that_must_be_sent_before_its_end_is_done_under_the_lock(
    pair: tuple[Engine, Engine],
) -> None:
    ours, theirs = pair
    ours.write(PROJECT, partial(set_size, 1))

    def work(tx: WriteTx) -> list[str]:
        set_size(2, tx)
        tx.put(THINGS, "new", {"size": 7}, seq=tx.head().seq)
        return [found.key for found in tx.scan(THINGS, {"size": 7}, limit=9)]

    assert ours.write(PROJECT, work) == ["new"]
    assert look(theirs, size_of) == 2


def test_work_that_lists_rows_is_done_under_the_lock(pair: tuple[Engine, Engine]) -> None:
    ours, theirs = pair
    ours.write(PROJECT, partial(set_size, 1))

    def work(tx: WriteTx) -> dict[str, bool]:
        before = tx.filed(THINGS, limit=9)
        set_size(2, tx)
        return before

    assert ours.write(PROJECT, work) == {"k": True}
    assert look(theirs, size_of) == 2


Step = tuple[str, str, int]


@dataclass
class Job:
    """Steps, and what came of them."""

    steps: list[Step]
    fails: bool
    seq: int = 0
    """Where in the journal it was done, or what it saw as its end when it was refused."""
    answers: list[Any] = field(default_factory=list)

    def do(self, tx: WriteTx) -> tuple[int, list[Any]]:
        """Do the steps at one entry of their own."""
        seen = tx.head().seq
        seq = record(tx, Noted(text=repr(self.steps))).seq
        answers = [STEPS[name](tx, key, number, seq) for name, key, number in self.steps]
        if self.fails:
            raise RefusedError(seen, answers)
        return seq, answers

    def run(self, engine: Engine) -> tuple[int, list[Any]]:
        """Have an engine do it."""
        try:
            return engine.write(PROJECT, self.do)
        except RefusedError as refused:
            return refused.head, refused.answers


def _put(tx: WriteTx, key: str, number: int, seq: int) -> None:
    for table in (THINGS, DATED):
        tx.put(table, key, {"size": number, "color": "red", "state": "on"}, seq=seq)
    tx.index(PAPERS, key, {"title": f"river {number}"})


def _delete(tx: WriteTx, key: str, _: int, seq: int) -> None:
    for table in (THINGS, DATED):
        tx.delete(table, key, seq=seq)
    tx.index(PAPERS, key, None)


def _keep(tx: WriteTx, _: str, number: int, __: int) -> None:
    tx.keep(_blob(number))


def _blob(number: int) -> Blob:
    return BLOBS[number % len(BLOBS)]


STEPS: dict[str, Callable[[WriteTx, str, int, int], Any]] = {
    "put": _put,
    "put again": _put,
    "delete": _delete,
    "keep": _keep,
    "get": lambda tx, key, _, __: (tx.get(THINGS, key), tx.get(DATED, key)),
    "blob": lambda tx, _, number, __: tx.blob(_blob(number).digest),
    "kept": lambda tx, _, __, ___: tx.kept([blob.digest for blob in BLOBS]),
    "scan": lambda tx, _, __, ___: tx.scan(THINGS, {"color": "red"}, order="size", limit=9),
    "tally": lambda tx, _, __, ___: tx.tally(DATED, by="state"),
    "versions": lambda tx, key, _, __: tx.versions(DATED, key),
    "as of": lambda tx, key, number, _: tx.get(DATED, key, as_of=max(1, number)),
    "entries": lambda tx, _, number, __: [one.hash for one in tx.entries(after=number, limit=5)],
    "search": lambda tx, _, __, ___: sorted(hit.key for hit in tx.search(PAPERS, "river", limit=9)),
}

QUICK = ["put", "delete", "keep", "get"]
"""What needs nothing to be sent before the end, unless it was asked about before."""


def jobs(chance: random.Random) -> list[Job]:
    names = QUICK if chance.random() < 0.5 else [*STEPS]
    return [
        Job(
            [
                (chance.choice(names), chance.choice(KEYS), chance.randrange(9))
                for _ in range(chance.randrange(STEPS_MAX))
            ],
            fails=chance.randrange(5) == 0,
        )
        for _ in range(JOBS_EACH)
    ]


@pytest.mark.parametrize("seed", range(deep(6, 200)))
def test_what_many_do_at_once_is_what_one_does_in_the_journals_order(
    opener: Opener, seed: int
) -> None:
    chance = random.Random(seed)
    with ExitStack() as stack:
        servers = [stack.enter_context(closing(opener())) for _ in range(2)]
        all_jobs = [(server, jobs(chance)) for server in servers * THREADS_EACH]

        def run_all(server: Engine, some: list[Job]) -> None:
            for job in some:
                job.seq, job.answers = job.run(server)

        threads = [threading.Thread(target=run_all, args=each) for each in all_jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        done = [job for _, some in all_jobs for job in some]
        alone = MemoryEngine(SCHEMA)
        for job in sorted(done, key=lambda job: (job.seq, job.fails)):
            assert job.run(alone) == (job.seq, job.answers), job
        fresh = stack.enter_context(closing(opener()))
        finals = [look(engine, everything) for engine in (alone, *servers, fresh)]
        assert finals[1:] == [finals[0]] * 3


def everything(tx: ReadTx) -> list[Any]:
    return [
        [entry.hash for entry in tx.entries(limit=999)],
        [(tx.get(THINGS, key), tx.get(DATED, key), tx.versions(DATED, key)) for key in KEYS],
        tx.kept([blob.digest for blob in BLOBS]),
        sorted(hit.key for hit in tx.search(PAPERS, "river", limit=9)),
    ]
