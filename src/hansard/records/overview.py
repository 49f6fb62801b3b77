"""The overview of a project for a chat that is new to it."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from hansard.kernel.engine import Range, ReadTx, Row, Where
from hansard.kernel.limits import LIST_LIMIT_MAX
from hansard.kernel.operation import Context, Operation
from hansard.kernel.truncation import cut
from hansard.records import answers, contract, limits, reading
from hansard.records.briefing import Brief, Briefing, Tell
from hansard.records.budget import Budget
from hansard.records.budget import brief as shortened
from hansard.records.shapes import Omitted, RecordRef
from hansard.records.views import ALL, BENEATH, RECORDS, ROOTS, children_in
from hansard.sessions import projects
from hansard.sessions.contract import ActivityEntry
from hansard.sessions.presence import Presence
from hansard.sessions.rules import SessionStatus, Staleness
from hansard.sessions.session_shape import Showing
from hansard.sessions.views import ACTIVITY, SESSIONS

DESCRIPTION_SHOWN_CHARS = 1_000

REF_CHARS_MIN = 150
"""The least that any of them takes, so no more than could fit need be read."""

PRESENCES: tuple[SessionStatus, ...] = ("active", "idle", "away", "ended")
"""The order of sessions: those with somebody there come first."""

HOW = {
    "open_records": 'list_records {"states": ["OPEN"]}',
    "root_records": 'list_records {"parent_id": null}',
    "later_records": 'list_records {"states": ["LATER"]}',
    "open_sessions": "list_sessions",
    "decisions": "search_decisions",
    "proposals": 'search_decisions {"mode": "audit"}',
}
"""How to get what did not fit."""

COMINGS = {
    "activation", "deactivation", "session_closed", "session_joined", "session_left",
    "session_started",
}  # fmt: skip
"""Activity that is only about who came and went: sessions are shown by themselves."""

ACTIVITY_READ = 5 * limits.ACTIVITY_SHOWN_MAX
"""How many of the newest events are read to find those to show."""

SIDE_SHARE = 6
"""Sessions and events may each take this part of the budget; the records get the rest."""

BRIEFING_SHARE = 10
"""Decisions and proposals may each take this part of it."""


def get_project_overview(
    staleness: Staleness,
    presence: Presence,
    brief: Brief,
    request: contract.GetProjectOverview,
    context: Context,
    *,
    tell: Tell,
) -> answers.OverviewAnswer:
    """Show what is open, put off and lately done, within the budget."""
    project = projects.shown(context)
    told = [*projects.archived_notice(project), *tell(context)]
    look = presence.look(context, context.read(lambda tx: _open_sessions(tx, context.as_of)))

    def work(tx: ReadTx) -> answers.OverviewAnswer:
        budget = Budget(request.budget_tokens)
        seen = _seen(project, tick_at(tx, context.as_of))
        budget.take(seen)
        budget.chars -= sum(map(len, told))
        side_chars = budget.chars // SIDE_SHARE
        known = brief(tx, context)
        fitting = _fitting(known, budget, budget.chars // BRIEFING_SHARE)
        showing = Showing(tx, look, staleness, tick=seen.tick, as_of=context.as_of)
        found = sorted(
            map(showing.show, _open_sessions(tx, context.as_of)),
            key=lambda session: PRESENCES.index(session.status),
        )
        sessions = list(budget.take_while(found, chars_max=side_chars))
        activity = list(budget.take_while(_activity(tx, context.as_of), chars_max=side_chars))
        open_, roots, later = budget.take_in_turn(*_candidates(tx, budget, context.as_of))
        overview = answers.OverviewAnswer(
            project=seen,
            notices=told or None,
            open_sessions=sessions,
            root_records=roots,
            open_records=open_,
            later_records=later,
            counts=_counts(tx, context.as_of) | known.counts(),
            recent_activity=activity,
            **fitting,
        )
        return overview.model_copy(update={"omitted": _omitted(overview) or None})

    return context.read(work)


def _seen(project: Row, tick: int) -> answers.ProjectSeen:
    return answers.ProjectSeen(
        id=project["id"],
        name=project["name"],
        description=cut(project["description"] or "", DESCRIPTION_SHOWN_CHARS),
        tick=tick,
    )


def _fitting(found: Briefing, budget: Budget, chars_max: int) -> dict[str, Any]:
    """Cut a briefing to the budget, decisions and proposals each to their share."""
    single = {"last_session": found.last_session, "checkpoint": found.checkpoint}
    kept: dict[str, Any] = {name: one for name, one in single.items() if one and budget.take(one)}
    for name in ("decisions", "proposals"):
        listed = list(budget.take_while(getattr(found, name), chars_max=chars_max))
        kept |= {name: listed} if listed else {}
    return kept


def tick_at(tx: ReadTx, as_of: int | None) -> int:
    """Give the project's tick, now or right after an entry."""
    if as_of is None:
        return tx.head().tick
    newest = tx.entries(after=as_of - 1, limit=1) if as_of else []
    return newest[0].tick if newest else 0


