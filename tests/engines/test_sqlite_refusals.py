"""What the database or the system refuses to a writer's work is a refusal, and undoes that work."""

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from hansard.engines.sqlite import SqliteEngine
from hansard.engines.sqlite.files import blob_path
from hansard.engines.sqlite.schema import documents_name, table_name
from hansard.kernel.blob import seal
from hansard.kernel.engine import WriteTx
from hansard.kernel.limits import INLINE_BLOB_BYTES_MAX
from hansard.kernel.problem import StorageUnavailable
from hansard.testing.engine_suite import SCHEMA
from hansard.testing.suite.base import PAPERS, PROJECT, THINGS, noise

LARGE = seal(noise(INLINE_BLOB_BYTES_MAX * 3, 1))
Write = Callable[[Callable[[WriteTx], object]], object]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[SqliteEngine]:
    engine = SqliteEngine(tmp_path / "store", SCHEMA)
    engine.stage(LARGE)
    engine.write(PROJECT, lambda tx: tx.keep(LARGE))
    engine.write(PROJECT, put("before"))
    yield engine
    engine.close()


@pytest.fixture(params=["leads", "queues up"])
def write(engine: SqliteEngine, request: pytest.FixtureRequest) -> Iterator[Write]:
    """Write in a thread that commits by itself, or by the writer's thread."""
    with ThreadPoolExecutor(1) as threads:
        yield (
            lambda work: (
                threads.submit(engine.write, PROJECT, work).result()
                if request.param == "leads"
                else engine.write(PROJECT, work)
            )
        )


def put(key: str) -> Callable[[WriteTx], None]:
    return lambda tx: tx.put(THINGS, key, {"color": "red"}, seq=1)


def test_a_table_that_is_not_as_we_made_it_is_told_as_damage(
    engine: SqliteEngine, write: Write, tmp_path: Path
) -> None:
    with apsw.Connection(str(tmp_path / "store" / "hansard.db")) as other:
        other.execute(f"ALTER TABLE {table_name(THINGS)} RENAME COLUMN f_color TO gone")

    with pytest.raises(StorageUnavailable, match="damaged") as refused:
        write(put("after"))

    assert refused.value.details["outcome"] == "not_written"


def test_an_index_that_is_not_as_we_made_it_is_not_taken_for_an_empty_one(
    engine: SqliteEngine, tmp_path: Path
) -> None:
    engine.write(PROJECT, lambda tx: tx.index(PAPERS, "before", {"title": "a", "body": "b"}))
    with apsw.Connection(str(tmp_path / "store" / "hansard.db")) as other:
        other.execute(f"ALTER TABLE {documents_name(PAPERS)} RENAME COLUMN length TO gone")

    with pytest.raises(StorageUnavailable, match="papers"):
        engine.marks(PAPERS, lambda *_: None)


def test_a_blob_that_the_system_does_not_let_us_read_is_a_refusal(
    engine: SqliteEngine, write: Write, tmp_path: Path
) -> None:
    folder = blob_path(tmp_path / "store" / "blobs", LARGE.digest).parent
    shutil.rmtree(folder)
    folder.write_text("no folder")

    def work(tx: WriteTx) -> None:
        put("after")(tx)
        tx.blob(LARGE.digest)

    with pytest.raises(StorageUnavailable) as refused:
        write(work)

    assert refused.value.details["outcome"] == "not_written"
    assert engine.read(PROJECT, lambda tx: tx.get(THINGS, "after")) is None
    write(put("next"))
