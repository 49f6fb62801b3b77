"""What a store leaves behind: no descriptor, no lock and no file, however its work ends."""

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path

import apsw
import pytest

from hansard.engines.sqlite import SqliteEngine, files
from hansard.engines.sqlite.files import BlobFiles, LockFiles, WriteLock, blob_path, is_any_held
from hansard.engines.sqlite.reserve import Reserve
from hansard.kernel.blob import digest_of, seal
from hansard.kernel.limits import INLINE_BLOB_BYTES_MAX
from hansard.kernel.private_files import sync_folder
from hansard.kernel.problem import BlobDamaged, Problem, StorageUnavailable
from hansard.testing.engine_suite import SCHEMA
from hansard.testing.suite.base import PROJECT, noise
from tests.patience import PATIENCE_S

LARGE = seal(noise(INLINE_BLOB_BYTES_MAX * 3, 1))
OPEN = Path("/proc/self/fd")
Quiet = Callable[[], AbstractContextManager[None]]

pytestmark = pytest.mark.skipif(not OPEN.exists(), reason="counts open files in /proc")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def nothing_left_open(tmp_path: Path) -> Quiet:
    """Compare what this process has open of this test's files before and after a block."""

    @contextmanager
    def compared() -> Iterator[None]:
        before = opened(tmp_path)
        yield
        assert opened(tmp_path) == before

    return compared


def opened(folder: Path) -> list[str]:
    """List what this process has open at or in a folder, once for each descriptor."""
    found = []
    for one in OPEN.iterdir():
        with suppress(OSError):  # that of the listing itself
            found.append(str(one.readlink()))
    return sorted(one for one in found if Path(one).is_relative_to(folder))


def connections(store: Path) -> int:
    """Count how often this process has the database of a store open."""
    return len(opened(store / "hansard.db"))


def digests(store: Path) -> dict[str, str]:
    """Know the files of a store again, but for what SQLite needs to read a log."""
    there = [path for path in store.rglob("*") if path.is_file()]
    ours = (path for path in there if not path.name.endswith(("-wal", "-shm")))
    return {path.name: digest_of(path.read_bytes()) for path in ours}


def make(store: Path) -> None:
    engine = SqliteEngine(store, SCHEMA)
    engine.stage(LARGE)
    engine.write(PROJECT, lambda tx: tx.keep(LARGE))
    engine.close()


