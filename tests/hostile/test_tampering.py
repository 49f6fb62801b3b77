"""Whatever is altered behind Hansard's back is found; what it wrote itself is never accused."""

import hashlib
import random
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import git_folder, start
from hansard.app.verify import verify
from hansard.decisions.git import decision_log
from hansard.kernel.event import Receipt
from hansard.kernel.problem import Problem
from tests.conftest import a_caller
from tests.depth import ALL_THE_WAY, deep
from tests.hostile import tampers
from tests.hostile.histories import live, workspace_in
from tests.hostile.tampers import DATABASE, Tampering

pytestmark = pytest.mark.timeout(1_800)

STEPS = 120
SOUND = 0
LARGE = 150_000
"""Whether to try everything, which takes long."""

Count = Callable[[str, object], None]
"""Notes how many points a test has tried, for the table of faults."""


def settings_in(folder: Path) -> Settings:
    return Settings(store=str(folder / "store"), workspace=workspace_in(folder))


@contextmanager
def opened(folder: Path) -> Iterator[Application]:
    app = start(settings_in(folder))
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
            return verify(app.store, receipts=kept, git=git_folder(settings_in(folder))).exit_code
    except Problem:
        return 3


@dataclass(frozen=True, slots=True)
class Original:
    """A sound store, and what a client keeps of it."""

    folder: Path
    kept: list[Receipt]

    def copied_to(self, folder: Path) -> Path:
        shutil.copytree(self.folder / "store", folder / "store")
        return folder


@pytest.fixture(scope="module")
def live_one(tmp_path_factory: pytest.TempPathFactory) -> Original:
    """A store with a history over all capabilities, its log not yet in its database."""
    folder, copy = tmp_path_factory.mktemp("sound"), tmp_path_factory.mktemp("copy")
    with opened(folder) as app:
        live(app, 7, STEPS)
        _keep_large_things(app)
        for project in app.store.engine.heads():
            decision_log.publish(app.store, folder / "store" / decision_log.FOLDER, project)
        # Copied while open, or there would be no log to tamper with.
        return Original(Original(folder, []).copied_to(copy), receipts(app))


@pytest.fixture(scope="module")
def settled(live_one: Original, tmp_path_factory: pytest.TempPathFactory) -> Original:
    """The same store with all in its database, as closing leaves it."""
    folder = live_one.copied_to(tmp_path_factory.mktemp("settled"))
    with opened(folder):
        pass
    return Original(folder, live_one.kept)


def _keep_large_things(app: Application) -> None:
    """Keep contents that are too large for the database and lie in files."""
    chance = random.Random(1)
    for _ in range(2):
        record = {"type": "note", "title": "large", "summary": "s"}
        app.call("create_record", record | {"body": chance.randbytes(LARGE).hex()}, a_caller())


def told(store: Path) -> str:
    """Take the fingerprint of all that can be read from a store; none if SQLite distrusts it."""
    mark = hashlib.sha256()
    with closing(apsw.Connection(str(store / DATABASE))) as connection:
        if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            return "damaged"
        for name in _names(connection, "name GLOB 'rows_*' OR name GLOB 'documents_*' OR name IN "):
            for row in connection.execute(f"SELECT * FROM {name} ORDER BY 1, 2"):
                mark.update(repr(row).encode(errors="surrogatepass"))
        for name in _names(connection, "sql LIKE 'CREATE VIRTUAL%' AND name NOT IN "):
            for row in _searched(connection, name):
                mark.update(repr(row).encode(errors="surrogatepass"))
    for path in sorted((store / "blobs").glob("??/*")):
        mark.update(path.read_bytes())
    return mark.hexdigest()


def _names(connection: apsw.Connection, which: str) -> list[str]:
    rows = connection.execute(
        f"SELECT name FROM sqlite_schema WHERE type = 'table' AND ({which} "
        "('journal', 'blobs', 'heads')) ORDER BY name"
    ).fetchall()
    return [str(name) for (name,) in rows]


def _searched(connection: apsw.Connection, words: str) -> Iterator[object]:
    """Give what each word of a full-text index finds, and how well."""
    connection.execute(
        f"CREATE VIRTUAL TABLE temp.told_{words} USING fts5vocab(main, {words}, row)"
    )
    for (word,) in connection.execute(f"SELECT term FROM temp.told_{words}").fetchall():
        yield connection.execute(
            f"SELECT rowid, bm25({words}) FROM {words} WHERE {words} MATCH ? ORDER BY 1",
            (f'"{word}"',),
        ).fetchall()


