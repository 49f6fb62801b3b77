"""Whatever is altered behind Hansard's back is found; what it wrote itself is never accused."""

import hashlib
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import start
from hansard.app.verify import verify
from hansard.kernel.event import Receipt
from hansard.kernel.problem import Problem
from tests.hostile.histories import live, workspace_in

STEPS = 120
DATABASE = "hansard.db"
SOUND = 0


@contextmanager
def opened(folder: Path) -> Iterator[Application]:
    app = start(Settings(store=str(folder / "store"), workspace=workspace_in(folder)))
    try:
        yield app
    finally:
        app.close()


def receipts(app: Application) -> list[Receipt]:
    """Keep the newest receipt of every project, as a careful client would."""
    heads = app.store.engine.heads()
    return [Receipt(head.seq, head.hash) for head in heads.values() if head.seq]


def exit_code(folder: Path, kept: list[Receipt]) -> int:
    """Verify; a store that cannot even be opened is not sound."""
    try:
        with opened(folder) as app:
            return verify(app.store, receipts=kept).exit_code
    except (Problem, apsw.Error):
        return 3


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Receipt]]:
    """A store with a history over all capabilities, its log not yet in its database."""
    folder = tmp_path_factory.mktemp("sound")
    with opened(folder) as app:
        live(app, 7, STEPS)
        kept = receipts(app)
        # Copied while open, or there would be no log to tamper with.
        copy = tmp_path_factory.mktemp("copy")
        shutil.copytree(folder / "store", copy / "store")
    return copy, kept


@pytest.fixture
def copied(
    sound: tuple[Path, list[Receipt]], tmp_path: Path
) -> tuple[Callable[[str], Path], list[Receipt]]:
    """Give fresh copies of the store to abuse."""

    def another(name: str) -> Path:
        shutil.copytree(sound[0], tmp_path / name)
        return tmp_path / name

    return another, sound[1]


def settled(folder: Path) -> Path:
    """Have the log moved into the database, as closing does; gives the store's folder."""
    with opened(folder):
        pass
    return folder / "store"


def told(store: Path) -> str:
    """Take the fingerprint of all that the tables hold, but for the search's own."""
    connection = apsw.Connection(str(store / DATABASE), flags=apsw.SQLITE_OPEN_READONLY)
    mark = hashlib.sha256()
    names = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND "
        "(name LIKE 'rows_%' OR name IN ('journal', 'blobs', 'heads')) ORDER BY name"
    ).fetchall()
    for (name,) in names:
        for row in connection.execute(f"SELECT * FROM {name} ORDER BY 1, 2"):
            mark.update(repr(row).encode(errors="surrogatepass"))
    connection.close()
    return mark.hexdigest()


def flip(path: Path, chance: random.Random) -> None:
    """Change one byte of a file."""
    content = bytearray(path.read_bytes())
    content[chance.randrange(len(content))] ^= chance.randrange(1, 256)
    path.write_bytes(content)


def test_the_copy_is_sound_to_begin_with(sound: tuple[Path, list[Receipt]], tmp_path: Path) -> None:
    shutil.copytree(sound[0], tmp_path / "same")

    assert len(sound[1]) > 1
    assert exit_code(tmp_path / "same", sound[1]) == SOUND


@pytest.mark.parametrize(
    "flips", [12, pytest.param(200, marks=pytest.mark.slow("flips 200 bytes one after another"))]
)
def test_a_byte_flipped_anywhere_in_the_database_is_found_or_changes_nothing(
    copied: tuple[Callable[[str], Path], list[Receipt]], flips: int
) -> None:
    another, kept = copied
    before = told(settled(another("reference")))
    found = harmless = 0
    for seed in range(flips):
        folder = another(f"flip{seed}")
        store = settled(folder)
        flip(store / DATABASE, random.Random(seed))
        if exit_code(folder, kept) != SOUND:
            found += 1
        elif told(store) == before:
            harmless += 1

    assert found + harmless == flips
    assert found > 0


