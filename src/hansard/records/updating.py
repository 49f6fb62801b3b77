"""Updates a record; nothing that the session has not seen is overwritten silently."""

from functools import partial

from hansard.kernel import truncation
from hansard.kernel.blob import Digest, digest_of, seal
from hansard.kernel.engine import AnyOf, Range, ReadTx, Row, Where, WriteTx
from hansard.kernel.operation import Context, Operation
from hansard.kernel.problem import InvalidInput
from hansard.records import conflict, contract, limits, reading, rules
from hansard.records.events import ConflictResolved
from hansard.records.update_answers import MergedWith, RecordUpdatedAnswer, VersionWritten
from hansard.sessions.views import ACTIVITY

WRITES = ("record_updated", "state_transition")
"""Activities that give a record a new version."""


def update_record(request: contract.UpdateRecord, context: Context) -> RecordUpdatedAnswer:
    """Change a record, unless another session has changed it since this one last saw it."""
    sent = seal(request.body.encode()) if request.body is not None else None
    while True:
        prepared = conflict.prepare(request, context)
        body = prepared.body if prepared else sent
        work = partial(_update, request, context, prepared)
        try:
            return context.write(work, blobs=[body] if body else [])
        except conflict.OvertakenError:
            continue


def _update(
    request: contract.UpdateRecord,
    context: Context,
    prepared: conflict.Prepared | None,
    tx: WriteTx,
) -> RecordUpdatedAnswer:
    row = reading.require(tx, request.id)
    _require_whole(tx, request, row)
    base = conflict.require_base(tx, request, context)
    reading.require_all(tx, request.related or ())
    if conflict.meets(request, row, base):
        prepared = conflict.require_current(prepared, row, base)
        if prepared.is_accepted:
            return _merge(tx, context, base, prepared)
        return conflict.answer(tx, request, context, base, prepared)
    if prepared:
        # Nothing overtook it, or the caller has decided: its content was not staged.
        raise conflict.OvertakenError
    if rules.is_overtaken(row, base):
        return _force(tx, request, context, row, base)
    event = rules.plan_update(row, request, _digest(request))
    if event:
        context.record(tx, event)
    return _answer(tx, row)


def _require_whole(tx: ReadTx, request: contract.UpdateRecord, row: Row) -> None:
    """Refuse a text that a list truncated, because it would replace the whole."""
    summary, body = request.summary or "", request.body or ""
    is_cut = {
        "summary": truncation.TELLTALE in summary and truncation.TELLTALE not in row["summary"],
        "body": truncation.TELLTALE in body and truncation.is_cut_of(body, reading.body(tx, row)),
    }
    for name in filter(is_cut.__getitem__, is_cut):
        raise InvalidInput(
            f"{name}: was cut to be shown, and would take the place of the whole",
            hint=f'activate {{"id": "{request.id}"}} gives all of it; leave out what stays',
            argument=name,
        )


def _force(
    tx: WriteTx, request: contract.UpdateRecord, context: Context, row: Row, base: int
) -> RecordUpdatedAnswer:
    """Overwrite what others wrote, and report it. Other fields stay as others wrote them."""
    replaced, count = _foreign(tx, request.id, base)
    event = rules.plan_update(row, request, _digest(request)) or rules.plan_same(row)
    context.record(tx, ConflictResolved(id=request.id, base=base, stored=row["tick"]))
    context.record(tx, event)
    more = count - len(replaced) or None
    return _answer(tx, row).model_copy(update={"replaced": replaced, "replaced_more": more})


def _merge(
    tx: WriteTx, context: Context, base: int, prepared: conflict.Prepared
) -> RecordUpdatedAnswer:
    """Write an update together with what others wrote."""
    versions, merged = prepared.versions, prepared.merged
    sides = merged.sides
    assert sides is not None, "a merge that clashes was accepted"
    row = versions.stored
    values = {name: merged.values[name] for name in rules.UPDATABLE if name in sides}
    values |= {"body": digest_of(merged.body.encode())} if merged.body is not None else {}
    event = rules.plan_values(row, values) or rules.plan_same(row)
    foreign, _ = _foreign(tx, row["id"], base)
    met = {"base": base, "stored": row["tick"]}
    context.record(tx, ConflictResolved(id=row["id"], **met, by="merge"))
    context.record(tx, event)
    # The answer has what the caller has not seen: its next update begins there.
    is_new = merged.body is not None and merged.body != versions.your_body
    answer = _answer(tx, row, body=merged.body if is_new else None)
    return answer.model_copy(update={"merged": MergedWith(versions=foreign, fields=sides)})


def _answer(tx: ReadTx, before: Row, *, body: str | None = None) -> RecordUpdatedAnswer:
    after = reading.require(tx, before["id"])
    return RecordUpdatedAnswer(
        record=reading.written(after, body), changed_fields=rules.changed_fields(before, after)
    )


def _foreign(tx: ReadTx, identifier: str, base: int) -> tuple[list[VersionWritten], int]:
    """Name the versions since the one that a session knows, the newest first, and count them."""
    where: Where = {
        "record_id": identifier,
        "type": AnyOf(WRITES),
        "seq": Range(at_least=tx.seek(tick=base) + 1),
    }
    found = tx.scan(ACTIVITY, where, order="seq", descending=True, limit=limits.REPLACED_SHOWN_MAX)
    count = tx.tally(ACTIVITY, where).get(None, 0)
    return [_version(tx, identifier, one.row["seq"]) for one in found], count


def _version(tx: ReadTx, identifier: str, seq: int) -> VersionWritten:
    [entry] = tx.entries(after=seq - 1, limit=1)
    before = reading.require(tx, identifier, as_of=seq - 1)
    after = reading.require(tx, identifier, as_of=seq)
    return VersionWritten(
        version=entry.tick,
        author=str(entry.actor),
        session_id=entry.session,
        at=entry.at,
        changed_fields=rules.changed_fields(before, after),
    )


def _digest(request: contract.UpdateRecord) -> Digest | None:
    return None if request.body is None else digest_of(request.body.encode())


OPERATION = Operation(
    "update_record",
    "Change an active record; other fields stay. If another session changed it, you get "
    '`conflict` and nothing is applied: accept "merge", or force with force_version = '
    "conflict.version.",
    contract.UpdateRecord,
    RecordUpdatedAnswer,
    update_record,
    writes=True,
    role="agent",
    toolsets=("core", "default"),
)
