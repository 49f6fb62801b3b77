"""History: rows of a table that declares it can be asked for as they stood."""

from functools import partial

import pytest

from hansard.kernel.engine import Engine, Position, Range, ReadTx, Row, Version, WriteTx
from hansard.testing.suite.base import DATED, PROJECT, Opener, SuiteBase, look


class HistorySuite(SuiteBase):
    """What `as_of` and `versions` promise."""

    def test_a_row_is_seen_as_it_stood_right_after_each_entry(self, engine: Engine) -> None:
        """Put, replaced, deleted and put again: each stretch is seen from its first entry on."""
        live(engine)

        seen = look(engine, lambda tx: [tx.get(DATED, "k", as_of=seq) for seq in range(12)])

        assert [row and row["state"] for row in seen] == [
            *(None, None, "one", "one", "two", "two", None, None, "three", "three"),
            *("three", "three"),
        ]
        assert look(engine, lambda tx: tx.get(DATED, "k")) == {"state": "three", "size": 3}

    def test_versions_are_all_that_a_row_has_been(self, engine: Engine) -> None:
        """Oldest first, with the entries they began and ended at; a gap is a deletion."""
        live(engine)

        assert look(engine, lambda tx: tx.versions(DATED, "k")) == [
            Version({"state": "one", "size": 1}, 2, 4),
            Version({"state": "two", "size": 2}, 4, 6),
            Version({"state": "three", "size": 3}, 8, None),
        ]
        assert look(engine, lambda tx: tx.versions(DATED, "never")) == []

    @pytest.mark.parametrize(
        ("after", "limit", "began"),
        [
            (None, 2, [2, 4]),
            (-(2**40), 2, [2, 4]),
            (2, None, [4, 8]),
            (3, 1, [4]),
            (4, 9, [8]),
            (8, 9, []),
            (2**40, 9, []),
            (None, 0, []),
        ],
    )
    def test_versions_are_read_in_pages(
        self, engine: Engine, after: int | None, limit: int | None, began: list[int]
    ) -> None:
        """So many, from the first on that began after an entry."""
        live(engine)

        page = look(engine, lambda tx: tx.versions(DATED, "k", after=after, limit=limit))

        assert [version.from_seq for version in page] == began

    def test_two_puts_as_of_one_entry_keep_the_last(self, engine: Engine) -> None:
        """An entry is one instant: what it changed twice, it changed once."""

        def work(tx: WriteTx) -> None:
            tx.put(DATED, "k", {"state": "first"}, seq=1)
            for state in ("passing", "last"):
                tx.put(DATED, "k", {"state": state}, seq=2)

        engine.write(PROJECT, work)

        assert states(engine) == [("first", 1, 2), ("last", 2, None)]

    @pytest.mark.parametrize("is_seen", [False, True])
    def test_what_one_entry_puts_and_deletes_never_was(
        self, engine: Engine, *, is_seen: bool
    ) -> None:
        """Nor does it disturb what stood before it, even if it was seen in between."""

        def work(tx: WriteTx) -> None:
            tx.put(DATED, "k", {"state": "first"}, seq=1)
            tx.put(DATED, "k", {"state": "passing"}, seq=2)
            tx.put(DATED, "fleeting", {"state": "passing"}, seq=2)
            if is_seen:
                assert tx.scan(DATED, limit=10)
            tx.delete(DATED, "k", seq=2)
            tx.delete(DATED, "fleeting", seq=2)

        engine.write(PROJECT, work)

        assert states(engine) == [("first", 1, 2)]
        assert look(engine, lambda tx: tx.versions(DATED, "fleeting")) == []
        assert look(engine, lambda tx: tx.get(DATED, "k", as_of=2)) is None

    def test_what_one_entry_deletes_and_puts_is_replaced(self, engine: Engine) -> None:
        """Deleting and putting in one instant leaves no gap."""

        def work(tx: WriteTx) -> None:
            tx.put(DATED, "k", {"state": "first"}, seq=1)
            tx.delete(DATED, "k", seq=2)
            tx.put(DATED, "k", {"state": "second"}, seq=2)
            tx.delete(DATED, "k", seq=2)
            tx.put(DATED, "k", {"state": "third"}, seq=2)

        engine.write(PROJECT, work)

        assert states(engine) == [("first", 1, 2), ("third", 2, None)]

    def test_deleting_what_is_not_there_changes_no_history(self, engine: Engine) -> None:
        """Neither a row that never was nor one already gone."""
        live(engine)
        engine.write(PROJECT, lambda tx: tx.delete(DATED, "k", seq=9))
        engine.write(PROJECT, lambda tx: tx.delete(DATED, "k", seq=10))
        engine.write(PROJECT, lambda tx: tx.delete(DATED, "never", seq=10))

        assert states(engine) == [("one", 2, 4), ("two", 4, 6), ("three", 8, 9)]
        assert look(engine, lambda tx: tx.versions(DATED, "never")) == []

    def test_rows_are_scanned_counted_and_paged_as_they_stood(self, engine: Engine) -> None:
        """Filters, order and positions apply to the rows of that instant, not to today's."""

        def work(tx: WriteTx) -> None:
            for size, key in enumerate("abcd"):
                tx.put(DATED, key, {"state": "open", "size": size}, seq=1)
            tx.put(DATED, "a", {"state": "shut", "size": 9}, seq=2)
            tx.delete(DATED, "b", seq=3)

        engine.write(PROJECT, work)

        def found(tx: ReadTx, as_of: int | None) -> tuple[list[str], list[str], object]:
            is_open = {"state": "open"}
            by_size = tx.scan(DATED, is_open, order="size", descending=True, limit=9, as_of=as_of)
            page = tx.scan(DATED, order="size", after=Position(1, "b"), limit=1, as_of=as_of)
            return (
                [each.key for each in by_size],
                [each.key for each in page],
                tx.tally(DATED, by="state", as_of=as_of),
            )

        assert look(engine, lambda tx: [found(tx, at) for at in (0, 1, 2, 3, None)]) == [
            ([], [], {}),
            (list("dcba"), ["c"], {"open": 4}),
            (list("dcb"), ["c"], {"open": 3, "shut": 1}),
            (list("dc"), ["c"], {"open": 2, "shut": 1}),
            (list("dc"), ["c"], {"open": 2, "shut": 1}),
        ]
        assert look(engine, lambda tx: tx.tally(DATED, {"size": Range(below=2)}, as_of=1)) == {
            None: 2
        }

    def test_history_is_there_after_opening_again(
        self, engine: Engine, open_engine: Opener
    ) -> None:
        """What a row has been outlives the engine."""
        live(engine)
        engine.close()

        assert states(open_engine()) == [("one", 2, 4), ("two", 4, 6), ("three", 8, None)]


def live(engine: Engine) -> None:
    """Give one row a life: put at 2, replaced at 4, deleted at 6, put again at 8."""
    steps: list[tuple[int, Row | None]] = [
        (2, {"state": "one", "size": 1}),
        (4, {"state": "two", "size": 2}),
        (6, None),
        (8, {"state": "three", "size": 3}),
    ]
    for seq, row in steps:
        engine.write(PROJECT, partial(_set, row=row, seq=seq))


def states(engine: Engine) -> list[tuple[str, int, int | None]]:
    """Give the states the row has had, and from when to when."""
    versions = look(engine, lambda tx: tx.versions(DATED, "k"))
    return [(each.row["state"], each.from_seq, each.to_seq) for each in versions]


def _set(tx: WriteTx, row: Row | None, seq: int) -> None:
    if row is None:
        tx.delete(DATED, "k", seq=seq)
    else:
        tx.put(DATED, "k", row, seq=seq)
