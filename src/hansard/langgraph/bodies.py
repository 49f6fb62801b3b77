"""Packs a checkpoint's body, which is mostly names that every graph has."""

import threading
from functools import cache

import zstandard

from hansard.checkpoints.threads.limits import INLINE_BYTES_MAX, VALUE_BYTES_MAX
from hansard.kernel.problem import BlobDamaged

LEVEL = 3

COMMON = (
    b"values\x81\xafbranch:to:tools\xc4\x07null\n\x00run_id\xd9$assistant_id\xa7user_id\xa9thread_id"
    b"\xa5error\xa6update\xa5input\xa4fork\xa4exit\xb5__interrupt__\xab__pregel_tasks\xa8__root__"
    b"\x83\xaacheckpoint\x86\xa1v\x04\xa2ts\xd9 2026-01-01T00:00:00.000000+00:00"
    b"\xb0channel_versions\x84\xa9__start__\x02\xa8messages\x03\xafbranch:to:agent\x03\xafbranch:to:tools\x02"
    b"\xadversions_seen\x84\xa9__input__\x80\xa9__start__\x81\xa9__start__\x01\xa5agent\x81"
    b"\xafbranch:to:agent\x02\xa5tools\x81\xafbranch:to:tools\x01\xb0updated_channels\x92"
    b"\xafbranch:to:tools\xa8messages\xadpending_sends\x90\xa8metadata\x83\xa6source\xa4loop"
    b"\xa4step\x01\xa7parents\x80\xa6values\x80"
)
"""What bodies have in common, as the packer's dictionary. Never edited: stored bodies need it."""

_PLAIN, _PACKED = b"0", b"1"
_own = threading.local()


def pack(body: bytes) -> bytes:
    """Pack a body that then fits into a journal entry; a longer one is left to its blob."""
    packed = _compressor().compress(body)
    return _PACKED + packed if len(packed) < INLINE_BYTES_MAX else _PLAIN + body


def unpack(packed: bytes) -> bytes:
    """Give the body back."""
    if packed[:1] == _PLAIN:
        return packed[1:]
    try:
        if zstandard.frame_content_size(packed[1:]) > VALUE_BYTES_MAX:
            raise BlobDamaged("A checkpoint's body claims to be larger than any may be")
        return _decompressor().decompress(packed[1:])
    except zstandard.ZstdError as error:
        raise BlobDamaged("A checkpoint's body cannot be unpacked") from error


def _compressor() -> zstandard.ZstdCompressor:
    """Give this thread's compressor: it may be used again, but not by two threads at once."""
    if not hasattr(_own, "compressor"):
        _own.compressor = zstandard.ZstdCompressor(level=LEVEL, dict_data=_dictionary())
    compressor: zstandard.ZstdCompressor = _own.compressor
    return compressor


def _decompressor() -> zstandard.ZstdDecompressor:
    """Give this thread's decompressor."""
    if not hasattr(_own, "decompressor"):
        _own.decompressor = zstandard.ZstdDecompressor(dict_data=_dictionary())
    decompressor: zstandard.ZstdDecompressor = _own.decompressor
    return decompressor


@cache
def _dictionary() -> zstandard.ZstdCompressionDict:
    return zstandard.ZstdCompressionDict(COMMON, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
