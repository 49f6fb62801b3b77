"""Saving and deleting checkpoints."""

from contextlib import suppress
from dataclasses import dataclass

from hansard.checkpoints import (
    answers,
    contract,
    copies,
    events,
    limits,
    omitted_keys,
    packing,
    rules,
    truncated_contexts,
)
from hansard.checkpoints.answers import json_of
from hansard.checkpoints.omitted_keys import LeftOut
from hansard.checkpoints.reading import (
    context_of,
    find,
    left_out_of,
    looked_at,
    newest,
    state_of,
)
from hansard.checkpoints.retention import retain
from hansard.checkpoints.threads.usage import used_bytes
from hansard.checkpoints.views import CHECKPOINTS, PREFIX
from hansard.kernel.blob import Digest, canonical_json, digest_of
from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.ids import next_id
from hansard.kernel.operation import Context
from hansard.kernel.problem import BlobDamaged, InvalidInput

_GONE = "{} has more, which a budget left out and which is not in this one: {}."
_MENDED = "What was kept of it on disk was damaged, and has been written again."


@dataclass(frozen=True, slots=True)
class Saving:
    """How checkpoints are saved here: the operator's quotas and retention."""

    quotas: limits.CheckpointQuotas
    retention: limits.Retention

    def save(self, request: contract.Save, context: Context) -> answers.CheckpointSavedAnswer:
        """Save a context, unless it is what the latest checkpoint holds already."""
        data = canonical_json(request.context)
        if len(data) > limits.CONTEXT_BYTES_MAX:
            raise InvalidInput(
                f"context: at most {limits.CONTEXT_BYTES_MAX} bytes, not {len(data)}",
                argument="context",
            )
        metadata = request.metadata or contract.Metadata()
        _require_room(metadata.model_extra or {}, metadata.tags, request.cites)
        stored = used_bytes(context.store.engine)
        save = _Save(self, request, metadata, context, data, digest_of(data), stored)
        while True:
            try:
                saved = save.once()
            except copies.CopyOvertakenError:
                continue  # another process saved here, or removed what this would rest on
            context.caller.works_on(context.project, saved.sessionId)
            return saved


