"""Activates a record: loads it with the context needed to reason with it."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.operation import Context, Operation
from hansard.records import answers, contract, limits, open_elsewhere, reading, rules
from hansard.records.budget import Budget
from hansard.records.bundle import Bundler
from hansard.records.differences import field_diffs
from hansard.records.events import EVENTS
from hansard.records.open_elsewhere import sessions_at
from hansard.records.shapes import Omitted, Warned
from hansard.sessions.directory import ticks_synced
from hansard.sessions.events import Activated
from hansard.sessions.presence import Presence, PresenceLook
from hansard.sessions.rules import Staleness, stale_warning
from hansard.sessions.views import BASES, SESSIONS, active_key

DIFF_SHARE = 0.15
"""The part of the budget that the diff of one field may take."""

TRIES = 3
"""How often the answer is built before the write; after that, in the write itself."""


def activate(
    staleness: Staleness, presence: Presence, request: contract.Activate, context: Context
) -> answers.ActivationAnswer:
    """Make a record active in the session and give its context; of the past, only the context."""
    if context.as_of is not None:
        return context.read(partial(_as_it_was, request, context.as_of))
    look = presence.look(context, context.read(lambda tx: sessions_at(tx, request.id)))
    activation = _Activation(staleness, look, request, context)
    for _ in range(TRIES):
        with suppress(_MovedError):
            return context.write(partial(activation.record, context.read(activation.prepare)))
    # Other writes overtook every read; within the write none can.
    return context.write(lambda tx: activation.record(activation.prepare(tx), tx))


class _MovedError(Exception):
    """Something that an answer depends on has changed since it was built."""


@dataclass(frozen=True, slots=True)
class _Deciding:
    """Everything besides the shown records that an activation's answer depends on."""

    row: Row
    known: Row | None
    """What the session knows of the record; `None` if it is not active there."""
    conflict: answers.ActiveElsewhere | None
    warnings: list[Warned]


@dataclass(frozen=True, slots=True)
class _Prepared:
    """An answer built in a read, and the state that the write must find unchanged."""

    seq: int
    deciding: _Deciding
    answer: answers.ActivationAnswer


@dataclass(frozen=True, slots=True)
class _Activation:
    """One activation: built in a read, so that no writer waits for it, then recorded."""

    staleness: Staleness
    look: PresenceLook
    request: contract.Activate
    context: Context

    @property
    def session(self) -> str:
        session = self.context.session
        assert session is not None, "activate ran without a session"
        return session

    def prepare(self, tx: ReadTx) -> _Prepared:
        """Build the answer."""
        deciding = self._deciding(tx)
        row, known = deciding.row, deciding.known
        budget, omitted = Budget(self.request.budget_tokens), list[Omitted]()
        changed = _changed_since(tx, row, known, budget, omitted) if known else None
        answer = answers.ActivationAnswer(
            session_id=self.session,
            context=_bundle(tx, row, budget, deciding.warnings, omitted=omitted),
            already_loaded=known is not None,
            changed_since_load=changed,
            conflict=deciding.conflict,
        )
        return _Prepared(tx.head().seq, deciding, answer)

    def record(self, prepared: _Prepared, tx: WriteTx) -> answers.ActivationAnswer:
        """Record it, if everything shown is still current."""
        if self._has_changed_since(tx, prepared.seq) or self._deciding(tx) != prepared.deciding:
            raise _MovedError
        activated = Activated(
            session=self.session,
            record=self.request.id,
            base=prepared.deciding.row["tick"],
            override=self.request.override,
        )
        self.context.record(tx, activated)
        return prepared.answer

    def _has_changed_since(self, tx: ReadTx, seq: int) -> bool:
        """Whether a record changed, or something was redacted that the answer must not show."""
        if tx.head().seq == seq:
            return False
        kinds = self.context.store.kinds.rewriting | {event.kind for event in EVENTS}
        return bool(tx.entries(after=seq, limit=1, kinds=kinds))

    def _deciding(self, tx: ReadTx) -> _Deciding:
        identifier = self.request.id
        row = reading.require(tx, identifier)
        known = tx.get(BASES, active_key(self.session, identifier))
        others = [] if self.request.override else self._others(tx, known)
        flagged = open_elsewhere.conflict(identifier, others, self.look)
        warnings = [
            *_conflict_warnings(flagged),
            *self._stale_warnings(tx),
            *open_elsewhere.note(identifier, others, self.look),
        ]
        return _Deciding(row, known, flagged, warnings)

    def _others(self, tx: ReadTx, known: Row | None) -> list[open_elsewhere.Other]:
        """Say who else has the record open, except sessions that were acknowledged before."""
        found = open_elsewhere.others_at(tx, self.session, self.request.id)
        acknowledged = known["acknowledged"] if known else 0
        return open_elsewhere.graded(tx, self.look, found, acknowledged=acknowledged)

    def _stale_warnings(self, tx: ReadTx) -> list[Warned]:
        row = tx.get(SESSIONS, self.session)
        if row is None or row["status"] == "closed":
            return []  # it begins with the activation, so it has missed nothing
        gap = tx.head().tick - ticks_synced(tx, row)
        level = self.staleness.level(gap)
        if level == "fresh":
            return []
        message = f"{stale_warning(gap)}: call sync_session"
        return [Warned(type="stale", message=message, details={"tick_gap": gap, "level": level})]


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
