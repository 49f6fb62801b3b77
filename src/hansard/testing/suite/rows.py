"""Rows: what is put is got, filtered, ordered, paged and counted."""

from functools import partial
from typing import Any

import pytest

from hansard.kernel.blob import canonical_json
from hansard.kernel.engine import (
    AnyOf,
    Engine,
    Found,
    Position,
    Range,
    ReadTx,
    Row,
    Scalar,
    Table,
    Where,
    WriteTx,
)
from hansard.testing.suite.base import (
    DATED,
    OTHER,
    PAPERS,
    PROJECT,
    THINGS,
    THINGS_NEXT,
    Noted,
    Opener,
    SuiteBase,
    entry_count,
    look,
    noise,
    put_all,
    record_all,
)

MANY = 1_000

VALUES: list[Any] = [
    None,
    True,
    0,
    1,
    1.0,
    -0.0,
    0.1,
    5e-324,
    1.7976931348623157e308,
    2**63 - 1,
    -(2**63),
    "",
    "'; DROP TABLE things; --",
    "%s %(name)s {} \\ \" '",
    "línea\n\t\u2028 😀 \U0010ffff \x7f",
    [],
    {},
    [1, 1.0, "1", None, [True, {"": {"deep": [[]]}}]],
]

UNICODE_KEYS = [
    *("-", "10", "9", "A", "Z", "_", "a", "aa", "a\u0301", "b", "z", "ä", "é", "ÿ", "Ω", "ﬀ"),
    *("\ufffd", "𐀀", "😀", "\U0010ffff"),
]
"""In the order of code points, which is neither a dictionary's nor that of UTF-16."""

COLORED: dict[str, Row] = {
    "a": {"color": "red", "size": 1, "weight": 0.5, "is_new": True},
    "b": {"color": "red", "size": 2, "weight": 1.5, "is_new": False},
    "c": {"color": "green", "size": 3, "weight": 2.5, "is_new": True},
    "d": {"color": "", "size": 0, "weight": 0.0, "is_new": False},
    "e": {"color": None, "size": None, "weight": None, "is_new": None},
    "f": {"other": "no declared field at all"},
}

FILTERS: list[tuple[Where, str]] = [
    ({}, "abcdef"),
    ({"color": "red"}, "ab"),
    ({"color": "Red"}, ""),
    ({"color": ""}, "d"),
    ({"color": None}, "ef"),
    ({"color": "red", "size": 2}, "b"),
    ({"color": "red", "size": 3}, ""),
    ({"size": 0}, "d"),
    ({"weight": 1.5}, "b"),
    ({"weight": 0}, "d"),
    ({"is_new": True}, "ac"),
    ({"is_new": False}, "bd"),
    ({"is_new": None}, "ef"),
    ({"color": AnyOf(["red", "green", "never"])}, "abc"),
    ({"color": AnyOf(())}, ""),
    ({"size": AnyOf({1, 3})}, "ac"),
    ({"weight": AnyOf([0.5, 2.5])}, "ac"),
    ({"is_new": AnyOf([True])}, "ac"),
    ({"color": AnyOf(["red"]), "is_new": AnyOf([False, True])}, "ab"),
    ({"size": Range(at_least=1, below=3)}, "ab"),
    ({"size": Range(at_least=2)}, "bc"),
    ({"size": Range(below=1)}, "d"),
    ({"size": Range()}, "abcd"),
    ({"size": Range(at_least=0)}, "abcd"),
    ({"size": Range(at_least=3, below=3)}, ""),
    ({"weight": Range(at_least=0.5, below=2.5)}, "ab"),
    ({"color": Range(at_least="green", below="red")}, "c"),
    ({"color": Range(at_least="")}, "abcd"),
    ({"color": "red", "size": Range(at_least=2), "is_new": AnyOf([False])}, "b"),
]
"""What may be asked of those rows, and the keys of those that answer."""