@dataclass(frozen=True, slots=True)
class _Save:
    """One save, from the first read to the answer."""

    saving: Saving
    request: contract.Save
    metadata: contract.Metadata
    context: Context
    data: bytes
    digest: Digest
    store_bytes: int
    """What the whole store keeps."""

    def once(self) -> answers.CheckpointSavedAnswer:
        """Read, then write what the plan needs, unless that is nothing."""
        plan, known = self.context.read(self._plan)
        is_told = known and not (plan.mended or plan.blob) and not self._news(known)
        # With a key, record even that nothing was saved: a repeated call must not save after all.
        if known and is_told and self.context.once is None:
            return _skipped(known)

        def work(tx: WriteTx) -> answers.CheckpointSavedAnswer:
            plan.require(tx, self._session)
            copies.mend(tx, plan.mended)
            latest = self._known(tx)
            return self._amend(tx, latest, plan) if latest else self._record(tx, plan)

        return self.context.write(work, blobs=[plan.blob] if plan.blob else [])

    def _plan(self, tx: ReadTx) -> tuple[packing.SavePlan, Row | None]:
        tx.prefetch(
            lambda: tx.kept([self.digest]),
            lambda: self._known(tx),
            lambda: packing.group(tx, self._session),
            lambda: tx.scan(CHECKPOINTS, {"context": self.digest}, limit=1),
        )
        found = packing.prove(tx, self._session, self.data, self.digest)
        if known := self._known(tx):
            return found, known
        self._require_whole(tx)
        plan = packing.plan(tx, self._session, self.data, found)
        # Asked before the bytes are staged, so that a refusal leaves nothing behind.
        self._check(tx, plan)
        return plan, None

    @property
    def _session(self) -> str:
        assert self.context.session is not None, "a checkpoint belongs to a session"
        return self.context.session

    def _known(self, tx: ReadTx) -> Row | None:
        """Give the session's latest checkpoint if it holds the same context already."""
        if self.request.force:
            return None
        latest = newest(tx, self._session)
        marks = state_of(tx, self._session)["marks"]
        return latest if latest and rules.is_unchanged(latest, marks, self.digest) else None

    def _require_whole(self, tx: ReadTx) -> None:
        """Refuse a context that a budget has cut, if it would replace the whole."""
        given, left = self.request.context, self._left_out(tx)
        if self.request.force or not (left or truncated_contexts.TELLTALE in self.data):
            return
        for row in _seen(tx, self.context, self._session):
            with suppress(BlobDamaged):
                whole = context_of(tx, row)
                keys = [*truncated_contexts.cut_keys(given, whole)]
                keys += omitted_keys.cut_keys(given, whole, left.get(row["id"], LeftOut()))
                if keys:
                    raise _cut(row["id"], sorted({*keys}))

    def _left_out(self, tx: ReadTx) -> dict[str, LeftOut]:
        """Name the parts of checkpoints that the saving session was not given."""
        own = self.context.caller.session_in(self.context.project)
        by_session = [left_out_of(tx, one) for one in dict.fromkeys((self._session, own))]
        return {one: left for lefts in by_session for one, left in lefts.items()}

    def _gone(self, tx: ReadTx) -> str | None:
        """Name the keys that a budget left out of the last load, and that are not saved again."""
        lefts = self._left_out(tx)
        seen = looked_at(tx, self._session) if lefts else None
        left = lefts.get(seen["id"]) if seen else None
        keys = omitted_keys.keys_gone(self.request.context, left) if left else []
        return _GONE.format(seen["id"], ", ".join(keys)) if seen and keys else None

    def _news(self, row: Row) -> list[str]:
        """Name the new metadata that this save adds to the checkpoint that has its context."""
        said = rules.said_anew(row, self.metadata, self.request.cites)
        new = [name for name, value in said.items() if value != row[name]]
        return [*new, *(["sessionTags"] if self.metadata.session_tags is not None else [])]

    def _amend(
        self, tx: WriteTx, row: Row, plan: packing.SavePlan
    ) -> answers.CheckpointSavedAnswer:
        """Keep the metadata of a context that is not saved again."""
        said = rules.said_anew(row, self.metadata, self.request.cites)
        _require_room(said["extra"], said["tags"], said["cites"])
        changed = [name for name, value in said.items() if value != row[name]]
        if changed:
            amended = events.CheckpointAmended(id=row["id"], session=row["session"], **said)
            self.context.record(tx, amended)
        changed += self._tag(tx)
        warning = _MENDED if plan.mended or plan.blob else None
        return _skipped(row).model_copy(update={"amended": changed or None, "warning": warning})

    def _record(self, tx: WriteTx, plan: packing.SavePlan) -> answers.CheckpointSavedAnswer:
        notes = [_MENDED if plan.mended else None, self._check(tx, plan), self._gone(tx)]
        saved = events.CheckpointSaved(
            id=next_id(tx, PREFIX),
            session=self._session,
            number=plan.number,
            context=plan.digest,
            size_bytes=_size_bytes(tx, plan),
            context_bytes=len(self.data),
            name=self.metadata.name,
            tags=self.metadata.tags,
            classes=dict(self.metadata.classes),
            extra=self.metadata.model_extra or {},
            cites=self.request.cites,
            spare=plan.spare,
            packs=plan.blob is not None,
        )
        self.context.record(tx, saved)
        self._tag(tx)
        retain(tx, self.context, self._session, self.saving.retention.keep_last)
        return _saved(saved, " ".join(filter(None, notes)) or None)

    def _tag(self, tx: WriteTx) -> list[str]:
        """Set the session's own tags, if they differ from those it has."""
        tags = self.metadata.session_tags
        if tags is None or tags == state_of(tx, self._session)["own_tags"]:
            return []
        self.context.record(tx, events.SessionTagged(session=self._session, tags=tags))
        return ["sessionTags"]

    def _check(self, tx: ReadTx, plan: packing.SavePlan) -> str | None:
        """Refuse what exceeds a quota. What is stored already takes no more space."""
        size, used = _size_bytes(tx, plan), self.store_bytes
        used_here = state_of(tx, self._session)["bytes"]
        same = {"context": plan.digest}
        is_new = not tx.scan(CHECKPOINTS, same, limit=1)
        if is_new:
            used += size
        if is_new or not tx.scan(CHECKPOINTS, same | {"session": self._session}, limit=1):
            used_here += size
        return rules.check_quotas(self.saving.quotas, size, used_here, used)


