"""What is left where a database is gone, opening one to look, and what its batches come to."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from hansard.engines.group_commit import Job
from hansard.engines.sqlite.batch import transact
from hansard.engines.sqlite.database import connect_to_look, remains, require_nothing_left
from hansard.engines.sqlite.engine import WAL_BYTES_KEPT, WAL_PAGES
from hansard.engines.sqlite.foreign_database import has_tables, looking_at
from hansard.engines.sqlite.wal import FRAME_HEADER_BYTES
from hansard.engines.versions import older_versions
from hansard.kernel.problem import InvalidInput, StorageUnavailable


@pytest.mark.parametrize(
    ("there", "left"),
    [
        ({}, []),
        ({"hansard.db-wal": b"log"}, ["hansard.db-wal"]),
        ({"hansard.db-wal": b""}, []),
        ({"reserve": b"", "blobs/x": b""}, ["blobs", "reserve"]),
        ({"reserve": b"", "hansard.db": b""}, ["reserve"]),
        ({"reserve": b"", "hansard.db-wal": b"log"}, ["reserve", "hansard.db-wal"]),
        ({"reserve": b"", "hansard.db-wal": b"log", "hansard.db": b"data"}, []),
        ({"hansard.db": b"data"}, []),
        ({"of others": b"data"}, []),
    ],
)
def test_what_is_left_of_a_store_whose_database_is_gone_is_named(
    tmp_path: Path, there: dict[str, bytes], left: list[str]
) -> None:
    for name, content in there.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)

    assert remains(tmp_path) == left


def test_no_new_store_is_begun_on_what_is_left_of_another(tmp_path: Path) -> None:
    require_nothing_left(tmp_path)
    require_nothing_left(tmp_path, [])
    with pytest.raises(StorageUnavailable, match="blobs, reserve"):
        require_nothing_left(tmp_path, ["blobs", "reserve"])
    (tmp_path / "reserve").touch()
    with pytest.raises(StorageUnavailable, match="reserve"):
        require_nothing_left(tmp_path)
    require_nothing_left(tmp_path, [])


def make(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "wal")
    connection.execute("CREATE TABLE things(name); INSERT INTO things VALUES('first')")
    return connection


@pytest.mark.parametrize("may_change", [False, True])
def test_a_database_that_is_looked_at_is_read_with_its_log_and_takes_nothing(
    tmp_path: Path, *, may_change: bool
) -> None:
    path = tmp_path / "a b?c.db"
    with closing(make(path)), closing(connect_to_look(path, may_change=may_change)) as looking:
        assert looking.execute("SELECT name FROM things").fetchall() == [("first",)]
        with pytest.raises(apsw.ReadOnlyError):
            looking.execute("INSERT INTO things VALUES('second')")


def test_only_a_database_that_may_change_is_looked_at_along_with_others(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    make(path).close()

    connect_to_look(path).close()
    with closing(connect_to_look(path)) as still:
        still.execute("SELECT name FROM things").fetchall()
        assert [one.name for one in tmp_path.iterdir()] == ["some.db"]
    with closing(connect_to_look(path, may_change=True)) as live:
        assert len(live.execute("SELECT name FROM things").fetchall()) == 1
        with closing(apsw.Connection(str(path))) as writer:
            writer.execute("INSERT INTO things VALUES('second')")
        assert len(live.execute("SELECT name FROM things").fetchall()) == 2


@pytest.fixture
def database(tmp_path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(tmp_path / "some.db"))
    connection.execute("CREATE TABLE things(name)")
    return connection


def put(name: str) -> Callable[[apsw.Connection], str]:
    def work(connection: apsw.Connection) -> str:
        connection.execute("INSERT INTO things VALUES(?)", (name,))
        return name

    return work


def noting(connection: apsw.Connection) -> list[str]:
    """Note what is said to a database from now on."""
    said: list[str] = []

    def note(_cursor: apsw.Cursor, statement: str, _values: object) -> bool:
        said.append(statement)
        return True

    connection.exec_trace = note
    return said


def fail(connection: apsw.Connection) -> None:
    put("of one that fails")(connection)
    raise LookupError


def break_down(connection: apsw.Connection) -> None:
    put("of one that breaks")(connection)
    raise apsw.FullError


def names(connection: apsw.Connection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM things")]


def run(connection: apsw.Connection, *works: Callable[[apsw.Connection], object]) -> list[object]:
    tried = transact(connection, [Job(work) for work in works])
    return [type(failure) if failure else result for _, (result, failure) in tried]


def test_of_several_jobs_each_fails_for_itself(database: apsw.Connection) -> None:
    assert run(database, put("a"), fail, put("b")) == ["a", LookupError, "b"]
    assert names(database) == ["a", "b"]


@pytest.mark.parametrize("works", [[fail], [fail, fail]])
def test_where_all_fail_nothing_is_written(
    database: apsw.Connection, works: list[Callable[[apsw.Connection], object]]
) -> None:
    said = noting(database)

    assert run(database, *works) == [LookupError] * len(works)
    assert names(database) == []
    assert not database.in_transaction
    assert "COMMIT" not in said


@pytest.mark.parametrize("works", [[break_down], [put("a"), break_down, put("b")]])
def test_trouble_of_the_database_undoes_all_and_comes_out(
    database: apsw.Connection, works: list[Callable[[apsw.Connection], object]]
) -> None:
    with pytest.raises(apsw.FullError):
        run(database, *works)

    assert names(database) == []
    assert not database.in_transaction
    assert run(database, put("c")) == ["c"]


def test_a_job_whose_caller_has_given_up_is_not_run(database: apsw.Connection) -> None:
    gone, there = Job(put("gone")), Job(put("there"))
    assert gone.done.call_back()

    tried = transact(database, [gone, there])

    assert [job for job, _ in tried] == [there]
    assert names(database) == ["there"]


def test_one_job_alone_needs_no_savepoint(database: apsw.Connection) -> None:
    said = noting(database)

    run(database, put("a"))
    alone = sum("SAVEPOINT" in one for one in said)
    run(database, put("a"), put("b"))

    assert (alone, sum("SAVEPOINT" in one for one in said)) == (0, 2)


@pytest.mark.parametrize(
    ("there", "known", "older"),
    [
        (["rows_a_v1", "rows_a_v2"], ["rows_a_v2"], ["rows_a_v1"]),
        (["rows_a_v3"], ["rows_a_v2"], []),
        (["rows_b_v1", "heads", "rows_a_v1x"], ["rows_a_v2"], []),
        (["rows_a_v9"], ["rows_a_v10"], ["rows_a_v9"]),
    ],
)
def test_tables_of_older_versions_are_told_from_newer_and_from_others(
    there: list[str], known: list[str], older: list[str]
) -> None:
    assert older_versions(there, known) == older


def test_what_is_no_database_of_another_program_is_said_so(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    path.write_bytes(b"SQLite format 3\0" + b"junk" * 999)

    assert not has_tables(path, "things")
    with pytest.raises(InvalidInput), looking_at(path) as looked:
        looked.columns("things")


def test_the_file_of_the_log_is_kept_as_long_as_it_grows_before_a_checkpoint() -> None:
    with closing(apsw.Connection(":memory:")) as any_database:
        page_bytes = any_database.pragma("page_size")

    assert WAL_BYTES_KEPT / 2 < WAL_PAGES * (FRAME_HEADER_BYTES + page_bytes) <= WAL_BYTES_KEPT
