"""Updates that meet another session's: what both changed, and a merge to decide by.

A merge takes files and time, so it is made before the transaction that needs it, from what is then
stored. If the record moves on in between, the transaction says so and the merge is made again.
"""

from dataclasses import dataclass

from hansard.kernel.blob import Digest, digest_of
from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.operation import Context
from hansard.records import answers, reading, rules
from hansard.records.contract import UpdateRecord
from hansard.records.events import ConflictDetected
from hansard.records.merge import Merged, three_way
from hansard.records.views import RECORDS


class OvertakenError(Exception):
    """The record was written after the merge was made; whoever runs the write makes a new one."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A merge of the bodies, and which bodies it is of."""

    base: Digest
    stored: Digest
    merged: Merged


def prepare(request: UpdateRecord, context: Context) -> Prepared | None:
    """Merge ahead of an update, if it is going to meet another session's."""
    sides = context.read(lambda tx: _sides(tx, request, context))
    if sides is None:
        return None
    base, stored = sides
    yours = base if request.body is None else request.body
    merged = three_way(base, stored, yours)
    return Prepared(digest_of(base.encode()), digest_of(stored.encode()), merged)


def answer(
    tx: WriteTx, request: UpdateRecord, context: Context, row: Row, prepared: Prepared | None
) -> answers.RecordUpdated:
    """Note the conflict and lay both versions before the caller; nothing is applied."""
    base = reading.require_base(tx, context, request.id)
    base_row = version(tx, request.id, base)
    if prepared is None or (prepared.base, prepared.stored) != (base_row["body"], row["body"]):
        raise OvertakenError
    body = digest_of(request.body.encode()) if request.body is not None else None
    your_row = rules.applied(base_row, request, body)
    changed = rules.changed_fields(base_row, row)
    overlapping = [name for name in changed if your_row[name] not in (base_row[name], row[name])]
    met = {"base": base, "stored": row["tick"]}
    context.record(tx, ConflictDetected(id=request.id, operation="update_record", **met))
    stored = reading.whole(tx, row)
    base_version = reading.whole(tx, base_row)
    yours = base_version.body if request.body is None else request.body
    return answers.RecordUpdated(
        record=stored,
        conflict=answers.UpdateConflict(
            message=_message(row, base, changed, overlapping),
            other_version=stored,
            base_version=base_version,
            your_version=reading.with_body(your_row, yours),
            changed_fields=changed,
            overlapping_fields=overlapping,
            merge=answers.Merge(text=prepared.merged.text, clean=prepared.merged.is_clean),
        ),
    )


def version(tx: ReadTx, identifier: str, tick: int) -> Row:
    """Read a record as it stood at a tick that a session knows it by."""
    row = tx.get(RECORDS, identifier, as_of=tx.seek(tick=tick))
    assert row is not None, f"a session knows {identifier} from before it was created"
    return row


def _sides(tx: ReadTx, request: UpdateRecord, context: Context) -> tuple[str, str] | None:
    """Read the body the session knows and the stored one, if they are of different versions."""
    row = tx.get(RECORDS, request.id)
    base = reading.base_of(tx, context.session, request.id)
    if row is None or base is None or request.force or not rules.is_overtaken(row, base):
        return None
    return reading.body(tx, version(tx, request.id, base)), reading.body(tx, row)


def _message(row: Row, base: int, changed: list[str], overlapping: list[str]) -> str:
    fields = ", ".join(changed) or "nothing that is left"
    told = (
        f"{row['id']} was changed by session {row['session']}: you know t:{base}, it is at "
        f"t:{row['tick']} (changed: {fields}). Your update was not applied."
    )
    clash = f"You both changed: {', '.join(overlapping)}." if overlapping else (
        "Your changes and theirs do not touch the same fields."
    )  # fmt: skip
    return f"{told} {clash}"
