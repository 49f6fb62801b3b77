"""restore: files brought back to where they stood, each by an operation like any other."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hansard.kernel.content import content
from hansard.kernel.engine import ReadTx, WriteTx
from hansard.kernel.event import Entry
from hansard.kernel.operation import AlreadyAttemptedError, Context, ReceiptShown
from hansard.kernel.problem import BlobRedacted, Problem, StorageUnavailable
from hansard.recorder import contract, limits, protected, rules
from hansard.recorder.answers import FileChanged, Restored, RestoreStep
from hansard.recorder.changing import act
from hansard.recorder.events import FileRef, RestoreBegun
from hansard.recorder.file_op import intent_of, record_outcomes, result_of, settled
from hansard.recorder.gateway import Gateway
from hansard.recorder.governing import require_allowed
from hansard.recorder.looking import FileState
from hansard.recorder.paths import FilePath
from hansard.recorder.scope import File, Scope, find_scope, standing_at
from hansard.recorder.scribe import Announced, Planned, Scribe, Under, step_of
from hansard.recorder.tables import FILES

GIT = ".git"


@dataclass(frozen=True, slots=True)
class Way:
    """How one file gets back: by a change, or not at all, and why."""

    step: RestoreStep
    planned: Planned | None = None


def restore(gateway: Gateway, request: contract.Restore, context: Context) -> Restored:
    """Bring files back to where they stood at a point, or say what that would do."""
    scope = context.read(lambda tx: find_scope(gateway, tx, context, request))
    if request.preview:
        steps = [_find_way(gateway, context, scope, file).step for file in scope.files]
        return _told(context, scope, steps, preview=True)
    restoring = _Restoring(gateway, context, scope)
    try:
        return restoring.run()
    except AlreadyAttemptedError as attempted:
        return restoring.resume(attempted.intents)


class _Restoring:
    """One restore under way: chunk by chunk, each locked, announced, done and recorded."""

    def __init__(self, gateway: Gateway, context: Context, scope: Scope) -> None:
        self._gateway = gateway
        self._context = context
        self._scope = scope
        self._begun: int | None = None
        """The seq of RestoreBegun, once there was something to do."""
        self._ways: list[Way] = []
        self._entries: dict[str, Entry] = {}
        self._problem: Problem | None = None

    def run(self) -> Restored:
        """Restore everything in scope."""
        context, gateway = self._context, self._gateway
        context.read(context.require_new)
        is_open = False
        for chunk in _chunks(self._scope.files):
            keys = [file.key for file in chunk]
            with gateway.alone_at(context.store.engine, keys):
                gateway.settle(context.store, context.project, keys, context.stamp)
                is_open |= self._restore(chunk)
        if is_open:
            assert self._problem is not None, "an operation was left open without a reason"
            raise self._problem
        return context.write(self._answer)

    def resume(self, seqs: Sequence[int]) -> Restored:
        """Say how far a restore came that was not answered; it is settled, never done again."""
        results = settled(self._gateway, self._context, seqs)
        steps = [_step_of(result) for result in results]
        told = _told(self._context, self._scope, steps, preview=False)
        return self._context.write(lambda tx: _received(tx, told))

    def _restore(self, chunk: Sequence[File]) -> bool:
        """Restore some files whose locks are held; says whether one of them stays open."""
        context, gateway = self._context, self._gateway
        ways = [_find_way(gateway, context, self._scope, file) for file in chunk]
        self._ways += ways
        planned = [way.planned for way in ways if way.planned]
        if not planned:
            return False
        announced = context.read(lambda tx: self._describe(tx, planned))
        intents = self._announce(announced)
        paths = [one.intent.path for one in announced]
        self._entries |= dict(zip(paths, intents, strict=True))
        outcomes, problem = act(gateway, announced, intents, stops=False)
        self._problem = self._problem or problem
        record_outcomes(context, outcomes)
        return len(outcomes) < len(intents)

    def _describe(self, tx: ReadTx, planned: Sequence[Planned]) -> list[Announced]:
        under = replace(step_of(tx, self._context.session, None), restore=self._begun)
        scribe = Scribe(self._gateway, tx, under, self._gateway.own(self._context.store.engine))
        return [scribe.describe(one) for one in planned]

    def _announce(self, announced: Sequence[Announced]) -> list[Entry]:
        """Record the intents, the first time after the beginning of the restore itself."""
        context, begun = self._context, self._begun

        def work(tx: WriteTx) -> list[Entry]:
            start = context.record(tx, self._beginning(tx)).seq if begun is None else begun
            entries = []
            for one in announced:
                for event in one.seen:
                    context.record(tx, event)
                intent = one.intent.model_copy(update={"restore": start})
                entries.append(context.record(tx, intent))
            return entries

        blobs = [blob for one in announced for blob in one.blobs]
        entries = context.announce(work, blobs=blobs, goes_on=begun is not None)
        if begun is None:
            self._begun = intent_of(context, entries[0]).restore
        return entries

    def _beginning(self, tx: ReadTx) -> RestoreBegun:
        under: Under = step_of(tx, self._context.session, None)
        return RestoreBegun(
            workspace=self._gateway.identity,
            scope=self._scope.name,
            point=self._scope.point,
            files=len(self._scope.files),
            revision=under.revision,
            step=under.step,
        )

    def _answer(self, tx: WriteTx) -> Restored:
        steps = []
        for way in self._ways:
            entry = self._entries.get(way.step.path)
            result = result_of(self._gateway, self._context, tx, entry) if entry else None
            ended = {"status": result.status, "code": result.code} if result else {}
            steps.append(way.step.model_copy(update=ended))
        told = _told(self._context, self._scope, steps, preview=False, begun=self._begun)
        return _received(tx, told) if self._begun else told


def _received(tx: ReadTx, told: Restored) -> Restored:
    """Put the journal's end on an answer whose outcomes are in it already."""
    head = tx.head()
    return told.model_copy(update={"receipt": ReceiptShown(seq=head.seq, hash=head.hash)})


