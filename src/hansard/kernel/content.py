"""Reading what a blob holds, with the blobs beneath it, proved against its digest."""

from hansard.kernel.blob import Blob, Digest, unseal
from hansard.kernel.engine import ReadTx
from hansard.kernel.problem import BlobDamaged


def content(tx: ReadTx, digest: Digest) -> bytes:
    """Read what a blob holds, or refuse with BLOB_DAMAGED."""

    def fetch(wanted: Digest) -> Blob:
        blob = tx.blob(wanted)
        if blob is None:
            raise BlobDamaged("A blob is missing", digest=wanted)
        return blob

    return unseal(fetch(digest), fetch)
