"""Reports to a session what others changed: each change once, by record, within a budget.

A session knows a record's version once it was shown it in full. What did not fit is named with the
call that gets it, and is not known: an update from before still meets it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import orjson

from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.event import Head
from hansard.kernel.operation import Context, Operation
from hansard.records import changes_of_others, contract, limits, reading, rules
from hansard.records.budget import Budget, size_of
from hansard.records.changes_of_others import Touched
from hansard.records.differences import body_diff
from hansard.records.shapes import Json, Omitted
from hansard.records.sync_answers import OthersChange, SyncedAnswer
from hansard.records.views import RECORDS
from hansard.sessions.directory import session_row, ticks_synced
from hansard.sessions.events import SessionSynced
from hansard.sessions.rules import Staleness, stale_warning
from hansard.sessions.views import BASES, active_key

BODY = "body"

DIFF_LONGER_CHARS = 1_000
"""How much longer than the new body a diff may be: it also shows the old text."""


class _SyncedMeanwhileError(Exception):
    """The same session was synced by another call while this one gathered; it gathers again."""


@dataclass(frozen=True, slots=True)
class SyncTelling:
    """What to report to a session, as of when it was gathered."""

    session: Row
    synced_before: int
    head: Head
    told: Sequence["ToldChange"]
    end: int | None
    """The entry up to which all is reported, if something is left; `None` if nothing is."""

    def bases(self) -> dict[str, int]:
        """Say which version of each record the session knows, after this report."""
        return {one.new["id"]: one.new["tick"] for one in self.told if not one.omitted}


def sync_session(
    staleness: Staleness, request: contract.SyncSession, context: Context
) -> SyncedAnswer:
    """Report to the session what others changed since its last sync."""
    while True:
        telling = context.read(partial(_gather, request, context))
        try:
            return context.write(partial(_tell, staleness, context, telling))
        except _SyncedMeanwhileError:
            continue


def _tell(
    staleness: Staleness, context: Context, telling: SyncTelling, tx: WriteTx
) -> SyncedAnswer:
    session, head = telling.session["id"], telling.head
    if session_row(tx, session)["synced_seq"] != telling.session["synced_seq"]:
        raise _SyncedMeanwhileError
    through = head.seq if telling.end is None else telling.end
    known = {
        record: version
        for record, version in telling.bases().items()
        if reading.base_of(tx, session, record) is not None
    }
    told = {"through_seq": through, "through_tick": head.tick}
    context.record(tx, SessionSynced(id=session, **told, bases=known))
    gap = head.tick - telling.synced_before
    level = staleness.level(gap)
    return SyncedAnswer(
        session_id=session,
        project_tick=head.tick,
        session_tick_before=telling.synced_before,
        tick_gap=gap,
        changes=[one.change for one in telling.told],
        more=telling.end is not None,
        omitted=[left_out for one in telling.told for left_out in one.omitted] or None,
        session_status=staleness.status(gap),
        staleness=level,
        warning=None if level == "fresh" else stale_warning(gap),
    )


def _gather(request: contract.SyncSession, context: Context, tx: ReadTx) -> SyncTelling:
    assert context.session is not None, "sync_session ran without a session"
    session, head = session_row(tx, context.session), tx.head()
    budget = Budget(request.budget_tokens)
    touched, end = changes_of_others.gather(tx, context.store.kinds, session)
    touched, end = _what_fits(tx, session, touched, end, budget)
    told = [_told(tx, session, one, head.seq if end is None else end) for one in touched]
    for one in told:
        budget.spend(one.change)
    # What the session works on comes first.
    for one in sorted(told, key=lambda one: not one.is_active):
        one.add_body(tx, budget)
    return SyncTelling(session, ticks_synced(tx, session), head, told, end)


def _what_fits(
    tx: ReadTx, session: Row, touched: Sequence[Touched], end: int | None, budget: Budget
) -> tuple[list[Touched], int | None]:
    """Keep as many records as fit one report, and at least one; says where to stop."""
    chars = budget.chars
    for number, one in enumerate(touched):
        chars -= size_of(_told(tx, session, one, one.last.seq).change)
        if chars < 0 and number:
            return changes_of_others.until(touched, one.first - 1), one.first - 1
    return list(touched), end


@dataclass(slots=True)
class ToldChange:
    """One record's change, before its body is added."""

    change: OthersChange
    old: Row | None
    new: Row
    since: int
    is_active: bool
    omitted: list[Omitted] = field(default_factory=list)

    def add_values(self) -> None:
        """Add what the changed fields were and are, apart from the body and what is long."""
        names = [name for name in self.change.changed_fields if name != BODY]
        long = [name for name in names if self._chars(name) > limits.VALUE_SHOWN_CHARS_MAX]
        for name in long:
            self.leave_out(name)
        shown = [name for name in names if name not in long]
        values = {"new_value": {name: self.new[name] for name in shown} or None}
        if self.old:
            values["old_value"] = {name: self.old[name] for name in shown} or None
        self.change = self.change.model_copy(update=values)

    def add_body(self, tx: ReadTx, budget: Budget) -> None:
        """Add the diff of the body, or the body if that is much shorter, if there is room."""
        if BODY not in self.change.changed_fields:
            return
        body = reading.body(tx, self.new)
        diff = body_diff(tx, self.old, self.new) if self.old else None
        if diff is not None and len(diff) <= len(body) + DIFF_LONGER_CHARS:
            shown: Json = {"diff": diff}
        else:
            shown = {"new_value": (self.change.new_value or {}) | {BODY: body}}
        whole = self.change.model_copy(update=shown)
        cost = size_of(whole) - size_of(self.change)
        if cost > budget.chars:
            self.leave_out(BODY)
            return
        budget.chars -= cost
        self.change = whole

    def leave_out(self, name: str) -> None:
        """Name the call that gets what does not fit."""
        identifier = self.new["id"]
        how = (
            f'activate {{"id": "{identifier}"}}'
            if self.is_active or self.old is None
            else f'get_record_diff {{"id": "{identifier}", "from": "s:{self.since}"}}'
        )
        self.omitted.append(Omitted(what=f"{name} of {identifier}", count=1, how=how))

    def _chars(self, name: str) -> int:
        return sum(len(orjson.dumps(row[name])) for row in (self.old, self.new) if row)


