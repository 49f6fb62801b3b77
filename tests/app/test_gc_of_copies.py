"""Collecting in a project that another store has too: the two never part by it."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.keeping import unused_blobs
from hansard.app.keeping.backup import back_up
from hansard.app.keeping.copy_store import transfer
from hansard.app.keeping.exporting import export_project
from hansard.app.keeping.garbage_collection import Garbage, collect, find
from hansard.app.keeping.importing import import_project
from hansard.app.keeping.parts import HeadMoved
from hansard.app.keeping.peer_store import Answer
from hansard.app.keeping.push_pull import HistoriesDiverged, move
from hansard.app.keeping.repair import salvage
from hansard.app.keeping.restoring import restore_folder
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.app.verify import verify
from hansard.engines.memory import MemoryEngine
from hansard.kernel.blob import Digest
from hansard.kernel.limits import ENTRIES_PAGE
from tests.app import kept
from tests.app.kept import PROJECT, STAMP, opened
from tests.app.test_moving_projects import Side, head, require_sound, side
from tests.conftest import a_caller

EVER = "9999"


def a_side(tmp_path: Path, name: str) -> Side:
    settings = Settings(store=str(tmp_path / name), workspace=str(tmp_path), embedder="none")
    app = start(settings, lambda _, schema: MemoryEngine(schema))
    return side(app, tmp_path / f"ways-{name}", name)


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Side]:
    made = a_side(tmp_path, "here")
    yield made
    made.app.close()


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Side]:
    made = a_side(tmp_path, "there")
    yield made
    made.app.close()


class CollectedMeanwhile(Side):
    """One that is collected after it was looked at and before a part of it is made."""

    def ask(self, message: dict[str, Any], body: bytes = b"") -> Answer:
        if message["do"] == "make":
            gather(self)
        return super().ask(message, body)


def write(one: Side | Application, key: str) -> None:
    app = one if isinstance(one, Application) else one.app
    arguments = {"type": "note", "title": key, "summary": key, "body": f"{key} " * 50}
    app.call("create_record", arguments, a_caller(idempotency_key=key))


def gather(one: Side | Application, **asked: Any) -> Garbage:
    """Collect all that was ever deleted or can be forgotten."""
    app = one if isinstance(one, Application) else one.app
    return collect(app.store, deleted_before=EVER, keys_before=lambda _: EVER, stamp=STAMP, **asked)


def save_and_delete(one: Side, number: int) -> None:
    """Leave content behind that only a deleted checkpoint named."""
    given = {"context": {"number": number, "text": f"{number} " * 900}}
    saved = one.app.call("workflow_checkpoint_save", given, a_caller()).model_dump()
    asked = {"checkpointId": saved["checkpointId"]}
    one.app.call("workflow_checkpoint_delete", asked, a_caller())


def blobs(one: Side) -> set[Digest]:
    return set(one.app.store.read(PROJECT, lambda tx: tx.digests(limit=1_000)))


def test_a_copy_that_only_takes_in_is_collected_and_goes_on_taking_in(
    here: Side, there: Side
) -> None:
    write(here, "one")
    move(here, there, PROJECT)

    found = gather(there)

    assert (found.keys, found.count, found.waiting) == (0, 0, (PROJECT,))
    assert head(there) == head(here)
    write(here, "two")
    assert gather(here).keys == 2
    assert move(here, there, PROJECT).entries > 0
    assert head(there) == head(here)
    require_sound(there)


def test_the_side_that_sent_all_it_has_waits_until_it_is_written_to(
    here: Side, there: Side
) -> None:
    write(here, "one")
    move(here, there, PROJECT)

    assert gather(here).waiting == (PROJECT,)

    write(there, "two")
    move(there, here, PROJECT)
    assert gather(here).waiting == (PROJECT,)
    write(here, "three")
    done = gather(here)
    assert (done.keys, done.waiting) == (3, ())
    move(here, there, PROJECT)
    assert head(there) == head(here)


@pytest.mark.parametrize("page", [2, ENTRIES_PAGE])
def test_what_the_other_side_has_collected_is_let_go_of_without_an_entry(
    here: Side, there: Side, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    monkeypatch.setattr(unused_blobs, "ENTRIES_PAGE", page)
    write(here, "one")
    save_and_delete(here, 1)
    move(here, there, PROJECT)
    write(here, "two")
    gone = blobs(here)
    gather(here)
    gone -= blobs(here)
    move(here, there, PROJECT)
    assert gone & blobs(there)

    found = gather(there)

    assert not gone & blobs(there)
    assert found.waiting == ()
    assert head(there) == head(here)
    require_sound(there)


def test_what_was_deleted_stays_where_its_end_would_have_to_be_told(
    here: Side, there: Side
) -> None:
    save_and_delete(here, 1)
    move(here, there, PROJECT)
    before = blobs(there)

    looked, found = find(there.app.store, deleted_before=EVER), gather(there)

    assert looked.waiting == found.waiting == (PROJECT,)
    assert (looked.count, found.count) == (0, 0)
    assert (blobs(there), head(there)) == (before, head(here))
    assert gather(there, goes_on_here=True).count > 0
    assert blobs(there) < before
    require_sound(there)


def test_what_is_collected_while_it_is_sent_is_not_left_behind(here: Side, there: Side) -> None:
    """Otherwise the other side could be written to, while here only gc has written."""
    write(here, "one")
    source = CollectedMeanwhile(here.name, here.app, here.exchange, here.caller, [])

    with pytest.raises(HeadMoved):
        move(source, there, PROJECT)
    move(here, there, PROJECT)

    assert head(there) == head(here)


@pytest.mark.parametrize("seed", range(5))
def test_two_stores_that_are_written_to_in_turns_never_part(
    here: Side, there: Side, seed: int
) -> None:
    """Whoever writes has first taken in what the other has; both are collected at any time."""
    chance = random.Random(seed)
    for number in range(30):
        one, other = chance.sample([here, there], 2)
        match chance.choice(["write", "gather", "gather", "move"]):
            case "write":
                move(other, one, PROJECT)
                write(one, f"{seed}-{number}")
                save_and_delete(one, number)
            case "gather":
                gather(one)
            case "move":
                move(one, other, PROJECT)

    move(here, there, PROJECT)
    move(there, here, PROJECT)
    assert head(here) == head(there)
    require_sound(here)
    require_sound(there)


def test_a_side_that_has_parted_already_is_collected(here: Side, there: Side) -> None:
    write(here, "one")
    move(here, there, PROJECT)
    for one in (here, there):
        write(one, f"only {one.name}")

    assert gather(there).keys == 2
    with pytest.raises(HistoriesDiverged):
        move(here, there, PROJECT)


def test_what_came_in_a_bundle_is_collected_once_it_has_gone_on(
    here: Side, there: Side, tmp_path: Path
) -> None:
    write(here, "one")
    export_project(here.app.store, PROJECT, tmp_path / "a.bundle")
    import_project(there.app.store, tmp_path / "a.bundle", STAMP)

    assert gather(there).waiting == (PROJECT,)

    write(there, "two")
    assert gather(there).keys == 2


def test_a_copied_store_is_collected_and_the_copy_taken_again(here: Side, there: Side) -> None:
    write(here, "one")
    transfer(here.app.store, there.app.store, at=kept.AT)

    assert PROJECT in gather(there).waiting

    write(here, "two")
    transfer(here.app.store, there.app.store, at=kept.AT)
    assert head(there) == head(here)


def test_a_restored_store_is_collected_once_it_has_gone_on(tmp_path: Path) -> None:
    """It may have sent more than the backup has, which it can then take back."""
    with opened(tmp_path / "store") as app:
        write(app, "one")
        backup = back_up(
            app.store, tmp_path / "store", tmp_path / "b", at=kept.AT, open_store=kept.open_store
        )

    restore_folder(backup, tmp_path / "again", open_store=kept.open_store)

    with opened(tmp_path / "again") as app:
        before = app.store.engine.heads()[PROJECT]
        assert PROJECT in gather(app).waiting
        assert app.store.engine.heads()[PROJECT] == before
        write(app, "two")
        assert gather(app).keys == 2
        assert verify(app.store).findings == ()


def test_a_repaired_store_is_collected_once_it_has_gone_on(tmp_path: Path) -> None:
    """What it had noted is not moved, and where its journal was cut another store may have more."""
    store = tmp_path / "store"
    with opened(store) as app:
        write(app, "one")
        backup = back_up(app.store, store, tmp_path / "b", at=kept.AT, open_store=kept.open_store)
    kept.sql(store, "UPDATE journal SET session = 'forged' WHERE (number & 0xffffff) = 2")

    salvage(store, backup, open_store=kept.open_store, stamp=kept.PERSON)

    with opened(store) as app:
        assert PROJECT in gather(app).waiting
        write(app, "two")
        assert gather(app).keys == 2
        assert verify(app.store).findings == ()
