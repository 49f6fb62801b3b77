"""Content by digest: canonical JSON, hashing, packing. Pure; engines decide where blobs lie."""

import hashlib
import re
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NewType

import orjson
import zstandard

from hansard.kernel import patch
from hansard.kernel.limits import BLOB_BYTES_MAX, BLOB_CHAIN_MAX, KIB
from hansard.kernel.problem import BlobDamaged, BlobRedacted
from hansard.kernel.running_digest import RunningDigest

Digest = NewType("Digest", str)
"""SHA-256 in lower-case hexadecimal."""

Codec = Literal["raw", "zstd", "patch", "redacted"]
"""How content is packed. Of redacted content only a stand-in is kept, or nothing."""

PACK_BYTES_MIN = 128
"""Below this a frame's header takes what packing saves."""

CLEAR_GAIN = 8
"""A patch this many times smaller than its content is used without trying to pack it alone."""

REUSED_BYTES_MAX = 64 * KIB
"""Up to this size reusing a compressor saves most of the time, and keeps little memory."""

WINDOWS_MAX = 1024
"""In a run of hexadecimal characters up to this length a digest may begin anywhere."""

_own = threading.local()
_DIGEST = re.compile(r"[0-9a-f]{64}")
_HEX_RUN = re.compile(rb"[0-9a-f]{64,}")


def is_digest(text: str) -> bool:
    """Whether this has the form of a digest: nothing else may name a file."""
    return _DIGEST.fullmatch(text) is not None


def digests_in(data: bytes) -> set[Digest]:
    """Find whatever looks like a digest, also right behind another hexadecimal character.

    Very long runs are split into consecutive digests, as in a list without separators.
    """
    found = set[Digest]()
    for run in _HEX_RUN.findall(data):
        text, step = run.decode(), 1 if len(run) <= WINDOWS_MAX else 64
        found.update(Digest(text[at : at + 64]) for at in range(0, len(text) - 63, step))
    return found


def digest_of(data: bytes | bytearray) -> Digest:
    """Give the digest of this content."""
    return Digest(hashlib.sha256(data).hexdigest())


def canonical_json(value: object) -> bytes:
    """Write JSON one way only: UTF-8, keys sorted at every level, no white space.

    The caller has refused NaN and infinities, which orjson would silently write as null.
    """
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


@dataclass(frozen=True, slots=True)
class Blob:
    """Packed content under the digest of its unpacked form."""

    digest: Digest
    size: int
    codec: Codec
    packed: bytes
    base: Digest | None = None
    """The blob whose content this one is a patch of; `None` means it stands alone."""
    depth: int = 0
    """How many bases it rests on."""


def seal(data: bytes, digest: Digest | None = None) -> Blob:
    """Pack content that stands alone; its digest is given if it is known."""
    digest = digest or digest_of(data)
    if len(data) >= PACK_BYTES_MIN:
        packed = _compressor(len(data)).compress(data)
        if len(packed) < len(data):
            return Blob(digest, len(data), "zstd", packed)
    return Blob(digest, len(data), "raw", data)


def seal_onto(data: bytes, base: Blob, base_data: bytes, digest: Digest | None = None) -> Blob:
    """Pack content as its difference from `base`, unless it gains nothing or the chain is full."""
    digest = digest or digest_of(data)
    # A redacted blob's content can only come from elsewhere: here it is gone.
    if base.depth >= BLOB_CHAIN_MAX or base.digest == digest or base.codec == "redacted":
        return seal(data, digest)
    packed = patch.make(data, base_data)
    if len(packed) * CLEAR_GAIN > len(data):
        alone = seal(data, digest)
        if len(alone.packed) <= len(packed):
            return alone
    return Blob(digest, len(data), "patch", packed, base.digest, base.depth + 1)


def redact(blob: Blob, stand_in: bytes = b"") -> Blob:
    """Give the blob without its content: its name and size, and what is read in its place."""
    return Blob(blob.digest, blob.size, "redacted", stand_in)


def unseal(blob: Blob, fetch: Callable[[Digest], Blob]) -> bytes:
    """Unpack content and prove it is what its digest says, or refuse with BLOB_DAMAGED.

    What is right in the end had the right bases, so these are proved only to name the culprit.
    """
    if blob.codec == "redacted":
        if not blob.packed:
            raise BlobRedacted("This content was redacted", digest=blob.digest)
        return blob.packed
    chain = chained(blob, fetch)
    try:
        data = _unpack(chain, prove=False)
        if digest_of(data) == blob.digest:
            return data
    except BlobDamaged:
        pass  # raised again below, naming the blob that is to blame
    return _unpack(chain, prove=True)


