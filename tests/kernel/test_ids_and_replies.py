"""Short ids, points in the past, answers kept under a key, and what an event names."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, ClassVar, TypeVar

import pytest

from hansard.engines.memory import MemoryEngine
from hansard.kernel import as_of, ids, reply
from hansard.kernel.blob import Digest, digest_of, seal
from hansard.kernel.blob_references import NotKeptError
from hansard.kernel.engine import ReadTx, WriteTx
from hansard.kernel.event import SYSTEM, Event, Kinds, Stamp
from hansard.kernel.idempotency import Once
from hansard.kernel.ids import BlockExhaustedError
from hansard.kernel.limits import ID_BLOCK_SIZE
from hansard.kernel.problem import InvalidInput
from hansard.kernel.reply import KeyReused
from hansard.kernel.store import Store
from hansard.kernel.view import Derivation, View, schema_of

T = TypeVar("T")

CLOCK = "2026-01-01T00:00:00.00000{}Z"


class Made(Event):
    kind: ClassVar[str] = "test.made.v1"
    advances_tick: ClassVar[bool] = True

    id: str
    holds: Digest | None = None


class Silent(Event):
    kind: ClassVar[str] = "test.silent.v1"
    advances_tick: ClassVar[bool] = False


def _made(event: Made, derivation: Derivation) -> None:
    ids.taken(derivation, "M", event.id)


VIEWS = (ids.VIEW, reply.VIEW, View("made", 1, (), {Made: _made}))
KINDS = Kinds([*ids.EVENTS, *reply.EVENTS, Made, Silent])


@pytest.fixture
def store() -> Iterator[Store]:
    with closing(MemoryEngine(schema_of(VIEWS, [ids.WITHHELD]))) as engine:
        yield Store(engine, KINDS, VIEWS)


def stamp(number: int = 0) -> Stamp:
    return Stamp(SYSTEM, CLOCK.format(number))


def make(store: Store, project: str) -> str:
    def work(tx: WriteTx) -> str:
        identifier = ids.next_id(tx, "M")
        store.record(tx, Made(id=identifier), stamp())
        return identifier

    try:
        return store.write(project, work)
    except BlockExhaustedError as exhausted:
        ids.grant(store, project, exhausted.prefix, stamp())
        return store.write(project, work)


def test_ids_count_up_in_each_project_and_no_two_projects_share_one(store: Store) -> None:
    first = [make(store, "p") for _ in range(ID_BLOCK_SIZE)]
    second = [make(store, "q") for _ in range(2)]
    third = make(store, "p")

    assert first == [f"M{number:03d}" for number in range(1, ID_BLOCK_SIZE + 1)]
    assert second == [f"M{ID_BLOCK_SIZE + 1}", f"M{ID_BLOCK_SIZE + 2}"]
    assert third == f"M{2 * ID_BLOCK_SIZE + 1}"


def test_a_block_that_is_another_project_s_is_not_taken_from(store: Store) -> None:
    make(store, "p")
    store.write("p", lambda tx: ids.withhold(tx, "M", ID_BLOCK_SIZE + 1))

    assert make(store, "p") == f"M{ID_BLOCK_SIZE + 1}"
    assert make(store, "p") == f"M{ID_BLOCK_SIZE + 2}"


def test_lent_numbers_are_none_that_any_store_gets_to(store: Store) -> None:
    def work(tx: WriteTx) -> str:
        ids.lend(store, tx, "M", stamp())
        return ids.next_id(tx, "M")

    assert store.write("p", work) == f"M{10**9 - ID_BLOCK_SIZE}"


@pytest.fixture
def told(store: Store) -> Store:
    """Have a project with four entries at some microseconds, of which the last moves the tick."""
    ids.grant(store, "p", "M", stamp(1))

    def work(tx: WriteTx) -> None:
        store.record(tx, Silent(), stamp(2))
        store.record(tx, Silent(), stamp(3))
        store.record(tx, Made(id="M001"), stamp(5))

    store.write("p", work)
    return store


def read(store: Store, work: Callable[[ReadTx], T]) -> T:
    return store.read("p", work)


@pytest.mark.parametrize(
    ("point", "seq"),
    [
        *(("s:0", 0), ("s:3", 3), ("s:4", 4), ("t:0", 3), ("t:1", 4)),
        *((CLOCK.format(0), 0), (CLOCK.format(1), 1), (CLOCK.format(4), 3), (CLOCK.format(5), 4)),
        *(("9999-12-31T00:00:00Z", 4), ("0001-01-01T00:00:00Z", 0)),
    ],
)
def test_a_point_in_the_past_is_the_last_entry_by_then(told: Store, point: str, seq: int) -> None:
    assert read(told, lambda tx: as_of.resolve(tx, point)) == seq


@pytest.mark.parametrize(
    ("point", "seq"),
    [
        *(("s:3", 3), ("t:1", 4), ("0001-01-01T00:00:00Z", 0)),
        *((CLOCK.format(0), 0), (CLOCK.format(1), 0), (CLOCK.format(2), 1), (CLOCK.format(6), 4)),
    ],
)
def test_what_happened_since_a_time_counts_that_time_in(told: Store, point: str, seq: int) -> None:
    assert read(told, lambda tx: as_of.resolve_since(tx, point)) == seq


@pytest.mark.parametrize("point", ["s:5", "t:2", "t:", "x:1", "s:1 ", "soon", "", "s:" + "9" * 19])
@pytest.mark.parametrize("resolve", [as_of.resolve, as_of.resolve_since])
def test_what_is_yet_to_come_or_no_point_is_refused(
    told: Store, point: str, resolve: Callable[[ReadTx, str], int]
) -> None:
    with pytest.raises(InvalidInput):
        read(told, lambda tx: resolve(tx, point))


ASKED, OTHER = digest_of(b"asked"), digest_of(b"other")


def keep(store: Store, key: str, answer: dict[str, Any]) -> None:
    def work(tx: WriteTx) -> None:
        store.record(tx, reply.keep_reply(tx, key, "op", ASKED, answer), stamp())

    store.write("p", work)


def attempt(store: Store, key: str, *intents: int) -> None:
    event = reply.Attempted(key=key, operation="op", arguments=ASKED, intents=list(intents))
    store.write("p", lambda tx: store.record(tx, event, stamp()))


def test_an_answer_is_given_again_under_its_key_and_to_the_same_request_alone(
    store: Store,
) -> None:
    keep(store, "k", {"answer": 7})

    assert read(store, Once("k", "op", ASKED).recall) == {"answer": 7}
    assert read(store, Once("new", "op", ASKED, former_key="k").recall) == {"answer": 7}
    assert read(store, Once("new", "op", ASKED).recall) is None
    for once in (Once("k", "op", OTHER), Once("new", "op", OTHER, former_key="k")):
        with pytest.raises(KeyReused):
            read(store, once.recall)


def test_attempts_add_up_under_their_key_until_there_is_an_answer(store: Store) -> None:
    attempt(store, "k", 3, 4)
    attempt(store, "k", 9)
    once = Once("k", "op", ASKED)

    assert read(store, once.recall_attempt) == [3, 4, 9]
    assert read(store, Once("new", "op", ASKED, former_key="k").recall_attempt) == [3, 4, 9]
    assert read(store, Once("new", "op", ASKED).recall_attempt) is None
    assert read(store, once.recall) is None
    with pytest.raises(KeyReused):
        read(store, Once("k", "op", OTHER).recall_attempt)
    keep(store, "k", {})
    assert read(store, once.recall_attempt) is None


def test_keys_of_two_callers_never_meet() -> None:
    keys = {
        reply.reply_key("agent", ["a", "b"], "op", "k"),
        reply.reply_key("human", ["a", "b"], "op", "k"),
        reply.reply_key("agent", ["ab"], "op", "k"),
        reply.reply_key("agent", ["a"], "bop", "k"),
        reply.reply_key("agent", ["a", "b"], "op", "l"),
    }

    assert len(keys) == 5


def test_what_an_event_names_is_kept_or_the_event_is_not(store: Store) -> None:
    blob = seal(b"held")
    ids.grant(store, "p", "M", stamp())

    def naming(tx: WriteTx, *, keeps: bool) -> None:
        if keeps:
            tx.keep(blob)
        store.record(tx, Made(id="M001", holds=blob.digest), stamp())

    with pytest.raises(NotKeptError):
        store.write("p", lambda tx: naming(tx, keeps=False))
    assert read(store, lambda tx: tx.head().seq) == 1
    store.write("p", lambda tx: naming(tx, keeps=True))
    store.write("p", lambda tx: naming(tx, keeps=False))
    assert read(store, lambda tx: tx.head().seq) == 3
