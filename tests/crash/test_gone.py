"""A store whose files are moved or removed under it takes no more writes, and says so."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.engines.sqlite import SqliteEngine
from hansard.kernel.blob import seal
from hansard.kernel.limits import INLINE_BLOB_BYTES_MAX
from hansard.kernel.problem import StorageUnavailable
from hansard.testing.engine_suite import SCHEMA
from hansard.testing.suite.base import PROJECT, noise
from tests.conftest import a_caller
from tests.hostile.serving import findings, opened

pytestmark = pytest.mark.fault("store gone")

LARGE = seal(noise(INLINE_BLOB_BYTES_MAX * 2, 1))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def app(store: Path) -> Iterator[Application]:
    """Open a store with a record in it; the engine is SQLite's, as only that has a folder."""
    app = start(Settings(store=str(store)))
    record(app, "Kept")
    yield app
    app.close()


@pytest.fixture
def engine(store: Path) -> Iterator[SqliteEngine]:
    engine = SqliteEngine(store, SCHEMA)
    yield engine
    engine.close()


def record(app: Application, title: str) -> None:
    texts = {"title": title, "summary": "s", "body": "b"}
    app.call("create_record", {"type": "task", **texts}, a_caller())


def titles(app: Application) -> list[str]:
    listed: dict[str, Any] = app.call("list_records", {}, a_caller()).model_dump()
    return [one["title"] for one in listed["records"]]


def move(store: Path) -> None:
    store.rename(store.with_name("moved"))


def replace(store: Path) -> None:
    """Put another store in its place, as a restored backup would be."""
    move(store)
    with opened(store) as other:
        record(other, "Other")


def unlink(name: str) -> Callable[[Path], None]:
    return lambda store: (store / name).unlink()


GOING: dict[str, Callable[[Path], None]] = {
    "removed": shutil.rmtree,
    "moved": move,
    "replaced": replace,
    "no database": unlink("hansard.db"),
    "no log": unlink("hansard.db-wal"),
    "no lock": unlink("write.lock"),
}


@pytest.mark.parametrize("how", GOING)
def test_nothing_is_acknowledged_into_a_store_that_is_gone(
    app: Application, store: Path, how: str
) -> None:
    GOING[how](store)
    before = sorted(store.rglob("*"))

    for _ in range(2):
        with pytest.raises(StorageUnavailable) as refused:
            record(app, "Lost")
        assert refused.value.details["outcome"] == "not_written"

    assert sorted(store.rglob("*")) == before


def test_a_store_that_was_moved_has_all_that_was_acknowledged(
    app: Application, store: Path
) -> None:
    move(store)
    with pytest.raises(StorageUnavailable):
        record(app, "Lost")
    app.close()

    moved = store.with_name("moved")
    with opened(moved) as again:
        assert titles(again) == ["Kept"]
        record(again, "More")
    assert findings(moved) == []
    assert not store.exists()


def test_a_store_in_its_place_is_left_alone(app: Application, store: Path) -> None:
    move(store)
    with opened(store) as other:
        record(other, "Other")
        with pytest.raises(StorageUnavailable):
            record(app, "Lost")
        app.close()
        record(other, "More")

    with opened(store) as again:
        assert sorted(titles(again)) == ["More", "Other"]
    assert findings(store) == []


def test_no_blob_is_left_where_the_store_was(engine: SqliteEngine, store: Path) -> None:
    move(store)
    with pytest.raises(StorageUnavailable):
        engine.stage(LARGE)
    assert not store.exists()

    store.mkdir()
    engine.stage(LARGE)

    assert list(store.iterdir()) == []


def test_a_new_reader_does_not_take_another_store_for_its_own(
    engine: SqliteEngine, store: Path
) -> None:
    move(store)
    store.mkdir()

    with pytest.raises(StorageUnavailable):
        engine.read(PROJECT, lambda tx: tx.head())

    assert list(store.iterdir()) == []


def test_a_lock_let_go_of_is_not_taken_from_whoever_holds_its_name_now(
    engine: SqliteEngine, store: Path
) -> None:
    held = engine.hold("name")
    assert held is not None
    with held:
        move(store)
        other = SqliteEngine(store, SCHEMA)
        assert other.hold("name") is not None

    assert (store / "locks" / "name").exists()
    other.close()