def _told(tx: ReadTx, session: Row, touched: Touched, through: int) -> ToldChange:
    """Compare what others did to a record with what the session knows of it."""
    known = tx.get(BASES, active_key(session["id"], touched.record))
    since = tx.seek(tick=known["base"]) if known else touched.first - 1
    new = reading.require(tx, touched.record, as_of=through)
    old = (
        reading.known_row(tx, touched.record, known)
        if known
        else tx.get(RECORDS, touched.record, as_of=since)
    )
    change = OthersChange(
        record_id=touched.record,
        title=new["title"],
        change_type=touched.change_type(),
        version=new["tick"],
        writes=len(touched.entries),
        by=touched.writers(),
        by_session=touched.last.session or "",
        at_tick=touched.last.tick,
        changed_fields=rules.changed_fields(old, new) if old else _given(new),
    )
    told = ToldChange(change, old, new, since, known is not None)
    told.add_values()
    return told


def _given(row: Row) -> list[str]:
    """Name the fields in which a new record says something."""
    return [name for name in rules.FIELDS if row[name] not in (None, [], {})]


def operations(staleness: Staleness) -> tuple[Operation, ...]:
    """Declare the sync."""
    return (
        Operation(
            "sync_session",
            "Get what other sessions changed since your last sync, record by record, once.",
            contract.SyncSession,
            SyncedAnswer,
            partial(sync_session, staleness),
            writes=True,
            role="agent",
            session="required",
            gives_context=True,
            toolsets=("default",),
        ),
    )
