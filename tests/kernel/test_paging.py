"""All rows, entries and blobs are given once, in order, with as few looks as pages allow."""

from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from types import SimpleNamespace
from typing import Any

import pytest

from hansard.engines.memory import MemoryEngine
from hansard.kernel import paging
from hansard.kernel.blob import seal
from hansard.kernel.engine import Engine, Position, ReadTx, Schema, Table, WriteTx

THINGS = Table("things", {"size": "integer"}, (("size",),), version=1)
COUNT = 70


@pytest.fixture
def engine() -> Iterator[Engine]:
    with closing(MemoryEngine(Schema((THINGS,), ()))) as engine:

        def fill(tx: WriteTx) -> None:
            for number in range(COUNT):
                tx.put(THINGS, f"k{number:03}", {"size": number // 2, "number": number}, seq=1)
                tx.keep(seal(b"%d" % number))

        engine.write("p", fill)
        yield engine


class Looked:
    """A look at a store that notes how much each page was asked for."""

    def __init__(self, tx: ReadTx) -> None:
        self._tx = tx
        self.limits: list[int] = []

    def scan(self, table: Table, *args: Any, **options: Any) -> Any:
        self.limits.append(options["limit"])
        return self._tx.scan(table, *args, **options)


def walked(engine: Engine, count: int = COUNT + 1, **options: Any) -> tuple[list[int], list[int]]:
    def look(tx: ReadTx) -> tuple[list[int], list[int]]:
        looked = Looked(tx)
        found = paging.rows(looked, THINGS, **options)  # type: ignore[arg-type]
        return [one.row["number"] for one in islice(found, count)], looked.limits

    return engine.read("p", look)


@pytest.mark.parametrize("first", [1, 2, 7, COUNT, COUNT + 1])
@pytest.mark.parametrize("order", [None, "size"])
def test_every_row_is_given_once_however_large_the_first_page(
    engine: Engine, first: int, order: str | None
) -> None:
    assert walked(engine, first=first, order=order)[0] == list(range(COUNT))


def test_a_walk_can_go_down_and_begin_after_a_place(engine: Engine) -> None:
    assert walked(engine, first=3, order="size", descending=True)[0] == list(range(COUNT))[::-1]
    assert walked(engine, first=3, after=Position(None, "k066"))[0] == [67, 68, 69]


def test_each_page_is_larger_than_the_one_before_up_to_the_largest(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert walked(engine, first=2)[1] == [2, 16, 128]
    assert walked(engine, count=2, first=2)[1] == [2]
    monkeypatch.setattr(paging, "ENTRIES_PAGE", 20)
    assert walked(engine, first=2)[1] == [2, 16, 20, 20, 20]
    assert walked(engine, first=30)[1] == [30, 30, 30]


def test_a_page_that_is_not_full_is_the_last(engine: Engine) -> None:
    assert walked(engine, first=COUNT + 1)[1] == [COUNT + 1]
    assert walked(engine, first=COUNT)[1] == [COUNT, 8 * COUNT]


def test_every_blob_is_named_once_over_pages(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "ENTRIES_PAGE", 9)

    found = engine.read("p", lambda tx: list(paging.digests(tx)))

    assert found == sorted(seal(b"%d" % number).digest for number in range(COUNT))


class Journal:
    """A journal of numbered entries that notes how each page of it was asked for."""

    def __init__(self, count: int) -> None:
        self._seqs = range(1, count + 1)
        self.asked: list[tuple[int, int | None, int]] = []

    def entries(
        self, *, after: int, before: int | None, limit: int, descending: bool, **_: object
    ) -> list[Any]:
        self.asked.append((after, before, limit))
        end = len(self._seqs) + 1 if before is None else before
        found = [SimpleNamespace(seq=seq) for seq in self._seqs if after < seq < end]
        return found[::-1][:limit] if descending else found[:limit]


@pytest.mark.parametrize(
    ("options", "seqs", "asked"),
    [
        ({}, [1, 2, 3, 4, 5], [(0, None), (2, None), (4, None), (5, None)]),
        ({"after": 1, "before": 4}, [2, 3], [(1, 4), (3, 4)]),
        ({"descending": True}, [5, 4, 3, 2, 1], [(0, None), (0, 4), (0, 2), (0, 1)]),
        ({"descending": True, "after": 1, "before": 5}, [4, 3, 2], [(1, 5), (1, 3), (1, 2)]),
    ],
)
def test_every_entry_between_two_is_given_once_from_either_end(
    options: dict[str, Any], seqs: list[int], asked: list[tuple[int, int | None]]
) -> None:
    journal = Journal(5)

    found = paging.entries(journal, limit=2, **options)  # type: ignore[arg-type]

    assert [one.seq for one in found] == seqs
    assert journal.asked == [(after, before, 2) for after, before in asked]


def test_a_list_is_asked_for_without_a_cursor_and_then_with_each_that_it_gave() -> None:
    cursors = {None: "a", "a": "b", "b": None}
    asked: list[dict[str, str]] = []

    def ask(**place: str) -> Any:
        asked.append(place)
        return SimpleNamespace(nextCursor=cursors[place.get("cursor")])

    assert [one.nextCursor for one in paging.answers(ask)] == ["a", "b", None]
    assert asked == [{}, {"cursor": "a"}, {"cursor": "b"}]


def test_a_page_is_read_once_the_one_before_is_used_up() -> None:
    read: list[int] = []

    def page(after: int) -> list[int]:
        read.append(after)
        return list(range(after + 1, min(after + 3, 6)))

    pages = paging.pages(page, int, 0)

    assert (next(pages), read) == ([1, 2], [0])
    assert (list(pages), read) == ([[3, 4], [5]], [0, 2, 4, 5])