def test_what_looked_once_is_there_for_the_next_look(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(store)
    with closing(SqliteEngine(store, SCHEMA)) as engine:
        connect, made = engine._connect, list[apsw.Connection]()

        def connected() -> apsw.Connection:
            made.append(connect())
            return made[-1]

        monkeypatch.setattr(engine, "_connect", connected)
        for _ in range(3):
            assert engine.loose(older_s=0) == {}

        assert len(made) == 1


def test_what_was_opened_to_look_at_the_layout_is_there_for_the_first_look(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(store)
    connect, made = SqliteEngine._connect, list[apsw.Connection]()

    def connected(engine: SqliteEngine) -> apsw.Connection:
        made.append(connect(engine))
        return made[-1]

    monkeypatch.setattr(SqliteEngine, "_connect", connected)
    with closing(SqliteEngine(store, SCHEMA, looking=True)) as engine:
        assert engine.read(PROJECT, lambda tx: tx.blob(LARGE.digest)) == LARGE

    assert len(made) == 1


def test_who_looks_cannot_change_a_store(store: Path) -> None:
    make(store)
    with closing(SqliteEngine(store, SCHEMA)) as engine:
        with pytest.raises(StorageUnavailable, match="read-only"):
            engine._look("DELETE FROM blobs")

        assert engine.read(PROJECT, lambda tx: tx.blob(LARGE.digest)) == LARGE


def test_a_store_that_is_closed_has_nothing_open_and_no_log(
    nothing_left_open: Quiet, store: Path
) -> None:
    make(store)

    with nothing_left_open():
        one, other = SqliteEngine(store, SCHEMA), SqliteEngine(store, SCHEMA)
        assert one.read(PROJECT, lambda tx: tx.blob(LARGE.digest)) == LARGE
        assert one.hold("name") is not None
        assert other.hold("name") is None
        assert other.held(["name", "another"]) == {"name"}
        one.write(PROJECT, lambda tx: tx.drop(LARGE.digest))
        assert one.loose(older_s=0) == {LARGE.digest: len(LARGE.packed)}
        one.discard([LARGE.digest])
        one.watch().close()
        one.scrub()
        assert one.check(thorough=True) == one.outdated() == []
        assert one.total() == 0
        one.close()
        other.close()

    assert {path.name for path in store.iterdir()} == {
        *("hansard.db", "blobs", "locks", "reserve", "write.lock")
    }
    assert [path for path in store.rglob("*") if path.is_file() and path.parent != store] == []


def test_looks_at_once_have_a_connection_each_which_is_kept_for_the_next(store: Path) -> None:
    make(store)
    engine = SqliteEngine(store, SCHEMA)
    together = threading.Barrier(3)

    def look() -> None:
        engine.read(PROJECT, lambda _: together.wait(PATIENCE_S))

    def look_together() -> int:
        threads = [threading.Thread(target=look) for _ in range(3)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        return connections(store)

    assert look_together() == look_together() == 1 + 3
    engine.close()
    assert connections(store) == 0


def test_a_look_that_fails_gives_its_connection_back(store: Path) -> None:
    make(store)
    engine = SqliteEngine(store, SCHEMA)

    def fail(_: object) -> None:
        raise LookupError

    for _ in range(3):
        with pytest.raises(LookupError):
            engine.read(PROJECT, fail)
    assert connections(store) == 1 + 1
    engine.close()


def newer(store: Path) -> None:
    connection = apsw.Connection(str(store / "hansard.db"))
    connection.pragma("user_version", 99)
    connection.close()


def in_its_place(name: str) -> Callable[[Path], None]:
    """Have a folder lie where a file of a store was."""

    def spoil(store: Path) -> None:
        (store / name).unlink(missing_ok=True)
        (store / name).mkdir()

    return spoil


SPOILT: dict[str, Callable[[Path], object]] = {
    "written-by-a-newer-one": newer,
    "no-database": lambda store: (store / "hansard.db").write_bytes(b"not a database" * 999),
    "a-folder-in-its-place": in_its_place("hansard.db"),
    "gone": lambda store: (store / "hansard.db").unlink(),
    "no-lock": in_its_place("write.lock"),
    "no-log": in_its_place("hansard.db-wal"),
}


@pytest.mark.parametrize("looking", [False, True])
@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_an_opening_that_is_refused_leaves_nothing_open_and_keeps_nobody_out(
    nothing_left_open: Quiet, store: Path, spoil: Callable[[Path], object], *, looking: bool
) -> None:
    make(store)
    spoil(store)
    threads = threading.active_count()

    with nothing_left_open(), suppress(StorageUnavailable, apsw.Error):
        SqliteEngine(store, SCHEMA, looking=looking).close()

    assert threading.active_count() == threads
    assert not is_any_held(store / "locks")
    lock = store / "write.lock"
    if lock.is_file():
        turn = WriteLock(lock)
        assert turn.is_taken()
        turn.close()


@pytest.mark.parametrize("spoil", ["written-by-a-newer-one", "no-database", "gone"])
@pytest.mark.parametrize("looking", [False, True])
def test_what_cannot_be_opened_is_refused_and_nothing_in_it_is_changed(
    store: Path, spoil: str, *, looking: bool
) -> None:
    make(store)
    SPOILT[spoil](store)
    before = digests(store)

    with pytest.raises(StorageUnavailable):
        SqliteEngine(store, SCHEMA, looking=looking)

    assert digests(store) == before


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "socket", "none"])
def test_what_lies_in_the_place_of_a_blob_is_refused_and_not_left_open(
    nothing_left_open: Quiet, tmp_path: Path, kind: str
) -> None:
    blobs, path = BlobFiles(tmp_path), blob_path(tmp_path, LARGE.digest)
    path.parent.mkdir()
    match kind:
        case "link":
            path.symlink_to(tmp_path / "elsewhere")
            (tmp_path / "elsewhere").write_bytes(LARGE.packed)
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "socket":
            os.mknod(path, 0o140600)

    with nothing_left_open():
        if kind == "none":
            assert blobs.read(LARGE.digest) is None
        else:
            with pytest.raises(BlobDamaged):
                blobs.read(LARGE.digest)


def test_a_blob_file_is_known_sized_and_named_until_it_is_removed(
    nothing_left_open: Quiet, tmp_path: Path
) -> None:
    blobs = BlobFiles(tmp_path / "blobs")
    lost = digest_of(b"never written")

    with nothing_left_open():
        blobs.write(LARGE.digest, LARGE.packed)
        blobs.write(LARGE.digest, LARGE.packed)
        is_there = blobs.has(LARGE.digest, LARGE.packed)
        there = is_there, blobs.name(LARGE.digest), blobs.read(LARGE.digest)
        assert blobs.sizes(0) == {LARGE.digest: len(LARGE.packed)}
        assert blobs.sizes(3600) == {}
        blobs.remove(LARGE.digest)
        blobs.remove(lost)

    digest = LARGE.digest
    assert there == (True, f"blobs/{digest[:2]}/{digest[2:]}", LARGE.packed)
    assert not blobs.has(digest, LARGE.packed)
    assert (blobs.name(digest), blobs.read(digest)) == (None, None)
    assert blobs.name(lost) is None
    assert blobs.sizes(0) == {}


def test_another_file_of_its_name_is_not_what_was_written(tmp_path: Path) -> None:
    blobs, path = BlobFiles(tmp_path), blob_path(tmp_path, LARGE.digest)
    path.parent.mkdir()
    path.write_bytes(b"packed in another way")

    blobs.write(LARGE.digest, LARGE.packed)

    assert not blobs.has(LARGE.digest, LARGE.packed)
    assert blobs.name(LARGE.digest) is not None
    assert path.read_bytes() == b"packed in another way"


def test_a_sweep_removes_what_nobody_writes_and_leaves_what_somebody_does(
    nothing_left_open: Quiet, tmp_path: Path
) -> None:
    incoming = tmp_path / "incoming"
    blobs = BlobFiles(tmp_path)
    with nothing_left_open():
        blobs.sweep()
    incoming.mkdir()
    names = [incoming / f".{'a' * 64}.0000000{number}" for number in range(3)]
    for name in names:
        name.touch()
    (incoming / "of others").touch()

    with names[1].open("rb") as writing:
        fcntl.flock(writing, fcntl.LOCK_EX)
        with nothing_left_open():
            blobs.sweep()

    assert sorted(incoming.iterdir()) == [names[1], incoming / "of others"]


def test_locks_are_let_go_of_with_their_files(nothing_left_open: Quiet, tmp_path: Path) -> None:
    with nothing_left_open():
        one, other = LockFiles(tmp_path / "locks"), LockFiles(tmp_path / "locks")
        one.sweep()
        assert not is_any_held(tmp_path / "locks")
        first, second = one.hold("first"), one.hold("second")
        assert first is not None
        assert second is not None
        assert other.hold("first") is None
        assert is_any_held(tmp_path / "locks")
        with first:
            assert other.held(["first", "second", "../x"]) == {"first", "second"}
        again = other.hold("first")
        assert again is not None
        one.close()
        assert other.held(["first", "second"]) == {"first"}
        other.sweep()
        assert [path.name for path in (tmp_path / "locks").iterdir()] == ["first"]
        other.close()

    assert list((tmp_path / "locks").iterdir()) == []


def test_opening_a_store_removes_what_dead_processes_had_begun_to_write(tmp_path: Path) -> None:
    SqliteEngine(tmp_path, SCHEMA).close()
    left = tmp_path / "blobs" / "incoming" / f".{'a' * 64}.00000000"
    left.parent.mkdir(parents=True)
    left.touch()

    SqliteEngine(tmp_path, SCHEMA).close()

    assert not left.exists()


def test_a_sweep_of_locks_removes_those_that_nobody_has(
    nothing_left_open: Quiet, tmp_path: Path
) -> None:
    locks = LockFiles(tmp_path)
    held = locks.hold("held")
    (tmp_path / "left").touch()

    with nothing_left_open():
        LockFiles(tmp_path).sweep()

    assert held is not None
    assert [path.name for path in tmp_path.iterdir()] == ["held"]
    locks.close()


@pytest.mark.parametrize(("there", "is_held"), [(["held", "left"], True), (["left"], False)])
def test_whether_any_lock_is_held(
    nothing_left_open: Quiet, tmp_path: Path, there: list[str], is_held: bool
) -> None:
    holder = LockFiles(tmp_path)
    for name in there:
        (tmp_path / name).touch()
    assert "held" not in there or holder.hold("held") is not None

    with nothing_left_open():
        assert is_any_held(tmp_path) is is_held
        assert is_any_held(tmp_path / "nowhere") is False

    holder.close()


def test_a_turn_is_one_process_s_and_over_when_it_is_let_go(
    nothing_left_open: Quiet, tmp_path: Path
) -> None:
    path = tmp_path / "write.lock"
    with nothing_left_open():
        one, other = WriteLock(path), WriteLock(path)
        with one.turn():
            assert not other.is_taken()
            with pytest.raises(TimeoutError), other.turn_within(0):
                pass
        with other.turn_within(0):
            assert not one.is_taken()
        assert one.is_taken()
        one.let_go()
        with suppress(LookupError), other.turn():
            raise LookupError
        assert one.is_taken()
        one.close()
        one.close()
        other.close()


@pytest.mark.parametrize("what", ["lock", "beside"])
@pytest.mark.parametrize("how", ["gone", "another", "same"])
def test_a_turn_is_in_place_while_its_files_are_those_that_it_opened(
    tmp_path: Path, what: str, how: str
) -> None:
    beside, path = tmp_path / "beside", tmp_path / "write.lock"
    beside.touch()
    turn = WriteLock(path)
    turn.look_after(beside)
    changed = path if what == "lock" else beside

    if how != "same":
        changed.rename(tmp_path / "moved")
    if how == "another":
        changed.touch()

    assert turn.is_in_place() is (how == "same")
    turn.close()
    assert turn.is_in_place()


def test_what_is_synced_or_set_aside_is_closed_again(
    nothing_left_open: Quiet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "database"
    database.touch()
    reserve = Reserve(tmp_path / "reserve", database)

    def refused(*_: object) -> None:
        raise OSError("no room")

    with nothing_left_open():
        sync_folder(tmp_path)
        reserve.fill()
        reserve.spend()
        monkeypatch.setattr(os, "posix_fallocate", refused)
        reserve.save_rest()
        monkeypatch.setattr(os, "fsync", refused)
        with pytest.raises(OSError, match="no room"):
            sync_folder(tmp_path)
    assert reserve._path.stat().st_size == 0


def test_a_lock_that_somebody_has_is_not_opened_for_good(
    nothing_left_open: Quiet, tmp_path: Path
) -> None:
    holder = LockFiles(tmp_path)
    assert holder.hold("name") is not None

    with nothing_left_open():
        assert files._take(tmp_path / "name") is None
        assert files.is_held(tmp_path / "name")
        assert not files.is_held(tmp_path / "another")

    holder.close()


@pytest.mark.parametrize("name", ["", "a b", "../up", "a/b", "x" * 201, "ü"])
def test_what_is_no_name_of_a_lock_is_held_by_nobody(tmp_path: Path, name: str) -> None:
    locks = LockFiles(tmp_path / "locks")

    with pytest.raises(Problem):
        locks.hold(name)

    assert locks.held([name]) == set()
    assert not (tmp_path / "locks").exists()


def test_to_look_at_a_lock_nothing_is_made(tmp_path: Path) -> None:
    looking = LockFiles(tmp_path / "locks", looking=True)

    free = looking.hold("name")

    assert free is not None
    with free:
        assert not (tmp_path / "locks").exists()
    holder = LockFiles(tmp_path / "locks")
    assert holder.hold("name") is not None
    assert looking.hold("name") is None
    holder.close()
