"""The files beside the database: which are ours, who may read them, and what they may be named."""

import fcntl
import itertools
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hansard.engines.sqlite import SqliteEngine, files
from hansard.engines.sqlite.files import blob_path, is_any_held
from hansard.kernel.blob import Blob, Digest, digest_of, seal, seal_onto
from hansard.kernel.content import content
from hansard.kernel.limits import INLINE_BLOB_BYTES_MAX
from hansard.kernel.problem import BlobDamaged, InvalidInput, StorageUnavailable
from hansard.testing.engine_suite import SCHEMA
from hansard.testing.suite.base import OTHER, PROJECT, noise
from tests.recorder.ground import needs_root

CONTENT = noise(INLINE_BLOB_BYTES_MAX * 3, 1)
LARGE = seal(CONTENT)
BASE_CONTENT = CONTENT[: INLINE_BLOB_BYTES_MAX // 2]
BASE = seal(BASE_CONTENT)
PATCH = seal_onto(CONTENT, BASE, BASE_CONTENT)
"""The same content packed in another way, as large as a file needs to be."""

NOBODY = 65534


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def engine(store: Path) -> Iterator[SqliteEngine]:
    with opened(store) as engine:
        yield engine


@contextmanager
def opened(store: Path) -> Iterator[SqliteEngine]:
    engine = SqliteEngine(store, SCHEMA)
    try:
        yield engine
    finally:
        engine.close()


def keep(engine: SqliteEngine, project: str, *blobs: Blob) -> None:
    for blob in blobs:
        engine.stage(blob)
        engine.write(project, lambda tx, one=blob: tx.keep(one))  # type: ignore[misc]


def kept(engine: SqliteEngine, project: str) -> bytes | None:
    return engine.read(project, lambda tx: content(tx, LARGE.digest))


STRAYS: dict[str, Callable[[Path], object]] = {
    "file": lambda path: path.write_text("foreign"),
    "folder": lambda path: path.mkdir(),
    "link": lambda path: path.symlink_to("nowhere"),
    "pipe": os.mkfifo,
}


PLACES = ["locks/.DS_Store", "blobs/incoming/.DS_Store", "blobs/ab/.DS_Store"]
NAMED_AS_OURS = ["locks/keeping", f"blobs/incoming/.{'a' * 64}.{'b' * 8}"]


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        *itertools.product(STRAYS, PLACES),
        *itertools.product([kind for kind in STRAYS if kind != "file"], NAMED_AS_OURS),
    ],
)
def test_what_others_leave_in_a_store_keeps_nobody_from_it(
    store: Path, kind: str, place: str
) -> None:
    with opened(store) as engine:
        keep(engine, PROJECT, LARGE)
    stray = store / place
    stray.parent.mkdir(exist_ok=True)
    STRAYS[kind](stray)

    assert not is_any_held(store / "locks")
    with opened(store) as engine:
        assert kept(engine, PROJECT) == CONTENT
        assert engine.loose(older_s=0) == {}

    assert os.path.lexists(stray)
    assert not (stray.parent / "nowhere").exists()


@pytest.mark.parametrize("name", ["", "no lock/..", "../x", "a/b", "a.b", "\0", "é", "x" * 300])
def test_what_cannot_name_a_lock_is_refused(engine: SqliteEngine, store: Path, name: str) -> None:
    before = sorted(store.rglob("*"))

    with pytest.raises(InvalidInput):
        engine.hold(name)

    assert sorted(store.rglob("*")) == before


@pytest.mark.parametrize(
    "digest", ["", "ab", "../" * 20 + "etcx", "/" + "a" * 63, "A" * 64, "a" * 65, "a" * 64 + "\n"]
)
def test_what_is_no_digest_names_no_file(engine: SqliteEngine, store: Path, digest: str) -> None:
    with pytest.raises(BlobDamaged):
        blob_path(store, Digest(digest))
    with pytest.raises(BlobDamaged):
        engine.stage(Blob(Digest(digest), len(CONTENT), "raw", CONTENT))

    assert list((store / "blobs").iterdir()) == []


@pytest.mark.parametrize("is_patch_first", [True, False])
def test_two_projects_may_pack_the_same_content_in_two_ways(
    engine: SqliteEngine, is_patch_first: bool
) -> None:
    """There is one file of that name, and each project must read what it kept."""
    assert (PATCH.codec, len(PATCH.packed) > INLINE_BLOB_BYTES_MAX) == ("patch", True)
    writes = [(PROJECT, (BASE, PATCH)), (OTHER, (LARGE,))]

    for project, blobs in writes if is_patch_first else reversed(writes):
        keep(engine, project, *blobs)

    assert kept(engine, PROJECT) == CONTENT
    assert kept(engine, OTHER) == CONTENT


