# ruff: noqa: PLR2004 - the expected number is the point
"""Many writers at once: nothing lost, nothing doubled, nobody undone by a neighbour."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import pytest

from hansard.kernel.engine import Engine, Row, WriteTx
from hansard.kernel.event import genesis
from hansard.testing.suite import elsewhere
from hansard.testing.suite.base import (
    DATED,
    OTHER,
    PROJECT,
    SOON_S,
    THINGS,
    Noted,
    Opener,
    SuiteBase,
    entry_count,
    is_chain,
    look,
    record,
)

WRITERS = 16
WRITES_EACH = 5


class WriterFailedError(Exception):
    """What some of the writers raise."""


def note(tx: WriteTx) -> None:
    """Commit an entry."""
    record(tx, Noted())


class ConcurrencySuite(SuiteBase):
    """What `write` promises to callers that do not know of each other."""

    def test_who_has_written_or_failed_to_stands_in_nobodys_way(
        self, engine: Engine, open_engine: Opener
    ) -> None:
        """In a thread of its own, too, in which a write may be committed by its caller."""
        other = open_engine()

        def fail(_: WriteTx) -> None:
            raise WriterFailedError

        with ThreadPoolExecutor(1) as threads:
            threads.submit(engine.write, PROJECT, note).result(SOON_S)
            other.write(PROJECT, note)
            with pytest.raises(WriterFailedError):
                threads.submit(engine.write, PROJECT, fail).result(SOON_S)
            other.write(PROJECT, note)
            threads.submit(engine.write, PROJECT, note).result(SOON_S)

        assert entry_count(other) == 4

    def test_no_write_of_many_threads_and_engines_is_lost(
        self, engine: Engine, open_engine: Opener
    ) -> None:
        """Each read and written back without a race: seqs are dense, the chain holds, sums fit."""
        engines = (engine, open_engine())

        def write(number: int) -> None:
            for _ in range(WRITES_EACH):
                engines[number % 2].write(PROJECT, count_up)

        at_once(write, range(WRITERS))

        entries = look(engine, lambda tx: tx.entries(limit=1_000))
        total = WRITERS * WRITES_EACH
        assert [entry.seq for entry in entries] == list(range(1, total + 1))
        assert is_chain(entries, genesis(PROJECT).hash)
        assert look(engine, lambda tx: tx.get(THINGS, "counter")) == {"size": total}
        assert len(look(engine, lambda tx: tx.versions(DATED, "counter"))) == total

    def test_a_failing_neighbour_undoes_only_itself(self, engine: Engine) -> None:
        """Work that shares a commit with work that raises still lands, and hears the truth."""
        told: dict[int, str] = {}

        def write(number: int) -> None:
            def work(tx: WriteTx) -> None:
                entry = record(tx, Noted(text=str(number)))
                tx.put(THINGS, str(number), {"size": number}, seq=entry.seq)
                if number % 3 == 0:
                    raise WriterFailedError(number)

            try:
                engine.write(PROJECT, work)
                told[number] = "landed"
            except WriterFailedError as error:
                told[number] = f"raised {error}"

        at_once(write, range(WRITERS * 2))

        lucky = [number for number in range(WRITERS * 2) if number % 3]
        found = look(engine, lambda tx: tx.scan(THINGS, order="size", limit=1_000))
        assert [each.row["size"] for each in found] == lucky
        assert entry_count(engine) == len(lucky)
        assert sorted(number for number, news in told.items() if news == "landed") == lucky
        assert all(told[number] == f"raised {number}" for number in range(0, WRITERS * 2, 3))

    def test_projects_are_written_side_by_side(self, engine: Engine, open_engine: Opener) -> None:
        """Writers of several projects mix freely and keep apart."""
        engines = (engine, open_engine())
        projects = [PROJECT, OTHER, "gamma", "delta", "epsilon"]

        def write(number: int) -> None:
            for project in projects:
                engines[number % 2].write(project, count_up)

        at_once(write, range(10))

        assert {project: entry_count(engine, project) for project in projects} == dict.fromkeys(
            projects, 10
        )
        for project in projects:
            assert look(engine, lambda tx: tx.get(THINGS, "counter"), project) == {"size": 10}

    def test_looks_during_writes_are_never_torn(self, engine: Engine, open_engine: Opener) -> None:
        """A row and the head that were written together are seen together."""
        other = open_engine()
        torn: list[tuple[int, Row | None]] = []
        done = threading.Event()

        def watch_for_tears(_: int) -> None:
            while not done.is_set():
                seq, row = look(other, lambda tx: (tx.head().seq, tx.get(THINGS, "counter")))
                if seq != (row["size"] if row else 0):
                    torn.append((seq, row))

        def write(_: int) -> None:
            try:
                for _ in range(WRITES_EACH * 4):
                    engine.write(PROJECT, count_up)
            finally:
                done.set()

        at_once(lambda number: (watch_for_tears if number else write)(number), range(3))

        assert torn == []

    def test_a_process_killed_in_a_write_leaves_nothing_and_blocks_nobody(
        self, engine: Engine, opener: Opener
    ) -> None:
        """Its half is gone, and the next writer gets its turn soon."""
        if not self.across_processes:
            pytest.skip("this store lives in one process")
        engine.write(PROJECT, count_up)

        with elsewhere.process(opener, elsewhere.stall_in_a_write) as process:
            process.kill()
            process.wait(SOON_S)
            engine.write(PROJECT, count_up)

        assert entry_count(engine) == 2
        assert look(engine, lambda tx: tx.get(THINGS, "stalled")) is None


def count_up(tx: WriteTx) -> None:
    """Read a counter and write it back one higher, with an entry."""
    row = tx.get(THINGS, "counter") or {"size": 0}
    row["size"] += 1
    entry = record(tx, Noted(text=str(row["size"])))
    tx.put(THINGS, "counter", row, seq=entry.seq)
    tx.put(DATED, "counter", row, seq=entry.seq)


def at_once(act: Callable[[int], object], numbers: Iterable[int]) -> None:
    """Run an act in as many threads as there are numbers, and raise what any of them raised."""
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            act(number)
        except BaseException as error:  # noqa: BLE001 - raised again below, in the test's thread
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads), "a writer did not come back"
    if errors:
        raise errors[0]
