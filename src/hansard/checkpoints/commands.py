"""Saving, marking and deleting checkpoints."""

from dataclasses import dataclass

from hansard.checkpoints import contract, events, limits, rules
from hansard.checkpoints.reading import context_of, find, looked_at, newest, state_of
from hansard.checkpoints.threads.usage import used_bytes
from hansard.checkpoints.views import CHECKPOINTS, PREFIX
from hansard.kernel.blob import Blob, Digest, canonical_json, digest_of, seal, seal_onto
from hansard.kernel.content import content
from hansard.kernel.engine import Found, Position, ReadTx, Row, WriteTx
from hansard.kernel.ids import next_id
from hansard.kernel.operation import Context
from hansard.kernel.problem import BlobDamaged, InvalidInput
from hansard.kernel.store import CATALOG


@dataclass(frozen=True, slots=True)
class Saving:
    """How checkpoints are saved here: the operator's quotas and retention."""

    quotas: limits.Quotas
    retention: limits.Retention

    def save(self, request: contract.Save, context: Context) -> contract.Saved:
        """Save a context, unless it is what the latest checkpoint holds already."""
        data = canonical_json(request.context)
        if len(data) > limits.CONTEXT_BYTES_MAX:
            raise InvalidInput(
                f"context: at most {limits.CONTEXT_BYTES_MAX} bytes, not {len(data)}",
                argument="context",
            )
        metadata = request.metadata or contract.Metadata()
        extra = _extra(metadata)
        elsewhere = _used_elsewhere(context)
        digest = digest_of(data)
        if not request.force and (known := context.read(lambda tx: _known(tx, context, digest))):
            return _skipped(known)
        blob = context.read(lambda tx: _pack(tx, _session(context), data))
        # Asked before the bytes are staged, so that a refusal leaves nothing behind.
        context.read(lambda tx: self._check(tx, context, blob, elsewhere))

        def work(tx: WriteTx) -> contract.Saved:
            if not request.force and (known := _known(tx, context, blob.digest)):
                return _skipped(known)
            warning = self._check(tx, context, blob, elsewhere)
            saved = events.CheckpointSaved(
                id=next_id(tx, PREFIX),
                session=_session(context),
                number=state_of(tx, _session(context))["saves"],
                context=blob.digest,
                size_bytes=_size_bytes(tx, blob),
                context_bytes=blob.size,
                name=metadata.name,
                tags=metadata.tags,
                classes=dict(metadata.classes),
                extra=extra,
                cites=request.cites,
            )
            context.record(tx, saved)
            self._retain(tx, context)
            return _saved(saved, warning)

        return context.write(work, blobs=[blob])

    def _check(self, tx: ReadTx, context: Context, blob: Blob, elsewhere: int) -> str | None:
        """Refuse what goes beyond a quota. What is stored already takes no more room."""
        session, size = _session(context), _size_bytes(tx, blob)
        used = used_bytes(tx) + elsewhere
        used_here = state_of(tx, session)["bytes"]
        same = {"context": blob.digest}
        if not tx.scan(CHECKPOINTS, same, limit=1):
            used += size
        if not tx.scan(CHECKPOINTS, same | {"session": session}, limit=1):
            used_here += size
        return rules.check_quotas(self.quotas, size, used_here, used)

    def _retain(self, tx: WriteTx, context: Context) -> None:
        """Delete what is beyond the last few, except what holds a marked key."""
        keep = self.retention.keep_last
        if keep <= 0:
            return
        session = _session(context)
        marks = set(state_of(tx, session)["marks"])
        for found in _older(tx, session, keep):
            if marks and marks & context_of(tx, found.row).keys():
                continue
            context.record(
                tx, events.CheckpointDeleted(id=found.key, session=session, why="retention")
            )


