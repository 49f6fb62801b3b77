"""`verify` reads the write-ahead log to its end, says where it cannot, and leaves it as it is."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from hansard.app import start
from hansard.app.catalog import Catalog
from hansard.engines.sqlite import SqliteEngine, wal
from hansard.kernel.problem import StorageUnavailable
from tests.app.damage import Damaged, flipped

pytestmark = pytest.mark.fault("tampering")

FRAME_BYTES = wal.FRAME_HEADER_BYTES + 4096


@pytest.fixture
def database(tmp_path: Path) -> Iterator[apsw.Connection]:
    """Open a database that keeps its log, with five commits in it."""
    connection = apsw.Connection(str(tmp_path / "some.db"))
    connection.pragma("journal_mode", "wal")
    connection.pragma("wal_autocheckpoint", 0)
    connection.execute("CREATE TABLE t(x)")
    for number in range(4):
        connection.execute("INSERT INTO t VALUES(?)", (number,))
    yield connection
    connection.close()


def log_of(connection: apsw.Connection) -> Path:
    return Path(f"{connection.filename}-wal")


def damaged(connection: apsw.Connection, place: int) -> list[str]:
    """Turn over a bit in a copy of the log, and say what is found."""
    copy = log_of(connection).with_name("copy")
    copy.write_bytes(flipped(log_of(connection).read_bytes(), place))
    return list(wal.faults(copy))


def test_a_sound_log_has_no_faults(database: apsw.Connection, tmp_path: Path) -> None:
    assert list(wal.faults(log_of(database))) == []
    assert list(wal.faults(tmp_path / "none")) == []


@pytest.mark.parametrize("within", [0, 5, 9, 17, 24, 4000])
def test_a_damaged_frame_is_named_with_what_is_lost(database: apsw.Connection, within: int) -> None:
    frames = (log_of(database).stat().st_size - wal.HEADER_BYTES) // FRAME_BYTES

    [found] = damaged(database, wal.HEADER_BYTES + FRAME_BYTES + within)

    assert found == (
        f"The write-ahead log is damaged at frame 2; {frames - 2} frames after it cannot be read"
    )


@pytest.mark.parametrize("within", [1, 9, 17, 25])
def test_a_damaged_header_is_found(database: apsw.Connection, within: int) -> None:
    [found] = damaged(database, within)

    assert "damaged in its header" in found


def test_a_last_frame_that_is_torn_was_never_committed(database: apsw.Connection) -> None:
    assert damaged(database, -3) == []
    log_of(database).with_name("torn").write_bytes(log_of(database).read_bytes()[:-100])
    assert list(wal.faults(log_of(database).with_name("torn"))) == []


def test_a_last_transaction_that_a_power_cut_tore_is_no_damage(database: apsw.Connection) -> None:
    before = log_of(database).stat().st_size
    with database:
        database.execute("CREATE TABLE more(x)")
        database.execute("INSERT INTO t VALUES(zeroblob(9000))")
    assert log_of(database).stat().st_size > before + 3 * FRAME_BYTES

    assert damaged(database, before + 100) == []
    [found] = damaged(database, before - 100)
    assert "frames after it" in found


def test_frames_of_an_older_log_are_no_loss(database: apsw.Connection) -> None:
    database.execute("PRAGMA wal_checkpoint(RESTART)")
    database.execute("INSERT INTO t VALUES(99)")

    assert log_of(database).stat().st_size > wal.HEADER_BYTES + 2 * FRAME_BYTES
    assert list(wal.faults(log_of(database))) == []


def test_what_an_undone_transaction_left_is_no_loss(database: apsw.Connection) -> None:
    database.pragma("cache_size", 2)
    database.execute("BEGIN")
    database.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200) "
        "INSERT INTO t SELECT randomblob(2000) FROM n"
    )
    spilled = log_of(database).stat().st_size
    database.execute("ROLLBACK")
    database.execute("INSERT INTO t VALUES(7)")

    assert spilled == log_of(database).stat().st_size
    assert list(wal.faults(log_of(database))) == []


@pytest.fixture
def killed(tmp_path: Path) -> Damaged:
    """Give a store as a kill leaves it: its log not written back."""
    store = Damaged(tmp_path / "live")
    with store.opened():
        store.fill()
        copy = Damaged(tmp_path / "killed")
        shutil.copytree(store.folder, copy.folder)
    (copy.folder / "locks").mkdir(exist_ok=True)
    (copy.folder / "locks" / "owner-dead").touch()
    return copy


def log_of_store(store: Damaged) -> Path:
    return store.folder / "hansard.db-wal"


def damage_frame(store: Damaged, number: int) -> None:
    log = log_of_store(store)
    place = wal.HEADER_BYTES + FRAME_BYTES * (number - 1) + 100
    log.write_bytes(flipped(log.read_bytes(), place))


def look(store: Damaged) -> SqliteEngine:
    return SqliteEngine(store.folder, Catalog(start.catalog().capabilities).schema, looking=True)


def content(folder: Path) -> dict[str, bytes]:
    """Read every file, but the index of the log, which every reader makes anew."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith("-shm")
    }


def test_looking_leaves_every_file_as_it_is(killed: Damaged) -> None:
    before = content(killed.folder)
    assert len(before["hansard.db-wal"]) > FRAME_BYTES

    engine = look(killed)
    assert engine.heads()[killed.project].seq > 0
    assert engine.check(thorough=True) == []
    with engine.hold("owner-other") or pytest.fail("nobody holds it"):
        pass
    engine.close()

    assert content(killed.folder) == before


def test_who_looks_cannot_write(killed: Damaged) -> None:
    engine = look(killed)

    with pytest.raises(StorageUnavailable):
        engine.write("default", lambda tx: tx.head())
    engine.close()


def test_a_damaged_log_is_found_and_kept(killed: Damaged) -> None:
    frames = (log_of_store(killed).stat().st_size - wal.HEADER_BYTES) // FRAME_BYTES
    damage_frame(killed, frames - 60)
    before = content(killed.folder)

    engine = look(killed)
    faults = engine.check(thorough=False)
    engine.close()

    assert [fault for fault in faults if f"damaged at frame {frames - 60}; 60 frames" in fault]
    assert content(killed.folder) == before


def test_a_store_of_which_nothing_can_be_read_is_kept_too(killed: Damaged) -> None:
    damage_frame(killed, 2)
    before = content(killed.folder)

    with pytest.raises(StorageUnavailable, match="damaged at frame 2"):
        look(killed)

    assert content(killed.folder) == before


def test_what_another_commits_is_seen_by_who_looks(tmp_path: Path) -> None:
    store = Damaged(tmp_path / "store")
    store.fill()
    engine = look(store)
    before = engine.heads()[store.project].seq

    with store.opened() as app:
        store.keep(app, b"more")

    assert engine.heads()[store.project].seq == before + 1
    engine.close()
