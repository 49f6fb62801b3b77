"""What goes beside those who use the tables, and what only writing these anew takes away."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import obstore
import psycopg
import pytest
from psycopg import sql

from hansard.app.keeping.garbage_collection import collect
from hansard.engines.postgres import PostgresEngine
from hansard.kernel.blob import Blob, Digest, seal
from hansard.kernel.engine import Schema, Table
from hansard.kernel.problem import StorageUnavailable
from hansard.testing.suite.base import PROJECT, SCHEMA, Noted, look, noise, record_all
from hansard.testing.suite.blobs import keep
from tests.app import kept
from tests.patience import PATIENCE_S, wait_until

pytestmark = pytest.mark.postgres

OLDER = Schema(tables=(Table("things", {}, version=0),), topics=())
SECRET = noise(900, 1)


@pytest.fixture
def opener(postgres_url: str, postgres_namespace: str) -> Callable[..., PostgresEngine]:
    return partial(PostgresEngine, postgres_url, schema=SCHEMA, namespace=postgres_namespace)


@pytest.fixture
def engine(opener: Callable[..., PostgresEngine]) -> Iterator[PostgresEngine]:
    with closing(opener(schema=OLDER)):
        pass  # it leaves a table of an older version
    with closing(opener(lock_wait_s=0.2)) as opened:
        yield opened


@pytest.fixture
def admin(postgres_url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(postgres_url) as connection:
        yield connection


def read(admin: psycopg.Connection[Any], namespace: str, table: str = "journal") -> None:
    """Read in a transaction that goes on."""
    admin.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(namespace, table)))


def test_nobody_who_reads_is_waited_for_by_what_is_done_gently(
    engine: PostgresEngine, admin: psycopg.Connection[Any], postgres_namespace: str
) -> None:
    older = engine.outdated()
    read(admin, postgres_namespace)

    assert older
    assert engine.scrub(dropping=older, gently=True)

    assert engine.outdated() == []
    with pytest.raises(StorageUnavailable):
        engine.scrub()


def test_nobody_is_refused_while_a_table_that_is_written_anew_is_waited_for(
    opener: Callable[..., PostgresEngine],
    admin: psycopg.Connection[Any],
    postgres_namespace: str,
) -> None:
    with closing(opener(lock_wait_s=PATIENCE_S)) as patient, closing(opener()) as other:
        record_all(other, Noted())
        read(admin, postgres_namespace, "heads")
        scrubbing = threading.Thread(target=patient.scrub)
        scrubbing.start()
        wait_until(partial(is_waited_for, other, postgres_namespace))

        record_all(other, Noted())

        admin.rollback()
        scrubbing.join(PATIENCE_S)
        assert not scrubbing.is_alive()


def is_waited_for(engine: PostgresEngine, namespace: str) -> bool:
    """Whether somebody asks for a table for itself, and does not get it."""
    with engine._pool.connection() as connection:
        rows = connection.execute(
            "SELECT 1 FROM pg_locks l JOIN pg_class c ON c.oid = l.relation "
            "WHERE l.mode = 'AccessExclusiveLock' AND NOT l.granted "
            "AND c.relnamespace = %s::regnamespace",
            (namespace,),
        ).fetchall()
    return bool(rows)


def test_what_was_dropped_is_in_no_table_once_these_are_written_anew(
    engine: PostgresEngine, admin: psycopg.Connection[Any], postgres_namespace: str
) -> None:
    secret = Blob(seal(SECRET).digest, len(SECRET), "raw", SECRET)
    keep(engine, secret)
    engine.write(PROJECT, lambda tx: tx.drop(secret.digest))

    engine.scrub(gently=True)
    before = lies_on_disk(admin, postgres_namespace, SECRET)
    engine.scrub()

    assert (before, lies_on_disk(admin, postgres_namespace, SECRET)) == (True, False)


def lies_on_disk(admin: psycopg.Connection[Any], namespace: str, secret: bytes) -> bool:
    """Look for bytes in the files of all tables."""
    admin.rollback()
    admin.execute("CHECKPOINT")
    rows = admin.execute(
        "SELECT pg_read_binary_file(pg_relation_filepath(c.oid)) FROM pg_class c "
        "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND n.nspname = %s",
        (namespace,),
    ).fetchall()
    return any(secret in data for (data,) in rows)


def test_it_is_collected_while_somebody_reads_for_long(
    emptied_postgres: str, admin: psycopg.Connection[Any]
) -> None:
    with kept.opened(emptied_postgres) as app:
        kept.fill(app)
        left = leave(app.store.engine, noise(900, 2))
        read(admin, "hansard")

        gone = collect(app.store, deleted_before=kept.AT, stamp=kept.STAMP)

        assert gone.unnamed[kept.PROJECT].keys() == {left}


def test_objects_are_looked_for_once_a_folder_and_only_of_what_is_large(
    emptied_postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with kept.opened(emptied_postgres, blobs=f"file://{tmp_path}") as app:
        kept.fill(app)
        small = [leave(app.store.engine, noise(900, seed)) for seed in range(3)]
        large = [leave(app.store.engine, noise(90_000, seed)) for seed in (0, 1, 19)]
        listed = list[str]()
        plain = obstore.list

        def counted(store: Any, prefix: str, **more: Any) -> Any:
            listed.append(prefix.rstrip("/").rpartition("/")[2])
            return plain(store, prefix=prefix, **more)

        assert stored(tmp_path) >= {*large}
        monkeypatch.setattr(obstore, "list", counted)
        gone = collect(app.store, deleted_before=kept.AT, stamp=kept.STAMP)

        assert gone.unnamed[kept.PROJECT].keys() == {*small, *large}
        folders = [one for one in listed if not one.startswith("hansard-")]
        assert sorted(folders) == sorted({digest[:2] for digest in large})
        assert len(folders) == 2, "two of them lie in one folder"
        assert app.store.engine.loose(older_s=0) == {}
        assert stored(tmp_path).isdisjoint(large)


def stored(folder: Path) -> set[str]:
    """Say of which blobs there are objects: a folder's name and a file's make a digest."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.parent.name + path.name.partition(".")[0] for path in files}


def leave(engine: Any, data: bytes) -> Digest:
    """Keep a blob that no entry names."""
    blob = seal(data)
    keep(engine, blob, project=kept.PROJECT)
    assert look(engine, lambda tx: tx.blob(blob.digest), kept.PROJECT)
    return blob.digest