def mark_critical(request: contract.MarkCritical, context: Context) -> contract.Marked:
    """Mark a key of the session's context, so that no view ever shortens or drops it."""
    session, key = _session(context), request.context_key

    def work(tx: WriteTx) -> contract.Marked:
        seen = looked_at(tx, session)
        if seen and key not in context_of(tx, seen):
            return contract.Marked(
                status="KEY_NOT_FOUND",
                message=f"The context of {seen['id']} has no key “{key}”.",
                sessionId=session,
            )
        marks = state_of(tx, session)["marks"]
        if key not in marks and len(marks) >= limits.MARKS_MAX:
            raise InvalidInput(f"A session has at most {limits.MARKS_MAX} marked keys")
        context.record(tx, events.KeyMarked(session=session, key=key))
        message = f"“{key}” is critical from now on."
        if not seen:
            message += " The session has saved nothing yet: the mark waits for a context."
        return contract.Marked(status="SUCCESS", message=message, sessionId=session)

    return context.write(work)


def delete(request: contract.Delete, context: Context) -> contract.Deleted:
    """Take a checkpoint off the list."""

    def work(tx: WriteTx) -> contract.Deleted:
        row = find(tx, request.checkpoint_id)
        gone = events.CheckpointDeleted(id=row["id"], session=row["session"], why="asked")
        context.record(tx, gone)
        return contract.Deleted(checkpointId=row["id"], sessionId=row["session"])

    return context.write(work)


def _session(context: Context) -> str:
    assert context.session is not None, "a checkpoint belongs to a session"
    return context.session


def _extra(metadata: contract.Metadata) -> dict[str, object]:
    extra = metadata.model_extra or {}
    size = len(canonical_json(extra))
    if size > limits.EXTRA_BYTES_MAX:
        raise InvalidInput(
            f"metadata: at most {limits.EXTRA_BYTES_MAX} bytes, not {size}", argument="metadata"
        )
    return extra


def _used_elsewhere(context: Context) -> int:
    """Add up what the other projects of the store keep; it need not be exact to the byte."""
    others = context.store.engine.heads().keys() - {context.project, CATALOG}
    return sum(context.store.read(project, used_bytes) for project in others)


def _known(tx: ReadTx, context: Context, digest: Digest) -> Row | None:
    """Give the session's latest checkpoint if it holds the same already."""
    latest = newest(tx, _session(context))
    marks = state_of(tx, _session(context))["marks"]
    return latest if latest and rules.is_unchanged(latest, marks, digest) else None


def _size_bytes(tx: ReadTx, blob: Blob) -> int:
    """Say what a context takes on disk, as it was packed when it was first saved."""
    first = tx.scan(CHECKPOINTS, {"context": blob.digest}, limit=1)
    return first[0].row["size_bytes"] if first else len(blob.packed)


def _pack(tx: ReadTx, session: str, data: bytes) -> Blob:
    """Pack a context against an earlier one of its session, if that gains anything."""
    number = rules.base_number(state_of(tx, session)["saves"])
    bases = [] if number is None else tx.scan(
        CHECKPOINTS, {"session": session, "number": number}, limit=1
    )  # fmt: skip
    if not bases:
        return seal(data)
    try:
        digest = Digest(bases[0].row["context"])
        base, base_data = tx.blob(digest), content(tx, digest)
    except BlobDamaged:
        return seal(data)
    return seal_onto(data, base, base_data) if base else seal(data)


def _older(tx: ReadTx, session: str, keep: int) -> list[Found]:
    newest = tx.scan(CHECKPOINTS, {"session": session}, order="number", descending=True, limit=keep)
    if len(newest) < keep:
        return []
    last = newest[-1]
    return tx.scan(
        CHECKPOINTS,
        {"session": session},
        order="number",
        descending=True,
        after=Position(last.row["number"], last.key),
        limit=limits.CHAIN_NUMBERS,
    )


def _saved(saved: events.CheckpointSaved, warning: str | None) -> contract.Saved:
    return contract.Saved(
        checkpointId=saved.id,
        sessionId=saved.session,
        status="SAVED",
        sizeBytes=saved.size_bytes,
        contextHash=saved.context,
        warning=warning,
    )


def _skipped(row: Row) -> contract.Saved:
    return contract.Saved(
        checkpointId=row["id"],
        sessionId=row["session"],
        status="SKIPPED_UNCHANGED",
        sizeBytes=row["size_bytes"],
        contextHash=row["context"],
    )
