"""Deriving views again: beside the live tables, page by page, once, whoever asks and dies."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

import pytest

from hansard.app.verify import verify
from hansard.kernel import limits, paging, rebuilding
from hansard.kernel import store as stores
from hansard.kernel.engine import Engine, ReadTx, Row, Schema, Table, WriteTx
from hansard.kernel.event import SYSTEM, Event, Kinds, Stamp
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.rebuilding import Apart
from hansard.kernel.store import Store
from hansard.kernel.view import Derivation, View, schema_of
from tests.hostile.histories import live
from tests.hostile.test_tampering import opened as opened_whole

PROJECT = "default"
STAMP = Stamp(SYSTEM, "2026-01-01T00:00:00.000000Z")
PAGE = 2
TEXTS = ("a", "b", "c", "d", "e", "f", "g")

Open = Callable[[str, Schema], Engine]


class Said(Event):
    kind: ClassVar[str] = "test.said.v1"
    text: str


class Unsaid(Event):
    kind: ClassVar[str] = "test.unsaid.v1"
    rewrites: ClassVar[bool] = True
    seq: int


COUNTS = Table("rebuilt_counts", {}, ())


class Lines:
    """A version of a view, and which entries it has derived in which order."""

    def __init__(self, version: int, *, name: str = "lines", counts: Table | None = None) -> None:
        self.derived: list[int] = []
        self.table = Table(f"rebuilt_{name}", {}, (), version=version, history=True)
        self._counts = counts
        self.view = View(name, version, (self.table,), {Said: self._said})

    def _said(self, event: Said, derivation: Derivation) -> None:
        self.derived.append(derivation.entry.seq)
        derivation.put(self.table, event.text, {"text": event.text})
        if self._counts and derivation.derives(self._counts):
            before = derivation.get(self._counts, "all") or {"count": 0}
            derivation.put(self._counts, "all", {"count": before["count"] + 1})

    def texts(self, store: Store) -> set[str]:
        return set(store.read(PROJECT, partial(_texts, self.table)))


def _texts(table: Table, tx: ReadTx) -> list[str]:
    return [found.row["text"] for found in tx.scan(table, limit=100)]


@pytest.fixture(autouse=True)
def pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have little be large, and whoever asks leave after a page."""
    monkeypatch.setattr(rebuilding, "PAGE_ENTRIES", PAGE)
    monkeypatch.setattr(stores, "REBUILD_WHOLE_ENTRIES_MAX", PAGE)
    monkeypatch.setattr(limits, "REBUILD_WAIT_S", 0)


@pytest.fixture
def open_store(open_engine: Open) -> Iterator[Callable[..., Store]]:
    engines: list[Engine] = []

    def opener(*views: View) -> Store:
        engines.append(open_engine("store", schema_of(views)))
        return Store(engines[-1], Kinds([Said, Unsaid]), views)

    yield opener
    for engine in engines:
        engine.close()


def say(store: Store, *texts: str) -> None:
    def work(tx: WriteTx) -> None:
        for text in texts:
            store.record(tx, Said(text=text), STAMP)

    store.write(PROJECT, work)


def ask(store: Store) -> bool:
    """Ask once, which derives a page; says whether it was answered."""
    try:
        store.read(PROJECT, lambda tx: tx.head())
    except StorageUnavailable as problem:
        if "derived again" not in problem.message:
            raise
        return False
    return True


def asked_until_answered(store: Store) -> int:
    """Ask as often as it takes; gives how often."""
    return next(times for times in range(1, 100) if ask(store))


def once_each(lines: Lines) -> bool:
    # The engine that does all work twice derives each page twice, one after the other.
    return list(dict.fromkeys(lines.derived)) == sorted(set(lines.derived))


