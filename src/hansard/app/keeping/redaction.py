"""Erases content that should never have been stored, in one transaction with the rebuilt views.

The journal keeps every header, hash and length, so the chain still verifies, and an entry of its
own says who erased what, and why. Where views build on what was erased, a stand-in is left.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from hansard.app.erasure_events import ErasedBlob, ErasedPayload, Redacted
from hansard.app.keeping import erasure
from hansard.app.keeping.blob_lock import alone
from hansard.app.keeping.garbage_collection import superfluous
from hansard.embedders import vectors
from hansard.entities.type_words import type_words
from hansard.kernel import paging
from hansard.kernel.blob import Blob, Digest, digest_of, is_digest, redact, seal
from hansard.kernel.content import content
from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.event import Entry, Proof, Stamp
from hansard.kernel.limits import DESCRIPTION_CHARS_MAX
from hansard.kernel.problem import (
    BlobDamaged,
    BlobRedacted,
    InvalidInput,
    PermissionDenied,
    Problem,
)
from hansard.kernel.reply import Replied
from hansard.kernel.store import Store
from hansard.recorder.history.file_history import History
from hansard.recorder.tables import FILES, REVISIONS

ALSO_MAX = 50
"""How many other places of the same text are named; further ones are left to the reader to find."""


class RedactionRefused(Problem):
    """Later entries build on what should be erased."""

    code, http_status = "REDACTION_REFUSED", 409
    hint = "Erase only the fields that hold the text; what names things must stay"


class NothingToRedact(Problem):
    """There is no such entry, blob or recorded file here, or it is erased already."""

    code, http_status = "NOTHING_TO_REDACT", 404
    hint = "`hansard log` lists entries, `hansard evolution` the versions of a file"


@dataclass(frozen=True, slots=True)
class WantedErasure:
    """What is to be erased."""

    seq: int | None = None
    fields: tuple[str, ...] = ()
    digests: tuple[Digest, ...] = ()


@dataclass(frozen=True, slots=True)
class Redaction:
    """What was erased, and what else to know about it."""

    event: Redacted
    entry: Entry
    replies: int
    """Stored answers that held the same text, and were erased with it."""
    rebased: int
    """Blobs that were packed as a difference from an erased one, and now stand alone."""
    also: tuple[str, ...]
    """Where else the same text is: entries, blobs, other projects that keep the blob."""
    in_git: bool
    """Whether decisions are affected, which are in a Git repository as well."""
    is_scrubbed: bool = True
    """Whether nothing of it is left in the store's files."""


@dataclass(slots=True)
class _Plan:
    """What one transaction will do; made in it, from what it sees."""

    payloads: list[ErasedPayload] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    blobs: dict[Digest, Blob] = field(default_factory=dict)
    replies: int = 0
    sought: list[bytes] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ErasureReason:
    """Why something is erased, and whether the person who says so was proved."""

    reason: str
    proof: Proof | None = None


def erase(
    store: Store,
    project: str,
    wanted: WantedErasure,
    *,
    reason: str,
    stamp: Stamp,
    proof: Proof | None = None,
) -> Redaction:
    """Erase fields of an entry, or blobs, of a project. Only a person may, and says why."""
    _require_person(stamp, reason)
    with alone(store.engine):
        try:
            done = _try_to_erase(store, project, wanted, ErasureReason(reason, proof), stamp)
        except NothingToRedact:
            # An earlier redaction may have been interrupted before its bytes left the files.
            earlier = store.read(project, lambda tx: _earlier(store, tx, wanted))
            if earlier is None:
                raise
            done = earlier
        store.engine.discard(superfluous(store.engine))
        scrubbed = store.engine.scrub(dropping=_left_behind(store))
    return _finished(store, project, done, is_scrubbed=scrubbed)


def _left_behind(store: Store) -> list[str]:
    """Name the tables of older versions: they hold what their projects said before it was erased.

    Every project is brought to our version first, since an older program might yet read them.
    """
    for project in store.engine.heads():
        store.read(project, lambda tx: tx.head())
    return store.engine.outdated()


def digests_of_path(tx: ReadTx, path: str) -> list[Digest]:
    """Name the blobs that hold what a recorded file has ever been."""
    found: list[Digest] = []
    for row in _rows(tx, path):
        ref = row.get("after") or {}
        found += [Digest(ref[name]) for name in ("blob", "sealed") if ref.get(name)]
    return list(dict.fromkeys(found))


