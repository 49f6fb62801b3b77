"""Reads a file's recorded content, or explains why it cannot be read."""

from hansard.kernel.blob import Digest
from hansard.kernel.content import original
from hansard.kernel.engine import ReadTx
from hansard.kernel.problem import BlobRedacted
from hansard.recorder import limits
from hansard.recorder.contents.sealing import NoKeyError, SealingKeys
from hansard.recorder.events import FileRef


class ContentNotKeptError(Exception):
    """A content cannot be given back; the message says why, for a person."""


def kept_content(tx: ReadTx, ref: FileRef, keys: SealingKeys) -> bytes:
    """Give a content that was recorded."""
    try:
        if ref.blob is not None:
            return original(tx, ref.blob)
        if ref.sealed is not None:
            return keys.unseal(original(tx, ref.sealed))
    except BlobRedacted:
        raise ContentNotKeptError("its content was redacted by a person") from None
    except NoKeyError as reason:
        raise ContentNotKeptError(
            f"its content held a secret ({_rules(ref)}), and {reason}"
        ) from None
    raise ContentNotKeptError(why_not_kept(ref))


def is_erased(tx: ReadTx, digest: Digest, known: FileRef | None) -> bool:
    """Whether a person erased this very content: it is gone, and is not kept again.

    `known` is what was last recorded of the file: where that was sealed, what it is sealed in went.
    """
    sealed = known.sealed if known and known.digest == digest else None
    blob = tx.blob(sealed or digest)
    return blob is not None and blob.codec == "redacted"


def why_not_kept(ref: FileRef) -> str:
    """Say why nothing but the digest of a content was recorded."""
    if ref.redacted:
        return f"its content held a secret ({_rules(ref)}), which was not kept"
    return f"its content was too large to be kept ({ref.size:,} bytes)"


def why_lost(ref: FileRef, keys: SealingKeys) -> str:
    """Say why a content that is there would be gone for good."""
    if ref.redacted:
        reason = keys.why_not() or "it was not kept"
        return f"it holds a secret ({_rules(ref)}), and {reason}"
    return f"it has {ref.size:,} bytes, of which at most {limits.KEPT_BYTES_MAX:,} are kept"


def _rules(ref: FileRef) -> str:
    return ", ".join(ref.redacted)
