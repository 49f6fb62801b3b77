"""Watching: every process's commits are noticed, and none is missed."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from hansard.kernel.engine import Engine, Watch, WriteTx
from hansard.testing.suite import elsewhere
from hansard.testing.suite.base import PROJECT, SOON_S, Noted, Opener, SuiteBase, record, record_all

MOMENT_S = 0.05
"""Long enough for news to arrive that should not."""


class WatchSuite(SuiteBase):
    """What `watch` promises."""

    def test_without_a_commit_time_runs_out(self, engine: Engine) -> None:
        """Waiting is bounded, and reading is no news."""
        record_all(engine, Noted())

        with closing(engine.watch()) as watch:
            settle(watch)
            engine.read(PROJECT, lambda tx: tx.head())
            began = time.monotonic()
            assert watch.wait(MOMENT_S) is False
            assert MOMENT_S / 2 < time.monotonic() - began < SOON_S
            assert watch.wait(0) is False

    def test_a_commit_between_creation_and_wait_is_not_missed(
        self, engine: Engine, open_engine: Opener
    ) -> None:
        """Any commit counts: noticing begins when `watch` returns, not when `wait` is called."""
        for writer in (engine, open_engine()):
            with closing(engine.watch()) as watch:
                record_all(writer, Noted())
                assert watch.wait(SOON_S) is True
                settle(watch)
                record_all(writer, Noted())
                assert watch.wait(SOON_S) is True

    def test_a_waiting_watch_is_woken(self, engine: Engine, open_engine: Opener) -> None:
        """By a commit of this engine or of another, long before its time is up."""
        for writer in (engine, open_engine()):
            with closing(engine.watch()) as watch, waiting(watch, SOON_S) as woken:
                record_all(writer, Noted())

            assert woken == [True]

    def test_every_watch_is_woken(self, engine: Engine, open_engine: Opener) -> None:
        """One that has seen the news does not keep it from another."""
        other = open_engine()
        watches = [engine.watch(), engine.watch(), other.watch()]

        record_all(engine, Noted())

        assert [watch.wait(SOON_S) for watch in watches] == [True] * 3
        for watch in watches:
            watch.close()

    def test_work_that_raises_is_no_news(self, engine: Engine) -> None:
        """What was undone wakes nobody."""

        def work(tx: WriteTx) -> None:
            record(tx, Noted())
            raise KeyError

        with closing(engine.watch()) as watch:
            with pytest.raises(KeyError):
                engine.write(PROJECT, work)
            assert watch.wait(MOMENT_S) is False

    def test_a_closed_watch_leaves_the_others(self, engine: Engine) -> None:
        """Closing one ends only its own noticing."""
        first, second = engine.watch(), engine.watch()
        first.close()

        record_all(engine, Noted())

        assert second.wait(SOON_S) is True
        second.close()

    def test_a_commit_by_another_process_is_noticed(self, engine: Engine, opener: Opener) -> None:
        """Processes share a store, and so the news."""
        if not self.across_processes:
            pytest.skip("this store lives in one process")

        with (
            closing(engine.watch()) as watch,
            elsewhere.process(opener, elsewhere.write_one),
        ):
            assert watch.wait(SOON_S) is True


def settle(watch: Watch) -> None:
    """Take in news that is still under way, such as another's word of a commit already seen."""
    while watch.wait(MOMENT_S):
        pass


@contextmanager
def waiting(watch: Watch, timeout_s: float) -> Iterator[list[bool]]:
    """Wait in another thread while the block runs; what it was told is in the list afterwards."""
    told: list[bool] = []
    thread = threading.Thread(target=lambda: told.append(watch.wait(timeout_s)))
    thread.start()
    yield told
    thread.join(SOON_S)
    assert not thread.is_alive(), "the watch was not woken"