def test_beside_the_old_program_that_goes_on_a_page_at_a_time_is_derived(
    open_store: Callable[..., Store],
) -> None:
    old, new = Lines(1), Lines(2)
    older, newer = open_store(old.view), open_store(new.view)
    say(older, *TEXTS)

    assert not ask(newer)
    say(older, "meanwhile")
    seen_by_the_old = old.texts(older)
    times = asked_until_answered(newer)

    assert seen_by_the_old == {*TEXTS, "meanwhile"} == new.texts(newer)
    assert times == (len(TEXTS) + 1) // PAGE - 1
    assert once_each(new)
    with pytest.raises(StorageUnavailable, match="newer Hansard"):
        say(older, "too late")


def test_only_what_has_another_version_is_derived(open_store: Callable[..., Store]) -> None:
    steady, old, new = Lines(1, name="steady"), Lines(1), Lines(2)
    say(open_store(steady.view, old.view), *TEXTS)
    steady.derived.clear()

    newer = open_store(steady.view, new.view)
    asked_until_answered(newer)

    assert steady.derived == []
    assert steady.texts(newer) == new.texts(newer) == {*TEXTS}


def test_another_process_goes_on_where_one_that_is_gone_had_come(
    open_store: Callable[..., Store],
) -> None:
    first, second = Lines(2), Lines(2)
    say(open_store(Lines(1).view), *TEXTS)

    ask(open_store(first.view))
    store = open_store(second.view)
    asked_until_answered(store)

    assert set(first.derived).isdisjoint(second.derived)
    assert second.texts(store) == {*TEXTS}


def test_what_is_erased_meanwhile_by_the_old_program_is_not_kept_by_the_new_one(
    open_store: Callable[..., Store],
) -> None:
    old, new = Lines(1), Lines(2)
    older, newer = open_store(old.view), open_store(new.view)
    say(older, *TEXTS)
    assert not ask(newer)

    def unsay(tx: WriteTx) -> None:
        [entry] = tx.entries(limit=1)
        tx.redact(entry.redacted(None))
        older.record(tx, Unsaid(seq=entry.seq), STAMP)
        older.rederive(tx)

    older.write(PROJECT, unsay)
    asked_until_answered(newer)

    assert new.texts(newer) == {*TEXTS[1:]}


def test_two_newer_programs_at_once_do_not_spoil_each_others_work(
    open_store: Callable[..., Store],
) -> None:
    steady, shared = Lines(1, name="steady"), Lines(2)
    say(open_store(steady.view, Lines(1).view), *TEXTS)
    newer = open_store(steady.view, shared.view)
    newest = open_store(steady.view, shared.view, Lines(1, name="more").view)

    assert not ask(newer)
    assert not ask(newest)
    assert not ask(newer)
    asked_until_answered(newest)

    assert once_each(shared)
    assert shared.texts(newest) == {*TEXTS}
    with pytest.raises(StorageUnavailable, match="newer Hansard"):
        say(newer, "too late")


@pytest.mark.parametrize("is_shared", [True, False])
def test_views_that_use_each_others_tables_are_derived_in_step(
    open_store: Callable[..., Store], is_shared: bool
) -> None:
    counting = View("counts", 1, (COUNTS,), is_shared=is_shared)
    moved = View("counts", 2, (replace(COUNTS, version=2),), is_shared=is_shared)
    say(open_store(counting, Lines(1, counts=COUNTS).view), *TEXTS)

    views = (
        (moved, Lines(1, counts=moved.tables[0]).view)
        if is_shared
        else (counting, Lines(2, counts=COUNTS).view)
    )
    store = open_store(*views)
    # A view that says of itself that it leaves others alone, and does not, is found out.
    if not is_shared:
        store = open_store(counting, Heedless(2).view)
    asked_until_answered(store)

    row: Row | None = store.read(PROJECT, lambda tx: tx.get(views[0].tables[0], "all"))
    assert row == {"count": len(TEXTS)}


class Heedless(Lines):
    def _said(self, event: Said, derivation: Derivation) -> None:
        derivation.put(self.table, event.text, {"text": event.text})
        before = derivation.get(COUNTS, "all") or {"count": 0}
        derivation.put(COUNTS, "all", {"count": before["count"] + 1})


