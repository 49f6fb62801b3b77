"""What other sessions changed, told once each; and sessions that branch from others."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.event import Entry
from hansard.kernel.limits import ENTRIES_PAGE
from hansard.kernel.operation import Context, Operation
from hansard.records import answers, contract, limits, reading
from hansard.records.budget import size_of
from hansard.records.differences import old_values
from hansard.records.events import RecordCreated, RecordMoved, RecordTransitioned, RecordUpdated
from hansard.records.views import RECORDS
from hansard.sessions.directory import new_session_id, session_row
from hansard.sessions.events import SessionBranched, SessionSynced
from hansard.sessions.presence import Presence
from hansard.sessions.rules import Staleness, stale_warning
from hansard.sessions.shown import Showing
from hansard.sessions.views import ACTIVE_RECORDS_MAX

CHANGE_TYPES = {
    RecordCreated.kind: "created",
    RecordUpdated.kind: "modified",
    RecordMoved.kind: "modified",
    RecordTransitioned.kind: "state_changed",
}
"""Nothing deletes a record, so 000's `deleted` is never told."""


def sync_session(staleness: Staleness, _: contract.SyncSession, context: Context) -> answers.Synced:
    """Tell the session what others changed since it was last told."""
    session = context.session
    assert session is not None, "sync_session ran without a session"

    def work(tx: WriteTx) -> answers.Synced:
        row, head = session_row(tx, session), tx.head()
        told, more = _told(tx, context, row)
        changes = [change for _, change in told]
        end = told[-1][0] if more else head
        context.record(
            tx,
            SessionSynced(
                id=session,
                through_seq=end.seq,
                through_tick=max(end.tick, row["last_sync_tick"]),
                bases=_new_bases(tx, session, changes),
            ),
        )
        gap = head.tick - row["last_sync_tick"]
        level = staleness.level(gap)
        return answers.Synced(
            session_id=session,
            project_tick=head.tick,
            session_tick_before=row["last_sync_tick"],
            tick_gap=gap,
            changes=changes,
            more=more,
            session_status=staleness.status(gap),
            staleness=level,
            warning=None if level == "fresh" else stale_warning(gap),
        )

    return context.write(work)


def branch_session(
    staleness: Staleness, presence: Presence, _: contract.BranchSession, context: Context
) -> answers.Branched:
    """Begin a session where another stands."""
    parent = context.session
    assert parent is not None, "branch_session ran without a session"
    session = new_session_id(context.project)
    stamp = replace(context.stamp, session=session)
    look = presence.look(context, [])

    def work(tx: WriteTx) -> answers.Branched:
        context.store.record(tx, SessionBranched(id=session, parent_session=parent), stamp)
        row = session_row(tx, session)
        showing = Showing(tx, look, staleness, tick=tx.head().tick)
        shown = showing.show(row, context.project, active_max=ACTIVE_RECORDS_MAX)
        return answers.Branched(session=shown)

    return context.write(work)


def _told(
    tx: ReadTx, context: Context, session: Row
) -> tuple[list[tuple[Entry, answers.Change]], bool]:
    """Gather the changes to tell now; says also whether some are left for the next time."""
    told: list[tuple[Entry, answers.Change]] = []
    chars = 0
    for entry in _foreign(tx, session["id"], session["synced_seq"]):
        if len(told) == limits.CHANGES_MAX:
            return told, True
        change = _change(tx, context, entry)
        chars += size_of(change)
        if told and chars > limits.CHANGES_CHARS_MAX:
            return told, True
        told.append((entry, change))
    return told, False


def _foreign(tx: ReadTx, session: str, after: int) -> Iterator[Entry]:
    """Go through the changes that other sessions made, in order."""
    while page := tx.entries(after=after, limit=ENTRIES_PAGE, kinds=list(CHANGE_TYPES)):
        # What was redacted cannot be told.
        yield from (one for one in page if one.session != session and one.payload is not None)
        after = page[-1].seq


def _change(tx: ReadTx, context: Context, entry: Entry) -> answers.Change:
    event = context.store.kinds.decode(entry)
    assert event is not None, "a change of a record was redacted"
    identifier = event.subject()
    assert identifier is not None, "a change is of no record"
    new = reading.require(tx, identifier, as_of=entry.seq)
    old = tx.get(RECORDS, identifier, as_of=entry.seq - 1)
    return answers.Change.model_validate({
        "record_id": identifier,
        "change_type": CHANGE_TYPES[entry.kind],
        "old_value": old_values(tx, old, new) if old else None,
        "new_value": reading.whole(tx, new),
        "by_session": entry.session,
        "at_tick": entry.tick,
    })  # fmt: skip


def _new_bases(tx: ReadTx, session: str, told: list[answers.Change]) -> dict[str, int]:
    """Say which version of each active record the session has now been told of."""
    versions = {change.record_id: change.new_value.version for change in told}
    return {
        identifier: version
        for identifier, version in versions.items()
        if reading.base_of(tx, session, identifier) is not None
    }


def operations(staleness: Staleness, presence: Presence) -> tuple[Operation, ...]:
    """Declare what sessions learn of each other."""
    return (
        Operation(
            "sync_session",
            "Get what other sessions changed since your last sync, each change once.",
            contract.SyncSession,
            answers.Synced,
            partial(sync_session, staleness),
            writes=True,
            role="agent",
            session="required",
            toolsets=("default",),
        ),
        Operation(
            "branch_session",
            "Begin a new session with this one's active records; pass its id in the new chat.",
            contract.BranchSession,
            answers.Branched,
            partial(branch_session, staleness, presence),
            writes=True,
            role="agent",
            session="required",
            toolsets=("default",),
        ),
    )