def _open_sessions(tx: ReadTx, as_of: int | None) -> list[Row]:
    """Give the sessions that are not over, the newest first."""
    found = tx.scan(
        SESSIONS,
        {"status": "open"},
        order="started_seq",
        descending=True,
        limit=limits.SESSIONS_SHOWN_MAX,
        as_of=as_of,
    )
    return [one.row for one in found]


def _activity(tx: ReadTx, as_of: int | None) -> list[ActivityEntry]:
    where: Where = {} if as_of is None else {"seq": Range(below=as_of + 1)}
    found = tx.scan(ACTIVITY, where, order="seq", descending=True, limit=ACTIVITY_READ)
    told = [ActivityEntry(**one.row) for one in found if one.row["type"] not in COMINGS]
    return told[: limits.ACTIVITY_SHOWN_MAX]


def _candidates(tx: ReadTx, budget: Budget, as_of: int | None) -> list[Iterator[RecordRef]]:
    """Read what may be shown: open and later ones as they were last changed, roots in order."""
    limit = min(max(budget.chars // REF_CHARS_MIN, 1), LIST_LIMIT_MAX)
    newest = partial(tx.scan, RECORDS, descending=True, limit=limit, as_of=as_of)
    found = [
        newest({"state": "OPEN"}, order="modified_seq"),
        tx.scan(RECORDS, {"parent_id": None}, order="path", limit=limit, as_of=as_of),
        newest({"state": "LATER"}, order="modified_seq"),
    ]
    to_ref = partial(reading.ref, tx, as_of=as_of)
    return [(shortened(to_ref(one.row)) for one in page) for page in found]


def _counts(tx: ReadTx, as_of: int | None) -> dict[str, int]:
    if as_of is None:
        states, roots = tx.get(BENEATH, ALL) or {}, children_in(tx.get(BENEATH, ROOTS))
    else:
        tally = tx.tally(RECORDS, by="state", as_of=as_of)
        states = {str(state): count for state, count in tally.items()}
        roots = tx.tally(RECORDS, {"parent_id": None}, as_of=as_of).get(None, 0)
    return {
        "root_records": roots,
        "open_records": states.get("OPEN", 0),
        "later_records": states.get("LATER", 0),
        "open_sessions": tx.tally(SESSIONS, {"status": "open"}, as_of=as_of).get(None, 0),
    }


def _omitted(overview: answers.OverviewAnswer) -> list[Omitted]:
    shown = {
        "open_records": len(overview.open_records),
        "root_records": len(overview.root_records),
        "later_records": len(overview.later_records),
        "open_sessions": len(overview.open_sessions),
        "decisions": len(overview.decisions or ()),
        "proposals": len(overview.proposals or ()),
    }
    missing = {name: overview.counts[name] - count for name, count in shown.items()}
    return [
        Omitted(what=name, count=count, how=f"{HOW[name]} or a larger budget_tokens")
        for name, count in missing.items()
        if count
    ]


def operations(
    staleness: Staleness, presence: Presence, brief: Brief, tell: Tell
) -> tuple[Operation, ...]:
    """Declare the overview."""
    return (
        Operation(
            "get_project_overview",
            "Begin here: who was here last, what holds, what waits, open work, recent events.",
            contract.GetProjectOverview,
            answers.OverviewAnswer,
            partial(get_project_overview, staleness, presence, brief, tell=tell),
            writes=False,
            toolsets=("core", "default"),
        ),
    )