def tried(
    original: Original, tamperings: Iterable[Tampering], space: Path, count: Count
) -> list[str]:
    """Do each thing to a fresh copy; gives those that altered something and were not found."""
    with_original = told(original.copied_to(space / "reference") / "store")
    found, harmless, missed = 0, 0, []
    for tampering in tamperings:
        folder = original.copied_to(space / "abused")
        tampering.do(folder / "store")
        if exit_code(folder, original.kept) != SOUND:
            found += 1
        elif told(folder / "store") == with_original:
            harmless += 1
        else:
            missed.append(tampering.name)
        shutil.rmtree(folder)
    count("points", found + harmless + len(missed))
    print(f"{found} of {found + len(missed)} tamperings found, {harmless} harmless")  # noqa: T201 - the figure
    assert found
    return missed


def test_the_copies_are_sound_to_begin_with(
    live_one: Original, settled: Original, tmp_path: Path
) -> None:
    assert len(live_one.kept) > 1
    for number, original in enumerate((live_one, settled)):
        folder = original.copied_to(tmp_path / str(number))
        assert exit_code(folder, original.kept) == SOUND
        assert told(folder / "store") == told(settled.folder / "store")


@pytest.mark.fault("tampering")
@pytest.mark.parametrize(
    "some", [6, pytest.param(None, marks=pytest.mark.slow("tampers with every table"))]
)
def test_no_row_of_any_table_can_be_altered_unnoticed(
    settled: Original, tmp_path: Path, record_property: Count, some: int | None
) -> None:
    everything = list(tampers.in_tables(settled.folder / "store", every_column=ALL_THE_WAY))
    chosen = random.Random(some).sample(everything, some) if some else everything

    assert tried(settled, chosen, tmp_path, record_property) == []


@pytest.mark.fault("tampering")
@pytest.mark.parametrize(
    "some", [4, pytest.param(None, marks=pytest.mark.slow("tampers with every blob"))]
)
def test_no_blob_file_can_be_altered_unnoticed(
    settled: Original, tmp_path: Path, record_property: Count, some: int | None
) -> None:
    everything = list(tampers.in_blob_files(settled.folder / "store"))
    chosen = random.Random(some).sample(everything, some) if some else everything

    assert tried(settled, chosen, tmp_path, record_property) == []


@pytest.mark.fault("tampering")
@pytest.mark.parametrize(
    "some", [6, pytest.param(None, marks=pytest.mark.slow("tampers with every Git object"))]
)
def test_no_object_of_a_repository_can_be_altered_unnoticed(
    settled: Original, tmp_path: Path, record_property: Count, some: int | None
) -> None:
    everything = list(tampers.in_repositories(settled.folder / "store"))
    most = some or (deep(30, len(everything)))
    chosen = random.Random(some).sample(everything, min(most, len(everything)))

    assert tried(settled, chosen, tmp_path, record_property) == []


@pytest.mark.fault("tampering")
@pytest.mark.parametrize(
    "some",
    [
        4,
        pytest.param(deep(60, 2_000), marks=pytest.mark.slow("flips many bytes one after another")),
    ],
)
def test_a_byte_flipped_anywhere_in_the_database_is_found_or_changes_nothing(
    settled: Original, tmp_path: Path, record_property: Count, some: int
) -> None:
    assert tried(settled, tampers.flips(DATABASE, some), tmp_path, record_property) == []


@pytest.mark.fault("tampering")
@pytest.mark.parametrize(
    "some",
    [4, pytest.param(deep(10, 200), marks=pytest.mark.slow("flips bytes one after another"))],
)
def test_a_byte_flipped_in_the_log_is_found_or_changes_nothing(
    live_one: Original, tmp_path: Path, record_property: Count, some: int
) -> None:
    assert tried(live_one, tampers.flips(f"{DATABASE}-wal", some), tmp_path, record_property) == []


def test_a_log_that_is_taken_away_is_found_by_a_kept_receipt(
    live_one: Original, tmp_path: Path
) -> None:
    folder = live_one.copied_to(tmp_path)
    (folder / "store" / f"{DATABASE}-wal").unlink()

    assert exit_code(folder, live_one.kept) != SOUND


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


@pytest.mark.fault("clean histories")
@pytest.mark.parametrize(
    "histories",
    [
        4,
        pytest.param(
            deep(30, 1_000),
            marks=pytest.mark.slow("lives and verifies many histories"),
        ),
    ],
)
def test_no_history_that_hansard_wrote_is_accused_at_any_point(
    tmp_path: Path, record_property: Count, histories: int
) -> None:
    done = 0
    for seed in range(histories):
        folder = tmp_path / str(seed)
        with opened(folder) as app:
            done += live(app, seed, 20)
            report = verify(app.store, receipts=receipts(app))
        assert (report.exit_code, report.findings) == (SOUND, ()), seed
        shutil.rmtree(folder)

    record_property("points", histories)
    print(f"{histories} clean histories of {done} writes, 0 accused")  # noqa: T201 - the figure
    assert done > histories * 8
