"""Differences between two contents: the packed middle; the common ends are only counted. Pure.

Content that is saved repeatedly has mostly grown at its end or changed in a few places. Comparing
the ends costs a tenth of a search for matches, and leaves a small middle to search.
"""

import struct
from collections.abc import Callable

import zstandard

from hansard.kernel.limits import KIB, MIB

LEVEL = 3
"""Above this zstd grows slower much faster than it grows smaller."""

LONG_SPAN_BYTES = 1 * MIB
"""From here on matches are also sought at long distance, which costs time that small ones spare."""

NEAR_BYTES = 8 * KIB
"""How much of the text before the middle serves the packer as a dictionary."""

WINDOW_MAX = 1 << 27

PLAIN_BYTES_MAX = 32
"""A middle this short is stored as it is: making a packer for it takes longer than all else."""

_FRAME = b"\x28\xb5\x2f\xfd\x20"
"""The beginning of a zstd frame whose size is in the next byte."""
_LAST_BLOCK = 1
"""The sign of the last block of a frame, one of plain bytes; its length stands above it."""

_ENDS = struct.Struct("<II")


class PatchError(Exception):
    """Something is no patch, or does not fit its base."""


def make(data: bytes, base: bytes) -> bytes:
    """Encode how `data` follows from `base`."""
    most, new, old = min(len(data), len(base)), len(data), len(base)
    head = _same(most, lambda low, high: data[low:high] == base[low:high])
    tail = _same(
        most - head,
        lambda low, high: data[new - high : new - low] == base[old - high : old - low],
    )
    middle = data[head : len(data) - tail]
    if len(middle) <= PLAIN_BYTES_MAX:
        return _ENDS.pack(head, tail) + _plain(middle)
    near = base[max(0, head - NEAR_BYTES) : len(base) - tail]
    compressor = zstandard.ZstdCompressor(
        compression_params=_reaching(len(near) + len(middle)), dict_data=_prefix(near)
    )
    return _ENDS.pack(head, tail) + compressor.compress(middle)


def apply(patch: bytes, data: bytearray, size: int) -> None:
    """Turn its base, in place, into the content of that size, or refuse with `PatchError`.

    In place, a long chain of patches costs little more than what they add.
    """
    try:
        head, tail = _ENDS.unpack_from(patch)
    except struct.error as error:
        raise PatchError("is cut short") from error
    frame, end = patch[_ENDS.size :], len(data) - tail
    if head > end or head + tail > size:
        raise PatchError("counts more than there is")
    near = bytes(data[max(0, head - NEAR_BYTES) : end])
    decompressor = zstandard.ZstdDecompressor(dict_data=_prefix(near), max_window_size=WINDOW_MAX)
    try:
        # Checked first, so that a frame which would inflate without end is refused before it does.
        if head + zstandard.frame_content_size(frame) + tail != size:
            raise PatchError("is of another size")
        data[head:end] = decompressor.decompress(
            frame, max_output_size=size, allow_extra_data=False
        )
    except zstandard.ZstdError as error:
        raise PatchError("cannot be unpacked") from error


def ends(patch: bytes) -> tuple[int, int]:
    """Say how many bytes a patch leaves unchanged, at the start and at the end."""
    if len(patch) < _ENDS.size:
        return 0, 0
    head, tail = _ENDS.unpack_from(patch)
    return head, tail


def _plain(middle: bytes) -> bytes:
    """Write a zstd frame that holds bytes as they are, which any zstd unpacks."""
    size = len(middle)
    return b"".join(
        (_FRAME, bytes([size]), (_LAST_BLOCK | size << 3).to_bytes(3, "little"), middle)
    )


def _same(most: int, is_same: Callable[[int, int], bool]) -> int:
    """Count the bytes that are the same, by halving: slices compare at C's speed."""
    low = 0
    while low < most:
        middle = (low + most + 1) // 2
        if is_same(low, middle):
            low = middle
        else:
            most = middle - 1
    return low


def _reaching(span: int) -> zstandard.ZstdCompressionParameters:
    """Let matches reach from the end of the middle back to the start of what lies before it."""
    window_log = min(max(span.bit_length(), 10), WINDOW_MAX.bit_length() - 1)
    return zstandard.ZstdCompressionParameters.from_level(
        LEVEL, window_log=window_log, enable_ldm=span > LONG_SPAN_BYTES
    )


def _prefix(data: bytes) -> zstandard.ZstdCompressionDict | None:
    if not data:
        return None
    return zstandard.ZstdCompressionDict(data, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
