"""Reads a blob with the blobs it is packed against, and checks it against its digest."""

from collections.abc import Sequence
from functools import partial

from hansard.kernel.blob import Blob, Digest, unseal, unseal_along
from hansard.kernel.chain_states import ChainStates, chain_states
from hansard.kernel.engine import ReadTx
from hansard.kernel.problem import BlobDamaged, BlobRedacted


def content(tx: ReadTx, digest: Digest) -> bytes:
    """Read what a blob holds, or refuse with BLOB_DAMAGED."""
    return unseal(_fetch(tx, digest), partial(_fetch, tx))


def original(tx: ReadTx, digest: Digest) -> bytes:
    """Read what a blob held when it was kept; a stand-in for erased content is refused."""
    blob = _fetch(tx, digest)
    if blob.codec == "redacted":
        raise BlobRedacted("This content was redacted", digest=digest)
    return unseal(blob, partial(_fetch, tx))


def along(tx: ReadTx, digests: Sequence[Digest], *, bytes_max: int) -> dict[Digest, bytes]:
    """Read the first of these blobs and, on the way, others that it rests on.

    About this many bytes are given, and nothing unreadable: for that, `content` says why.
    """
    try:
        first = _fetch(tx, digests[0])
        wanted = digests[: max(1, bytes_max // max(1, first.size))]
        return unseal_along(first, partial(_fetch, tx), set(wanted))
    except BlobDamaged:
        return {}


def states_from(tx: ReadTx, digest: Digest, *, bytes_max: int) -> ChainStates | None:
    """Walk from a blob down to its bases; `None` if that is impossible, as `content` explains."""
    try:
        blob = _fetch(tx, digest)
        if blob.codec == "redacted":
            return None
        return chain_states(blob, partial(_fetch, tx), bytes_max=bytes_max)
    except BlobDamaged:
        return None


def _fetch(tx: ReadTx, wanted: Digest) -> Blob:
    blob = tx.blob(wanted)
    if blob is None:
        raise BlobDamaged("A blob is missing", digest=wanted)
    return blob
