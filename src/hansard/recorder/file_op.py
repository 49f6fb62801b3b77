"""file_op: the gateway to the agent's files. Refusals are recorded too, without content."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from hansard.kernel.effect import Outcome
from hansard.kernel.engine import ReadTx, WriteTx
from hansard.kernel.event import Entry
from hansard.kernel.idempotency import AlreadyAttemptedError
from hansard.kernel.operation import Context, ReceiptShown
from hansard.kernel.problem import InvalidInput, Problem, StorageUnavailable
from hansard.recorder import contract, problems, renames, rules
from hansard.recorder.answers import FileChangedAnswer, FilesChangedAnswer
from hansard.recorder.contents.kept_content import why_lost
from hansard.recorder.events import FileOpRefused, is_irreversible
from hansard.recorder.file_changes import NOT_RUN, act, announce
from hansard.recorder.file_locks import FileLocks
from hansard.recorder.gateway import Gateway
from hansard.recorder.intents import Announced, Under, step_of
from hansard.recorder.results import (
    attempted_intents,
    conclude,
    entry_at,
    half_way,
    intent_of,
    record_outcomes,
    result_of,
    settled,
)
from hansard.recorder.settling import INTERRUPTED, settle
from hansard.recorder.survey import (
    ChangeRefusedError,
    DoneFirst,
    NoticeFirstError,
    SettleFirstError,
    Survey,
    Target,
    look,
)
from hansard.recorder.workspace.paths import FilePath

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
"""Refusals that are still possible after a change was announced, by code, for repeats."""

UNFINISHED = frozenset({NOT_RUN, INTERRUPTED, StorageUnavailable.code})
"""Reasons why a valid change was not made: a repeat of the request makes it."""


def file_op(gateway: Gateway, request: contract.FileOp, context: Context) -> FilesChangedAnswer:
    """Change files: the intent is durable before, the outcome is durable after."""
    targets = [_resolve(gateway, context, change) for change in request.changes()]
    _require_distinct(targets)
    files = [gateway.file(path) for target in targets for path in target.paths()]
    try:
        with gateway.alone_at(context.store.engine, files) as locks:
            return _carry_out(gateway, context, locks, request, targets)
    except AlreadyAttemptedError as attempted:
        return _resume(gateway, context, request, targets, attempted.intents)


def _carry_out(
    gateway: Gateway,
    context: Context,
    locks: FileLocks,
    request: contract.FileOp,
    targets: Sequence[Target],
    *,
    earlier: Mapping[str, Entry] | None = None,
) -> FilesChangedAnswer:
    """Change files whose locks are held, except those that this request changed earlier."""
    known = earlier or {}
    left = [target for target in targets if str(target.path) not in known]
    survey = Survey(gateway, context, request, locks.files, is_new=earlier is None)
    announced = _announced(survey, locks, left)
    batch = next((intent_of(context, entry).batch for entry in known.values()), None)
    entries = announce(gateway, context, announced, batch=batch, goes_on=earlier is not None)
    outcomes, problem = act(gateway, context, locks, announced, entries)
    by_path = {**known, **{str(one.path): each for one, each in zip(left, entries, strict=True)}}
    intents = [by_path[str(target.path)] for target in targets]
    # A change that the disk stopped stays unanswered: a repetition settles it and does the rest.
    is_stopped = isinstance(problem, StorageUnavailable)
    if problem and (is_stopped or len(entries) == 1 or len(outcomes) < len(entries)):
        record_outcomes(context, outcomes)
        raise half_way(context, problem, intents) if is_stopped else problem
    try:
        return answered(gateway, context, locks, intents, outcomes)
    except StorageUnavailable as unavailable:
        # The store's own message would say that nothing was written, but the files have changed.
        raise StorageUnavailable(
            "The files were changed, and the store could not take note of how it went",
            hint="It is settled by the next operation on them, or at the next start",
            outcome="unknown",
        ) from unavailable


def _announced(survey: Survey, locks: FileLocks, targets: Sequence[Target]) -> list[Announced]:
    """Plan changes and their entries, or refuse them."""
    gateway, context = survey.gateway, survey.context
    announced: list[Announced] | None = None
    done = DoneFirst()
    while announced is None:
        looked = [look(gateway, target) for target in targets]
        try:
            announced = context.read(partial(survey.announced, looked=looked, done=done))
        except SettleFirstError:
            settle(gateway, context.store, context.project, locks, context.stamp)
            done = replace(done, is_settled=True)
        except NoticeFirstError as first:
            renames.notice(gateway, context, first.found)
            done = replace(done, are_moves_noticed=True)
        except ChangeRefusedError as refused:
            with _refusals_recorded(gateway, context, refused.change):
                raise refused.problem from None
    gateway.own(context.store.engine)
    for target, one in zip(targets, announced, strict=True):
        _require_reversible(gateway, context, target, one)
    return announced


def answered(
    gateway: Gateway,
    context: Context,
    locks: FileLocks,
    intents: Sequence[Entry],
    outcomes: Sequence[Outcome],
) -> FilesChangedAnswer:
    """Record how some operations ended, let others at their files, and answer."""

    def work(tx: WriteTx) -> FilesChangedAnswer:
        conclude(context, tx, outcomes)
        for lock in locks.each():
            tx.release(lock)
        results = [result_of(gateway, context, tx, intent) for intent in intents]
        return FilesChangedAnswer(session_id=_session(context), results=results)

    return context.write(work, urgent=True)


def _resume(
    gateway: Gateway,
    context: Context,
    request: contract.FileOp,
    targets: Sequence[Target],
    seqs: Sequence[int],
) -> FilesChangedAnswer:
    """Answer a repetition: settle what was announced, and do what was not done."""
    results = {result.path: result for result in settled(gateway, context, seqs)}
    left = [target for target in targets if _is_left(results[str(target.path)])]
    if not left:
        if len(results) == 1 and not _is_done(alone := next(iter(results.values()))):
            raise _problem(alone)
        return context.write(lambda tx: _found_out(context, tx, list(results.values())))
    files = [gateway.file(path) for target in left for path in target.paths()]
    with gateway.alone_at(context.store.engine, files) as locks:
        if context.read(lambda tx: attempted_intents(context, tx)) != list(seqs):
            raise StorageUnavailable("Another is just going on with this request")
        kept = {path: result.seq for path, result in results.items() if not _is_left(result)}
        earlier = context.read(lambda tx: {path: entry_at(tx, seq) for path, seq in kept.items()})
        return _carry_out(gateway, context, locks, request, targets, earlier=earlier)


def _is_done(result: FileChangedAnswer) -> bool:
    return result.status in ("done", "recovered")


def _is_left(result: FileChangedAnswer) -> bool:
    """Whether only a crash or the disk prevented a change."""
    return result.status == "aborted" and result.code in UNFINISHED


def _found_out(
    context: Context, tx: ReadTx, results: list[FileChangedAnswer]
) -> FilesChangedAnswer:
    """Answer from the journal; its end is the receipt."""
    head = tx.head()
    receipt = ReceiptShown(seq=head.seq, hash=head.hash)
    return FilesChangedAnswer(session_id=_session(context), results=results, receipt=receipt)


def _resolve(gateway: Gateway, context: Context, change: contract.FileChange) -> Target:
    with _refusals_recorded(gateway, context, change):
        path = gateway.resolve(change.path, context.caller)
        to = gateway.resolve(change.to, context.caller) if change.to is not None else None
        return Target(change, path, to)


def _require_reversible(
    gateway: Gateway, context: Context, target: Target, announced: Announced
) -> None:
    """Refuse to destroy content that is not kept, unless the caller has agreed."""
    before = announced.intent.before
    if before is None or not is_irreversible(announced.intent):
        return
    with _refusals_recorded(gateway, context, target.change):
        why = why_lost(before, gateway.keys)
        accepted = target.change.irreversible
        rules.require_reversible(str(target.path), before, why, accepted=accepted)


def _require_distinct(targets: Sequence[Target]) -> None:
    """Refuse a batch that changes a file twice: the outcomes could not be told apart."""
    seen: set[FilePath] = set()
    for path in (path for target in targets for path in target.paths()):
        if path in seen:
            raise InvalidInput(f"ops: {path} occurs twice; use two calls", argument="ops")
        seen.add(path)


@contextmanager
def _refusals_recorded(
    gateway: Gateway, context: Context, change: contract.FileChange
) -> Iterator[None]:
    """Put a refusal on the timeline before the caller gets it."""
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

    context.note(work)


def _problem(result: FileChangedAnswer) -> Problem:
    """Repeat an earlier refusal."""
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


def _session(context: Context) -> str:
    assert context.session is not None, "a file was changed outside any session"
    return context.session
