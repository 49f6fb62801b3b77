"""A store beside programs of other versions: it refuses what is newer, and catches up once."""

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

import pytest

from hansard.engines.sqlite import SqliteEngine
from hansard.kernel.engine import Engine, Hit, ReadTx, Schema, Table, Topic, WriteTx
from hansard.kernel.event import SYSTEM, Event, Kinds, Stamp
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.store import Store
from hansard.kernel.view import Derivation, View, fingerprint, is_newer, schema_of

PROJECT = "default"
STAMP = Stamp(SYSTEM, "2026-01-01T00:00:00.000000Z")
ENTRIES = 7


class Said(Event):
    kind: ClassVar[str] = "test.said.v1"
    text: str


class Added(Event):
    """What a newer version has besides."""

    kind: ClassVar[str] = "test.added.v1"


LINES = Table("lines", {}, (), version=1)
WORDS = Topic("words", LINES, {"text": 1.0})


def _said(event: Said, derivation: Derivation) -> None:
    derivation.put(LINES, str(derivation.entry.seq), {"text": event.text})
    derivation.index(WORDS, str(derivation.entry.seq), {"text": event.text})


VIEW = View("lines", 1, (LINES,), {Said: _said}, topics=(WORDS,))
BESIDES = View("besides", 1, (Table("besides", {}, (), version=1),))

Open = Callable[[str, Schema], Engine]


def opened(open_engine: Open, *views: View, events: tuple[type[Event], ...] = (Said,)) -> Store:
    return Store(open_engine("store", schema_of(views)), Kinds(events), views)


def say(store: Store, *texts: str) -> None:
    def work(tx: WriteTx) -> None:
        for text in texts:
            store.record(tx, Said(text=text), STAMP)

    store.write(PROJECT, work)


@pytest.mark.parametrize(
    ("stored", "is_later"),
    [
        ("lines:1", False),
        ("", False),
        ("lines:0", False),
        ("lines:2", True),
        ("besides:1 lines:1", True),
        ("besides:1 lines:0", True),
    ],
)
def test_a_version_or_a_view_that_we_do_not_have_is_newer(stored: str, is_later: bool) -> None:
    assert is_newer(stored, fingerprint([VIEW])) is is_later


def test_beside_a_newer_program_that_adds_a_view_the_older_one_refuses_and_changes_nothing(
    open_engine: Open,
) -> None:
    newer = opened(open_engine, VIEW, BESIDES)
    say(newer, "hello")
    older = opened(open_engine, VIEW)
    before = newer.engine.heads()

    for ask in (lambda: say(older, "no"), lambda: older.read(PROJECT, lambda tx: tx.head())):
        with pytest.raises(StorageUnavailable, match="newer Hansard"):
            ask()

    assert newer.engine.heads() == before
    say(newer, "again")


def test_an_entry_of_a_kind_that_a_newer_program_wrote_is_refused_in_words(
    open_engine: Open,
) -> None:
    newer = opened(open_engine, VIEW, events=(Said, Added))
    newer.write(PROJECT, lambda tx: newer.record(tx, Added(), STAMP))

    with pytest.raises(StorageUnavailable, match="newer Hansard"):
        opened(open_engine, VIEW).rebuild(PROJECT)


def test_a_rebuild_takes_away_a_document_that_nothing_derives(open_engine: Open) -> None:
    store = opened(open_engine, VIEW)
    say(store, "hello")

    def stray(tx: WriteTx) -> None:
        tx.put(LINES, "9", {"text": "stray"}, seq=1)
        tx.index(WORDS, "9", {"text": "stray"})

    store.engine.write(PROJECT, stray)

    store.rebuild(PROJECT)

    for word, found in (("stray", []), ("hello", ["1"])):
        hits = store.read(PROJECT, partial(_find, word))
        assert [hit.key for hit in hits] == found
    # A search leaves out what has no row; that the words themselves are gone, the index says.
    indexed: set[str] = set()
    store.engine.marks(WORDS, lambda _, key, __: indexed.add(key))
    assert indexed == {"1"}


def _find(word: str, tx: ReadTx) -> list[Hit]:
    return tx.search(WORDS, word, limit=9)


def test_after_an_upgrade_whoever_asks_the_views_are_derived_once(tmp_path: Path) -> None:
    derived: list[int] = []

    def count(_: Said, derivation: Derivation) -> None:
        derived.append(derivation.entry.seq)

    upgraded = View("lines", 2, (replace(LINES, version=2),), {Said: count})
    before = Store(SqliteEngine(tmp_path, schema_of([VIEW])), Kinds([Said]), [VIEW])
    say(before, *"abcdefg")
    before.engine.close()
    store = Store(SqliteEngine(tmp_path, schema_of([upgraded])), Kinds([Said]), [upgraded])
    ready = threading.Barrier(8)

    def ask() -> None:
        ready.wait()
        store.read(PROJECT, lambda tx: tx.head())

    callers = [threading.Thread(target=ask) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    store.engine.close()

    assert derived == list(range(1, ENTRIES + 1))
