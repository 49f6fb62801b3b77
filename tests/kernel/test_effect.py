"""Effects: announced before they happen, settled by others only when their owner is dead."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from hansard.kernel import paging
from hansard.kernel.blob import digest_of
from hansard.kernel.effect import Effect, Owner, is_any_open, is_dead, open_intents
from hansard.kernel.engine import Engine, Schema
from hansard.kernel.event import Entry
from hansard.kernel.store import Store
from tests.crash import toys
from tests.crash.toys import STAMP, FileIntended, FileSettled, replace_file
from tests.effects import perform, settle

PROJECT = "default"
OpenStore = Callable[[], Store]


class LostItsWayError(Exception):
    """What an act raises that its writer did not prefetch."""


@pytest.fixture
def open_store(open_engine: Callable[[str, Schema], Engine]) -> Iterator[OpenStore]:
    """Open stores on the same engine, each as another process would."""
    known = toys.known()
    with ExitStack() as stack:

        def opener() -> Store:
            store = Store(open_engine("", known.schema), known.kinds, known.views)
            stack.callback(store.engine.close)
            return store

        yield opener


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    return open_store()


@pytest.fixture
def owner(store: Store) -> Owner:
    return Owner(store.engine)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file.txt"
    path.write_text("before")
    return path


@pytest.fixture
def effects(tmp_path: Path) -> list[Effect]:
    return toys.effects(tmp_path)


def announce(store: Store, owner: Owner, file: Path) -> None:
    """Announce the replacement of a file, and get no further."""
    intended = FileIntended(
        owner=owner.name,
        name=file.name,
        before=digest_of(b"before"),
        after=digest_of(b"after"),
    )

    def act(_: Entry) -> FileSettled:
        raise LostItsWayError

    with pytest.raises(LostItsWayError):
        perform(store, PROJECT, STAMP, lambda _: intended, act)


def kinds(store: Store) -> list[str]:
    return [entry.kind for entry in store.read(PROJECT, lambda tx: list(paging.entries(tx)))]


def results(store: Store) -> list[str]:
    entries = store.read(PROJECT, lambda tx: list(paging.entries(tx)))
    events = [store.kinds.decode(entry) for entry in entries]
    return [event.result for event in events if isinstance(event, FileSettled)]


def test_an_effect_is_announced_done_and_told(store: Store, owner: Owner, file: Path) -> None:
    replace_file(store, PROJECT, owner, file, "after")

    assert file.read_text() == "after"
    assert kinds(store) == [FileIntended.kind, FileSettled.kind]
    assert open_intents(store, PROJECT) == []


def test_others_see_the_intent_before_the_world_changes(
    open_store: OpenStore, store: Store, owner: Owner, file: Path
) -> None:
    other = open_store()
    seen: list[tuple[str, int]] = []

    def act(intent: Entry) -> FileSettled:
        seen.append((file.read_text(), len(open_intents(other, PROJECT))))
        return FileSettled(intent=intent.seq, result="done")

    intended = FileIntended(owner=owner.name, name=file.name, before="", after="")
    perform(store, PROJECT, STAMP, lambda _: intended, act)

    assert seen == [("before", 1)]


def test_an_outcome_answers_its_own_intent(store: Store, owner: Owner, file: Path) -> None:
    intended = FileIntended(owner=owner.name, name=file.name, before="", after="")

    with pytest.raises(AssertionError):
        perform(
            store,
            PROJECT,
            STAMP,
            lambda _: intended,
            lambda _: FileSettled(intent=7, result="done"),
        )


def test_a_living_owners_intent_is_left_alone(
    open_store: OpenStore, store: Store, owner: Owner, file: Path, effects: list[Effect]
) -> None:
    announce(store, owner, file)

    assert settle(open_store(), PROJECT, effects, STAMP) == []
    assert settle(store, PROJECT, effects, STAMP) == []
    assert len(open_intents(store, PROJECT)) == 1


@pytest.mark.parametrize(
    ("found", "result"), [("before", "aborted"), ("after", "done"), ("by hand", "conflict")]
)
def test_a_dead_owners_intent_is_settled_by_what_is_there(
    store: Store, owner: Owner, file: Path, found: str, result: str
) -> None:
    announce(store, owner, file)
    owner.close()
    file.write_text(found)

    settled = settle(store, PROJECT, toys.effects(file.parent), STAMP)

    assert [outcome.intent for outcome in settled] == [1]
    assert results(store) == [result]
    assert file.read_text() == found


def test_settling_twice_is_settling_once(
    open_store: OpenStore, store: Store, owner: Owner, file: Path, effects: list[Effect]
) -> None:
    announce(store, owner, file)
    owner.close()

    settle(store, PROJECT, effects, STAMP)

    assert settle(store, PROJECT, effects, STAMP) == []
    assert settle(open_store(), PROJECT, effects, STAMP) == []
    assert results(store) == ["aborted"]


def test_of_two_who_settle_at_once_one_records_the_outcome(
    open_store: OpenStore, store: Store, owner: Owner, file: Path, effects: list[Effect]
) -> None:
    announce(store, owner, file)
    owner.close()
    other = open_store()

    def judge_late(_: FileIntended, seq: int) -> FileSettled:
        settle(other, PROJECT, effects, STAMP)
        return FileSettled(intent=seq, result="conflict")

    assert settle(store, PROJECT, [Effect(FileIntended, judge_late)], STAMP) == []
    assert results(store) == ["aborted"]


def test_only_the_dead_are_settled_where_there_are_both(
    store: Store, owner: Owner, file: Path, effects: list[Effect]
) -> None:
    gone = Owner(store.engine)
    announce(store, owner, file)
    announce(store, gone, file)
    gone.close()

    settled = settle(store, PROJECT, effects, STAMP)

    assert [outcome.intent for outcome in settled] == [2]


def test_an_intent_of_an_unknown_effect_stays_open(store: Store, owner: Owner, file: Path) -> None:
    announce(store, owner, file)
    owner.close()

    assert settle(store, PROJECT, (), STAMP) == []
    assert len(open_intents(store, PROJECT)) == 1


def test_a_store_knows_whether_anything_is_open_in_any_project(
    store: Store, owner: Owner, file: Path, effects: list[Effect]
) -> None:
    assert is_any_open(store) is False
    replace_file(store, "another", owner, file, "before")
    assert is_any_open(store) is False

    announce(store, owner, file)
    assert is_any_open(store) is True

    owner.close()
    settle(store, PROJECT, effects, STAMP)
    assert is_any_open(store) is False


def test_intents_are_listed_oldest_first_whatever_the_number_of_digits(
    store: Store, owner: Owner, file: Path
) -> None:
    for _ in range(11):
        announce(store, owner, file)

    found = open_intents(store, PROJECT)

    assert [one.row["seq"] for one in found] == list(range(1, 12))
    assert {one.row["intent_kind"] for one in found} == {FileIntended.kind}
    assert {one.row["owner"] for one in found} == {owner.name}


def test_open_intents_are_the_same_after_a_rebuild(store: Store, owner: Owner, file: Path) -> None:
    replace_file(store, PROJECT, owner, file, "after")
    announce(store, owner, file)
    before = open_intents(store, PROJECT)

    store.rebuild(PROJECT)

    assert len(before) == 1
    assert open_intents(store, PROJECT) == before


def test_an_owner_lives_until_it_lets_go(open_store: OpenStore, store: Store) -> None:
    owner, other = Owner(store.engine), open_store()
    assert not is_dead(other.engine, owner.name)
    assert not is_dead(store.engine, owner.name)

    owner.close()

    assert is_dead(other.engine, owner.name)
    assert is_dead(store.engine, owner.name)


def test_looking_for_the_dead_takes_nothing_from_anyone(store: Store) -> None:
    owner = Owner(store.engine)
    owner.close()

    assert is_dead(store.engine, owner.name)
    assert is_dead(store.engine, owner.name)


def test_no_two_owners_share_a_name(store: Store) -> None:
    owners = [Owner(store.engine) for _ in range(10)]

    assert len({owner.name for owner in owners}) == 10
