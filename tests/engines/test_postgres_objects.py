"""The PostgreSQL engine with large blobs in an object store that speaks S3."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import obstore
import psycopg
import pytest
from obstore.store import from_url

from hansard.app.start import open_engine
from hansard.engines.postgres import PostgresEngine
from hansard.kernel.blob import Blob, redact, seal
from hansard.kernel.engine import Engine, Schema
from hansard.kernel.problem import BlobDamaged, InvalidInput, StorageUnavailable
from hansard.testing.engine_suite import SCHEMA, EngineSuite, Opener
from hansard.testing.suite.base import PROJECT, look, noise
from hansard.testing.suite.blobs import keep
from tests.object_store import ObjectStore

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.slow("runs an object store beside a database"),
]

LARGE = noise(200_000, 1)


@pytest.fixture
def environment(object_store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> ObjectStore:
    for name, value in object_store.environment.items():
        monkeypatch.setenv(name, value)
    return object_store


@pytest.fixture
def opener(environment: ObjectStore, postgres_url: str, postgres_namespace: str) -> Opener:
    address = f"{environment.address}/{postgres_namespace}"
    return partial(
        PostgresEngine, postgres_url, SCHEMA, namespace=postgres_namespace, blobs=address
    )


class TestPostgresWithObjects(EngineSuite):
    """Every promise of the seam holds all the same."""

    @pytest.fixture
    def opener(self, opener: Opener) -> Opener:
        return opener


@pytest.fixture
def engine(opener: Opener) -> Iterator[Engine]:
    with closing(opener()) as opened:
        yield opened


@pytest.fixture
def objects(environment: ObjectStore, postgres_namespace: str) -> Any:
    return from_url(f"{environment.address}/{postgres_namespace}")


def names(objects: Any) -> list[str]:
    return sorted(one["path"] for page in obstore.list(objects) for one in page)


def test_what_is_large_lies_in_the_object_store_and_nowhere_else(
    engine: Engine, objects: Any, postgres_url: str, postgres_namespace: str
) -> None:
    small, large = seal(b"small"), seal(LARGE)

    keep(engine, small, large)

    [name] = names(objects)
    assert bytes(obstore.get(objects, name).bytes()) == large.packed
    with psycopg.connect(postgres_url) as connection:
        rows = connection.execute(
            f"SELECT digest, packed IS NULL, object FROM {postgres_namespace}.blobs ORDER BY size"
        ).fetchall()
    assert rows == [(small.digest, False, None), (large.digest, True, name)]


@pytest.mark.parametrize("harm", ["gone", "other"])
def test_an_object_that_was_harmed_is_told_as_damage(
    engine: Engine, objects: Any, harm: str
) -> None:
    blob = seal(LARGE)
    keep(engine, blob)
    [name] = names(objects)

    if harm == "gone":
        obstore.delete(objects, name)
    else:
        obstore.put(objects, name, b"something else")

    with pytest.raises(BlobDamaged):
        look(engine, lambda tx: tx.blob(blob.digest))


def test_the_same_content_packed_otherwise_is_another_object(engine: Engine, objects: Any) -> None:
    """Two projects may keep it each in its own way, and neither's way is lost with the other's."""
    alone = seal(LARGE)
    base = seal(noise(100, 2))
    onto = Blob(alone.digest, alone.size, "patch", noise(90_000, 3), base.digest, 1)
    keep(engine, alone)
    keep(engine, base, onto, project="another")

    engine.write(PROJECT, lambda tx: tx.drop(alone.digest))
    engine.discard([alone.digest])

    assert len(names(objects)) == 1
    assert look(engine, lambda tx: tx.blob(onto.digest), "another") == onto


def test_what_is_redacted_leaves_no_object(engine: Engine, objects: Any) -> None:
    blob = seal(LARGE)
    keep(engine, blob)

    engine.write(PROJECT, lambda tx: tx.repack(redact(blob)))
    assert engine.loose(older_s=0) == {blob.digest: len(blob.packed)}
    engine.discard([blob.digest])

    assert names(objects) == []


def test_what_is_being_named_is_not_collected(opener: Opener, engine: Engine) -> None:
    """Who collects waits for whoever has named an object and has not committed yet."""
    blob = seal(LARGE)
    engine.stage(blob)
    with closing(opener()) as other:

        def work(tx: Any) -> None:
            tx.keep(blob)
            with pytest.raises(StorageUnavailable):
                impatient(other).discard([blob.digest])

        engine.write(PROJECT, work)
        other.discard([blob.digest])

    assert look(engine, lambda tx: tx.blob(blob.digest)) == blob


def impatient(engine: Engine) -> Engine:
    """Have an engine wait for nobody."""
    assert isinstance(engine, PostgresEngine)
    with engine._pool.connection() as connection:
        connection.execute("SET lock_timeout = '1ms'")
    return engine


def test_two_stores_in_one_place_do_not_collect_each_other_s(
    engine: Engine, environment: ObjectStore, postgres_url: str, postgres_namespace: str
) -> None:
    blob = seal(LARGE)
    keep(engine, blob)
    address = f"{environment.address}/{postgres_namespace}"
    beside = PostgresEngine(
        postgres_url, SCHEMA, namespace=f"{postgres_namespace}_b", blobs=address
    )

    with closing(beside):
        assert beside.loose(older_s=0) == {}
        beside.discard([blob.digest])

    assert look(engine, lambda tx: tx.blob(blob.digest)) == blob


def test_a_copy_in_another_server_collects_nothing_of_the_original(
    engine: Engine, opener: Opener, postgres_url: str, postgres_namespace: str
) -> None:
    left = seal(LARGE)
    engine.stage(left)
    with psycopg.connect(postgres_url) as connection:
        # As a dump that was restored elsewhere would have it.
        connection.execute(f"UPDATE {postgres_namespace}.hansard_objects SET place = 'elsewhere'")

    with closing(opener()) as copy:
        assert copy.loose(older_s=0) == {}

    assert engine.loose(older_s=0) == {left.digest: len(left.packed)}


def test_a_program_that_was_not_told_where_says_so(
    engine: Engine, postgres_url: str, postgres_namespace: str
) -> None:
    small, large = seal(b"small"), seal(LARGE)
    keep(engine, small, large)

    with closing(PostgresEngine(postgres_url, SCHEMA, namespace=postgres_namespace)) as untold:
        assert look(untold, lambda tx: tx.blob(small.digest)) == small
        with pytest.raises(StorageUnavailable, match="object store"):
            look(untold, lambda tx: tx.blob(large.digest))


def test_an_object_store_that_cannot_be_reached_refuses_and_nothing_is_written(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setattr("hansard.engines.postgres.object_store.RETRIES_MAX", 0)

    with closing(opener()) as engine:
        with pytest.raises(StorageUnavailable) as refused:
            keep(engine, seal(LARGE))

        assert "127.0.0.1" not in str(refused.value)
        assert engine.heads() == {}


@pytest.mark.parametrize(
    ("location", "blobs"),
    [("postgresql://nowhere", "ftp://x"), ("postgresql://nowhere", "x"), ("{}", "s3://x")],
)
def test_an_address_that_is_none_is_refused_at_once(
    tmp_path: Path, postgres_url: str, location: str, blobs: str
) -> None:
    where = location.format(tmp_path).replace("postgresql://nowhere", postgres_url)

    with pytest.raises(InvalidInput) as refused:
        open_engine(where, Schema(()), blobs=blobs)

    assert refused.value.details["argument"] == "blobs"
