"""Loading a record to reason with it: the way down of 000's sync."""

from collections.abc import Sequence
from functools import partial

from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.operation import Context, Operation
from hansard.records import answers, contract, limits, open_elsewhere, reading, rules
from hansard.records.budget import Budget
from hansard.records.bundle import Bundler
from hansard.records.differences import field_diffs
from hansard.records.open_elsewhere import sessions_at
from hansard.records.shapes import Omitted, Warned
from hansard.sessions.directory import session_row, ticks_synced
from hansard.sessions.events import Activated
from hansard.sessions.presence import Presence, PresenceLook
from hansard.sessions.rules import Staleness, stale_warning
from hansard.sessions.views import BASES, active_key

DIFF_SHARE = 0.15
"""The part of the budget that the diff of one field may take."""


def activate(
    staleness: Staleness, presence: Presence, request: contract.Activate, context: Context
) -> answers.ActivationAnswer:
    """Make a record active in the session and give its context; of the past, only the context."""
    if context.as_of is not None:
        return context.read(partial(_as_it_was, request, context.as_of))
    session = context.session
    assert session is not None, "activate ran without a session"
    look = presence.look(context, context.read(lambda tx: sessions_at(tx, request.id)))

    def work(tx: WriteTx) -> answers.ActivationAnswer:
        row = reading.require(tx, request.id)
        known = tx.get(BASES, active_key(session, request.id))
        others = [] if request.override else _others(tx, look, session, request.id, known)
        flagged = open_elsewhere.conflict(request.id, others, look)
        budget, omitted = Budget(request.budget_tokens), list[Omitted]()
        changed = _changed_since(tx, row, known, budget, omitted) if known else None
        context.record(
            tx,
            Activated(
                session=session, record=request.id, base=row["tick"], override=request.override
            ),
        )
        warnings = [
            *_conflict_warnings(flagged),
            *_stale_warnings(tx, staleness, session),
            *open_elsewhere.note(request.id, others, look),
        ]
        return answers.ActivationAnswer(
            session_id=session,
            context=_bundle(tx, row, budget, warnings, omitted=omitted),
            already_loaded=known is not None,
            changed_since_load=changed,
            conflict=flagged,
        )

    return context.write(work)


def _as_it_was(request: contract.Activate, as_of: int, tx: ReadTx) -> answers.ActivationAnswer:
    row = reading.require(tx, request.id, as_of=as_of)
    bundle = _bundle(tx, row, Budget(request.budget_tokens), [], as_of=as_of)
    return answers.ActivationAnswer(context=bundle, already_loaded=False)


def _bundle(
    tx: ReadTx,
    row: Row,
    budget: Budget,
    warnings: list[Warned],
    *,
    as_of: int | None = None,
    omitted: Sequence[Omitted] = (),
) -> answers.ContextBundle:
    parent_id = row["parent_id"]
    parent = reading.require(tx, parent_id, as_of=as_of) if parent_id else None
    open_children = reading.counts(tx, row["id"], as_of=as_of).get("OPEN", 0)
    orphans = rules.orphan_warnings(row, parent, open_children)
    return Bundler(tx, row, budget, as_of, list(omitted)).bundle([*warnings, *orphans])


def _others(
    tx: ReadTx, look: PresenceLook, session: str, identifier: str, known: Row | None
) -> list[open_elsewhere.Other]:
    """Say who else has the record open, but for those that were acknowledged before."""
    found = open_elsewhere.others_at(tx, session, identifier)
    return open_elsewhere.graded(
        tx, look, found, acknowledged=known["acknowledged"] if known else 0
    )


def _changed_since(
    tx: ReadTx, row: Row, known: Row, budget: Budget, omitted: list[Omitted]
) -> answers.ChangedSinceLoad | None:
    """Show how a record differs from what the session knows of it."""
    old = reading.known_row(tx, row["id"], known)
    changed = rules.changed_fields(old, row)
    if not changed and not rules.is_overtaken(row, known["base"]):
        return None
    diffs = {}
    chars_max = min(int(budget.chars * DIFF_SHARE), limits.DIFF_SHOWN_CHARS_MAX)
    for name, diff in field_diffs(tx, old, row).items():
        if len(diff) <= chars_max:
            diffs[name] = diff
        else:
            how = f'get_record_diff {{"id": "{row["id"]}", "from": "t:{known["base"]}"}}'
            omitted.append(Omitted(what=f"diff of {name}", count=1, how=how))
    shown = answers.ChangedSinceLoad(
        from_version=known["base"], to_version=row["tick"], changed_fields=changed, diffs=diffs
    )
    budget.spend(shown)
    return shown


def _conflict_warnings(flagged: answers.ActiveElsewhere | None) -> list[Warned]:
    if flagged is None:
        return []
    details = flagged.model_dump(exclude={"message"}, exclude_none=True)
    return [Warned(type="conflict", message=flagged.message, details=details)]


def _stale_warnings(tx: ReadTx, staleness: Staleness, session: str) -> list[Warned]:
    gap = tx.head().tick - ticks_synced(tx, session_row(tx, session))
    level = staleness.level(gap)
    if level == "fresh":
        return []
    message = f"{stale_warning(gap)}: call sync_session"
    return [Warned(type="stale", message=message, details={"tick_gap": gap, "level": level})]


def operations(staleness: Staleness, presence: Presence) -> tuple[Operation, ...]:
    """Declare the activation."""
    return (
        Operation(
            "activate",
            "Load a record with its parent, children and grandchildren, to reason with it and "
            "change it. Begins your session. override: go on though another session has it.",
            contract.Activate,
            answers.ActivationAnswer,
            partial(activate, staleness, presence),
            writes=True,
            role="agent",
            session="begins",
            reopens_session=True,
            gives_context=True,
            repeatable=True,
            toolsets=("core", "default"),
        ),
    )
