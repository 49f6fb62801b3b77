"""Small content as text in a journal entry: a blob of its own would cost more than it holds."""

import base64
import binascii

import zstandard

from hansard.checkpoints.threads.limits import INLINE_BYTES_MAX
from hansard.kernel.blob import seal
from hansard.kernel.limits import KIB
from hansard.kernel.problem import BlobDamaged

CONTENT_BYTES_MAX = 16 * KIB
"""Longer content is a blob even if it packs well: reading an entry inflates nothing much."""

_RAW, _ZSTD = "=", "~"


def to_text(data: bytes) -> str | None:
    """Write content down as text; `None` if it is too long to stand in an entry."""
    if len(data) > CONTENT_BYTES_MAX:
        return None
    blob = seal(data)
    if len(blob.packed) > INLINE_BYTES_MAX:
        return None
    return (_ZSTD if blob.codec == "zstd" else _RAW) + base64.b64encode(blob.packed).decode()


def from_text(text: str) -> bytes:
    """Read what was written down as text."""
    try:
        packed = base64.b64decode(text[1:], validate=True)
        if text[:1] == _RAW:
            return packed
        decompressor = zstandard.ZstdDecompressor()
        return decompressor.decompress(packed, max_output_size=CONTENT_BYTES_MAX)
    except (binascii.Error, zstandard.ZstdError) as error:
        raise BlobDamaged("Content in an entry cannot be unpacked") from error
