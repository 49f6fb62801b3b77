"""Where the last session left off: the part of an overview that is not about records."""

from hansard.app import secret_news, session_summary
from hansard.checkpoints.views import CHECKPOINTS
from hansard.decisions.tables import DECISIONS
from hansard.kernel.engine import Range, ReadTx, Row, Where
from hansard.kernel.operation import Context
from hansard.kernel.truncation import cut
from hansard.records.briefing import Briefing, CheckpointSeen, DecisionSeen, LastSession
from hansard.sessions.directory import last_activity
from hansard.sessions.events import SessionSaved, SessionWasClosed
from hansard.sessions.views import SESSIONS

DECISIONS_SHOWN_MAX = 20
"""Nobody reads more than these before they begin; search_decisions finds the others."""

SAID_SHOWN_CHARS = 500

ENTRIES_READ_MAX = 300
"""How many of the last session's newest entries are read to say what it did."""


def brief(tx: ReadTx, context: Context) -> Briefing:
    """Say who was here last, what holds, what waits and what can be continued."""
    holds, holds_total = _decisions(tx, "decision", "active", context.as_of)
    waits, waits_total = _decisions(tx, "proposal", "proposed", context.as_of)
    return Briefing(
        last_session=_last_session(tx, context),
        checkpoint=_checkpoint(tx, context.as_of),
        decisions=holds,
        decisions_total=holds_total,
        proposals=waits,
        proposals_total=waits_total,
    )


def tell(context: Context) -> list[str]:
    """Say what is new about the secret of the store, which concerns everybody in it."""
    return [] if context.as_of is not None else secret_news.news(context.store, context.stamp.at)


def _decisions(
    tx: ReadTx, kind: str, status: str, as_of: int | None
) -> tuple[list[DecisionSeen], int]:
    where: Where = {"kind": kind, "status": status}
    found = tx.scan(
        DECISIONS, where, order="seq", descending=True, limit=DECISIONS_SHOWN_MAX, as_of=as_of
    )
    seen = [
        DecisionSeen(id=one.key, title=one.row["title"], target=one.row["target"]) for one in found
    ]
    return seen, tx.tally(DECISIONS, where, as_of=as_of).get(None, 0)


def _checkpoint(tx: ReadTx, as_of: int | None) -> CheckpointSeen | None:
    where: Where = {} if as_of is None else {"seq": Range(below=as_of + 1)}
    found = tx.scan(CHECKPOINTS, where, order="seq", descending=True, limit=1)
    if not found:
        return None
    row = found[0].row
    [entry] = tx.entries(after=row["seq"] - 1, limit=1)
    return CheckpointSeen(id=row["id"], session_id=row["session"], name=row["name"], saved=entry.at)


def _last_session(tx: ReadTx, context: Context) -> LastSession | None:
    """Find the session that began last, other than the caller's."""
    own = context.session or context.caller.session_in(context.project)
    newest = tx.scan(SESSIONS, order="started_seq", descending=True, limit=2, as_of=context.as_of)
    row = next((one.row for one in newest if one.key != own), None)
    if row is None:
        return None
    return LastSession(
        id=row["id"],
        title=row["title"],
        by=row["by"],
        last_activity=last_activity(tx, row, as_of=context.as_of),
        said=_said(tx, row, context),
        did=_did(tx, row, context) or None,
    )


def _said(tx: ReadTx, row: Row, context: Context) -> str | None:
    before = None if context.as_of is None else context.as_of + 1
    kinds = [SessionWasClosed.kind, SessionSaved.kind]
    last = tx.entries(session=row["id"], kinds=kinds, before=before, descending=True, limit=1)
    event = context.store.kinds.decode(last[0]) if last else None
    note = event.note if isinstance(event, SessionWasClosed | SessionSaved) else None
    return cut(note, SAID_SHOWN_CHARS) if note else None


def _did(tx: ReadTx, row: Row, context: Context) -> list[str]:
    before = None if context.as_of is None else context.as_of + 1
    newest = tx.entries(session=row["id"], before=before, descending=True, limit=ENTRIES_READ_MAX)
    kinds = context.store.kinds
    events = ((one.seq, kinds.decode(one)) for one in reversed(newest) if kinds.knows(one.kind))
    return session_summary.lines([(seq, event) for seq, event in events if event])
