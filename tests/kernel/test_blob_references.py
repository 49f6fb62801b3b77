"""What an event names is kept: proved in the transaction that writes it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import ClassVar

import pytest

from hansard.kernel.blob import Blob, Digest, digest_of, redact, seal, seal_onto
from hansard.kernel.blob_references import NotKeptError
from hansard.kernel.engine import Engine, ReadTx, Schema, WriteTx
from hansard.kernel.event import SYSTEM, Event, Kinds, Stamp
from hansard.kernel.store import Store
from hansard.kernel.view import schema_of

PROJECT = "default"
STAMP = Stamp(SYSTEM, "2026-01-01T00:00:00.000000Z")
OLD = b"".join(b"line %d of a text\n" % n for n in range(200))
NEW = OLD + b"and one more\n"


class Noted(Event):
    kind: ClassVar[str] = "test.noted.v1"
    body: Digest | None = None
    parts: tuple[Digest, ...] = ()


@pytest.fixture
def store(open_engine: Callable[[str, Schema], Engine]) -> Iterator[Store]:
    engine = open_engine("store", schema_of(()))
    yield Store(engine, Kinds([Noted]), ())
    engine.close()


def note(store: Store, event: Event, *blobs: Blob) -> None:
    store.write(PROJECT, lambda tx: store.record(tx, event, STAMP), blobs=blobs)


def entries(store: Store) -> int:
    return store.read(PROJECT, lambda tx: tx.head().seq)


def kept(store: Store, digest: Digest) -> bool:
    def look(tx: ReadTx) -> bool:
        return digest in tx.kept([digest])

    return store.read(PROJECT, look)


def test_what_is_kept_with_it_or_before_may_be_named(store: Store) -> None:
    note(store, Noted(body=digest_of(OLD)), seal(OLD))
    note(store, Noted(parts=(digest_of(OLD), digest_of(b""))), seal(b""))

    assert entries(store) == 2


@pytest.mark.parametrize("event", [Noted(body=digest_of(OLD)), Noted(parts=(digest_of(OLD),))])
def test_what_is_kept_nowhere_is_not_named(store: Store, event: Event) -> None:
    with pytest.raises(NotKeptError):
        note(store, event)

    assert entries(store) == 0


def test_what_is_packed_onto_something_needs_that(store: Store) -> None:
    onto = seal_onto(NEW, seal(OLD), OLD)
    assert onto.base == digest_of(OLD)

    with pytest.raises(NotKeptError):
        note(store, Noted(body=onto.digest), onto)
    assert not kept(store, onto.digest)

    note(store, Noted(body=onto.digest), seal(OLD), onto)
    assert kept(store, onto.digest)


def test_nothing_is_packed_onto_what_was_erased(store: Store) -> None:
    note(store, Noted(body=digest_of(OLD)), redact(seal(OLD)))
    onto = seal_onto(NEW, seal(OLD), OLD)

    with pytest.raises(NotKeptError):
        note(store, Noted(body=onto.digest), onto)


@pytest.mark.parametrize(("depth", "is_refused"), [(0, False), (1, True), (2, True)])
def test_what_lies_beneath_is_nearer_to_the_ground(
    store: Store, depth: int, is_refused: bool
) -> None:
    """Else two could rest on each other, or a chain be longer than any reader goes."""
    ground = seal(b"ground")
    base = replace(seal_onto(OLD, ground, b"ground"), depth=depth) if depth else seal(OLD)
    note(store, Noted(body=digest_of(OLD)), *([ground] if depth else []), base)
    onto = seal_onto(NEW, seal(OLD), OLD)
    assert onto.depth == 1

    if is_refused:
        with pytest.raises(NotKeptError):
            note(store, Noted(body=onto.digest), onto)
    else:
        note(store, Noted(body=onto.digest), onto)
    assert kept(store, onto.digest) is not is_refused


def test_outside_of_a_write_of_the_store_it_is_proved_at_once(store: Store) -> None:
    def work(tx: WriteTx) -> None:
        store.record(tx, Noted(body=digest_of(OLD)), STAMP)

    with pytest.raises(NotKeptError):
        store.engine.write(PROJECT, work)
