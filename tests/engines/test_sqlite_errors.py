"""What SQLite and the system refuse is said in words, and says whether anything was written."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from hansard.engines.sqlite import errors
from hansard.engines.sqlite.errors import (
    DATABASE_TROUBLE,
    FAILED,
    READ_ONLY,
    ROOM_BYTES_MIN,
    TEMPORARY_FULL,
    Stop,
    can_write,
    is_read_only,
    is_without_room,
    refusal,
    refusals,
)
from hansard.kernel.problem import StorageUnavailable
from tests.engines.test_sqlite_reserve import with_free


def failed(code: int) -> apsw.Error:
    """Give the error that SQLite's code becomes."""
    error = apsw.exception_for(code)
    assert isinstance(error, apsw.Error)
    return error


SAID = {
    apsw.SQLITE_IOERR_FSYNC: ("the disk failed", "unknown"),
    apsw.SQLITE_IOERR_READ: ("the disk failed", "unknown"),
    apsw.SQLITE_CORRUPT: ("the database file is damaged", "not_written"),
    apsw.SQLITE_NOTADB: ("the database file is damaged", "not_written"),
    apsw.SQLITE_ERROR: ("the database file is damaged", "not_written"),
    apsw.SQLITE_BUSY: ("it was busy for too long", "not_written"),
    apsw.SQLITE_CANTOPEN: ("its files cannot be opened", "not_written"),
    apsw.SQLITE_READONLY: ("it is read-only here", "not_written"),
    apsw.SQLITE_FULL: ("the disk is full", "not_written"),
}


@pytest.mark.parametrize(("code", "said"), SAID.items())
def test_each_code_of_sqlite_has_its_words(code: int, said: tuple[str, str]) -> None:
    problem = refusal("Nothing", failed(code))

    assert problem is not None
    assert (str(problem), problem.details.get("outcome")) == (f"Nothing: {said[0]}", said[1])


def test_only_a_write_is_in_doubt_once_the_disk_failed() -> None:
    problem = refusal("Nothing", failed(apsw.SQLITE_IOERR_READ), writes=False)

    assert problem is not None
    assert problem.details["outcome"] == "not_written"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.EROFS, "read-only"), READ_ONLY.message),
        (OSError(errno.ENOSPC, "No space left"), "Nothing: No space left"),
        (OSError(), "Nothing: the system refused"),
    ],
)
def test_what_the_system_refuses_is_said_in_its_words(error: OSError, said: str) -> None:
    problem = refusal("Nothing", error)

    assert problem is not None
    assert (str(problem), problem.details["outcome"]) == (said, "not_written")


@pytest.mark.parametrize(
    "error", [BrokenPipeError(), failed(apsw.SQLITE_MISUSE), ValueError(), LookupError()]
)
def test_what_is_no_refusal_is_none(error: Exception) -> None:
    assert refusal("Nothing", error) is None


@pytest.mark.parametrize("error", [failed(apsw.SQLITE_MISUSE), BrokenPipeError(), LookupError()])
def test_what_is_no_refusal_comes_out_as_it_is(error: Exception) -> None:
    stopped: list[Stop] = []

    with pytest.raises(type(error)), refusals("Nothing", stopped.append):
        raise error

    assert stopped == []


@pytest.mark.parametrize("code", SAID)
def test_writing_stops_once_the_disk_failed_and_by_nothing_else(code: int) -> None:
    stopped: list[Stop] = []

    with pytest.raises(StorageUnavailable) as caught, refusals("Nothing", stopped.append):
        raise failed(code)
    with pytest.raises(StorageUnavailable) as looked, refusals("Nothing"):
        raise failed(code)

    is_failure = SAID[code][1] == "unknown"
    assert stopped == [FAILED] * is_failure
    assert caught.value.details["outcome"] == SAID[code][1]
    assert looked.value.details["outcome"] == "not_written"


@pytest.mark.parametrize("more", [-1, 0])
def test_a_full_folder_for_temporary_files_is_named_as_such(
    monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    with_free(monkeypatch, ROOM_BYTES_MIN + more)

    problem = refusal("Nothing", failed(apsw.SQLITE_FULL))

    assert problem is not None
    reason = TEMPORARY_FULL[0] if more else "the disk is full"
    assert str(problem) == f"Nothing: {reason}"


def test_the_folder_for_temporary_files_is_the_first_that_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    monkeypatch.setattr(errors, "TEMPORARY_FOLDERS", (("ONE", "OTHER"), (str(second), "/")))
    monkeypatch.setenv("OTHER", str(first))

    found = [errors._temporary_folder()]
    second.mkdir()
    found.append(errors._temporary_folder())
    first.mkdir()
    found.append(errors._temporary_folder())
    monkeypatch.setattr(errors, "TEMPORARY_FOLDERS", ((), ()))

    assert found == ["/", str(second), str(first)]
    assert errors._temporary_folder() == "."


def test_a_store_has_no_room_if_the_disk_or_the_shared_memory_is_full() -> None:
    codes = {
        apsw.SQLITE_FULL: True,
        apsw.SQLITE_IOERR_SHMSIZE: True,
        apsw.SQLITE_IOERR_WRITE: False,
        apsw.SQLITE_CANTOPEN: False,
    }

    assert {code: is_without_room(failed(code)) for code in codes} == codes


def test_only_a_write_that_failed_there_says_that_a_file_system_is_read_only() -> None:
    connection = apsw.Connection(":memory:")

    assert not is_read_only(failed(apsw.SQLITE_IOERR_WRITE), connection)
    assert not is_read_only(failed(apsw.SQLITE_READONLY), connection)


REFUSED: dict[int, bool] = {
    **dict.fromkeys([errno.EROFS, errno.EACCES, errno.EPERM], False),
    **dict.fromkeys([errno.ENOSPC, errno.EIO, errno.ENOENT], True),
}


@pytest.mark.parametrize(("code", "can"), REFUSED.items())
def test_a_folder_that_says_no_cannot_be_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, *, can: bool
) -> None:
    def refused(_: Path) -> None:
        raise OSError(code, os.strerror(code))

    assert can_write(tmp_path)
    monkeypatch.setattr(os, "utime", refused)
    assert can_write(tmp_path) is can


def test_a_folder_without_the_right_to_write_is_not_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Path] = []
    access: Callable[[Path, int], bool] = lambda _path, _how: False  # noqa: E731
    monkeypatch.setattr(os, "access", access)
    monkeypatch.setattr(os, "utime", tried.append)

    assert not can_write(tmp_path)
    assert tried == []
    assert can_write(tmp_path / "not there yet")


def test_what_is_trouble_of_the_database_fails_all_of_a_batch() -> None:
    codes = {
        *(apsw.SQLITE_IOERR_READ, apsw.SQLITE_FULL, apsw.SQLITE_CORRUPT),
        *(apsw.SQLITE_READONLY, apsw.SQLITE_CANTOPEN),
    }
    others = {apsw.SQLITE_CONSTRAINT, apsw.SQLITE_ERROR, apsw.SQLITE_BUSY}

    assert {code for code in codes | others if isinstance(failed(code), DATABASE_TROUBLE)} == codes
