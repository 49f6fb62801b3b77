"""The room that is kept aside on disk: when it counts as there, how it is taken and given back."""

import os
from pathlib import Path

import pytest

from hansard.engines.sqlite.reserve import (
    DATABASE_SHARE,
    OPENING_BYTES,
    RESERVE_BYTES_MAX,
    RESERVE_BYTES_MIN,
    ROOM_FACTOR,
    Reserve,
)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "journal.db"
    path.write_bytes(b"small")
    return path


@pytest.fixture
def reserve(tmp_path: Path, database: Path) -> Reserve:
    return Reserve(tmp_path / "reserve", database)


def room_of(reserve: Reserve) -> int:
    return reserve._path.stat().st_size


def with_free(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Have the disk say that so much is free."""
    real = os.statvfs

    def statvfs(path: Path) -> os.statvfs_result:
        values = list(real(path))
        values[1], values[4] = 1, size
        return os.statvfs_result(values)

    monkeypatch.setattr(os, "statvfs", statvfs)


def test_there_is_none_until_it_is_taken(reserve: Reserve) -> None:
    assert not reserve.look()

    reserve.fill()

    assert reserve.is_whole
    assert reserve.look()
    assert room_of(reserve) == RESERVE_BYTES_MIN


@pytest.mark.parametrize("size", [0, RESERVE_BYTES_MIN * 4, RESERVE_BYTES_MAX * 4])
def test_it_is_a_share_of_the_database_within_bounds(
    reserve: Reserve, database: Path, size: int
) -> None:
    os.truncate(database, size)

    reserve.fill()

    share = min(max(size // DATABASE_SHARE, RESERVE_BYTES_MIN), RESERVE_BYTES_MAX)
    assert room_of(reserve) == share


def test_what_is_there_is_not_taken_again(reserve: Reserve) -> None:
    reserve.fill()
    os.utime(reserve._path, (1, 1))

    reserve.fill()

    assert reserve._path.stat().st_mtime == 1


def test_a_file_as_long_without_room_of_its_own_does_not_count(reserve: Reserve) -> None:
    reserve._path.touch()
    os.truncate(reserve._path, RESERVE_BYTES_MIN)
    if reserve._path.stat().st_blocks:
        pytest.skip("this file system has no files without room of their own")

    assert not reserve.look()
    reserve.fill()

    assert reserve.look()
    assert reserve._path.stat().st_blocks * 512 >= RESERVE_BYTES_MIN


def test_a_database_that_has_grown_wants_more(reserve: Reserve, database: Path) -> None:
    reserve.fill()
    os.truncate(database, RESERVE_BYTES_MIN * DATABASE_SHARE * 2)

    assert not reserve.look()


def test_a_part_of_it_is_given_back_and_the_rest_stays(reserve: Reserve) -> None:
    reserve.fill()

    assert reserve.spend(OPENING_BYTES)

    assert room_of(reserve) == RESERVE_BYTES_MIN - OPENING_BYTES
    assert not reserve.is_whole


def test_what_is_spent_whole_cannot_be_spent_again(reserve: Reserve) -> None:
    reserve.fill()

    assert reserve.spend()
    assert room_of(reserve) == 0
    assert not reserve.spend()


def test_where_it_never_was_there_is_nothing_to_spend(reserve: Reserve) -> None:
    assert not reserve.spend()


@pytest.mark.parametrize(("free", "is_taken"), [(0, True), (-1, False)])
def test_it_never_takes_the_last_room(
    reserve: Reserve, monkeypatch: pytest.MonkeyPatch, free: int, is_taken: bool
) -> None:
    with_free(monkeypatch, ROOM_FACTOR * RESERVE_BYTES_MIN + free)

    reserve.fill()

    assert reserve.is_whole is is_taken
    assert reserve.look() is is_taken


def test_what_is_left_is_taken_back_though_it_is_less(
    reserve: Reserve, monkeypatch: pytest.MonkeyPatch
) -> None:
    reserve.fill()
    reserve.spend()
    with_free(monkeypatch, OPENING_BYTES)

    reserve.save_rest()

    assert room_of(reserve) == OPENING_BYTES


def test_a_disk_that_gives_only_some_of_it_gets_that_back(
    reserve: Reserve, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(descriptor: int, offset: int, size: int) -> None:
        os.ftruncate(descriptor, size // 2)
        raise OSError("no room")

    monkeypatch.setattr(os, "posix_fallocate", refused)

    reserve.fill()

    assert not reserve.is_whole
    assert room_of(reserve) == 0