class RowSuite(SuiteBase):
    """What `get`, `scan`, `tally`, `put`, `delete` and `clear` promise."""

    def test_a_row_is_got_as_it_was_put(self, engine: Engine) -> None:
        """JSON comes back exactly: 1 is not 1.0, and no integer of 64 bits is rounded."""
        row = {"values": VALUES, "nested": {"ключ": VALUES}}

        put_all(engine, {"key": row})

        found = look(engine, lambda tx: tx.get(THINGS, "key"))
        assert found is not None
        assert canonical_json(found) == canonical_json(row)

    def test_a_row_belongs_to_the_store_once_put_and_to_the_caller_once_got(
        self, engine: Engine
    ) -> None:
        """Changing the dictionary that was put, or one that was got, changes nothing stored."""
        row: Row = {"color": "red", "tags": ["x"]}
        put_all(engine, {"key": row})
        row["tags"].append("changed")

        got = look(engine, lambda tx: tx.get(THINGS, "key"))
        assert got == {"color": "red", "tags": ["x"]}
        got["tags"].append("changed")

        assert look(engine, lambda tx: tx.get(THINGS, "key")) == {"color": "red", "tags": ["x"]}

    def test_putting_replaces_and_deleting_removes(self, engine: Engine) -> None:
        """A row is replaced whole, filters included; deleting what is not there is no error."""
        put_all(engine, {"key": {"color": "red", "size": 1}})
        put_all(engine, {"key": {"color": "blue"}})

        assert look(engine, lambda tx: tx.get(THINGS, "key")) == {"color": "blue"}
        assert keys(engine, {"color": "red"}) == []
        assert keys(engine, {"color": "blue", "size": None}) == ["key"]

        engine.write(PROJECT, lambda tx: tx.delete(THINGS, "key", seq=2))
        engine.write(PROJECT, lambda tx: tx.delete(THINGS, "never", seq=2))

        assert look(engine, lambda tx: tx.get(THINGS, "key")) is None
        assert keys(engine, {}) == []

    def test_rows_are_filtered(self, engine: Engine) -> None:
        """Every form, alone and together; a missing field is null, and null is in no range."""
        put_all(engine, COLORED)

        for where, expected in FILTERS:
            assert "".join(keys(engine, where)) == expected
            assert counted(engine, where) == len(expected)

    def test_rows_are_ordered_by_a_field_then_by_key(self, engine: Engine) -> None:
        """Descending is that order backwards, keys included."""
        put_all(
            engine,
            {
                "b": {"size": 2, "weight": -1.5},
                "a": {"size": 2, "weight": 10.0},
                "d": {"size": -1, "weight": 9.0},
                "c": {"size": 10, "weight": 0.0},
            },
        )

        def orders(tx: ReadTx) -> list[str]:
            return [
                "".join(found.key for found in tx.scan(THINGS, limit=MANY, **order))
                for order in (
                    {},
                    {"descending": True},
                    {"order": "size"},
                    {"order": "size", "descending": True},
                    {"order": "weight"},
                )
            ]

        assert look(engine, orders) == ["abcd", "dcba", "dabc", "cbad", "bcda"]

    @pytest.mark.parametrize("descending", [False, True])
    def test_text_is_ordered_by_code_point(self, engine: Engine, *, descending: bool) -> None:
        """Keys and fields, in order, ranges and pages: no locale has a say."""
        shuffled = sorted(UNICODE_KEYS, key=lambda key: key.encode("utf-16-be")[::-1])
        put_all(engine, {key: {"color": key, "size": 1} for key in shuffled})
        expected = UNICODE_KEYS[::-1] if descending else UNICODE_KEYS

        for order in (None, "color"):
            assert paged(engine, order=order, descending=descending, limit=3) == expected
        for place, key in enumerate(UNICODE_KEYS):
            assert keys(engine, {"color": Range(at_least=key)}) == UNICODE_KEYS[place:]
            assert keys(engine, {"color": Range(below=key)}) == UNICODE_KEYS[:place]
            assert keys(engine, {"color": key}) == [key]

    @pytest.mark.parametrize("order", [None, "color", "size", "weight", "is_new"])
    def test_pages_visit_each_row_once(self, engine: Engine, order: str | None) -> None:
        """Paging from position to position meets every row exactly once, ties included."""
        rows: dict[str, Row] = {
            f"{number:02}": {
                "color": "rgb"[number % 3],
                "size": number % 4,
                "weight": number % 5 / 2,
                "is_new": number % 2 == 0,
            }
            for number in range(20)
        }
        put_all(engine, rows)

        expected = sorted(rows, key=lambda key: (rows[key][order] if order else 0, key))
        for limit in (1, 2, 3, 7):
            assert paged(engine, order=order, limit=limit) == expected
            assert paged(engine, order=order, limit=limit, descending=True) == expected[::-1]

    def test_a_page_can_be_filtered_and_goes_on_past_what_was_deleted(self, engine: Engine) -> None:
        """The row a page ended on may be gone: its place is still a place."""
        put_all(engine, {key: {"color": "red", "size": 1} for key in "abcdef"})
        put_all(engine, {"x": {"color": "blue", "size": 1}})
        engine.write(PROJECT, lambda tx: tx.delete(THINGS, "c", seq=2))

        found = look(
            engine,
            lambda tx: tx.scan(
                THINGS, {"color": "red"}, order="size", after=Position(1, "c"), limit=2
            ),
        )

        assert [each.key for each in found] == ["d", "e"]

    def test_rows_are_counted_by_the_value_of_a_field(self, engine: Engine) -> None:
        """Null is a value to count by; values that no row has are not there."""
        put_all(engine, COLORED)

        def tallies(tx: ReadTx) -> list[dict[Scalar | None, int]]:
            return [
                tx.tally(THINGS),
                tx.tally(THINGS, by="color"),
                tx.tally(THINGS, {"color": "red"}, by="size"),
                tx.tally(THINGS, {"color": "never"}, by="size"),
                tx.tally(THINGS, by="is_new"),
                tx.tally(THINGS, {"weight": Range()}, by="weight"),
            ]

        found = look(engine, tallies)

        assert found == [
            {None: 6},
            {"red": 2, "green": 1, "": 1, None: 2},
            {1: 1, 2: 1},
            {},
            {True: 2, False: 2, None: 2},
            {0.5: 1, 1.5: 1, 2.5: 1, 0.0: 1},
        ]
        assert {type(key) for key in found[4]} == {bool, type(None)}

    def test_two_versions_of_a_table_are_two_tables(self, engine: Engine) -> None:
        """Rows of the one are not rows of the other."""
        put_all(engine, {"key": {"color": "old"}})
        put_all(engine, {"key": {"color": "new"}}, table=THINGS_NEXT)

        engine.write(PROJECT, lambda tx: tx.clear([THINGS], []))

        assert look(engine, lambda tx: tx.get(THINGS, "key")) is None
        assert look(engine, lambda tx: tx.get(THINGS_NEXT, "key")) == {"color": "new"}

    def test_projects_have_rows_of_their_own(self, engine: Engine) -> None:
        """The same key in another project is another row, for every way of asking."""
        put_all(engine, {"key": {"color": "mine"}})
        put_all(engine, {"key": {"state": "mine"}}, table=DATED)

        def nothing(tx: ReadTx) -> list[object]:
            return [
                tx.get(THINGS, "key"),
                tx.scan(THINGS, limit=MANY) or None,
                tx.tally(THINGS) or None,
                tx.get(DATED, "key", as_of=9),
                tx.versions(DATED, "key") or None,
                tx.scan(DATED, as_of=9, limit=MANY) or None,
            ]

        assert look(engine, nothing, OTHER) == [None] * 6
        engine.write(OTHER, lambda tx: tx.put(THINGS, "key", {"color": "theirs"}, seq=1))
        engine.write(OTHER, lambda tx: tx.delete(DATED, "key", seq=1))
        assert look(engine, lambda tx: tx.get(THINGS, "key")) == {"color": "mine"}
        assert look(engine, lambda tx: tx.get(DATED, "key")) == {"state": "mine"}

    def test_a_field_is_added_up_over_all_projects(self, engine: Engine) -> None:
        """What has no such field counts for nothing, nor does what no longer stands."""
        assert engine.total((THINGS, "size")) == engine.total((DATED, "size")) == 0

        put_all(engine, COLORED)
        engine.write(OTHER, lambda tx: tx.put(THINGS, "a", {"size": 10}, seq=1))
        for seq in (5, 7):
            record_all(engine, Noted())
            engine.write(PROJECT, partial(_put_dated, size=seq))

        assert [engine.total((table, "size")) for table in (THINGS, DATED)] == [6 + 10, 7]
        assert engine.total((THINGS, "size"), (DATED, "size")) == 6 + 10 + 7

    def test_clear_empties_these_tables_of_this_project_only(self, engine: Engine) -> None:
        """History goes too; other tables, the journal and other projects stay."""
        record_all(engine, Noted())
        for project in (PROJECT, OTHER):
            engine.write(project, lambda tx: tx.put(THINGS, "key", {"color": "red"}, seq=1))
            engine.write(project, lambda tx: tx.put(DATED, "key", {"state": "was"}, seq=1))
            engine.write(project, lambda tx: tx.put(DATED, "key", {"state": "is"}, seq=2))
            engine.write(project, lambda tx: tx.index(PAPERS, "key", {"title": "quill"}))

        engine.write(PROJECT, lambda tx: tx.clear([DATED], [PAPERS]))

        def left(tx: ReadTx) -> tuple[int, int, int]:
            papers = tx.search(PAPERS, "quill", limit=MANY)
            return len(tx.versions(DATED, "key")), len(papers), len(tx.scan(THINGS, limit=MANY))

        assert look(engine, left) == (0, 0, 1)
        assert look(engine, left, OTHER) == (2, 1, 1)
        assert entry_count(engine) == 1

    def test_long_keys_and_fields_are_kept_and_found(self, engine: Engine) -> None:
        """A path of 4,000 bytes is a key and an indexed field like any other."""
        long = [noise(2_000, seed).hex() for seed in (1, 2)]
        rows = {key: {"color": key, "size": 1} for key in (*long, f"{long[0]}a", f"{long[0]}b")}
        put_all(engine, rows)
        put_all(engine, {key: {"state": key} for key in rows}, table=DATED)

        for key, row in rows.items():
            assert keys(engine, {"color": key}) == [key]
            assert look(engine, partial(got, table=THINGS, key=key)) == row
            assert look(engine, partial(got, table=DATED, key=key)) == {"state": key}
        assert look(engine, lambda tx: tx.tally(THINGS, by="color")) == dict.fromkeys(rows, 1)
        for order in (None, "color"):
            assert sorted(paged(engine, order=order, limit=1)) == sorted(rows)

    def test_rows_are_there_after_opening_again(self, engine: Engine, open_engine: Opener) -> None:
        """Rows and the fields they are found by outlive the engine."""
        put_all(engine, COLORED)
        engine.close()

        again = open_engine()

        assert keys(again, {"color": "red"}) == ["a", "b"]
        assert look(again, lambda tx: tx.get(THINGS, "c")) == COLORED["c"]


def _put_dated(tx: WriteTx, size: int) -> None:
    tx.put(DATED, "a", {"size": size}, seq=tx.head().seq)


def got(tx: ReadTx, *, table: Table, key: str) -> Row | None:
    """Get a row."""
    return tx.get(table, key)


def keys(engine: Engine, where: Where) -> list[str]:
    """Give the keys of the rows that match, in order."""
    return [found.key for found in look(engine, lambda tx: tx.scan(THINGS, where, limit=MANY))]


def counted(engine: Engine, where: Where) -> int:
    """Count the rows that match."""
    return look(engine, lambda tx: tx.tally(THINGS, where)).get(None, 0)


def paged(engine: Engine, *, order: str | None, limit: int, descending: bool = False) -> list[str]:
    """Give the keys of all rows, read page by page, each in a transaction of its own."""

    def page(after: Position | None) -> list[Found]:
        return look(
            engine,
            lambda tx: tx.scan(
                THINGS, order=order, descending=descending, after=after, limit=limit
            ),
        )

    visited: list[str] = []
    after: Position | None = None
    while found := page(after):
        visited += [each.key for each in found]
        after = Position(found[-1].row[order] if order else None, found[-1].key)
    return visited
