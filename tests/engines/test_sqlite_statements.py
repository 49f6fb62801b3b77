"""What SQLite is asked: nothing twice in one write, and no more than a change needs."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from hansard.engines.sqlite import SqliteEngine, write_transaction
from hansard.kernel.engine import Schema, Table, Topic, WriteTx

PLAIN = Table("plain", {"name": "text"}, (("name",),))
BARE = Table("bare", {"name": "text"})
KEPT = Table("kept", {"name": "text"}, (("name",),), history=True)
WORDS = Topic("papers", PLAIN, {"title": 1.0})
SCHEMA = Schema((PLAIN, BARE, KEPT), (WORDS,))


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[SqliteEngine]:
    with closing(SqliteEngine(tmp_path, SCHEMA)) as engine:

        def fill(tx: WriteTx) -> None:
            for table in SCHEMA.tables:
                for key in "abc":
                    tx.put(table, key, {"name": "x", "text": "old"}, seq=1)
            tx.index(WORDS, "a", {"title": "a word"})

        engine.write("p", fill)
        yield engine


def said(engine: SqliteEngine, work: Callable[[WriteTx], object]) -> list[str]:
    """Give the statements about views that a write made."""
    statements: list[str] = []

    def note(_cursor: apsw.Cursor, statement: str, _values: object) -> bool:
        statements.append(statement)
        return True

    engine._writer.exec_trace = note
    try:
        engine.write("p", work)
    finally:
        engine._writer.exec_trace = None
    return [
        statement.split(" ")[0]
        for statement in statements
        if any(name in statement for name in ("rows_", "words_", "documents_"))
    ]


def test_a_row_is_asked_for_once_in_a_write(engine: SqliteEngine) -> None:
    def work(tx: WriteTx) -> None:
        for _ in range(3):
            assert tx.get(PLAIN, "a") == {"name": "x", "text": "old"}
            assert tx.get(PLAIN, "none") is None

    assert said(engine, work) == ["SELECT", "SELECT"]


def test_a_row_that_was_put_or_deleted_is_not_asked_for(engine: SqliteEngine) -> None:
    def work(tx: WriteTx) -> None:
        tx.put(PLAIN, "new", {"name": "y"}, seq=2)
        tx.delete(PLAIN, "a", seq=2)
        assert tx.get(PLAIN, "new") == {"name": "y"}
        assert tx.get(PLAIN, "a") is None

    assert said(engine, work) == ["INSERT", "DELETE"]


def test_what_was_seen_is_not_relied_on_once_tables_are_cleared(engine: SqliteEngine) -> None:
    def work(tx: WriteTx) -> None:
        assert tx.get(PLAIN, "a")
        tx.clear([PLAIN], [])
        assert tx.get(PLAIN, "a") is None

    assert said(engine, work) == ["SELECT", "DELETE", "SELECT"]


def test_as_many_rows_are_remembered_as_are_allowed(
    engine: SqliteEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_transaction, "ROWS_KNOWN_MAX", 2)

    def work(tx: WriteTx, keys: str) -> None:
        for key in keys:
            tx.get(PLAIN, key)

    assert len(said(engine, lambda tx: work(tx, "abab"))) == 2
    assert len(said(engine, lambda tx: work(tx, "abca"))) == 4


@pytest.mark.parametrize(
    ("table", "row", "statements"),
    [
        (PLAIN, {"name": "x", "text": "new"}, ["SELECT", "UPDATE"]),
        (PLAIN, {"name": "y", "text": "old"}, ["SELECT", "INSERT"]),
        (BARE, {"name": "x", "text": "new"}, ["SELECT", "INSERT"]),
        (KEPT, {"name": "x", "text": "new"}, ["SELECT", "UPDATE", "INSERT"]),
    ],
)
def test_a_row_whose_fields_stay_keeps_its_place_in_the_indexes(
    engine: SqliteEngine, table: Table, row: dict[str, str], statements: list[str]
) -> None:
    def work(tx: WriteTx) -> None:
        assert tx.get(table, "a")
        tx.put(table, "a", row, seq=2)

    assert said(engine, work) == statements
    assert engine.read("p", lambda tx: tx.get(table, "a")) == row
    found = engine.read("p", lambda tx: tx.scan(table, {"name": row["name"]}, limit=9))
    assert "a" in [one.key for one in found]


def test_a_topic_that_only_this_project_has_is_emptied_at_once(engine: SqliteEngine) -> None:
    engine.write("q", lambda tx: tx.index(WORDS, "z", {"title": "other words"}))
    shared = said(engine, lambda tx: tx.clear([], [WORDS]))
    engine.write("q", lambda tx: tx.clear([], [WORDS]))
    engine.write("p", lambda tx: tx.index(WORDS, "a", {"title": "a word"}))

    alone = said(engine, lambda tx: tx.clear([], [WORDS]))

    assert (shared, alone) == (["SELECT", "DELETE", "DELETE"], ["SELECT", "INSERT", "DELETE"])


def test_emptying_a_topic_leaves_those_of_projects_before_and_after_it(
    engine: SqliteEngine,
) -> None:
    for project in "oqr":
        engine.write(project, lambda tx: tx.index(WORDS, "z", {"title": "a word"}))
        engine.write(project, lambda tx: tx.put(PLAIN, "z", {"name": "x"}, seq=1))

    engine.write("q", lambda tx: tx.clear([], [WORDS]))

    found = {
        project: len(engine.read(project, lambda tx: tx.search(WORDS, "word", limit=9)))
        for project in "opqr"
    }
    assert found == {"o": 1, "p": 1, "q": 0, "r": 1}


def test_work_that_fails_commits_nothing_and_is_no_news(engine: SqliteEngine) -> None:
    with closing(engine.watch()) as watch:

        def fail(tx: WriteTx) -> None:
            tx.put(PLAIN, "a", {"name": "z"}, seq=2)
            raise LookupError

        with pytest.raises(LookupError):
            said(engine, fail)

        assert not watch.wait(0)
    assert engine.read("p", lambda tx: tx.get(PLAIN, "a")) == {"name": "x", "text": "old"}


def test_a_store_that_is_laid_out_is_opened_without_a_write(
    engine: SqliteEngine, tmp_path: Path
) -> None:
    before = (tmp_path / "hansard.db-wal").read_bytes()

    with closing(SqliteEngine(tmp_path, SCHEMA)) as other:
        assert other.read("p", lambda tx: tx.get(PLAIN, "a"))

    assert (tmp_path / "hansard.db-wal").read_bytes() == before
    assert engine.heads() == {}
