"""An engine's cache: no caller can notice it except by speed."""

from collections.abc import Callable
from typing import Any

import pytest

from hansard.kernel.blob import seal
from hansard.kernel.engine import AnyOf, Engine, Range, ReadTx, WriteTx
from hansard.testing.suite.base import (
    DATED,
    PAPERS,
    PROJECT,
    THINGS,
    Noted,
    Opener,
    SuiteBase,
    entry_count,
    look,
    record,
    record_all,
)

Ask = Callable[[ReadTx], Any]

BLOBS = [seal(f"blob {number}".encode()) for number in range(9)]
DIGESTS = [blob.digest for blob in BLOBS]

ASKS: dict[str, Ask] = {
    "a row": lambda tx: tx.get(THINGS, "last"),
    "rows": lambda tx: tx.scan(THINGS, limit=99),
    "some rows": lambda tx: tx.scan(THINGS, {"color": AnyOf(["red"])}, order="size", limit=99),
    "rows from a size on": lambda tx: tx.scan(THINGS, {"size": Range(2)}, limit=99),
    "a count": lambda tx: tx.tally(THINGS),
    "counts": lambda tx: tx.tally(THINGS, by="size"),
    "versions": lambda tx: tx.versions(DATED, "last"),
    "a row as it was": lambda tx: tx.get(DATED, "last", as_of=tx.head().seq),
    "rows as they were": lambda tx: tx.scan(DATED, limit=99, as_of=tx.head().seq),
    "entries": lambda tx: tx.entries(limit=99),
    "a place": lambda tx: tx.seek(tick=99),
    "words": lambda tx: [hit.key for hit in tx.search(PAPERS, "river", limit=99)],
    "words of some": lambda tx: [
        hit.key for hit in tx.search(PAPERS, "river", where={"size": Range(2)}, limit=99)
    ],
    "documents": lambda tx: tx.having(PAPERS, ["river"]),
    "known words": lambda tx: tx.known(PAPERS, ["river", "lake"]),
    "what is kept": lambda tx: sorted(tx.kept(DIGESTS)),
    "a blob": lambda tx: tx.blob(DIGESTS[tx.head().seq]),
    "blobs": lambda tx: tx.digests(limit=99),
}
"""All that can be asked, about what each `change` changes."""


def change(tx: WriteTx) -> None:
    """Change something of everything there is."""
    seq = record(tx, Noted()).seq
    row = {"color": "red", "size": seq, "state": "on"}
    for key in (f"{seq}", "last"):
        tx.put(THINGS, key, row, seq=seq)
        tx.put(DATED, key, row, seq=seq)
        tx.index(PAPERS, key, {"title": f"river {seq}"})
    tx.keep(BLOBS[seq])


def all_asked(tx: ReadTx) -> dict[str, Any]:
    """Ask everything."""
    return {name: ask(tx) for name, ask in ASKS.items()}