def _require_person(stamp: Stamp, reason: str) -> None:
    if stamp.actor.kind != "human":
        raise PermissionDenied(
            "Only a person may have something erased", hint="Run it yourself, on a terminal"
        )
    if not 0 < len(reason.strip()) <= DESCRIPTION_CHARS_MAX:
        raise InvalidInput("--reason: say in a few words why; not what the secret is")


def _try_to_erase(
    store: Store, project: str, wanted: WantedErasure, why: ErasureReason, stamp: Stamp
) -> Redaction:
    """Erase without leaving stand-ins for blobs; with them, if the views need them."""
    for stands_in in (False, True):

        def work(tx: WriteTx, stands_in: bool = stands_in) -> Redaction:  # noqa: FBT001
            return _erase(store, tx, wanted, why, stamp, stands_in=stands_in)

        try:
            return store.write(project, work)
        except BlobRedacted:
            continue
        except (AssertionError, LookupError, TypeError, ValueError) as error:
            # A view that cannot do without it. The transaction was undone, so nothing changed.
            raise RedactionRefused(f"Later entries build on it: {error}") from error
    raise RedactionRefused("Later entries build on it")


def _erase(
    store: Store,
    tx: WriteTx,
    wanted: WantedErasure,
    why: ErasureReason,
    stamp: Stamp,
    *,
    stands_in: bool,
) -> Redaction:
    plan = _plan(store, tx, wanted)
    rebased = _rebase(tx, plan.blobs)
    erased = [_erased(tx, blob, stands_in=stands_in) for blob in plan.blobs.values()]
    for blob, _ in erased:
        tx.repack(blob)
    for entry in plan.entries:
        tx.redact(entry)
    blobs = [said for _, said in erased]
    event = Redacted(payloads=plan.payloads, blobs=blobs, reason=why.reason, proof=why.proof)
    entry = store.record(tx, event, stamp)
    vectors.forget(tx)
    store.rederive(tx)
    return Redaction(
        event=event,
        entry=entry,
        replies=plan.replies,
        rebased=rebased,
        also=tuple(_also(tx, plan.sought)),
        in_git=_concerns_decisions(tx, plan),
    )


def _earlier(store: Store, tx: ReadTx, wanted: WantedErasure) -> Redaction | None:
    """Find the last redaction that has erased some of what is wanted."""
    found = None
    for entry in paging.entries(tx):
        if entry.kind != Redacted.kind:
            continue
        event = store.kinds.decode(entry)
        assert isinstance(event, Redacted), "its kind says so"
        blobs = {one.digest for one in event.blobs}
        if blobs.intersection(wanted.digests):
            in_git = _stands_in_decisions(tx, blobs)
            found = Redaction(event, entry, replies=0, rebased=0, also=(), in_git=in_git)
    return found


def _plan(store: Store, tx: ReadTx, wanted: WantedErasure) -> _Plan:
    plan, texts = _Plan(), list[str]()
    if wanted.seq is not None:
        texts += _plan_payload(tx, plan, wanted.seq, wanted.fields)
    for digest in wanted.digests:
        blob = tx.blob(digest)
        if blob is not None and blob.codec != "redacted":
            plan.blobs[digest] = blob
            texts += erasure.texts_of(content(tx, digest), type_words())
    if not plan.entries and not plan.blobs:
        raise NothingToRedact("There is nothing of that to erase here")
    plan.sought = erasure.needles(texts)
    _plan_replies(store, tx, plan)
    return plan


def _plan_payload(tx: ReadTx, plan: _Plan, seq: int, fields: Sequence[str]) -> list[str]:
    found = tx.entries(after=seq - 1, before=seq + 1, limit=1)
    if not found or found[0].body is None:
        raise NothingToRedact(f"There is no entry s:{seq} with a payload")
    [entry] = found
    body = entry.body or b""
    stand_in, texts = erasure.mask_fields(body, fields)
    plan.entries.append(entry.redacted(stand_in))
    plan.payloads.append(
        ErasedPayload(
            seq=seq,
            payload_digest=entry.payload_digest,
            payload_bytes=len(body),
            fields=list(fields),
            stand_in=digest_of(stand_in),
        )
    )
    return texts


def _plan_replies(store: Store, tx: ReadTx, plan: _Plan) -> None:
    """Add the stored answers that hold what is being erased.

    By the entries that name them: an answer whose key is forgotten has no row any more, and may
    be kept until it is collected.
    """
    for digest in _answers(store, tx):
        blob = tx.blob(digest)
        if blob is None or blob.codec == "redacted" or blob.digest in plan.blobs:
            continue
        if erasure.holds_any(_readable(tx, blob.digest), plan.sought):
            plan.blobs[blob.digest] = blob
            plan.replies += 1


