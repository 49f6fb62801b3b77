"""All rows, entries and blobs are given once, in order, with as few looks as pages allow."""

from collections.abc import Iterator
from contextlib import closing
from itertools import islice
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