class RememberingSuite(SuiteBase):
    """Answers are the present state, whoever changed it and whatever was asked before."""

    @pytest.mark.parametrize("name", ASKS)
    def test_what_another_changed_is_seen_by_who_asked_before(
        self, engine: Engine, open_engine: Opener, name: str
    ) -> None:
        """In a look, and in a write."""
        other, ask = open_engine(), ASKS[name]
        seen = []
        for _ in range(3):
            other.write(PROJECT, change)
            there = other.read(PROJECT, ask)
            assert look(engine, ask) == there
            assert look(engine, ask) == there
            assert engine.write(PROJECT, ask) == there
            seen.append(there)

        assert seen[0] != seen[1] != seen[2]

    def test_what_was_changed_here_is_seen_in_the_same_write_and_after(
        self, engine: Engine, open_engine: Opener
    ) -> None:
        """Where it was asked before the change, too."""

        def asked_around(tx: WriteTx) -> tuple[dict[str, Any], dict[str, Any]]:
            before = all_asked(tx)
            change(tx)
            return before, all_asked(tx)

        engine.write(PROJECT, change)
        last = look(engine, all_asked)
        for _ in range(3):
            before, after = engine.write(PROJECT, asked_around)
            assert before == last
            last = look(engine, all_asked)
            assert after == last == open_engine().read(PROJECT, all_asked)
            assert all(before[name] != after[name] for name in ASKS)

    def test_what_was_asked_in_work_that_failed_was_never_there(self, engine: Engine) -> None:
        """Neither for a look nor for the next work."""
        engine.write(PROJECT, change)
        before = look(engine, all_asked)

        def fail(tx: WriteTx) -> None:
            change(tx)
            all_asked(tx)
            raise KeyError

        with pytest.raises(KeyError):
            engine.write(PROJECT, fail)

        assert look(engine, all_asked) == before
        assert engine.write(PROJECT, all_asked) == before

    def test_what_was_cleared_dropped_or_redacted_is_gone_for_who_asked_before(
        self, engine: Engine, open_engine: Opener
    ) -> None:
        """In the same work, and for everybody after it."""
        other = open_engine()
        engine.write(PROJECT, change)
        for one in (engine, other):
            look(one, all_asked)

        def undo(tx: WriteTx) -> dict[str, Any]:
            all_asked(tx)
            tx.clear((THINGS, DATED), (PAPERS,))
            tx.drop(BLOBS[1].digest)
            [entry] = tx.entries(limit=1)
            tx.redact(entry.redacted(None))
            return all_asked(tx)

        after = engine.write(PROJECT, undo)

        assert after["rows"] == after["words"] == after["versions"] == after["what is kept"] == []
        assert [entry.is_redacted for entry in after["entries"]] == [True]
        for one in (engine, other, open_engine()):
            assert look(one, all_asked) == after

    def test_what_is_foreseen_is_answered_as_if_it_were_not(
        self, engine: Engine, open_engine: Opener
    ) -> None:
        """In looks and in writes, before and after changes."""
        other = open_engine()
        engine.write(PROJECT, change)

        def prefetched(tx: ReadTx) -> dict[str, Any]:
            tx.prefetch(*(lambda ask=ask: ask(tx) for ask in ASKS.values()))
            tx.prefetch(lambda: all_asked(tx))
            return all_asked(tx)

        def prefetched_around(tx: WriteTx) -> dict[str, Any]:
            prefetched(tx)
            change(tx)
            return prefetched(tx)

        assert look(engine, prefetched) == look(other, all_asked)
        assert engine.write(PROJECT, prefetched_around) == look(other, all_asked)
        other.write(PROJECT, change)
        assert look(engine, prefetched) == look(other, all_asked)

    def test_a_failure_that_was_foreseen_is_raised_where_it_is_asked_for(
        self, engine: Engine
    ) -> None:
        """Foreseeing raises nothing that is the caller's to hear."""
        engine.write(PROJECT, change)

        def work(tx: ReadTx) -> int:
            tx.prefetch(lambda: tx.scan(THINGS, limit=1))
            return len(tx.scan(THINGS, limit=1))

        assert look(engine, work) == 1

    def test_steady_looks_see_what_this_thread_wrote(self, engine: Engine) -> None:
        """A write ends what they go by."""
        with engine.steady():
            for count in range(1, 4):
                record_all(engine, Noted())
                assert entry_count(engine) == count

    def test_steady_looks_see_what_others_did_before_they_let_go_of_a_lock(
        self, engine: Engine, open_engine: Opener
    ) -> None:
        """However a lock is asked for."""
        other = open_engine()
        lock = engine.hold("mine")
        assert lock
        asks: list[Callable[[], object]] = [
            lambda: engine.hold("a-lock"),
            lambda: engine.held(["a-lock"]),
            lock.renew,
        ]
        with engine.steady():
            for count, ask in enumerate(asks, start=1):
                look(engine, all_asked)
                other.write(PROJECT, change)
                ask()
                assert look(engine, all_asked) == look(other, all_asked)
                assert entry_count(engine) == count

    def test_what_steady_looks_see_is_of_one_state_and_never_older_than_the_first(
        self, engine: Engine, open_engine: Opener
    ) -> None:
        """Though another writes all the while; after it, the newest is seen."""
        other = open_engine()
        other.write(PROJECT, change)
        look(engine, ASKS["rows"])
        with engine.steady():
            first = look(engine, lambda tx: tx.head().seq)
            other.write(PROJECT, change)
            with engine.steady():
                seen = look(engine, lambda tx: (tx.head().seq, tx.scan(THINGS, limit=99)))
            then = look(engine, all_asked)

        assert first <= seen[0] <= first + 1
        assert len(seen[1]) == seen[0] + 1
        assert then["entries"][-1].seq >= seen[0]
        assert len(then["blobs"]) == len(then["entries"]) == len(then["rows"]) - 1
        assert look(engine, all_asked) == look(other, all_asked)
