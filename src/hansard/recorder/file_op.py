"""file_op: the gateway to the agent's files. Refusals are recorded too, without content."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from hansard.kernel.effect import OPEN_INTENTS, Outcome, intent_key
from hansard.kernel.engine import ReadTx, WriteTx
from hansard.kernel.event import Entry
from hansard.kernel.operation import AlreadyAttemptedError, Caller, Context, ReceiptShown
from hansard.kernel.problem import InvalidInput, Problem, StorageUnavailable
from hansard.recorder import contract, limits, problems, renames, rules
from hansard.recorder.answers import FileChanged, FilesChanged, GovernedBy, Status, whole
from hansard.recorder.changing import act, announce
from hansard.recorder.events import FileOpIntended, FileOpRefused
from hansard.recorder.gateway import INTERRUPTED, Gateway
from hansard.recorder.governing import require_allowed
from hansard.recorder.paths import FilePath
from hansard.recorder.scribe import Announced, Planned, Scribe, Under, step_of
from hansard.recorder.tables import FILES, OUTCOMES, REVISIONS, file_id, revision_key

REFUSALS = {
    problem.code: problem
    for problem in (
        problems.PathInvalid,
        problems.PathOutsideWorkspace,
        problems.PathNotRegular,
        problems.PathProtected,
        problems.FileExists,
        problems.FileNotFound,
        problems.FileChanged,
        problems.FileNotPermitted,
    )
}
"""What can still be refused once a change is announced, by code, to say it again to a repeat."""


@dataclass(frozen=True, slots=True)
class Target:
    """A change that was asked for, and where."""

    change: contract.FileChange
    path: FilePath
    to: FilePath | None

    def paths(self) -> list[FilePath]:
        """Give every path it concerns."""
        return [self.path, *([self.to] if self.to else [])]


def file_op(gateway: Gateway, request: contract.FileOp, context: Context) -> FilesChanged:
    """Change files: the intent is durable before, the outcome is durable after."""
    targets = [_resolve(gateway, context, change) for change in request.changes()]
    _require_distinct(targets)
    files = [gateway.file(path) for target in targets for path in target.paths()]
    engine = context.store.engine
    try:
        with gateway.alone_at(engine, files):
            context.read(context.require_new)
            gateway.settle(context.store, context.project, files, context.stamp)
            planned = [_plan(gateway, context, target) for target in targets]
            renames.notice(gateway, context, [(one.path, one.plan.before) for one in planned])
            return _carry_out(gateway, context, planned, request)
    except AlreadyAttemptedError as attempted:
        return resume(gateway, context, attempted.intents)


def _carry_out(
    gateway: Gateway, context: Context, planned: Sequence[Planned], request: contract.FileOp
) -> FilesChanged:
    owner = gateway.own(context.store.engine)

    def describe(tx: ReadTx) -> list[Announced]:
        under = replace(step_of(tx, context.session, request.step), cites=request.cites or ())
        scribe = Scribe(gateway, tx, under, owner)
        return [scribe.describe(one) for one in planned]

    announced = context.read(describe)
    intents = announce(context, announced)
    outcomes, problem = act(gateway, announced, intents)
    # One that stays open makes the whole request unanswered: a repeat of it settles that one.
    if problem and (len(intents) == 1 or len(outcomes) < len(intents)):
        record_outcomes(context, outcomes)
        raise problem
    try:
        return answered(gateway, context, intents, outcomes)
    except StorageUnavailable as unavailable:
        # The store's own words would say that nothing was written, and the files have changed.
        raise StorageUnavailable(
            "The files were changed, and the store could not take note of how it went",
            hint="It is settled by the next operation on them, or at the next start",
            outcome="unknown",
        ) from unavailable


def answered(
    gateway: Gateway, context: Context, intents: Sequence[Entry], outcomes: Sequence[Outcome]
) -> FilesChanged:
    """Record how some operations ended, and say so."""

    def work(tx: WriteTx) -> FilesChanged:
        for outcome in outcomes:
            context.record(tx, outcome)
        results = [result_of(gateway, context, tx, intent) for intent in intents]
        return FilesChanged(session_id=_session(context), results=results)

    return context.write(work, urgent=True)


def record_outcomes(context: Context, outcomes: Sequence[Outcome]) -> None:
    """Record outcomes that no answer is given with."""

    def work(tx: WriteTx) -> None:
        for outcome in outcomes:
            context.record(tx, outcome)

    if outcomes:
        context.store.write(context.project, work, urgent=True)


def resume(gateway: Gateway, context: Context, seqs: Sequence[int]) -> FilesChanged:
    """Answer a repetition of a request that was not answered: settle it, never do it again."""
    results = settled(gateway, context, seqs)
    if len(results) == 1 and results[0].status not in ("done", "recovered"):
        raise _problem(results[0])
    return context.write(lambda tx: _found_out(context, tx, results))


def settled(gateway: Gateway, context: Context, seqs: Sequence[int]) -> list[FileChanged]:
    """Settle announced operations and say how each ended."""
    store, project = context.store, context.project
    entries = context.read(lambda tx: [_entry(tx, seq) for seq in seqs])
    for start in range(0, len(entries), limits.OPS_MAX):
        some = entries[start : start + limits.OPS_MAX]
        files = [file for entry in some for file in _files(intent_of(context, entry))]
        with gateway.alone_at(store.engine, files):
            gateway.settle(store, project, files, context.stamp)
    results = context.read(lambda tx: [result_of(gateway, context, tx, entry) for entry in entries])
    if any(result.status == "open" for result in results):
        raise StorageUnavailable(
            "The first request under this key cannot be settled from here",
            hint="Ask where its workspace is, or run `hansard verify`",
        )
    return results


def _found_out(context: Context, tx: ReadTx, results: list[FileChanged]) -> FilesChanged:
    """Answer with what is in the journal already; its end is the receipt."""
    head = tx.head()
    receipt = ReceiptShown(seq=head.seq, hash=head.hash)
    return FilesChanged(session_id=_session(context), results=results, receipt=receipt)


def result_of(gateway: Gateway, context: Context, tx: ReadTx, entry: Entry) -> FileChanged:
    """Say how an announced operation stands."""
    intent = intent_of(context, entry)
    outcome = tx.get(OUTCOMES, intent_key(entry.seq)) or {"status": "done"}
    if tx.get(OPEN_INTENTS, intent_key(entry.seq)) is not None:
        outcome = {"status": "open"}
    status: Status = outcome["status"]
    told: dict[str, Any] = {"path": intent.path, "action": intent.action, "to": intent.to}
    told |= {"status": status, "seq": entry.seq, "governed_by": _governed_by(gateway, tx, intent)}
    if status not in ("done", "recovered"):
        return FileChanged(**told, code=outcome.get("code") or status.upper())
    row = tx.get(FILES, file_id(intent.workspace, intent.to or intent.path))
    assert row is not None, f"s:{entry.seq} was done and left no revision"
    ref = intent.after
    content = (
        {"sha256": ref.digest, "size": ref.size, "redacted": list(ref.redacted)} if ref else {}
    )
    lines = {"added": intent.added, "removed": intent.removed, "revision": row["revision"]}
    changed = _came_from_outside(tx, intent, row["number"])
    return FileChanged(**told, **lines, **whole(content), external_change=changed or None)


def _governed_by(gateway: Gateway, tx: ReadTx, intent: FileOpIntended) -> list[GovernedBy] | None:
    paths = [intent.path, *([intent.to] if intent.to else [])]
    found = {one.id: one for path in paths for one in gateway.governed(tx, path)}
    return [
        GovernedBy(id=one.id, title=one.title, enforcement=one.enforcement)
        for one in found.values()
    ] or None


def _came_from_outside(tx: ReadTx, intent: FileOpIntended, number: int) -> bool:
    """Whether the revision before this one is somebody else's."""
    if intent.to is not None or number == 1:
        return False
    key = revision_key(file_id(intent.workspace, intent.path), number - 1)
    before = tx.get(REVISIONS, key)
    return before is not None and before["source"] == "external"


