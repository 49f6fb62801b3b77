"""A store whose large contents lie in an object store is proved, moved, collected and redacted."""

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import obstore
import pytest
from obstore.store import from_url

from hansard.app.application import Application
from hansard.app.keeping import backup, garbage_collection, redaction, restoring
from hansard.app.keeping.backup import back_up
from hansard.app.verify import verify
from hansard.engines.postgres import PostgresEngine
from hansard.kernel.blob import digest_of
from tests.app import kept
from tests.conftest import a_caller
from tests.object_store import ObjectStore

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.slow("runs an object store beside a database"),
]

LARGE = random.Random(1).randbytes(200_000).hex()


@pytest.fixture
def address(object_store: ObjectStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    for name, value in object_store.environment.items():
        monkeypatch.setenv(name, value)
    return f"{object_store.address}/{tmp_path.name}"


@pytest.fixture
def app(emptied_postgres: str, address: str) -> Iterator[Application]:
    with kept.opened(emptied_postgres, blobs=address) as opened:
        kept.fill(opened)
        opened.call("create_record", kept.RECORD | {"body": LARGE}, a_caller())
        yield opened


def objects(address: str) -> list[str]:
    return [one["path"] for page in obstore.list(from_url(address)) for one in page]


def test_all_of_it_is_proved_and_a_lost_object_is_found(app: Application, address: str) -> None:
    [name, *_] = objects(address)
    assert verify(app.store).findings == ()

    obstore.delete(from_url(address), name)

    assert verify(app.store).findings


def test_a_backup_holds_it_and_restores_it_into_a_database_without(
    app: Application, emptied_postgres: str, tmp_path: Path
) -> None:
    taken = back_up(app.store, None, tmp_path, at=kept.AT, open_store=kept.open_store)

    plain = PostgresEngine(emptied_postgres, kept.schema(), namespace="restored")
    with closing(plain):
        store = kept.store_on(plain)
        heads = restoring.restore_bundles(backup.find_backup(tmp_path), store)

        assert heads == taken.heads
        assert verify(store).findings == ()


def test_what_is_redacted_is_in_no_object(app: Application, address: str) -> None:
    before = objects(address)
    app.call("create_record", kept.RECORD | {"body": LARGE[::-1]}, a_caller())
    assert len(objects(address)) == len(before) + 1
    wanted = redaction.WantedErasure(digests=(digest_of(LARGE[::-1].encode()),))

    redaction.erase(app.store, kept.PROJECT, wanted, reason="a secret", stamp=kept.PERSON)

    assert objects(address) == before
    assert verify(app.store).findings == ()


def test_collecting_fetches_no_object_for_its_size(app: Application, address: str) -> None:
    [name, *_] = objects(address)
    obstore.put(from_url(address), name, b"whoever fetches this finds it damaged")

    garbage = garbage_collection.find(app.store, deleted_before=kept.AT)

    assert garbage.count == 0


def test_collecting_beside_writers_takes_nothing_that_is_named(
    app: Application, address: str
) -> None:
    there = objects(address)

    garbage_collection.collect(app.store, deleted_before=kept.AT, stamp=kept.STAMP)

    assert objects(address) == there
    assert verify(app.store).findings == ()
