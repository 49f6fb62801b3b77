"""Blobs: each kept blob is whole, and each blob that an event names is kept."""

from collections.abc import Mapping
from functools import partial
from operator import itemgetter
from typing import get_args

from hansard.app.verify.chain import DAMAGED, Journal
from hansard.app.verify.report import Findings, Progress
from hansard.kernel import paging
from hansard.kernel.blob import Blob, Codec, Digest, digest_of, unseal
from hansard.kernel.engine import Engine, ReadTx
from hansard.kernel.limits import ENTRIES_PAGE
from hansard.kernel.problem import BlobDamaged


def check_blobs(engine: Engine, journal: Journal, findings: Findings, progress: Progress) -> int:
    """Prove every blob of a project against its digest; returns how many there are."""
    project, count = journal.project, 0
    erased = journal.blobs_erased_by_word

    def checked(after: str) -> list[tuple[Digest, str | None]]:
        return engine.read(project, partial(_check_page, after=after, erased=erased))

    for page in paging.pages(checked, itemgetter(0), ""):
        for digest, fault in page:
            if fault:
                findings.broken("blobs", project, f"Blob {digest}: {fault}", digest=digest)
        count += len(page)
        progress(project, "blobs", count, count)
    for digest, seq in journal.missing.by.items():
        message = f"Blob {digest}, which s:{seq} names, is missing"
        findings.broken("blobs", project, message, digest=digest, seq=seq)
    return count


def _check_page(
    tx: ReadTx, after: str, erased: Mapping[str, str | None]
) -> list[tuple[Digest, str | None]]:
    page = tx.digests(after=after, limit=ENTRIES_PAGE)
    return [(digest, _fault(tx, digest, erased)) for digest in page]


def _fault(tx: ReadTx, digest: Digest, erased: Mapping[str, str | None]) -> str | None:
    """Say what is wrong with a blob, if anything is."""
    try:
        blob = _fetch(tx, digest)
        if blob.codec not in get_args(Codec):
            return f"It is packed in a way that nobody knows: {blob.codec}"
        if blob.codec == "redacted":
            return _redaction_fault(blob, erased)
        data = unseal(blob, partial(_fetch, tx))
    except BlobDamaged as problem:
        culprit = problem.details.get("digest", digest)
        return problem.message if culprit == digest else f"{problem.message} ({culprit})"
    except DAMAGED:
        return "Its row is damaged"
    if blob.depth < 0 or (blob.base is None and blob.depth):
        return "It has another depth than its bases give it"
    return None if len(data) == blob.size else "It has another size than it claims"


def _redaction_fault(blob: Blob, erased: Mapping[str, str | None]) -> str | None:
    """Compare what is left of an erased blob with what an entry says is left."""
    stand_in = digest_of(blob.packed) if blob.packed else None
    if blob.digest in erased and erased[blob.digest] == stand_in:
        return None
    return "Its content is gone, and no entry says that it was redacted so"


def _fetch(tx: ReadTx, digest: Digest) -> Blob:
    blob = tx.blob(digest)
    if blob is None:
        raise BlobDamaged("A blob is missing", digest=digest)
    return blob