def unseal_along(
    blob: Blob, fetch: Callable[[Digest], Blob], wanted: Collection[Digest]
) -> dict[Digest, bytes]:
    """Unpack a blob, and give the wanted contents among it and its bases.

    Only contents that match their digests are given; for the rest `unseal` says why.
    """
    found: dict[Digest, bytes] = {}
    if blob.codec == "redacted":
        return found
    running = RunningDigest()
    try:
        for one, data in _states(chained(blob, fetch)):
            running.changed_from(patch.ends(one.packed)[0] if one.base else 0)
            if one.digest in wanted and running.of(data) == one.digest:
                found[one.digest] = bytes(data)
    except BlobDamaged:
        pass
    return found


def chained(blob: Blob, fetch: Callable[[Digest], Blob]) -> list[Blob]:
    """Collect a blob and its bases, the one that stands alone first."""
    chain = [blob]
    while True:
        if blob.size > BLOB_BYTES_MAX or blob.depth > BLOB_CHAIN_MAX:
            raise BlobDamaged("A blob claims to be larger than any may be", digest=blob.digest)
        if (blob.codec == "patch") != (blob.base is not None):
            raise BlobDamaged("A blob's base and its codec differ", digest=blob.digest)
        if blob.base is None:
            return chain[::-1]
        base = fetch(blob.base)
        if base.depth >= blob.depth or base.codec == "redacted":
            raise BlobDamaged("A blob's base does not lie beneath it", digest=blob.digest)
        chain.append(base)
        blob = base


def _unpack(chain: Sequence[Blob], *, prove: bool) -> bytes:
    data = bytearray()
    for blob, data in _states(chain):
        _prove(data, blob, is_asked=prove)
    return bytes(data)


def _states(chain: Sequence[Blob]) -> Iterator[tuple[Blob, bytearray]]:
    """Unpack a chain from what stands alone upwards; each state gives way to the next."""
    whole, *patches = chain
    data = bytearray(inflate(whole))
    yield whole, data
    for blob in patches:
        patched(blob, data)
        yield blob, data


def patched(blob: Blob, data: bytearray) -> None:
    """Turn its base, in place, into what a blob holds."""
    try:
        patch.apply(blob.packed, data, blob.size)
    except patch.PatchError as error:
        raise BlobDamaged("A blob cannot be unpacked", digest=blob.digest) from error


def _prove(data: bytes | bytearray, blob: Blob, *, is_asked: bool) -> None:
    if is_asked and digest_of(data) != blob.digest:
        raise BlobDamaged("A blob's content is not what its digest says", digest=blob.digest)


def inflate(blob: Blob) -> bytes:
    """Unpack a blob that stands alone."""
    if blob.codec == "raw":
        return blob.packed
    try:
        # Checked first, so that a frame which would inflate without end is refused before it does.
        if zstandard.frame_content_size(blob.packed) != blob.size:
            raise BlobDamaged("A blob's frame has another size than it claims", digest=blob.digest)
        return _decompressor(blob.size).decompress(
            blob.packed, max_output_size=blob.size, allow_extra_data=False
        )
    except zstandard.ZstdError as error:
        raise BlobDamaged("A blob cannot be unpacked", digest=blob.digest) from error


def _compressor(size: int) -> zstandard.ZstdCompressor:
    """Give this thread's compressor: two threads may not use one at once."""
    if size > REUSED_BYTES_MAX:
        return zstandard.ZstdCompressor(level=patch.LEVEL)
    if not hasattr(_own, "compressor"):
        _own.compressor = zstandard.ZstdCompressor(level=patch.LEVEL)
    compressor: zstandard.ZstdCompressor = _own.compressor
    return compressor


def _decompressor(size: int) -> zstandard.ZstdDecompressor:
    """Give this thread's decompressor."""
    if size > REUSED_BYTES_MAX:
        return zstandard.ZstdDecompressor()
    if not hasattr(_own, "decompressor"):
        _own.decompressor = zstandard.ZstdDecompressor()
    decompressor: zstandard.ZstdDecompressor = _own.decompressor
    return decompressor
