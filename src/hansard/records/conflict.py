"""Conflicts between two sessions' updates: what each changed, merged as far as possible.

A merge takes time, and what it makes is staged before the transaction that keeps it. So it is made
beforehand, from what is stored at the time. If the record moves on in between, the transaction says
so and the merge is made again.
"""

from dataclasses import dataclass

from hansard.kernel.blob import Blob, digest_of, seal
from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.limits import BODY_BYTES_MAX
from hansard.kernel.operation import Context
from hansard.kernel.problem import InvalidInput
from hansard.records import reading, rules
from hansard.records.contract import UpdateRecord
from hansard.records.events import ConflictDetected
from hansard.records.record_merge import MergedRecord, Versions, merge
from hansard.records.update_answers import (
    ChangedFields,
    OtherVersion,
    RecordUpdatedAnswer,
    UpdateConflict,
    clashes_in,
)
from hansard.records.views import RECORDS
from hansard.sessions.views import BASES, active_key


class OvertakenError(Exception):
    """The record was written after the merge was made; the write makes a new merge."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """The outcome of an update that meets another session's version."""

    versions: Versions
    merged: MergedRecord
    is_accepted: bool
    """Whether both are to be written, since the caller asked for it and nothing clashes."""
    body: Blob | None
    """The body to write, if it differs from the stored one."""


def meets(request: UpdateRecord, row: Row, base: int) -> bool:
    """Whether an update meets a version that it neither knows nor decides against."""
    is_decided = request.force and request.force_version == row["tick"]
    return rules.is_overtaken(row, base) and not is_decided


def prepare(request: UpdateRecord, context: Context) -> Prepared | None:
    """Merge ahead of an update that is going to meet another session's."""
    versions = context.read(lambda tx: _versions(tx, request, context))
    if versions is None:
        return None
    merged = merge(versions)
    is_accepted = request.accept == "merge" and merged.sides is not None
    is_new = is_accepted and merged.body not in (None, versions.stored_body)
    return Prepared(versions, merged, is_accepted, _seal(merged.body or "") if is_new else None)


def require_current(prepared: Prepared | None, row: Row, base: int) -> Prepared:
    """Give what was prepared, unless its versions have been overtaken."""
    if prepared is None:
        raise OvertakenError
    seen = prepared.versions
    if (seen.base["tick"], seen.stored["tick"]) != (base, row["tick"]):
        raise OvertakenError
    return prepared


def answer(
    tx: WriteTx, request: UpdateRecord, context: Context, base: int, prepared: Prepared
) -> RecordUpdatedAnswer:
    """Note the conflict and show the caller what is stored; nothing is applied."""
    versions = prepared.versions
    stored: int = versions.stored["tick"]
    met = {"base": base, "stored": stored}
    context.record(tx, ConflictDetected(id=request.id, operation="update_record", **met))
    changed = ChangedFields(
        theirs=rules.changed_fields(versions.base, versions.stored),
        yours=rules.changed_fields(versions.base, versions.yours),
    )
    other = reading.head_fields(versions.stored) | {"session_id": versions.stored["session"]}
    return RecordUpdatedAnswer(
        record=reading.written(versions.stored, versions.stored_body),
        conflict=UpdateConflict(
            message=_message(request, versions.stored, base, changed, prepared.merged),
            version=stored,
            other_version=OtherVersion(**other),
            base_version=reading.head(versions.base),
            changed_fields=changed,
            mergeable=prepared.merged.sides is not None,
            merge=prepared.merged.shown,
            clashes=clashes_in(prepared.merged.shown),
        ),
    )


def require_base(tx: ReadTx, request: UpdateRecord, context: Context) -> int:
    """Give the version that an update was made to: the one that it names, or its session's."""
    known = reading.require_base(tx, context, request.id)
    named = request.base_version
    if named is not None and reading.version(tx, request.id, named) is None:
        raise InvalidInput(
            f"base_version: {request.id} has no version t:{named}",
            hint="Give the `version` of the record as it was read",
            argument="base_version",
        )
    return known if named is None else named


def _versions(tx: ReadTx, request: UpdateRecord, context: Context) -> Versions | None:
    """Read the version the update was made to and the stored one, if it meets that."""
    stored = tx.get(RECORDS, request.id)
    known = _known(tx, request, context)
    if stored is None or known is None or not meets(request, stored, known["tick"]):
        return None
    base_body = reading.body(tx, known)
    your_body = base_body if request.body is None else request.body
    yours = rules.applied(known, request, digest_of(your_body.encode()))
    return Versions(known, stored, yours, base_body, reading.body(tx, stored), your_body)


def _known(tx: ReadTx, request: UpdateRecord, context: Context) -> Row | None:
    """Read what an update was made to: the version it names, or comes with, or its session's."""
    named = request.base_version
    looked_at = context.caller.activating.get(request.id) if named is None else named
    if looked_at is not None:
        return reading.version(tx, request.id, looked_at)
    session = context.session
    base = tx.get(BASES, active_key(session, request.id)) if session else None
    return reading.known_row(tx, request.id, base) if base else None


def _seal(text: str) -> Blob:
    """Pack a merged body, unless it has become longer than a body may be."""
    data = text.encode()
    if len(data) > BODY_BYTES_MAX:
        raise InvalidInput(
            f"body: merged with theirs it has {len(data)} bytes, and at most {BODY_BYTES_MAX} are "
            "allowed",
            hint="Shorten yours, or write it over theirs with force",
            argument="body",
        )
    return seal(data)


def _message(
    request: UpdateRecord, row: Row, base: int, changed: ChangedFields, merged: MergedRecord
) -> str:
    told = (
        f"{row['id']} was changed by {row['author']} in session {row['session']}: you know "
        f"t:{base}, it is at t:{row['tick']} (changed: "
        f"{', '.join(changed.theirs) or 'nothing that is left'})."
    )
    if request.force and request.force_version is not None:
        told += f" You decided against t:{request.force_version}, which is not the latest."
    elif request.force:
        told += " force needs force_version, the version that you decide against."
    clashing = [name for name, kind in merged.fields.items() if kind == "clash"]
    return f"{told} " + (f"You both changed: {', '.join(clashing)}." if clashing else
        "Your changes and theirs go together.")  # fmt: skip