@pytest.mark.parametrize("project", [PROJECT, OTHER])
@pytest.mark.parametrize("is_patch_first", [True, False])
def test_a_file_is_not_replaced_by_who_began_it_earlier_and_ends_later(
    engine: SqliteEngine,
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
    project: str,
    is_patch_first: bool,
) -> None:
    """Another process keeps the same content, packed otherwise, while this one syncs its file."""
    one, other = (LARGE, PATCH) if is_patch_first else (PATCH, LARGE)
    really_synced = os.fsync
    others = [other]
    with opened(store) as another:
        for wanted in {PROJECT, project}:
            keep(another, wanted, BASE)

        def synced(descriptor: int) -> None:
            really_synced(descriptor)
            if others and stat.S_ISREG(os.fstat(descriptor).st_mode):
                keep(another, project, others.pop())

        monkeypatch.setattr(os, "fsync", synced)
        keep(engine, PROJECT, one)

        assert others == []
        assert kept(another, project) == kept(engine, PROJECT) == CONTENT


def test_a_file_that_came_after_a_collection_is_not_taken_for_the_one_before(
    engine: SqliteEngine, store: Path
) -> None:
    keep(engine, PROJECT, BASE)
    keep(engine, OTHER, BASE)
    with opened(store) as another:
        engine.stage(LARGE)
        another.discard([LARGE.digest])
        another.stage(PATCH)

        engine.write(PROJECT, lambda tx: tx.keep(LARGE))
        another.write(OTHER, lambda tx: tx.keep(PATCH))

    assert kept(engine, PROJECT) == kept(engine, OTHER) == CONTENT


@pytest.mark.parametrize("junk", [b"", b"junk", bytes(len(LARGE.packed))])
def test_a_file_that_is_there_already_is_not_trusted_by_its_name(
    engine: SqliteEngine, store: Path, junk: bytes
) -> None:
    path = blob_path(store / "blobs", LARGE.digest)
    path.parent.mkdir()
    path.write_bytes(junk)

    keep(engine, PROJECT, LARGE)

    assert kept(engine, PROJECT) == CONTENT
    assert engine.loose(older_s=0) == {digest_of(CONTENT): len(junk)}


def test_nobody_else_may_read_what_a_store_makes(store: Path) -> None:
    before = os.umask(0)
    try:
        with opened(store) as engine:
            keep(engine, PROJECT, LARGE)
            assert engine.hold("name") is not None
            made = [store, *store.rglob("*")]
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in made}
            folders = {path.name for path in made if path.is_dir()}
    finally:
        os.umask(before)

    assert {"hansard.db", "hansard.db-wal", "hansard.db-shm", "name", "incoming"} <= set(modes)
    assert {name: mode for name, mode in modes.items() if mode & 0o077} == {}
    assert {modes[name] for name in folders} == {0o700}
    assert {mode for name, mode in modes.items() if name not in folders} == {0o600}


@pytest.mark.root
@pytest.mark.parametrize("whose", ["folder", "parent"])
def test_a_store_of_another_user_is_refused_in_words(store: Path, whose: str) -> None:
    needs_root("becomes another user")
    with opened(store):
        pass
    (store if whose == "folder" else store.parent).chmod(0o700)

    os.seteuid(NOBODY)
    try:
        with pytest.raises(StorageUnavailable):
            SqliteEngine(store, SCHEMA)
    finally:
        os.seteuid(0)


def test_a_lock_whose_name_its_last_holder_removes_meanwhile_has_one_holder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, real = tmp_path / "lock", fcntl.flock
    removed: list[Path] = []

    def slowly(descriptor: int, how: int) -> None:
        # Between opening and locking, whoever held it lets go of it and removes the name.
        if not removed:
            lock.unlink()
            removed.append(lock)
        real(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", slowly)

    first = files._take(lock)
    second = files._take(lock)

    assert removed
    assert first is not None
    assert second is None
    assert os.path.samestat(os.fstat(first), lock.stat())
    os.close(first)


def test_a_file_that_is_swept_away_before_it_is_held_is_written_once_more(
    store: Path, engine: SqliteEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold, swept = fcntl.flock, list[bool]()

    def sweeping_first(file: int, operation: int) -> None:
        if operation == fcntl.LOCK_EX and not swept:
            swept.append(True)
            files.BlobFiles(store / "blobs").sweep()
        hold(file, operation)

    monkeypatch.setattr(fcntl, "flock", sweeping_first)
    engine.stage(LARGE)
    monkeypatch.undo()

    assert swept
    keep(engine, PROJECT, LARGE)
    assert kept(engine, PROJECT) == CONTENT


def test_a_file_that_its_writer_removes_while_it_is_swept_is_no_trouble(
    store: Path, engine: SqliteEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(engine, PROJECT, LARGE)
    left = store / "blobs" / "incoming" / f".{LARGE.digest}.{'b' * 8}"
    left.touch()
    take = files._take

    def taken_late(path: Path) -> int | None:
        descriptor = take(path)
        path.unlink()
        return descriptor

    monkeypatch.setattr(files, "_take", taken_late)
    files.BlobFiles(store / "blobs").sweep()

    assert not left.exists()