def _answers(store: Store, tx: ReadTx) -> Iterator[Digest]:
    """Name the content of each answer that was ever stored under a key."""
    for entry in paging.entries(tx, kinds={Replied.kind}):
        event = store.kinds.decode(entry)
        # What is left of an entry that was erased itself may name nothing.
        if isinstance(event, Replied) and is_digest(event.reply):
            yield event.reply


def _rebase(tx: WriteTx, going: dict[Digest, Blob]) -> int:
    """Repack on their own the blobs packed against one that is erased; returns how many."""
    rebased = 0
    for digest in paging.digests(tx):
        blob = tx.blob(digest) if digest not in going else None
        if blob is not None and blob.base in going:
            tx.repack(seal(content(tx, digest)))
            rebased += 1
    return rebased


def _erased(tx: ReadTx, blob: Blob, *, stands_in: bool) -> tuple[Blob, ErasedBlob]:
    stand_in = erasure.mask_content(content(tx, blob.digest), type_words()) if stands_in else b""
    said = ErasedBlob(
        digest=blob.digest,
        size_bytes=blob.size,
        stand_in=digest_of(stand_in) if stand_in else None,
    )
    return redact(blob, stand_in), said


def _also(tx: ReadTx, sought: Sequence[bytes]) -> Iterator[str]:
    """Name where else in the project the same text is."""
    if not sought:
        return
    left = ALSO_MAX
    for entry in paging.entries(tx):
        if left and erasure.holds_any(entry.body, sought):
            yield f"s:{entry.seq}"
            left -= 1
    for digest in paging.digests(tx):
        if left and erasure.holds_any(_readable(tx, digest), sought):
            yield f"blob {digest}"
            left -= 1


def _concerns_decisions(tx: ReadTx, plan: _Plan) -> bool:
    """Whether something that was erased is part of a decision."""
    if any(entry.kind.startswith("decisions.") for entry in plan.entries):
        return True
    return _stands_in_decisions(tx, plan.blobs)


def _stands_in_decisions(tx: ReadTx, digests: Iterable[str]) -> bool:
    named = [digest.encode() for digest in digests]
    return any(
        entry.kind.startswith("decisions.") and erasure.holds_any(entry.body, named)
        for entry in paging.entries(tx)
    )


def _finished(store: Store, project: str, done: Redaction, *, is_scrubbed: bool) -> Redaction:
    """Add what can be said only after the transaction."""
    elsewhere = [
        f"blob {one.digest} in the project {other}"
        for other in sorted(store.engine.heads().keys() - {project})
        for one in done.event.blobs
        if _is_whole(store, other, Digest(one.digest))
    ]
    return Redaction(
        event=done.event,
        entry=done.entry,
        replies=done.replies,
        rebased=done.rebased,
        also=(*done.also, *elsewhere),
        in_git=done.in_git,
        is_scrubbed=is_scrubbed,
    )


def _is_whole(store: Store, project: str, digest: Digest) -> bool:
    blob = store.engine.read(project, lambda tx: tx.blob(digest))
    return blob is not None and blob.codec != "redacted"


def _readable(tx: ReadTx, digest: Digest) -> bytes | None:
    try:
        return content(tx, digest)
    except BlobDamaged:
        return None  # nothing can be read there, so nothing can be found there


def _rows(tx: ReadTx, path: str) -> Iterator[Row]:
    """Go through the revisions of the files that lie or lay at a path, in whatever workspace.

    Each of them is followed to what it was before it came there, under whatever names.
    """
    for found in paging.rows(tx, FILES):
        if found.row["path"] == path:
            yield from _revisions(tx, found.key)
            yield from _before(tx, found.key)


def _before(tx: ReadTx, file: str) -> Iterator[Row]:
    """Iterate over the revisions of the files that were at a path, until they last were there."""
    latest: dict[str, int] = {}
    for row in _revisions(tx, file):
        if row["history"]:
            latest[row["history"]] = max(row["revision"], latest.get(row["history"], 0))
    for history, revision in latest.items():
        yield from History(tx, history, revision).rows()


def _revisions(tx: ReadTx, file: str) -> Iterator[Row]:
    return (found.row for found in paging.rows(tx, REVISIONS, {"file": file}))
