"""A view's table is made with its first row; until then it reads as empty, in every way."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import apsw
import pytest

from hansard.engines.sqlite import SqliteEngine
from hansard.engines.sqlite.schema import BASE
from hansard.kernel.engine import Schema, Table, Topic, WriteTx
from hansard.kernel.problem import StorageUnavailable

PLAIN = Table("plain", {"name": "text"}, (("name",),))
KEPT = Table("kept", {"name": "text"}, (("name",),), history=True)
WORDS = Topic("papers", KEPT, {"title": 1.0})
SCHEMA = Schema((PLAIN, KEPT), (WORDS,))

Open = Callable[..., SqliteEngine]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Open engines on the same store, each as another process would."""
    with ExitStack() as stack:

        def opener(schema: Schema = SCHEMA) -> SqliteEngine:
            engine = SqliteEngine(tmp_path, schema)
            stack.callback(engine.close)
            return engine

        yield opener


def made(store: Path, kind: str = "table") -> set[str]:
    """Name what views have in the database."""
    connection = apsw.Connection(str(store / "hansard.db"))
    names = {
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = ?", (kind,))
        if name.startswith(("rows_", "words_", "documents_"))
    }
    connection.close()
    return names


def put(name: str) -> Callable[[WriteTx], None]:
    return lambda tx: tx.put(PLAIN, name, {"name": name}, seq=1)


def test_a_new_store_has_no_table_of_a_view_and_all_of_them_read_as_empty(
    opened: Open, tmp_path: Path
) -> None:
    engine = opened()
    engine.write("p", lambda tx: tx.mark_views("a"))

    def look(tx: WriteTx) -> list[object]:
        tx.delete(PLAIN, "k", seq=1)
        tx.delete(KEPT, "k", seq=1)
        tx.index(WORDS, "k", None)
        tx.clear(SCHEMA.tables, SCHEMA.topics)
        return [
            tx.get(PLAIN, "k"),
            tx.get(KEPT, "k", as_of=1),
            tx.versions(KEPT, "k"),
            tx.scan(PLAIN, {"name": "x"}, order="name", limit=9),
            tx.tally(PLAIN),
            tx.tally(KEPT, by="name"),
            tx.search(WORDS, "word", limit=9),
        ]

    assert engine.write("p", look) == [None, None, [], [], {}, {}, []]
    assert made(tmp_path) == set()


def test_the_first_row_makes_its_table_and_no_other(opened: Open, tmp_path: Path) -> None:
    engine = opened()
    engine.write("p", put("a"))

    assert made(tmp_path) == {"rows_plain_v1"}
    assert made(tmp_path, "index") == {"rows_plain_v1_0"}
    engine.write("p", lambda tx: tx.put(KEPT, "k", {"name": "x"}, seq=1))
    engine.write("p", lambda tx: tx.index(WORDS, "k", {"title": "a word"}))
    assert engine.read("p", lambda tx: [hit.key for hit in tx.search(WORDS, "word", limit=9)]) == [
        "k"
    ]
    assert engine.read("p", lambda tx: tx.get(KEPT, "k")) == {"name": "x"}


def test_a_document_without_a_row_is_not_found(opened: Open) -> None:
    engine = opened()
    engine.write("p", lambda tx: tx.index(WORDS, "k", {"title": "a word"}))

    assert engine.read("p", lambda tx: tx.search(WORDS, "word", limit=9)) == []


def test_a_table_of_an_undone_write_is_undone_with_it(opened: Open, tmp_path: Path) -> None:
    engine = opened()

    def fail(tx: WriteTx) -> None:
        put("a")(tx)
        raise KeyError("a")

    with pytest.raises(KeyError):
        engine.write("p", fail)

    assert made(tmp_path) == set()
    engine.write("p", put("b"))
    assert engine.read("p", lambda tx: tx.tally(PLAIN)) == {None: 1}


