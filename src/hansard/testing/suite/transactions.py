"""Transactions: all of it lands or nothing, and a look stays the same while others write."""

import threading

import pytest

from hansard.kernel.blob import seal
from hansard.kernel.engine import Engine, ReadTx, Row, WriteTx
from hansard.kernel.event import Entry, genesis
from hansard.kernel.problem import StorageUnavailable
from hansard.testing.suite.base import (
    DATED,
    PAPERS,
    PROJECT,
    SOON_S,
    THINGS,
    Noted,
    Opener,
    SuiteBase,
    look,
    put_all,
    record,
    record_all,
)

BRIEFLY_S = 0.3
"""How long a look waits for a writer, which an engine with one lock keeps out until it ends."""


class RefusedError(Exception):
    """What the tests' work raises."""


def touch_everything(tx: WriteTx) -> None:
    """Use every verb that writes."""
    seq = record(tx, Noted()).seq
    tx.put(THINGS, "new", {"color": "red"}, seq=seq)
    tx.put(THINGS, "old", {"color": "changed"}, seq=seq)
    tx.put(DATED, "old", {"state": "changed"}, seq=seq)
    tx.put(DATED, "gone", {"state": "changed"}, seq=seq)
    tx.delete(DATED, "gone", seq=seq)
    tx.index(PAPERS, "new", {"title": "quill", "body": "ink"})
    tx.index(PAPERS, "old", None)
    tx.keep(seal(b"kept"))
    tx.mark_views("changed:1")


def everything(tx: ReadTx) -> tuple[object, ...]:
    """Read all that `touch_everything` may change."""
    return (
        tx.head(),
        tx.entries(limit=10),
        tx.scan(THINGS, limit=10),
        tx.scan(DATED, limit=10),
        [tx.versions(DATED, key) for key in ("old", "gone")],
        [hit.key for hit in tx.search(PAPERS, "quill", limit=10)],
        tx.digests(limit=10),
    )


