"""Creates, moves and retires records; `updating.py` updates them."""

from hansard.kernel.blob import seal
from hansard.kernel.engine import Found, ReadTx, Row, WriteTx
from hansard.kernel.ids import next_id
from hansard.kernel.operation import Context, Operation
from hansard.records import answers, contract, events, limits, reading, rules
from hansard.records.next_page import onwards
from hansard.records.shapes import Omitted
from hansard.records.views import PREFIX, RECORDS, subtree
from hansard.sessions.events import Deactivated


def create_record(request: contract.CreateRecord, context: Context) -> answers.RecordCreatedAnswer:
    """Write a new record, active in the session that writes it."""
    body = seal(request.body.encode())
    session = context.session
    assert session is not None, "create_record ran without a session"

    def work(tx: WriteTx) -> answers.RecordCreatedAnswer:
        parent = _require_parent(tx, context, request.parent_id)
        event = rules.plan_create(next_id(tx, PREFIX), request, body.digest, parent)
        reading.require_all(tx, [*event.related, *filter(None, [event.resolved_by])])
        context.record(tx, event)
        row = reading.require(tx, event.id)
        warnings = rules.depth_warnings(row["depth"]) + rules.orphan_warnings(row, parent, 0)
        return answers.RecordCreatedAnswer(
            session_id=session,
            record=reading.with_body(row, request.body),
            warnings=warnings or None,
        )

    return context.write(work, blobs=[body])


def transition(request: contract.Transition, context: Context) -> answers.TransitionedAnswer:
    """Move a record to another state."""

    def work(tx: WriteTx) -> answers.TransitionedAnswer:
        row = reading.require(tx, request.id)
        rules.check_base(row, reading.require_base(tx, context, request.id))
        event = rules.plan_transition(row, request)
        reading.require_all(tx, filter(None, [request.resolved_by]))
        context.record(tx, event)
        row = reading.require(tx, request.id)
        parent = reading.require(tx, row["parent_id"]) if row["parent_id"] else None
        return answers.TransitionedAnswer(
            record=reading.written(row),
            cascade_warning=_cascade_warning(tx, row),
            warnings=rules.orphan_warnings(row, parent, 0) or None,
        )

    try:
        return context.write(work)
    except contract.Conflict as met:
        _note_conflict(context, met)
        raise


def move_record(request: contract.MoveRecord, context: Context) -> answers.RecordMovedAnswer:
    """Move a record, with all that lies under it, under another parent."""

    def work(tx: WriteTx) -> answers.RecordMovedAnswer:
        row = reading.require(tx, request.id)
        parent = reading.require(tx, request.parent_id) if request.parent_id else None
        reading.require_base(tx, context, request.id)
        event = rules.plan_move(row, parent, _deepest(tx, row))
        if event:
            context.record(tx, event)
            row = reading.require(tx, request.id)
        warnings = rules.depth_warnings(_deepest(tx, row)) + rules.orphan_warnings(row, parent, 0)
        return answers.RecordMovedAnswer(record=reading.ref(tx, row), warnings=warnings or None)

    return context.write(work)


def deactivate(request: contract.Deactivate, context: Context) -> answers.DeactivationAnswer:
    """Deactivate a record."""

    def work(tx: WriteTx) -> answers.DeactivationAnswer:
        reading.require(tx, request.id)
        reading.require_base(tx, context, request.id)
        session = context.session
        assert session is not None, "a record is active in no session"
        context.record(tx, Deactivated(session=session, record=request.id))
        return answers.DeactivationAnswer(session_id=session, deactivated=request.id)

    return context.write(work)


def _require_parent(tx: ReadTx, context: Context, parent_id: str | None) -> Row | None:
    if parent_id is None:
        return None
    row = reading.require(tx, parent_id)
    if reading.base_of(tx, context.session, parent_id) is None:
        raise contract.ParentNotActivated(
            f"{parent_id} is not active in this session", parent_id=parent_id
        )
    return row


def _cascade_warning(tx: ReadTx, row: Row) -> answers.CascadeWarning | None:
    """Name the open children of a record that is no longer open."""
    count = reading.counts(tx, row["id"]).get("OPEN", 0)
    if row["state"] == "OPEN" or not count:
        return None
    where = {"parent_id": row["id"], "state": "OPEN"}
    found = tx.scan(RECORDS, where, order="path", limit=limits.CASCADE_SHOWN_MAX)
    return answers.CascadeWarning(
        open_children=reading.refs(tx, (one.row for one in found)),
        message=f"{row['id']} is {row['state']}; {count} of its children stay OPEN",
        omitted=_rest(tx, row["id"], found[-1], count - len(found)),
    )


def _rest(tx: ReadTx, identifier: str, last: Found, missing: int) -> list[Omitted] | None:
    """Name the call that goes on after the last open child that is shown."""
    if not missing:
        return None
    _, how = onwards(tx, {"parent_id": identifier, "states": ["OPEN"]}, last.row)
    return [Omitted(what="open children", count=missing, how=how)]


def _note_conflict(context: Context, met: contract.Conflict) -> None:
    """Log a conflict whose own transaction was undone with the refusal."""
    details = met.details
    event = events.ConflictDetected(
        id=details["id"],
        operation="transition",
        base=details["base"],
        stored=details["version"],
    )
    context.note(lambda tx: context.record(tx, event))


def _deepest(tx: ReadTx, row: Row) -> int:
    """Give the depth of the deepest record in a subtree."""
    where = {"path": subtree(row["path"])}
    [found] = tx.scan(RECORDS, where, order="depth", descending=True, limit=1)
    return int(found.row["depth"])


OPERATIONS = (
    Operation(
        "create_record",
        "Write a new record under an active parent, or as a root. It becomes active. "
        "The body must make sense alone.",
        contract.CreateRecord,
        answers.RecordCreatedAnswer,
        create_record,
        writes=True,
        role="agent",
        session="begins",
        toolsets=("core", "default"),
    ),
    Operation(
        "transition",
        "Move an active record to another state. LATER and DISCARDED need reason, RESOLVED "
        "resolved_by.",
        contract.Transition,
        answers.TransitionedAnswer,
        transition,
        writes=True,
        role="agent",
        toolsets=("default",),
    ),
    Operation(
        "move_record",
        "Put an active record, with all under it, under another parent; null makes it a root.",
        contract.MoveRecord,
        answers.RecordMovedAnswer,
        move_record,
        writes=True,
        role="agent",
        repeatable=True,
    ),
    Operation(
        "deactivate",
        "Lay an active record aside.",
        contract.Deactivate,
        answers.DeactivationAnswer,
        deactivate,
        writes=True,
        role="agent",
    ),
)
