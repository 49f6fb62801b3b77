"""Stores small content as text in a journal entry, where a blob would cost more than it holds."""

import base64

import zstandard

from hansard.checkpoints.threads.limits import INLINE_BYTES_MAX
from hansard.kernel.blob import seal
from hansard.kernel.limits import KIB
from hansard.kernel.problem import BlobDamaged

CONTENT_BYTES_MAX = 16 * KIB
"""Longer content is a blob even if it packs well: reading an entry inflates nothing much."""

DAMAGED = "Content in an entry cannot be unpacked"

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
    """Read what was written down as text; what nothing here wrote is BLOB_DAMAGED."""
    kind, packed = text[:1], _packed(text[1:])
    if kind == _RAW:
        return packed
    try:
        # A frame says how much it holds, and room for that is made before anything is read.
        if kind != _ZSTD or zstandard.frame_content_size(packed) > CONTENT_BYTES_MAX:
            raise BlobDamaged(DAMAGED)
        decompressor = zstandard.ZstdDecompressor()
        return decompressor.decompress(packed, max_output_size=CONTENT_BYTES_MAX)
    except zstandard.ZstdError as error:
        raise BlobDamaged(DAMAGED) from error


def _packed(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:  # not base64, or not even ASCII
        raise BlobDamaged(DAMAGED) from error