class TransactionSuite(SuiteBase):
    """What `read` and `write` promise about the work they run."""

    def test_work_that_raises_leaves_nothing(self, engine: Engine) -> None:
        """Every verb's effect is undone: entries, rows, history, documents, blobs and marks."""
        seed(engine)
        engine.stage(seal(b"kept"))
        before = look(engine, everything)

        def work(tx: WriteTx) -> None:
            touch_everything(tx)
            assert everything(tx) != before
            raise RefusedError

        with pytest.raises(RefusedError):
            engine.write(PROJECT, work)

        assert look(engine, everything) == before
        [following] = record_all(engine, Noted(text="goes on where it was"))
        assert look(engine, lambda tx: tx.entries(limit=10))[-1] == following

    def test_clearing_is_undone_too(self, engine: Engine) -> None:
        """A rebuild that fails leaves the tables as they were."""
        seed(engine)
        before = look(engine, everything)

        def work(tx: WriteTx) -> None:
            tx.clear([THINGS, DATED], [PAPERS])
            touch_everything(tx)
            raise RefusedError

        with pytest.raises(RefusedError):
            engine.write(PROJECT, work)

        assert look(engine, everything) == before

    def test_a_first_write_that_raises_leaves_the_project_unknown(self, engine: Engine) -> None:
        """Even the project's own beginning is undone."""

        def work(tx: WriteTx) -> None:
            record(tx, Noted())
            raise RefusedError

        with pytest.raises(RefusedError):
            engine.write(PROJECT, work)

        assert look(engine, lambda tx: tx.head()) == genesis(PROJECT)
        assert engine.heads() == {}

    @pytest.mark.parametrize("error", [RefusedError("no"), KeyError("bug"), SystemExit(3)])
    def test_what_work_raises_comes_out_itself(self, engine: Engine, error: BaseException) -> None:
        """Not a copy, not wrapped: the same exception, from reads and writes alike."""

        def work(tx: ReadTx) -> None:
            assert tx.project == PROJECT
            raise error

        with pytest.raises(type(error)) as from_write:
            engine.write(PROJECT, work)
        with pytest.raises(type(error)) as from_read:
            engine.read(PROJECT, work)

        assert from_write.value is error
        assert from_read.value is error
        assert record_all(engine, Noted())[0].seq == 1

    def test_what_work_returns_comes_out(self, engine: Engine) -> None:
        """Results pass through, `None` among them."""
        assert engine.write(PROJECT, lambda tx: {"made": record(tx, Noted()).seq}) == {"made": 1}
        assert engine.write(PROJECT, lambda tx: tx.mark_views("x:1")) is None
        assert engine.read(PROJECT, lambda tx: [tx.project]) == [PROJECT]

    def test_a_write_sees_what_it_wrote(self, engine: Engine) -> None:
        """Reads inside a transaction include its own changes, of every kind."""
        seed(engine)
        engine.stage(seal(b"kept"))

        def work(tx: WriteTx) -> tuple[object, ...]:
            touch_everything(tx)
            return everything(tx)

        inside = engine.write(PROJECT, work)

        assert look(engine, everything) == inside

    def test_a_look_stays_the_same_while_another_commits(
        self, engine: Engine, open_engine: Opener
    ) -> None:
        """A read transaction sees one state, from its first question to its last."""
        seed(engine)
        other = open_engine()
        writer = threading.Thread(target=other.write, args=(PROJECT, touch_everything))

        def work(tx: ReadTx) -> tuple[object, object]:
            first = everything(tx)
            if not writer.ident:
                writer.start()
            writer.join(BRIEFLY_S)
            return first, everything(tx)

        other.stage(seal(b"kept"))
        before = look(engine, everything)
        first, last = engine.read(PROJECT, work)
        writer.join(SOON_S)

        assert not writer.is_alive()
        assert first == last
        assert look(engine, everything) != before

    def test_one_engine_sees_at_once_what_another_committed(
        self, engine: Engine, open_engine: Opener
    ) -> None:
        """Once a write has returned, every look that begins sees it."""
        other = open_engine()

        for number in range(1, 6):
            record_all(engine if number % 2 else other, Noted())
            assert look(other if number % 2 else engine, lambda tx: tx.head().seq) == number

    def test_a_closed_engine_refuses_to_write(self, engine: Engine) -> None:
        """Nothing is accepted after `close`, and closing twice is closing once."""
        engine.close()
        engine.close()

        with pytest.raises(StorageUnavailable) as refusal:
            record_all(engine, Noted())

        assert refusal.value.details["outcome"] == "not_written"

    def test_closing_finishes_what_was_accepted(self, engine: Engine, open_engine: Opener) -> None:
        """A write that races with `close` lands and says so, or is refused and does not land."""
        acknowledged: list[Entry] = []
        refused: list[StorageUnavailable] = []
        barrier = threading.Barrier(9)

        def write() -> None:
            barrier.wait(SOON_S)
            try:
                while True:
                    acknowledged.append(engine.write(PROJECT, lambda tx: record(tx, Noted())))
            except StorageUnavailable as problem:
                refused.append(problem)

        threads = [threading.Thread(target=write) for _ in range(8)]
        for thread in threads:
            thread.start()
        barrier.wait(SOON_S)
        engine.close()
        for thread in threads:
            thread.join(SOON_S)

        stored = look(open_engine(), lambda tx: tx.entries(limit=1_000_000))
        assert [problem.details["outcome"] for problem in refused] == ["not_written"] * 8
        assert sorted(acknowledged, key=lambda entry: entry.seq) == stored


def seed(engine: Engine) -> None:
    """Store a little of everything."""
    rows: dict[str, Row] = {"old": {"color": "blue"}}
    put_all(engine, rows)
    put_all(engine, {"old": {"state": "first"}, "gone": {"state": "first"}}, table=DATED)
    engine.write(PROJECT, lambda tx: tx.index(PAPERS, "old", {"title": "quill"}))
    record_all(engine, Noted(text="seed"))
