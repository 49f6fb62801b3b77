"""What is told as done has been given to the disk: each file, and each folder that names it."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from hansard.engines.sqlite import SqliteEngine, copying
from hansard.engines.sqlite.files import BlobFiles, blob_path
from hansard.kernel.blob import seal
from hansard.kernel.limits import INLINE_BLOB_BYTES_MAX
from hansard.testing.suite.base import SCHEMA, noise
from hansard.testing.suite.blobs import keep

LARGE = seal(noise(INLINE_BLOB_BYTES_MAX * 3, 1))


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> dict[Path, int]:
    """Note what is synced, and how long it is by then."""
    noted: dict[Path, int] = {}
    plain = os.fsync

    def noting(descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        noted[path] = path.stat().st_size
        plain(descriptor)

    monkeypatch.setattr(os, "fsync", noting)
    return noted


def test_what_was_removed_is_gone_also_after_the_power_failed(
    tmp_path: Path, synced: dict[Path, int]
) -> None:
    with closing(SqliteEngine(tmp_path / "store", SCHEMA)) as engine:
        engine.stage(LARGE)
        synced.clear()
        engine.discard([LARGE.digest])

    path = blob_path(tmp_path / "store" / "blobs", LARGE.digest)
    assert not path.exists()
    assert path.parent in synced


def test_a_blob_is_synced_whole(tmp_path: Path, synced: dict[Path, int]) -> None:
    small = seal(b"as little as a file keeps back before it is flushed")
    (tmp_path / "store").mkdir()

    BlobFiles(tmp_path / "store" / "blobs").write(small.digest, small.packed)

    incoming = tmp_path / "store" / "blobs" / "incoming"
    sizes = [size for path, size in synced.items() if path.parent == incoming]
    assert sizes == [len(small.packed)]


def test_all_of_a_copy_is_on_the_disk_once_it_is_told(
    tmp_path: Path, synced: dict[Path, int]
) -> None:
    source, target = tmp_path / "store", tmp_path / "copy"
    with closing(SqliteEngine(source, SCHEMA)) as engine:
        keep(engine, LARGE)

    assert copying.copy_store(source, target, like=None) == 1

    made = {path for path in target.rglob("*") if not path.name.endswith(("-wal", "-shm"))}
    assert blob_path(target / "blobs", LARGE.digest) in made
    assert {target, *made} - set(synced) == set()
    files = [path for path in made if path.is_file()]
    assert {path: synced[path] for path in files} == {path: path.stat().st_size for path in files}
