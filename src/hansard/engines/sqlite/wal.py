"""Whether the write-ahead log is readable to its end. SQLite silently stops at a damaged frame.

The format is SQLite's, as its documentation lays it down: a header of 32 bytes, then frames, each
a header of 24 bytes and a page, with checksums that run on from frame to frame.
"""

import struct
import sys
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

HEADER_BYTES = 32
FRAME_HEADER_BYTES = 24
MAGIC = 0x377F0682
"""The magic number of a log with little-endian checksums; one more if they are big-endian."""
PAGE_BYTES_MIN, PAGE_BYTES_MAX = 512, 65_536
LOOKS = 4
"""How often a log is read at most: one that is being written does not look damaged twice."""

_WORD = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class _Damage:
    """The first frame that cannot be read, and how many of the same log come after it."""

    header: bytes
    frame: int
    """0 is the header of the log."""
    after: int


def faults(path: Path) -> Iterator[str]:
    """Say where a log is damaged, if commits after that place are lost."""
    before = None
    for _ in range(LOOKS):
        found = _look(path)
        if found is None:
            return
        if before and (found.header, found.frame) == (before.header, before.frame):
            place = f"at frame {found.frame}" if found.frame else "in its header"
            yield (
                f"The write-ahead log is damaged {place}; "
                f"{found.after} frames after it cannot be read"
            )
            return
        before = found


def _look(path: Path) -> _Damage | None:
    """Go along the frames. Those of an older log, which has been written back, are no loss."""
    try:
        with path.open("rb") as log:
            return _damage(log)
    except FileNotFoundError:
        return None


def _damage(log: BinaryIO) -> _Damage | None:
    header = log.read(HEADER_BYTES)
    if len(header) < HEADER_BYTES:
        return None
    magic, _, page_bytes = struct.unpack(">III", header[:12])
    is_big = magic == MAGIC + 1
    sums = _checksum(header[:24], (0, 0), is_big=is_big)
    is_headed = magic in {MAGIC, MAGIC + 1} and sums == struct.unpack(">II", header[24:])
    if not is_headed:
        lost = _lost(log, None, _page_bytes(page_bytes), is_ended=True)
        return _Damage(header, 0, lost) if lost else None
    number = 0
    while frame := _frame(log, page_bytes):
        number += 1
        sums = _checksum(frame[:8], sums, is_big=is_big)
        sums = _checksum(frame[FRAME_HEADER_BYTES:], sums, is_big=is_big)
        if frame[8:16] != header[16:24] or sums != struct.unpack(">II", frame[16:24]):
            lost = _lost(log, header[16:24], page_bytes, is_ended=_commits(frame, header[16:24]))
            return _Damage(header, number, lost) if lost else None
    return None


def _lost(log: BinaryIO, salts: bytes | None, page_bytes: int, *, is_ended: bool) -> int:
    """Count the frames from here to the last commit of this log, or of that of the first frame.

    What an undone transaction left has no commit, so it is not missed. The damaged frame may just
    be torn, by a power cut before it was synced; but then it is the last one, since nobody writes
    on before the one before is synced.
    """
    count = lost = 0
    while frame := _frame(log, page_bytes):
        count += 1
        salts = salts or frame[8:16]
        if _commits(frame, salts):
            lost = count if is_ended else 0
            is_ended = True
    return lost


def _commits(frame: bytes, salts: bytes) -> bool:
    """Whether a frame of this log ends a transaction."""
    return frame[8:16] == salts and any(frame[4:8])


def _frame(log: BinaryIO, page_bytes: int) -> bytes:
    """Read the next frame; nothing if there is no whole one."""
    size = FRAME_HEADER_BYTES + page_bytes
    frame = log.read(size)
    return frame if len(frame) == size else b""


def _page_bytes(said: int) -> int:
    """Give the size of a page that a damaged header says, or the usual one."""
    is_size = PAGE_BYTES_MIN <= said <= PAGE_BYTES_MAX and said & (said - 1) == 0
    return said if is_size else 4096


def _checksum(words: bytes, sums: tuple[int, int], *, is_big: bool) -> tuple[int, int]:
    numbers = array("I", words)
    if is_big != (sys.byteorder == "big"):
        numbers.byteswap()
    first, second = sums
    pairs = iter(numbers)
    for one, other in zip(pairs, pairs, strict=True):
        first = (first + one + second) & _WORD
        second = (second + other + first) & _WORD
    return first, second