def _resolve(gateway: Gateway, context: Context, change: contract.FileChange) -> Target:
    with _refusals_recorded(gateway, context, change):
        path = gateway.resolve(change.path, context.caller)
        to = gateway.resolve(change.to, context.caller) if change.to is not None else None
        return Target(change, path, to)


def _plan(gateway: Gateway, context: Context, target: Target) -> Planned:
    with _refusals_recorded(gateway, context, target.change):
        current = gateway.workspace.read(target.path)
        there = gateway.workspace.read(target.to) if target.to else None
        context.read(lambda tx: _require_allowed(gateway, tx, target, context.caller))
        return Planned(target.path, target.to, rules.plan_change(target.change, current, there))


def _require_allowed(gateway: Gateway, tx: ReadTx, target: Target, caller: Caller) -> None:
    for path in map(str, target.paths()):
        require_allowed(path, gateway.governed(tx, path), caller)


def _require_distinct(targets: Sequence[Target]) -> None:
    """Refuse a batch that comes twice to one file: how its parts ended could not be told apart."""
    seen: set[FilePath] = set()
    for path in (path for target in targets for path in target.paths()):
        if path in seen:
            raise InvalidInput(f"ops: {path} occurs twice; use two calls", argument="ops")
        seen.add(path)


@contextmanager
def _refusals_recorded(
    gateway: Gateway, context: Context, change: contract.FileChange
) -> Iterator[None]:
    """Put a refusal on the timeline before the caller hears of it."""
    try:
        yield
    except StorageUnavailable:
        raise
    except Problem as problem:
        record_refusal(gateway, context, change.path, change.action, problem.code)
        raise


