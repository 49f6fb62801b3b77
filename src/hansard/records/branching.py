"""Sessions that branch off from another."""

from dataclasses import replace
from functools import partial

from hansard.kernel.engine import WriteTx
from hansard.kernel.operation import Context, Operation
from hansard.records import answers, contract
from hansard.sessions import projects
from hansard.sessions.directory import new_session_id, session_row
from hansard.sessions.events import SessionBranched
from hansard.sessions.presence import Presence
from hansard.sessions.rules import Staleness
from hansard.sessions.session_shape import Showing
from hansard.sessions.views import ACTIVE_RECORDS_MAX


def branch_session(
    staleness: Staleness, presence: Presence, _: contract.BranchSession, context: Context
) -> answers.BranchedAnswer:
    """Begin a session where another is."""
    parent = context.session
    assert parent is not None, "branch_session ran without a session"
    session = new_session_id(context.project)
    stamp = replace(context.stamp, session=session)
    called, look = projects.shown(context)["id"], presence.look(context, [])

    def work(tx: WriteTx) -> answers.BranchedAnswer:
        context.store.record(tx, SessionBranched(id=session, parent_session=parent), stamp)
        row = session_row(tx, session)
        showing = Showing(tx, look, staleness, tick=tx.head().tick)
        shown = showing.show(row, called, active_max=ACTIVE_RECORDS_MAX)
        return answers.BranchedAnswer(session=shown)

    return context.write(work)


def operations(staleness: Staleness, presence: Presence) -> tuple[Operation, ...]:
    """Declare it."""
    return (
        Operation(
            "branch_session",
            "Begin a new session with this one's active records; pass its id in the new chat.",
            contract.BranchSession,
            answers.BranchedAnswer,
            partial(branch_session, staleness, presence),
            writes=True,
            role="agent",
            session="required",
        ),
    )
