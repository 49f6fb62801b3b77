"""Another program's SQLite file is looked at, whatever its tables are called, and never run."""

from pathlib import Path

import apsw
import pytest

from hansard.engines.sqlite.foreign_database import has_tables, looking_at
from hansard.kernel.problem import InvalidInput

ODD = 'a "table" of ours'


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "theirs.db"
    with apsw.Connection(str(path)) as connection:
        connection.execute(f'CREATE TABLE "{ODD.replace(chr(34), 2 * chr(34))}" ("the ""n""", at)')
        connection.execute(
            f'INSERT INTO "{ODD.replace(chr(34), 2 * chr(34))}" VALUES (1, 20), (2, 10)'
        )
        connection.execute("CREATE VIEW derived AS SELECT 1 AS one")
    return path


def test_tables_and_columns_may_have_any_name(database: Path) -> None:
    with looking_at(database) as theirs:
        assert theirs.columns(ODD) == ['the "n"', "at"]
        rows = list(theirs.rows(ODD, ['the "n"', "gone"], ["at", "gone"]))

    assert rows == [{'the "n"': 2, "gone": None}, {'the "n"': 1, "gone": None}]


def test_without_an_order_rows_come_as_they_were_written(database: Path) -> None:
    with looking_at(database) as theirs:
        assert [row["at"] for row in theirs.rows(ODD, ["at"], [])] == [20, 10]
        assert [row["at"] for row in theirs.rows(ODD, ["at"], [], where="at < 20")] == [10]


def test_whether_tables_are_there(database: Path, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no database")

    assert has_tables(database, ODD)
    assert not has_tables(database, ODD, "another")
    assert not has_tables(text, ODD)
    assert not has_tables(tmp_path / "missing", ODD)


def test_a_view_of_theirs_is_not_run(database: Path) -> None:
    with pytest.raises(InvalidInput), looking_at(database) as theirs:
        list(theirs.rows("derived", ["one"], []))


def test_nothing_that_it_says_is_trusted(database: Path) -> None:
    kinds = ("DEFENSIVE", "TRUSTED_SCHEMA", "ENABLE_VIEW", "ENABLE_TRIGGER")

    with looking_at(database) as theirs:
        # A number below nought changes nothing, and asks.
        said = [
            theirs._connection.config(getattr(apsw, f"SQLITE_DBCONFIG_{one}"), -1) for one in kinds
        ]

    assert dict(zip(kinds, said, strict=True)) == dict.fromkeys(kinds, 0) | {"DEFENSIVE": 1}


def test_nothing_is_written_to_it(database: Path) -> None:
    with pytest.raises(InvalidInput), looking_at(database) as theirs:
        theirs._connection.execute("DELETE FROM derived")