def test_who_had_the_store_open_before_sees_a_table_that_another_makes(opened: Open) -> None:
    engines = [opened() for _ in range(4)]
    for engine in engines:
        assert engine.read("p", lambda tx: tx.get(PLAIN, "0")) is None
    begin = threading.Barrier(len(engines))

    def first_row(number: int) -> None:
        begin.wait()
        engines[number].write("p", put(str(number)))

    threads = [threading.Thread(target=first_row, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for engine in engines:
        found = engine.read("p", lambda tx: tx.scan(PLAIN, limit=9))
        assert [one.key for one in found] == ["0", "1", "2", "3"]


def test_a_look_that_began_before_the_table_was_made_goes_on_without_it(opened: Open) -> None:
    reader, writer = opened(), opened()
    writer.write("p", lambda tx: tx.mark_views("a"))

    def look(tx: object) -> object:
        writer.write("p", put("a"))
        return tx.get(PLAIN, "a")  # type: ignore[attr-defined]

    assert reader.read("p", look) is None
    assert reader.read("p", lambda tx: tx.get(PLAIN, "a")) == {"name": "a"}


def test_a_table_that_is_there_gets_the_index_that_it_lacks(opened: Open, tmp_path: Path) -> None:
    bare = Table("plain", {"name": "text"})
    opened(Schema((bare, KEPT))).write("p", lambda tx: tx.put(bare, "a", {"name": "a"}, seq=1))
    assert made(tmp_path, "index") == set()

    opened()

    assert made(tmp_path, "index") == {"rows_plain_v1_0"}
    assert made(tmp_path) == {"rows_plain_v1"}


@pytest.mark.parametrize("table", ["heads", "journal", "blobs"])
def test_a_store_without_its_journal_is_never_taken_for_an_empty_one(
    opened: Open, tmp_path: Path, table: str
) -> None:
    assert any(f" {table}(" in statement for statement in BASE)
    opened().write("p", put("a"))
    connection = apsw.Connection(str(tmp_path / "hansard.db"))
    connection.execute(f"DROP TABLE {table}")
    connection.close()

    with pytest.raises(StorageUnavailable, match="damaged"):
        opened().read("p", lambda tx: (tx.entries(limit=1), tx.digests(limit=1)))


def test_what_matches_is_listed_through_its_index_however_much_does_not(opened: Open) -> None:
    engine = opened()

    def fill(tx: WriteTx) -> None:
        for number in range(3000):
            tx.put(PLAIN, f"k{number:05}", {"name": "much"}, seq=1)
        tx.put(PLAIN, "k00000", {"name": "little"}, seq=1)

    engine.write("p", fill)
    steps = 0

    def count() -> bool:
        nonlocal steps
        steps += 1
        return False

    connection = engine._reader()
    connection.set_progress_handler(count, 100)
    engine._readers.append(connection)

    found = engine.read(
        "p", lambda tx: tx.scan(PLAIN, {"name": "little"}, descending=True, limit=1)
    )

    assert [one.key for one in found] == ["k00000"]
    # A hundred instructions each: going through all the rows takes hundreds of them.
    assert steps < 10


def test_a_store_that_lacks_an_index_is_looked_at_all_the_same(
    opened: Open, tmp_path: Path
) -> None:
    engine = opened()
    engine.write("p", put("a"))
    engine.close()
    connection = apsw.Connection(str(tmp_path / "hansard.db"))
    connection.execute("DROP INDEX rows_plain_v1_0")
    connection.close()

    looking = SqliteEngine(tmp_path, SCHEMA, looking=True)
    found = looking.read("p", lambda tx: tx.scan(PLAIN, {"name": "a"}, limit=10))
    looking.close()

    assert [one.key for one in found] == ["a"]


@pytest.mark.parametrize("table", [PLAIN, KEPT], ids=lambda table: table.name)
def test_a_transaction_reads_and_finds_rows_as_it_last_put_them(opened: Open, table: Table) -> None:
    engine = opened()
    engine.write("p", lambda tx: tx.put(table, "k", {"name": "old", "n": 0}, seq=1))

    def work(tx: WriteTx) -> list[object]:
        seen: list[object] = [tx.get(table, "k")]
        for number, name in enumerate(["old", "new", "new"]):
            tx.put(table, "k", {"name": name, "n": number}, seq=2)
            seen.append((tx.get(table, "k"), len(tx.scan(table, {"name": name}, limit=9))))
        assert tx.scan(table, {"name": "old"}, limit=9) == []
        tx.delete(table, "k", seq=2)
        seen.append((tx.get(table, "k"), len(tx.scan(table, limit=9))))
        tx.put(table, "k", {"name": "again", "n": 9}, seq=2)
        return seen

    assert engine.write("p", work) == [
        {"name": "old", "n": 0},
        *(({"name": name, "n": n}, 1) for n, name in enumerate(["old", "new", "new"])),
        (None, 0),
    ]
    assert engine.read("p", lambda tx: tx.get(table, "k")) == {"name": "again", "n": 9}
    assert engine.read("p", lambda tx: tx.filed(table, limit=9)) == {"k": True}
    if table.history:
        versions = engine.read("p", lambda tx: tx.versions(table, "k"))
        assert [(one.row["name"], one.from_seq, one.to_seq) for one in versions] == [
            ("old", 1, 2),
            ("again", 2, None),
        ]


def test_a_transaction_does_not_know_rows_that_it_has_cleared(opened: Open) -> None:
    engine = opened()
    engine.write("p", put("a"))

    def work(tx: WriteTx) -> object:
        tx.get(PLAIN, "a")
        tx.clear([PLAIN], [])
        return tx.get(PLAIN, "a")

    assert engine.write("p", work) is None


def test_work_that_fails_alone_leaves_nothing_and_the_next_goes_on(opened: Open) -> None:
    engine = opened()

    def fails(tx: WriteTx) -> None:
        put("lost")(tx)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        engine.write("p", fails)
    engine.write("p", put("kept"))

    assert engine.read("p", lambda tx: [one.key for one in tx.scan(PLAIN, limit=9)]) == ["kept"]