def _find_way(gateway: Gateway, context: Context, scope: Scope, file: File) -> Way:
    """Find out how a file gets back to where it stood, from what is on disk now."""
    if file.workspace != gateway.identity:
        return _skip(file, "it lies in another workspace or on another host")
    try:
        path = gateway.resolve(file.path, context.caller)
        current = gateway.workspace.read(path)
        governing = context.read(lambda tx: gateway.governed(tx, file.path))
        require_allowed(file.path, governing, context.caller)
    except StorageUnavailable:
        raise
    except Problem as problem:
        return _skip(file, problem.code)
    if any(protected.fold(part) == GIT for part in path.components):
        return _skip(file, "restore never touches Git")
    return context.read(lambda tx: _way_back(gateway, tx, scope, file, (path, current)))


def _way_back(
    gateway: Gateway, tx: ReadTx, scope: Scope, file: File, found: tuple[FilePath, FileState | None]
) -> Way:
    path, current = found
    latest, row = tx.get(FILES, file.key), standing_at(tx, file.key, scope.point)
    ref = FileRef.model_validate(row["after"]) if row else None
    if ref and ref.blob is None:
        return _skip(file, f"its content then held a secret and was not recorded: {ref.redacted}")
    try:
        plan = rules.plan_restore(current, content(tx, ref.blob) if ref and ref.blob else None)
    except BlobRedacted:
        return _skip(file, "its content then has been redacted")
    if plan is None:
        return Way(RestoreStep(path=file.path, action="none"))
    if current and (secrets := gateway.redacted(current.content)):
        return _skip(file, f"it holds a secret now ({', '.join(secrets)}): not recorded, no undo")
    assert plan.action != "move", "a restore moves nothing"
    step = RestoreStep(
        path=file.path,
        action=plan.action,
        from_revision=latest["revision"] if latest else None,
        to_revision=row["revision"] if row else None,
        sha256=ref.digest if ref else None,
    )
    return Way(step, Planned(path, None, plan, mode=ref.mode if ref else None))


def _skip(file: File, reason: str) -> Way:
    return Way(RestoreStep(path=file.path, action="skip", reason=reason))


def _step_of(result: FileChanged) -> RestoreStep:
    assert result.action != "move", "a restore moves nothing"
    return RestoreStep(
        path=result.path,
        action=result.action,
        sha256=result.sha256,
        status=result.status,
        code=result.code,
    )


def _told(
    context: Context,
    scope: Scope,
    steps: Sequence[RestoreStep],
    *,
    preview: bool,
    begun: int | None = None,
) -> Restored:
    counts = Counter(_counted_as(step) for step in steps)
    shown = [step for step in steps if step.action != "none"]
    left_out = len(shown) - limits.RESTORE_SHOWN_MAX
    return Restored(
        session_id=context.session,
        preview=preview,
        point=f"s:{scope.point}",
        counts=dict(sorted(counts.items())),
        files=shown[: limits.RESTORE_SHOWN_MAX],
        omitted=left_out if left_out > 0 else None,
        undo=f'restore {{"entry": "s:{begun}"}}' if begun else None,
    )


def _counted_as(step: RestoreStep) -> str:
    if step.status not in (None, "done", "recovered"):
        return "failed"
    return {"none": "unchanged", "skip": "skipped"}.get(step.action, step.action)


def _chunks(files: Sequence[File]) -> Iterator[Sequence[File]]:
    for start in range(0, len(files), limits.OPS_MAX):
        yield files[start : start + limits.OPS_MAX]
