"""Doing to a store's blobs what a bad disk does, one at a time, and undoing it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.checkpoints.contexts import sql


def flip(store: Path, digest: str) -> None:
    """Flip one bit in the middle of a blob, wherever it lies."""
    _write(store, digest, _flipped(_read(store, digest)))


def flip_base_of(store: Path, digest: str) -> None:
    """Flip a bit in what a blob is packed onto, or in the blob itself if it stands alone."""
    [(base,)] = sql(store, "SELECT base FROM blobs WHERE digest = ?", digest)
    flip(store, base or digest)


@contextmanager
def flipped(store: Path, digest: str) -> Iterator[None]:
    """Flip a bit in a blob for a while."""
    whole = _read(store, digest)
    _write(store, digest, _flipped(whole))
    try:
        yield
    finally:
        _write(store, digest, whole)


def all_blobs(store: Path) -> list[str]:
    """Name every blob of a store."""
    return [digest for (digest,) in sql(store, "SELECT digest FROM blobs ORDER BY digest")]


def _flipped(packed: bytes) -> bytes:
    middle = len(packed) // 2
    return packed[:middle] + bytes([packed[middle] ^ 1]) + packed[middle + 1 :]


def _read(store: Path, digest: str) -> bytes:
    [(packed,)] = sql(store, "SELECT packed FROM blobs WHERE digest = ?", digest)
    found: bytes = _file(store, digest).read_bytes() if packed is None else packed
    return found


def _write(store: Path, digest: str, packed: bytes) -> None:
    [(inline,)] = sql(store, "SELECT packed FROM blobs WHERE digest = ?", digest)
    if inline is None:
        _file(store, digest).write_bytes(packed)
    else:
        sql(store, "UPDATE blobs SET packed = ? WHERE digest = ?", packed, digest)


def _file(store: Path, digest: str) -> Path:
    return store / "blobs" / digest[:2] / digest[2:]
