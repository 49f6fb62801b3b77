"""Locks: one holder at a time, in this process or any other, and the dead hold nothing."""

import os
import signal
import threading
import time
from contextlib import ExitStack
from functools import partial

import pytest

from hansard.kernel.engine import Engine, WriteTx
from hansard.testing.suite import elsewhere
from hansard.testing.suite.base import (
    PROJECT,
    SOON_S,
    Noted,
    Opener,
    SuiteBase,
    entry_count,
    record,
    record_all,
)

NAMES = ["a", "A", "b", "a-b", "ab", "0", "owner-0123456789abcdef", "x" * 100, "y" * 100]


class LockSuite(SuiteBase):
    """What `hold` promises."""

    def test_a_lock_has_one_holder_at_a_time(self, engine: Engine, open_engine: Opener) -> None:
        """A second taker gets `None`, from this engine or another; released, it can be taken."""
        other = open_engine()
        held = engine.hold("name")
        assert held is not None

        with held:
            assert engine.hold("name") is None
            assert other.hold("name") is None

        taken = other.hold("name")
        assert taken is not None
        assert engine.hold("name") is None
        with taken:
            pass
        assert engine.hold("name") is not None

    def test_a_lock_is_ours_until_it_is_released(self, engine: Engine) -> None:
        """Asked as often as one likes, and taken again where it need not be."""
        held = engine.hold("name")
        assert held is not None

        with held:
            assert held.is_ours()
            assert held.renew()
            assert held.is_ours()
            assert engine.hold("name") is None

        assert not held.is_ours()

    def test_locks_are_asked_for_together(self, engine: Engine) -> None:
        """They are ours if each of them is."""
        one, other = engine.hold("one"), engine.hold("other")
        assert one is not None
        assert other is not None

        with other:
            assert engine.are_ours([one, other])
            assert engine.are_ours([])

        assert engine.are_ours([one])
        assert not engine.are_ours([one, other])

    def test_a_lock_let_go_of_with_a_write_is_free_once_its_block_ends(
        self, engine: Engine, open_engine: Opener
    ) -> None:
        """If the write lands; and who does not end it well holds it as long as the block lasts."""
        other, held = open_engine(), engine.hold("name")
        assert held is not None

        def work(tx: WriteTx, *, fails: bool) -> None:
            record(tx, Noted())
            tx.release(held)
            if fails:
                raise KeyError

        with held:
            with pytest.raises(KeyError):
                engine.write(PROJECT, partial(work, fails=True))
            assert held.is_ours()
            assert other.hold("name") is None
            engine.write(PROJECT, partial(work, fails=False))

        assert not held.is_ours()
        assert other.hold("name") is not None

    def test_a_lock_is_released_when_its_block_raises(self, engine: Engine) -> None:
        """An error on the way does not leave it held, and comes out."""
        held = engine.hold("name")
        assert held is not None

        with pytest.raises(KeyError), held:
            raise KeyError

        assert engine.hold("name") is not None

    def test_names_are_different_locks(self, engine: Engine, open_engine: Opener) -> None:
        """A name is of letters, digits and hyphens, and each is a lock of its own."""
        other = open_engine()

        with ExitStack() as stack:
            for name in NAMES:
                held = engine.hold(name)
                assert held is not None
                stack.enter_context(held)
            assert [other.hold(name) for name in NAMES] == [None] * len(NAMES)

        for name in NAMES:
            assert other.hold(name) is not None

    def test_a_lock_keeps_nobody_from_reading_and_writing(
        self, engine: Engine, open_engine: Opener
    ) -> None:
        """It is advisory: it means only what its takers agreed on."""
        held = engine.hold("name")
        assert held is not None

        with held:
            record_all(open_engine(), Noted())
            assert entry_count(engine) == 1

    def test_of_many_takers_one_gets_it(self, engine: Engine, open_engine: Opener) -> None:
        """However close they come, from two engines and many threads."""
        other = open_engine()
        barrier = threading.Barrier(8)
        got: list[object] = []

        def take(taker: Engine) -> None:
            barrier.wait(SOON_S)
            if (held := taker.hold("name")) is not None:
                got.append(held)

        threads = [
            threading.Thread(target=take, args=(engine if number % 2 else other,))
            for number in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(SOON_S)

        assert len(got) == 1

    def test_closing_lets_go_of_what_was_held(self, engine: Engine, open_engine: Opener) -> None:
        """An engine that is closed holds nothing."""
        held = engine.hold("name")
        assert held is not None

        engine.close()

        assert open_engine().hold("name") is not None

    def test_a_killed_process_holds_nothing(self, engine: Engine, opener: Opener) -> None:
        """Held while the other process lives; free soon after it was killed."""
        self._require_processes()

        with elsewhere.process(opener, elsewhere.take_hold) as process:
            assert engine.hold("contended") is None
            process.kill()
            process.wait(SOON_S)

        assert taken_soon(engine, "contended")

    def test_what_a_fork_lets_go_of_is_its_parents_still(
        self, engine: Engine, open_engine: Opener
    ) -> None:
        """It may close its copy of an engine and leave its copy of a block; nothing comes of it."""
        self._require_processes()
        record_all(engine, Noted())
        held = engine.hold("name")
        assert held is not None

        def leave() -> None:
            engine.close()
            with held:
                pass

        with held:
            ended = elsewhere.in_a_fork(leave)

            other = open_engine()
            assert ended == 0
            assert held.is_ours()
            assert other.held(["name"]) == {"name"}
            assert other.hold("name") is None
            record_all(engine, Noted())
        assert entry_count(other) == entry_count(engine)

    def test_a_fork_that_closed_its_copy_keeps_nothing_of_a_killed_process(
        self, engine: Engine, opener: Opener
    ) -> None:
        """It may live on: what its parent held is held while the parent lives, and no longer."""
        self._require_processes()

        with elsewhere.process(opener, elsewhere.take_hold_and_fork) as process:
            assert process.stdout is not None
            fork = int(process.stdout.readline())
            try:
                assert engine.held(["contended"]) == {"contended"}
                process.kill()
                process.wait(SOON_S)

                assert taken_soon(engine, "contended")
            finally:
                os.kill(fork, signal.SIGKILL)

    def test_who_looks_at_a_lock_sees_whether_it_is_held(
        self, engine: Engine, open_engine: Opener
    ) -> None:
        """By this engine or another; what was released, never taken or no name is held by none."""
        other = open_engine()
        held = engine.hold("name")
        assert held is not None

        with held:
            assert engine.held(["name", "other", "no name!"]) == {"name"}
            assert other.held(["name", "other", "no name!"]) == {"name"}

        assert engine.held(["name"]) == other.held(["name"]) == set()
        assert engine.held([]) == set()

    def test_looking_at_a_lock_takes_it_from_nobody(
        self, engine: Engine, open_engine: Opener
    ) -> None:
        """However many look, each sees the same, and the next caller can take it."""
        other = open_engine()

        seen = [one.held(["name"]) for one in (engine, other) * 3]
        held = other.hold("name")

        assert seen == [set()] * 6
        assert held is not None

    def test_a_killed_process_is_seen_to_hold_nothing(self, engine: Engine, opener: Opener) -> None:
        """Held while the other process lives; not held soon after it was killed."""
        self._require_processes()

        with elsewhere.process(opener, elsewhere.take_hold) as process:
            assert engine.held(["contended"]) == {"contended"}
            process.kill()
            process.wait(SOON_S)

        assert _free_soon(engine, "contended")

    def _require_processes(self) -> None:
        if not self.across_processes:
            pytest.skip("this store lives in one process")


def _free_soon(engine: Engine, name: str) -> bool:
    """Whether the lock is seen to be free before long."""
    deadline = time.monotonic() + SOON_S
    while engine.held([name]):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def taken_soon(engine: Engine, name: str) -> bool:
    """Whether the lock can be taken before long."""
    deadline = time.monotonic() + SOON_S
    while engine.hold(name) is None:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
