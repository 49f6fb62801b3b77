"""Reads content that may have two copies, and verifies it.

A second copy is the same content with a line feed behind it: so it has a digest of its own, and is
a blob like any other. As JSON it still means the same.
"""

from collections.abc import Iterable

from hansard.kernel.blob import Blob, Digest, digest_of, seal
from hansard.kernel.content import content
from hansard.kernel.engine import Kept, ReadTx, WriteTx
from hansard.kernel.problem import BlobDamaged, BlobRedacted

_MARK = b"\n"


class CopyOvertakenError(Exception):
    """What a write was to rest on has changed since it was read; read again."""


def copy_of(data: bytes) -> bytes:
    """Make the content of a second copy."""
    return data + _MARK


def read_either(tx: ReadTx, digest: str, spare: str | None) -> bytes:
    """Read content, from its second copy if the first is damaged; what was erased stays so."""
    try:
        return content(tx, Digest(digest))
    except BlobRedacted:
        raise
    except BlobDamaged:
        if spare is None:
            raise
        return content(tx, Digest(spare)).removesuffix(_MARK)


def prove(tx: ReadTx, data: bytes, kept: Kept) -> list[Blob]:
    """Prove that content which is kept already can be read; gives what must be written again.

    What a person had erased is refused: it does not come back because somebody sends it again.
    """
    digest = digest_of(data)
    if kept.codec == "redacted":
        raise BlobRedacted(
            "This content was redacted here, and is not kept again",
            hint="Take the redacted text out of it; `hansard log` shows the redaction",
            digest=digest,
        )
    try:
        content(tx, digest)
    except BlobDamaged:
        return [seal(data)]
    return []


def require_kept(tx: ReadTx, digests: Iterable[Digest]) -> None:
    """Make sure, in the write that names blobs, that what they rest on is still there."""
    wanted = set(digests)
    there = tx.kept(wanted)
    if any(one not in there or there[one].codec == "redacted" for one in wanted):
        raise CopyOvertakenError


def mend(tx: WriteTx, blobs: Iterable[Blob]) -> None:
    """Write damaged content again, standing alone; whatever is packed onto it is sound again."""
    for blob in blobs:
        tx.repack(blob)
