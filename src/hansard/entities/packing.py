"""Packs values as blobs; a version is a difference from the one before."""

from hansard.kernel.blob import Digest, canonical_json, seal, seal_onto
from hansard.kernel.content import content
from hansard.kernel.engine import WriteTx
from hansard.kernel.problem import BlobDamaged


def pack(tx: WriteTx, value: object, *, onto: str | None = None) -> Digest:
    """Keep a value in this transaction; `onto` is the blob of what it is much like."""
    data = canonical_json(value)
    blob = None
    if onto is not None:
        try:
            base, base_data = tx.blob(Digest(onto)), content(tx, Digest(onto))
            blob = seal_onto(data, base, base_data) if base else None
        except BlobDamaged:
            blob = None
    blob = blob or seal(data)
    tx.keep(blob)
    return blob.digest
