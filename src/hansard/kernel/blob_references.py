"""Checks in the transaction that names a blob that the blob is kept, whatever a process remembers.

A writer packs content against what it read from the store earlier. By the time of the write another
process may have collected or erased exactly that.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from hansard.kernel.blob import Blob, Digest
from hansard.kernel.engine import ReadTx

_NAMED: ContextVar[set[Digest] | None] = ContextVar("named", default=None)
"""What the transaction under way has named so far."""


class NotKeptError(Exception):
    """What a write rests on is no longer kept; planned again, it can be written."""


@contextmanager
def proving(tx: ReadTx, blobs: Iterable[Blob]) -> Iterator[None]:
    """Prove, at the end of the block, that all it has named is kept; `blobs` are kept by it."""
    named: set[Digest] = set()
    token = _NAMED.set(named)
    try:
        yield
    finally:
        _NAMED.reset(token)
    new = {blob.digest: blob for blob in blobs}
    bases = {blob.base: blob.depth for blob in new.values() if blob.base and blob.base not in new}
    wanted = (named - new.keys()) | bases.keys()
    kept = tx.kept(wanted) if wanted else {}
    for digest in wanted:
        found = kept.get(digest)
        if found is None:
            raise NotKeptError
        if digest in bases and (found.codec == "redacted" or found.depth >= bases[digest]):
            raise NotKeptError


def name(tx: ReadTx, digests: Iterable[Digest]) -> None:
    """Note what an event names; outside such a block, prove it at once."""
    named = _NAMED.get()
    if named is not None:
        named.update(digests)
        return
    wanted = set(digests)
    if wanted - tx.kept(wanted).keys():
        raise NotKeptError
