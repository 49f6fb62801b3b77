"""Holds the blobs of a bundle until they are verified, before they reach a store."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryFile
from typing import BinaryIO

import orjson

from hansard.app.keeping.bundle import BundleDamaged, blob_line
from hansard.kernel.blob import Blob, Digest, unseal
from hansard.kernel.problem import BlobDamaged, BlobRedacted, StorageUnavailable

Kept = Callable[[Digest], Blob | None]
"""Reads a blob from a store."""


class Spool:
    """Blobs in a temporary file. What is kept in memory is only where each of them lies."""

    def __init__(self, file: BinaryIO, kept: Kept = lambda _: None) -> None:
        """Write into an empty, unbuffered file, so that a full disk is noticed at once.

        `kept` gives blobs that others may rest on and that are not among these.
        """
        self._file = file
        self._kept = kept
        self._places: dict[bytes, tuple[int, int]] = {}
        self._end = 0

    def add(self, blob: Blob) -> None:
        """Lay a blob aside."""
        key = bytes.fromhex(blob.digest)
        if key in self._places:
            raise BundleDamaged(f"The bundle holds blob {blob.digest} twice", digest=blob.digest)
        record = blob_line(blob) + blob.packed
        with _room():
            if self._file.write(record) < len(record):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._places[key] = (self._end, len(record))
        self._end += len(record)

    def __contains__(self, digest: Digest) -> bool:
        return bytes.fromhex(digest) in self._places

    def prove(self) -> None:
        """Prove that every blob is what its digest says, and rests only on others of these."""
        for key in self._places:
            blob = self._fetch(Digest(key.hex()))
            try:
                if len(unseal(blob, self._fetch)) != blob.size and blob.codec != "redacted":
                    raise BundleDamaged(f"Blob {blob.digest} has another size than it claims")
            except BlobRedacted:
                pass  # it says itself that its content is gone
            except BlobDamaged as problem:
                message = f"Blob {blob.digest}: {problem.message}"
                raise BundleDamaged(message, digest=blob.digest) from problem

    def _fetch(self, digest: Digest) -> Blob:
        place = self._places.get(bytes.fromhex(digest))
        if place is None and (blob := self._kept(digest)):
            return blob
        if place is None:
            message = f"The bundle lacks {digest}, on which others rest"
            raise BundleDamaged(message, digest=digest)
        offset, length = place
        with _room():
            self._file.seek(offset)
            line, _, packed = self._file.read(length).partition(b"\n")
        return Blob(packed=packed, **orjson.loads(line))


@contextmanager
def spooling(kept: Kept = lambda _: None) -> Iterator[Spool]:
    """Give a spool that is gone afterwards."""
    with ExitStack() as stack:
        with _room():
            file = stack.enter_context(TemporaryFile(prefix="hansard-", buffering=0))
        yield Spool(file, kept)


@contextmanager
def _room() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageUnavailable(
            f"The bundle's blobs cannot be laid aside to be proved: {error.strerror}",
            hint="Make room where temporary files go, or name another folder in TMPDIR",
        ) from error