@pytest.mark.parametrize("seed", range(4))
def test_a_byte_flipped_in_the_log_is_found_or_changes_nothing(
    copied: tuple[Callable[[str], Path], list[Receipt]], seed: int
) -> None:
    another, kept = copied
    before = told(settled(another("reference")))
    folder = another("log")
    flip(folder / "store" / f"{DATABASE}-wal", random.Random(seed))

    if exit_code(folder, kept) == SOUND:
        assert told(folder / "store") == before


def test_a_log_that_is_taken_away_is_found_by_a_kept_receipt(
    copied: tuple[Callable[[str], Path], list[Receipt]],
) -> None:
    another, kept = copied
    folder = another("log")
    (folder / "store" / f"{DATABASE}-wal").unlink()

    assert exit_code(folder, kept) != SOUND


def test_a_folder_rolled_back_is_found_by_a_kept_receipt(tmp_path: Path) -> None:
    with opened(tmp_path) as app:
        live(app, 1, 20)
    shutil.copytree(tmp_path / "store", tmp_path / "earlier")
    with opened(tmp_path) as app:
        live(app, 2, 20)
        kept = receipts(app)
    (tmp_path / "store").rename(tmp_path / "later")
    (tmp_path / "earlier").rename(tmp_path / "store")

    assert exit_code(tmp_path, []) == SOUND
    assert exit_code(tmp_path, kept) == 2


Alter = Callable[[apsw.Connection, random.Random], None]


def _cell(table: str, column: str, change: str, by: str = "rowid") -> Alter:
    def alter(connection: apsw.Connection, chance: random.Random) -> None:
        rows = connection.execute(f"SELECT {by} FROM {table} WHERE {column} <> ''").fetchall()
        [row] = chance.choice(rows)
        connection.execute(f"UPDATE {table} SET {column} = {change} WHERE {by} = ?", (row,))

    return alter


def _gone(table: str, by: str = "rowid") -> Alter:
    def alter(connection: apsw.Connection, chance: random.Random) -> None:
        rows = connection.execute(f"SELECT {by} FROM {table}").fetchall()
        connection.execute(f"DELETE FROM {table} WHERE {by} = ?", chance.choice(rows))

    return alter


ALTERED: dict[str, Alter] = {
    "a payload": _cell("journal", "payload", "CAST(payload || 'x' AS BLOB)"),
    "a payload cut": _cell("journal", "payload", "substr(payload, 1, length(payload) - 1)"),
    "a kind": _cell("journal", "kind", "kind || 'x'"),
    "a time": _cell("journal", "at", "replace(at, '2026', '2025')"),
    "an author": _cell("journal", "actor", "replace(actor, 'agent', 'human') || ' '"),
    "a hash": _cell("journal", "hash", "substr(hash, 2) || 'g'"),
    "a payload's digest": _cell("journal", "payload_digest", "substr(payload_digest, 2) || 'g'"),
    "an entry gone": _gone("journal"),
    "a head": _cell("heads", "hash", "substr(hash, 2) || 'g'"),
    "a record's row": _cell("rows_records_v1", "row", "replace(row, 'note', 'none')", "key"),
    "a row of activity gone": _gone("rows_activity_v1", "key"),
}


@pytest.mark.parametrize("name", ALTERED)
def test_what_is_altered_in_a_history_of_everything_is_found(
    copied: tuple[Callable[[str], Path], list[Receipt]], name: str
) -> None:
    another, kept = copied
    folder = another("altered")
    store = settled(folder)
    connection = apsw.Connection(str(store / DATABASE))
    ALTERED[name](connection, random.Random(name))
    connection.close()

    assert exit_code(folder, kept) == 2


@pytest.mark.parametrize(
    "histories",
    [30, pytest.param(200, marks=pytest.mark.slow("lives and verifies 200 histories"))],
)
def test_no_history_that_hansard_wrote_is_accused(tmp_path: Path, histories: int) -> None:
    done = 0
    for seed in range(histories):
        folder = tmp_path / str(seed)
        with opened(folder) as app:
            done += live(app, seed, 20)
            kept = receipts(app)
            report = verify(app.store, receipts=kept)
            assert (report.exit_code, report.findings) == (SOUND, ()), seed

    assert done > histories * 8
