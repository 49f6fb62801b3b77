"""Where a write-ahead log is damaged, told by logs that are built here as SQLite lays them down."""

import struct
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path

import pytest

from hansard.engines.sqlite import wal

SALTS, OLDER = b"saltsalt", b"of older"
ORDER = {"<": 0x377F0682, ">": 0x377F0683}

Frame = tuple[int, bytes]
"""Of how many pages the database is after it, 0 within a transaction; and its salts."""


def checksum(order: str, data: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    for one, other in struct.iter_unpack(f"{order}II", data):
        first = (first + one + second) % 2**32
        second = (second + other + first) % 2**32
    return first, second


def log(frames: Iterable[Frame], *, order: str = "<", page_bytes: int = 512) -> bytes:
    head = struct.pack(">IIII", ORDER[order], 3007000, page_bytes, 0) + SALTS
    sums = checksum(order, head, (0, 0))
    built = head + struct.pack(">II", *sums)
    for number, (commits, salts) in enumerate(frames, start=1):
        page = bytes([number]) * page_bytes
        begins = struct.pack(">II", number, commits)
        if salts == SALTS:
            sums = checksum(order, page, checksum(order, begins, sums))
        built += begins + salts + struct.pack(">II", *sums) + page
    return built


def flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :]


def frame_at(number: int, page_bytes: int = 512) -> int:
    return wal.HEADER_BYTES + (number - 1) * (wal.FRAME_HEADER_BYTES + page_bytes)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hansard.db-wal"


def told(path: Path, data: bytes) -> list[str]:
    path.write_bytes(data)
    return list(wal.faults(path))


def lost(place: str, after: int) -> list[str]:
    return [
        f"The write-ahead log is damaged {place}; {after} frames after it cannot be read",
    ]


EACH_COMMITS: Sequence[Frame] = [(number, SALTS) for number in range(1, 6)]


@pytest.mark.parametrize("order", ORDER)
@pytest.mark.parametrize("page_bytes", [512, 4096, 65536])
def test_a_sound_log_has_no_fault(path: Path, order: str, page_bytes: int) -> None:
    assert told(path, log(EACH_COMMITS, order=order, page_bytes=page_bytes)) == []


@pytest.mark.parametrize("order", ORDER)
@pytest.mark.parametrize("frame", [1, 2, 4])
@pytest.mark.parametrize("byte", [0, 4, 8, 16, 20, 23, 24, 24 + 511])
def test_any_byte_of_a_frame_that_is_otherwise_is_told_with_what_is_lost(
    path: Path, order: str, frame: int, byte: int
) -> None:
    data = flipped(log(EACH_COMMITS, order=order), frame_at(frame) + byte)

    # A frame whose salts are others is of no transaction of this log.
    after = 5 - frame if byte != 8 else 5 - frame - 1
    expected = lost(f"at frame {frame}", 5 - frame) if after else []
    assert told(path, data) == expected


def test_the_last_transaction_may_be_torn(path: Path) -> None:
    whole = log(EACH_COMMITS)
    open_ended = log([(1, SALTS), (0, SALTS), (0, SALTS), (4, SALTS)])

    assert told(path, flipped(whole, frame_at(5))) == []
    assert told(path, whole[:-1]) == []
    assert told(path, flipped(open_ended, frame_at(2) + 30)) == []
    assert told(path, flipped(open_ended, frame_at(3) + 30)) == []


def test_damage_before_a_later_transaction_is_no_torn_end(path: Path) -> None:
    frames = [(0, SALTS), (2, SALTS), (0, SALTS), (4, SALTS)]

    assert told(path, flipped(log(frames), frame_at(1) + 30)) == lost("at frame 1", 3)
    assert told(path, flipped(log(frames), frame_at(2) + 30)) == lost("at frame 2", 2)


def test_what_was_undone_or_is_of_an_older_log_is_not_missed(path: Path) -> None:
    undone = [(1, SALTS), (2, SALTS), (3, SALTS), (0, SALTS), (0, SALTS)]
    older = [(1, SALTS), (2, SALTS), (3, SALTS), (9, OLDER), (9, OLDER)]

    assert told(path, flipped(log(undone), frame_at(2) + 30)) == lost("at frame 2", 1)
    assert told(path, flipped(log(older), frame_at(2) + 30)) == lost("at frame 2", 1)
    assert told(path, flipped(log(older), frame_at(3) + 30)) == []
    assert told(path, log(older)) == []


@pytest.mark.parametrize("byte", [0, 3, 4, 12, 16, 24, 28, 31])
@pytest.mark.parametrize("page_bytes", [512, 65536])
def test_a_damaged_header_loses_all_that_comes_after(
    path: Path, byte: int, page_bytes: int
) -> None:
    data = flipped(log(EACH_COMMITS, page_bytes=page_bytes), byte)

    assert told(path, data) == lost("in its header", 5)


@pytest.mark.parametrize("said", [0, 256, 1000, 131_072])
def test_a_header_that_says_no_size_of_a_page_is_read_with_the_usual_one(
    path: Path, said: int
) -> None:
    data = bytearray(log(EACH_COMMITS, page_bytes=4096))
    data[8:12] = struct.pack(">I", said)

    assert told(path, bytes(data)) == lost("in its header", 5)


def test_a_damaged_header_with_nothing_after_it_loses_nothing(path: Path) -> None:
    empty = log([])

    assert told(path, flipped(empty, 0)) == []
    assert told(path, empty) == []
    assert told(path, empty[:-1]) == []
    assert told(path, b"") == []
    assert told(path, flipped(log([(0, SALTS), (0, SALTS)]), 0)) == []


class Changing:
    """A log that is another at each look."""

    def __init__(self, *looks: bytes) -> None:
        self._looks = list(looks)

    def open(self, _: str) -> BytesIO:
        return BytesIO(self._looks.pop(0))


def faults(*looks: bytes) -> list[str]:
    return list(wal.faults(Changing(*looks)))  # type: ignore[arg-type]


def test_a_log_that_is_being_written_is_looked_at_again() -> None:
    whole = log(EACH_COMMITS)
    damaged = [flipped(whole, frame_at(frame) + 30) for frame in (1, 2, 3)]

    assert faults(damaged[0], whole) == []
    assert faults(damaged[0], damaged[1], damaged[1]) == lost("at frame 2", 3)
    assert faults(*damaged, whole) == []
    assert faults(*damaged, damaged[0]) == []
    assert faults(damaged[0], damaged[0]) == lost("at frame 1", 4)
