"""Sessions that begin where another stands."""

from dataclasses import replace
from functools import partial

from hansard.kernel.engine import WriteTx
from hansard.kernel.operation import Context, Operation
from hansard.records import answers, contract
from hansard.sessions.directory import (
    active_records,
    last_activity,
    new_session_id,
    session_row,
    ticks_synced,
)
from hansard.sessions.events import SessionBranched
from hansard.sessions.rules import Staleness


def branch_session(
    staleness: Staleness, _: contract.BranchSession, context: Context
) -> answers.Branched:
    """Begin a session where another stands."""
    parent = context.session
    assert parent is not None, "branch_session ran without a session"
    session = new_session_id(context.project)
    stamp = replace(context.stamp, session=session)

    def work(tx: WriteTx) -> answers.Branched:
        context.store.record(tx, SessionBranched(id=session, parent_session=parent), stamp)
        row = session_row(tx, session)
        synced = ticks_synced(tx, row)
        return answers.Branched(
            session=answers.SessionShown(
                id=session,
                project_id=context.project,
                created=row["created"],
                last_activity=last_activity(tx, row),
                last_sync_tick=synced,
                active_records=active_records(tx, session),
                status=staleness.status(tx.head().tick - synced),
                parent_session=parent,
            )
        )

    return context.write(work)


def operations(staleness: Staleness) -> tuple[Operation, ...]:
    """Declare it."""
    return (
        Operation(
            "branch_session",
            "Begin a new session with this one's active records; pass its id in the new chat.",
            contract.BranchSession,
            answers.Branched,
            partial(branch_session, staleness),
            writes=True,
            role="agent",
            session="required",
            toolsets=("default",),
        ),
    )
