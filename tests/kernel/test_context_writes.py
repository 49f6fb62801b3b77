"""What an operation's write does around the work itself: ids, keys, receipts and trials."""

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import pytest

from hansard.engines.memory import MemoryEngine
from hansard.kernel import ids, reply
from hansard.kernel.blob import digest_of
from hansard.kernel.dry_run import TrialPassedError
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import SYSTEM, Entry, Event, Kinds, Stamp
from hansard.kernel.idempotency import AlreadyAnsweredError, AlreadyAttemptedError, Once
from hansard.kernel.operation import Caller, Context, Written
from hansard.kernel.problem import InvalidInput
from hansard.kernel.store import CATALOG, Store
from hansard.kernel.view import schema_of

PROJECT = "default"
STAMP = Stamp(SYSTEM, "2026-01-01T00:00:00.000000Z")
VIEWS = (ids.VIEW, reply.VIEW)


class Noted(Event):
    kind: ClassVar[str] = "test.noted.v1"


@pytest.fixture
def context() -> Iterator[Context]:
    engine = MemoryEngine(schema_of(VIEWS, [ids.WITHHELD]))
    store = Store(engine, Kinds([Noted, *ids.EVENTS, *reply.EVENTS]), VIEWS)
    yield Context(store, PROJECT, Caller(SYSTEM), STAMP)
    engine.close()


def once(key: str = "k", arguments: bytes = b"{}") -> Once:
    return Once(key, "note", digest_of(arguments))


def entries(context: Context, project: str = PROJECT) -> list[str]:
    return [one.kind for one in context.store.read(project, lambda tx: tx.entries(limit=100))]


def note(context: Context) -> Written:
    def work(tx: WriteTx) -> Written:
        context.record(tx, Noted())
        return Written()

    return context.write(work)


def announce(context: Context, *, goes_on: bool = False) -> list[Entry]:
    return context.announce(lambda tx: [context.record(tx, Noted())], goes_on=goes_on)


def test_a_receipt_names_the_last_entry_and_is_there_only_if_something_was_written(
    context: Context,
) -> None:
    written = note(context)
    head = context.store.read(PROJECT, lambda tx: tx.head())

    assert written.receipt
    assert (written.receipt.seq, written.receipt.hash) == (1, head.hash)
    assert context.write(lambda _: Written()).receipt is None


def test_a_write_that_takes_an_id_is_given_a_block_first(context: Context) -> None:
    taken = list[str]()

    def work(tx: WriteTx) -> Written:
        taken.append(ids.next_id(tx, "R"))
        context.record(tx, Noted())
        return Written()

    context.write(work)

    assert taken[-1] == "R001"
    assert entries(context) == [ids.IdBlockGranted.kind, Noted.kind]


def test_a_write_that_is_refused_once_it_has_an_id_leaves_no_trace(context: Context) -> None:
    def work(tx: WriteTx) -> Written:
        raise InvalidInput(f"{ids.next_id(tx, 'R')} is not wanted")

    with pytest.raises(InvalidInput):
        context.write(work)

    assert entries(context) == entries(context, CATALOG) == []


def test_the_same_request_is_answered_as_the_first_time_and_another_under_its_key_is_not(
    context: Context,
) -> None:
    keyed = replace(context, once=once())
    first = note(keyed)

    with pytest.raises(AlreadyAnsweredError) as known:
        note(keyed)

    assert known.value.answer == first.model_dump(mode="json", exclude_none=True)
    assert entries(context).count(Noted.kind) == 1
    with pytest.raises(InvalidInput):
        note(replace(context, once=once(arguments=b"other")))
    assert note(replace(context, once=once("l"))).receipt


def test_what_was_announced_under_a_key_is_announced_once_unless_the_request_goes_on(
    context: Context,
) -> None:
    keyed = replace(context, once=once())
    [first] = announce(keyed)

    with pytest.raises(AlreadyAttemptedError) as known:
        announce(keyed)
    assert known.value.intents == [first.seq]

    [second] = announce(keyed, goes_on=True)
    assert second.seq > first.seq
    assert announce(context)


def test_a_project_that_is_yet_to_be_made_is_tried_and_not_written(context: Context) -> None:
    trial = replace(context, is_trial=True)

    for write in (note, announce):
        with pytest.raises(TrialPassedError):
            write(trial)
    trial.note(lambda tx: context.record(tx, Noted()))

    assert entries(context) == []
    context.note(lambda tx: context.record(tx, Noted()))
    assert entries(context) == [Noted.kind]


def test_a_session_begins_and_ends_around_the_work(context: Context) -> None:
    order = list[str]()
    around = replace(
        context,
        open_session=lambda _: order.append("open"),
        end_session=lambda _: order.append("end"),
    )

    def work(_: WriteTx) -> Written:
        order.append("work")
        return Written()

    around.write(work)
    assert order == ["open", "work", "end"]
    order.clear()
    around.announce(lambda tx: [context.record(tx, Noted())])
    assert order == ["open"]
    assert context.may_write
    assert not replace(context, writable=lambda: False).may_write