def record_refusal(gateway: Gateway, context: Context, path: str, action: str, code: str) -> None:
    """Record that a change was refused; no content, and the path made printable."""

    def work(tx: WriteTx) -> None:
        if context.open_session:
            context.open_session(tx)
        under: Under = step_of(tx, context.session, None)
        refused = FileOpRefused(
            workspace=gateway.identity,
            path=problems.shown(path),
            action=action,
            code=code,
            revision=under.revision,
            step=under.step,
        )
        context.record(tx, refused)

    context.store.write(context.project, work)


def _problem(result: FileChanged) -> Problem:
    """Say again what the world refused."""
    where: dict[str, Any] = {"path": result.path, "seq": result.seq}
    if result.status == "conflict":
        message = f"{result.path} was neither as before nor as intended after a crash; left alone"
        return problems.FileChanged(message, **where)
    code = result.code or ""
    if code in REFUSALS:
        return REFUSALS[code](f"The first request under this key was refused: {code}", **where)
    how = "was interrupted" if code == INTERRUPTED else f"failed ({code})"
    return StorageUnavailable(
        f"The first request under this key {how}; {result.path} was not changed",
        hint="To do it now, call again with a new idempotency key",
        outcome="unchanged",
        **where,
    )


def _entry(tx: ReadTx, seq: int) -> Entry:
    [entry] = tx.entries(after=seq - 1, limit=1)
    return entry


def intent_of(context: Context, entry: Entry) -> FileOpIntended:
    """Read the intent that an entry holds."""
    intent = context.store.kinds.decode(entry)
    assert isinstance(intent, FileOpIntended), f"s:{entry.seq} is no operation on a file"
    return intent


def _files(intent: FileOpIntended) -> list[str]:
    paths = [intent.path, *([intent.to] if intent.to else [])]
    return [file_id(intent.workspace, path) for path in paths]


def _session(context: Context) -> str:
    assert context.session is not None, "a file was changed outside any session"
    return context.session