def test_a_caller_learns_how_far_the_tables_are_derived(
    open_store: Callable[..., Store],
) -> None:
    lines = Lines(1)
    store = open_store(lines.view)
    say(store, *TEXTS)
    met: list[str] = []

    def asking(_: object) -> None:
        with pytest.raises(StorageUnavailable) as refused:
            store.read(PROJECT, lambda tx: tx.head())
        met.append(refused.value.message)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.rebuild(PROJECT, told=asking)
    with pytest.raises(StorageUnavailable) as refused:
        open_store(lines.view).read(PROJECT, lambda tx: tx.head())

    assert [message.partition(": ")[2] for message in [*met, refused.value.message]] == [
        "it has begun",
        f"{2 * PAGE} of {len(TEXTS)} entries are done",
    ]


def test_a_large_project_that_is_rebuilt_on_demand_is_waited_for_and_gone_on_with(
    open_store: Callable[..., Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = Lines(1)
    store = open_store(lines.view)
    say(store, *TEXTS)
    lines.derived.clear()

    def die(reached: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.rebuild(PROJECT, told=die)
    other = open_store(lines.view)
    assert not ask(other)
    told: list[int] = []
    assert store.rebuild(PROJECT, told=lambda reached: told.append(reached.seq)) == len(TEXTS)

    assert once_each(lines)
    assert lines.texts(other) == {*TEXTS}
    assert told == [6]


def test_while_the_live_tables_are_derived_an_older_program_keeps_away(
    open_store: Callable[..., Store],
) -> None:
    newer = open_store(Lines(2).view)
    say(newer, *TEXTS)
    newer.engine.write(PROJECT, newer._rebuilding.begin_in_place)

    with pytest.raises(StorageUnavailable, match="newer Hansard"):
        say(open_store(Lines(1).view), "no")
    newest = open_store(Lines(3).view)
    asked_until_answered(newest)

    with pytest.raises(StorageUnavailable, match="newer Hansard"):
        ask(newer)


@pytest.mark.slow("derives every view of a long history by itself")
def test_what_a_view_takes_away_is_gone_where_it_is_derived_anew(
    open_store: Callable[..., Store],
) -> None:
    def words(version: int, *, history: bool) -> tuple[Table, View]:
        table = Table("rebuilt_words", {}, (), version=version, history=history)

        def said(event: Said, derivation: Derivation) -> None:
            if event.text.startswith("-"):
                derivation.delete(table, event.text[1:])
            else:
                derivation.put(table, event.text, {"text": event.text})

        return table, View("words", version, (table,), {Said: said})

    _, old = words(1, history=False)
    table, new = words(2, history=True)
    beside = Lines(1)
    say(open_store(old, beside.view), "a", "b", "c", "-a", "d", "-c", "c", "-b")
    store = open_store(new, beside.view)
    asked_until_answered(store)

    assert store.read(PROJECT, partial(_texts, table)) == ["c", "d"]
    then = store.read(PROJECT, lambda tx: [one.key for one in tx.scan(table, limit=9, as_of=4)])
    assert then == ["b", "c"]


def test_each_view_derived_apart_from_the_others_is_as_it_was(tmp_path: Path) -> None:
    with opened_whole(tmp_path) as app:
        live(app, 5, 150)
        for project in app.store.engine.heads():
            for view in app.store.views:
                if view.is_shared:
                    continue
                with pytest.raises(_UndoneError):
                    app.store.engine.write(project, partial(_require_same_apart, app.store, view))
        assert verify(app.store).findings == ()


class _UndoneError(Exception):
    pass


def _require_same_apart(store: Store, view: View, tx: WriteTx) -> None:
    before = [_rows(tx, table) for table in view.tables]
    tx.clear(view.tables, view.topics)
    names = frozenset(table.name for table in view.tables)
    for entry in paging.entries(tx):
        if event := store.kinds.decode(entry):
            view.apply(event, Apart(tx, entry, names))
    assert [_rows(tx, table) for table in view.tables] == before, view.name
    raise _UndoneError


def _rows(tx: ReadTx, table: Table) -> list[tuple[str, Row]]:
    return [(found.key, found.row) for found in tx.scan(table, limit=100_000)]
