"""`verify` asks the database about itself, misses no project, and compares what searches see."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from hansard.app import start
from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.app.verify import Report, verify
from hansard.engines.postgres import PostgresEngine
from hansard.kernel.operation import Caller
from hansard.sessions.views import ACTIVITY
from tests import toy
from tests.app.damage import Damaged
from tests.conftest import a_caller

pytestmark = pytest.mark.fault("tampering")

ACTIVITY_TABLE = f"rows_{ACTIVITY.name}_v{ACTIVITY.version}"
WORDS, DOCUMENTS = "words_toy_words_v1", "documents_toy_words_v1"


@pytest.fixture
def store(tmp_path: Path) -> Damaged:
    damaged = Damaged(tmp_path / "store")
    damaged.fill()
    assert damaged.verify().findings == ()
    return damaged


def named(report: Report) -> set[tuple[str, str | None]]:
    return {(found.check, found.where.get("key")) for found in report.findings}


# Documents of the full-text index. Each plants one thing and returns the check and key to be named.

Plant = Callable[[Damaged], tuple[str, str | None]]
IN_WORDS: dict[str, Plant] = {}


def in_words(plant: Plant) -> Plant:
    IN_WORDS[plant.__name__.strip("_")] = plant
    return plant


def number(store: Damaged, key: str) -> int:
    [[found]] = store.sql(f"SELECT number FROM {DOCUMENTS} WHERE key = ?", key)
    return int(found)


@in_words
def _a_document_taken_away(store: Damaged) -> tuple[str, str | None]:
    store.sql(f"DELETE FROM {WORDS} WHERE rowid = ?", number(store, "T003"))
    store.sql(f"DELETE FROM {DOCUMENTS} WHERE key = 'T003'")
    return "views", "T003"


@in_words
def _words_taken_away(store: Damaged) -> tuple[str, str | None]:
    store.sql(f"DELETE FROM {WORDS} WHERE rowid = ?", number(store, "T003"))
    return "views", "T003"


@in_words
def _other_words(store: Damaged) -> tuple[str, str | None]:
    place = number(store, "T003")
    store.sql(f"DELETE FROM {WORDS} WHERE rowid = ?", place)
    store.sql(f"INSERT INTO {WORDS}(rowid, text) VALUES(?, 'note 3')", place)
    return "views", "T003"


@in_words
def _one_word_more(store: Damaged) -> tuple[str, str | None]:
    place = number(store, "T003")
    store.sql(f"DELETE FROM {WORDS} WHERE rowid = ?", place)
    store.sql(f"INSERT INTO {WORDS}(rowid, text) VALUES(?, 'note 2 more')", place)
    return "views", "T003"


@in_words
def _a_document_added(store: Damaged) -> tuple[str, str | None]:
    place = number(store, "T003") + 1_000
    store.sql(f"INSERT INTO {WORDS}(rowid, text) VALUES(?, 'forged')", place)
    store.sql(f"INSERT INTO {DOCUMENTS} VALUES(?, ?, 'forged', 1.0)", place, place >> 40)
    return "views", "forged"


@in_words
def _another_key(store: Damaged) -> tuple[str, str | None]:
    store.sql(f"UPDATE {DOCUMENTS} SET key = 'T999' WHERE key = 'T003'")
    return "views", "T003"


@in_words
def _another_length(store: Damaged) -> tuple[str, str | None]:
    store.sql(f"UPDATE {WORDS}_docsize SET sz = x'7f' WHERE id = ?", number(store, "T003"))
    return "views", "T003"


@in_words
def _counted_as_longer(store: Damaged) -> tuple[str, str | None]:
    store.sql(f"UPDATE {DOCUMENTS} SET length = 1000000 WHERE key = 'T003'")
    return "views", "T003"


@in_words
def _words_without_a_key(store: Damaged) -> tuple[str, str | None]:
    store.sql(f"INSERT INTO {WORDS}(rowid, text) VALUES(77, 'nobody')")
    return "database", None


@in_words
def _other_totals(store: Damaged) -> tuple[str, str | None]:
    store.sql(f"UPDATE {WORDS}_data SET block = x'7f7f' WHERE id = 1")
    return "database", None


@pytest.mark.parametrize("plant", IN_WORDS.values(), ids=IN_WORDS)
def test_what_searches_see_unlike_a_rebuild_is_found_and_named(
    store: Damaged, plant: Plant
) -> None:
    expected = plant(store)

    report = store.verify()

    assert report.exit_code == 2
    assert expected in named(report)
    assert all(found.message for found in report.findings)


def test_a_rebuild_mends_what_searches_see(store: Damaged) -> None:
    _other_words(store)

    with store.opened() as app:
        app.store.rebuild(store.project)

    assert store.verify().exit_code == 0


# The database itself.


def test_a_damaged_index_is_seen_by_the_database_itself(store: Damaged) -> None:
    [[page, size]] = store.sql(
        "SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = ?",
        "journal_session",
    )
    path = store.folder / "hansard.db"
    content = bytearray(path.read_bytes())
    found = content.rindex(b"default.", (page - 1) * size, page * size)
    content[found] ^= 1
    path.write_bytes(content)

    report = store.verify()

    assert (report.exit_code, named(report)) == (2, {("database", None)})
    assert report.as_dict()["findings"][0]["message"].startswith("SQLite finds its file damaged")
    assert store.verify(quick=True).exit_code == 0


@pytest.mark.root
@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("mount") is None, reason="mounting needs root"
)
def test_the_database_is_asked_also_where_nothing_can_be_written(
    store: Damaged, tmp_path: Path
) -> None:
    _other_words(store)
    mounted = Damaged(tmp_path / "mounted")
    mounted.folder.mkdir()
    subprocess.run(["mount", "--bind", store.folder, mounted.folder], check=True)
    subprocess.run(["mount", "-o", "remount,ro,bind", mounted.folder], check=True)
    try:
        report = mounted.verify()
    finally:
        subprocess.run(["umount", mounted.folder], check=True)

    assert (report.exit_code, named(report)) == (2, {("views", "T003")})


# A project whose head is gone.


@pytest.mark.parametrize("quick", [True, False])
def test_a_deleted_head_does_not_hide_its_project(store: Damaged, quick: bool) -> None:
    store.sql("DELETE FROM heads WHERE project = ?", store.project)

    report = store.verify(quick=quick)

    assert report.exit_code == 2
    told = " ".join(found.message for found in report.findings if found.check == "database")
    assert all(table in told for table in ("journal", "blobs", "rows_toy_notes_v1", DOCUMENTS))


@pytest.mark.parametrize("table", ["journal", "blobs", ACTIVITY_TABLE])
def test_even_one_row_without_a_head_is_found(store: Damaged, table: str) -> None:
    column = "number" if table == "journal" else "project"
    far = 99 << 40 if table == "journal" else 99
    [[columns]] = store.sql(
        f"SELECT group_concat(name) FROM pragma_table_info('{table}') WHERE name <> '{column}'"
    )
    store.sql(
        f"INSERT INTO {table}({column}, {columns}) SELECT {far}, {columns} FROM {table} LIMIT 1"
    )

    report = store.verify(quick=True)

    assert (report.exit_code, named(report)) == (2, {("database", None)})


# The same in PostgreSQL.


@pytest.fixture
def elsewhere(emptied_postgres: str) -> Iterator[tuple[Application, psycopg.Connection]]:
    """Give a store with some notes in PostgreSQL, and a connection to abuse it by."""
    app = start.start(
        Settings(),
        lambda _, schema: PostgresEngine(emptied_postgres, schema),
        known=Catalog([*start.catalog().capabilities, toy.CAPABILITY]),
    )
    caller: Caller = a_caller()
    for text in ("first", "second", "third"):
        app.call("toy_note", {"text": text}, caller)
    assert verify(app.store).findings == ()
    with psycopg.connect(emptied_postgres, autocommit=True) as connection:
        yield app, connection
    app.close()


IN_POSTGRES = {
    "other words": "UPDATE hansard.toy_words_words_v1 SET words = '''forged'':1A' WHERE key = %s",
    "another weight": "UPDATE hansard.toy_words_words_v1 SET words = setweight(words, 'B') "
    "WHERE key = %s",
    "another length": "UPDATE hansard.toy_words_words_v1 SET length = 1000000 WHERE key = %s",
    "a document gone": "DELETE FROM hansard.toy_words_words_v1 WHERE key = %s",
    "a document added": "INSERT INTO hansard.toy_words_words_v1(project, key, words, length) "
    "SELECT project, 'forged', words, length FROM hansard.toy_words_words_v1 WHERE key = %s",
}


@pytest.mark.postgres
@pytest.mark.parametrize("planted", IN_POSTGRES)
def test_what_searches_see_in_postgresql_is_compared(
    elsewhere: tuple[Application, psycopg.Connection], planted: str
) -> None:
    app, connection = elsewhere
    connection.execute(IN_POSTGRES[planted].encode(), ("T002",))

    report = verify(app.store)

    key = "forged" if planted == "a document added" else "T002"
    assert (report.exit_code, named(report)) == (2, {("views", key)})


@pytest.mark.postgres
@pytest.mark.parametrize("quick", [True, False])
def test_a_deleted_head_in_postgresql_does_not_hide_its_project(
    elsewhere: tuple[Application, psycopg.Connection], quick: bool
) -> None:
    app, connection = elsewhere
    connection.execute("DELETE FROM hansard.heads WHERE project = 'default'")

    report = verify(app.store, quick=quick)

    assert report.exit_code == 2
    told = [found.message for found in report.findings if found.check == "database"]
    assert any("journal" in message and "default" in message for message in told)


@pytest.mark.postgres
def test_postgresql_proves_its_indexes_where_it_has_what_it_takes(
    elsewhere: tuple[Application, psycopg.Connection],
) -> None:
    app, connection = elsewhere
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS amcheck")
    except psycopg.Error:
        pytest.skip("this PostgreSQL comes without amcheck")
    same = "FUNCTION hansard.same(text) RETURNS text IMMUTABLE LANGUAGE plpgsql"
    connection.execute(f"CREATE {same} AS 'BEGIN RETURN $1; END'".encode())
    try:
        connection.execute("CREATE INDEX off ON hansard.journal (hansard.same(kind || seq))")
        before = app.store.engine.check(thorough=True)
        # Now the index is not what the table says, as after a bad disk.
        connection.execute(f"CREATE OR REPLACE {same} AS 'BEGIN RETURN reverse($1); END'".encode())
        report = verify(app.store)
        quick = verify(app.store, quick=True)
    finally:
        connection.execute("DROP FUNCTION hansard.same CASCADE")

    assert (before, quick.exit_code) == ([], 0)
    assert (report.exit_code, named(report)) == (2, {("database", None)})
    assert "off" in report.findings[0].message