def _seen(tx: ReadTx, context: Context, session: str) -> list[Row]:
    """Give the checkpoints that the saving session may have seen: the last saved or loaded."""
    last = context.caller.last_context()
    sessions = [session, *([last[1]] if last and last[0] == context.project else [])]
    found = [row for one in sessions for row in (looked_at(tx, one), newest(tx, one)) if row]
    return list({row["id"]: row for row in found}.values())


def _cut(identifier: str, keys: list[str]) -> InvalidInput:
    fetch = f'workflow_checkpoint_load {{"checkpointId": "{identifier}", "keys": {json_of(keys)}}}'
    return InvalidInput(
        f"context: of {', '.join(keys)} it has only what a budget left; {identifier} has all of it",
        hint=f"{fetch} gives it whole; force: true saves it as it is",
        argument="context",
        checkpointId=identifier,
        keys=keys,
    )


def delete(request: contract.Delete, context: Context) -> answers.CheckpointsDeletedAnswer:
    """Delete a checkpoint from the list."""

    def work(tx: WriteTx) -> answers.CheckpointsDeletedAnswer:
        row = find(tx, request.checkpoint_id)
        gone = events.CheckpointDeleted(id=row["id"], session=row["session"], why="asked")
        context.record(tx, gone)
        return answers.CheckpointsDeletedAnswer(checkpointId=row["id"], sessionId=row["session"])

    return context.write(work)


def _require_room(extra: dict[str, object], tags: list[str], cites: list[str]) -> None:
    """Refuse more metadata than one checkpoint may have."""
    size = len(canonical_json(extra))
    if size > limits.EXTRA_BYTES_MAX:
        raise InvalidInput(
            f"metadata: at most {limits.EXTRA_BYTES_MAX} bytes, not {size}", argument="metadata"
        )
    for argument, count, most in (
        ("metadata.tags", len(tags), limits.TAGS_MAX),
        ("cites", len(cites), limits.CITES_MAX),
    ):
        if count > most:
            raise InvalidInput(f"{argument}: at most {most} in all, not {count}", argument=argument)


def _size_bytes(tx: ReadTx, plan: packing.SavePlan) -> int:
    """Give a context's size on disk, as it was packed when first saved."""
    first = tx.scan(CHECKPOINTS, {"context": plan.digest}, limit=1)
    if first:
        return int(first[0].row["size_bytes"])
    packed = plan.blob or next(iter(plan.mended), None) or tx.blob(plan.digest)
    return len(packed.packed) if packed else 0


def _saved(saved: events.CheckpointSaved, warning: str | None) -> answers.CheckpointSavedAnswer:
    return answers.CheckpointSavedAnswer(
        checkpointId=saved.id,
        sessionId=saved.session,
        status="SAVED",
        sizeBytes=saved.size_bytes,
        contextHash=saved.context,
        warning=warning,
    )


def _skipped(row: Row) -> answers.CheckpointSavedAnswer:
    return answers.CheckpointSavedAnswer(
        checkpointId=row["id"],
        sessionId=row["session"],
        status="SKIPPED_UNCHANGED",
        code="CONTEXT_UNCHANGED",
        sizeBytes=row["size_bytes"],
        contextHash=row["context"],
    )
