"""Returns files to earlier states in batches: locked, announced, done, recorded.

What is about to be replaced and was never recorded is recorded first, of all files, so that
whatever follows can be taken back.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from hansard.kernel.effect import Outcome
from hansard.kernel.engine import ReadTx, WriteTx
from hansard.kernel.event import Entry
from hansard.kernel.idempotency import AlreadyAttemptedError
from hansard.kernel.operation import Context, ReceiptShown
from hansard.kernel.problem import Problem, StorageUnavailable
from hansard.recorder import limits
from hansard.recorder.answers import FileChangedAnswer
from hansard.recorder.events import RestoreBegun
from hansard.recorder.file_changes import act, announce_alive, note, record_seen
from hansard.recorder.file_locks import FileLocks
from hansard.recorder.gateway import Gateway
from hansard.recorder.going_back.answers import BackStep, Others, WentBackAnswer
from hansard.recorder.intents import Announced, IntentWriter, Planned, step_of
from hansard.recorder.results import (
    conclude,
    entry_at,
    half_way,
    intent_of,
    record_outcomes,
    result_of,
    settled,
)
from hansard.recorder.settling import alone_and_settled


@dataclass(frozen=True, slots=True)
class Way:
    """How one file gets back: by a change, or not at all, and why."""

    step: BackStep
    planned: Planned | None = None

    def showing(self, now: str | None) -> "Way":
        """Add the file's present content, which the caller must have seen to decide."""
        return replace(self, step=self.step.model_copy(update={"now": now})) if now else self

    def taking_away(self, others: Sequence[Others]) -> "Way":
        """Warn that what others did does not stay, or not all of it."""
        said = {"keeps": None, "takes_away": list(others) or None}
        return replace(self, step=self.step.model_copy(update=said))


class Unit(Protocol):
    """Files that go back together or not at all."""

    @property
    def keys(self) -> Sequence[str]:
        """The ids of the files."""


U = TypeVar("U", bound=Unit)
A = TypeVar("A", bound=WentBackAnswer)


@dataclass(frozen=True, slots=True)
class ReturnTarget:
    """What is brought back, as it is recorded."""

    scope: str
    point: int
    files: int
    is_undo: bool = False


Tell = Callable[[ReturnTarget, Sequence[BackStep], int | None], A]
"""Makes the answer of the aim, the files, and the seq of what was begun, if anything was.

It is called within a transaction, and touches nothing else.
"""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What a request announced without being answered, and how that ended."""

    begun: int
    entries: list[Entry]
    results: list[FileChangedAnswer]


def taken_up(gateway: Gateway, context: Context, seqs: Sequence[int]) -> Earlier:
    """Settle what a request has announced before."""
    results = settled(gateway, context, seqs)
    entries = context.read(lambda tx: [entry_at(tx, seq) for seq in seqs])
    begun = intent_of(context, entries[0]).restore
    assert begun is not None, "what is gone on with is no restore"
    return Earlier(begun, entries, results)


@dataclass(frozen=True, slots=True)
class ReturnTask(Generic[U]):
    """The whole task: the aim, the units, and what plans how each gets back."""

    aim: ReturnTarget
    units: Sequence[U]
    find: Callable[[U], list[Way]]


def carry_out(
    gateway: Gateway,
    context: Context,
    task: Callable[[int | None], ReturnTask[U]],
    tell: Tell[A],
) -> A:
    """Bring files back, or continue where the same request was stopped.

    `task` is asked with the seq of what was begun then, `None` if nothing was.
    """
    try:
        context.read(context.require_new)
        return Returning[U, A](gateway, context, task(None)).run(tell)
    except AlreadyAttemptedError as attempted:
        try:
            earlier = taken_up(gateway, context, attempted.intents)
            return Returning[U, A](gateway, context, task(earlier.begun), earlier).run(tell)
        except StorageUnavailable as problem:
            raise _stopped_again(context, problem) from problem


def _stopped_again(context: Context, problem: StorageUnavailable) -> Problem:
    """After another interruption, report on all files, not only on those tried just now."""
    if {"done", "not_done", "unknown"} & problem.details.keys():
        return problem
    try:
        context.read(context.require_new)
    except AlreadyAttemptedError as attempted:
        seqs = attempted.intents
        return half_way(context, problem, context.read(lambda tx: [entry_at(tx, s) for s in seqs]))
    return problem


class Returning(Generic[U, A]):
    """One restore or undo under way."""

    def __init__(
        self,
        gateway: Gateway,
        context: Context,
        task: ReturnTask[U],
        earlier: Earlier | None = None,
    ) -> None:
        """Begin, or continue what was begun earlier."""
        self._gateway = gateway
        self._context = context
        self._aim = task.aim
        self._units = task.units
        self._find = task.find
        self._ways: list[Way] = []
        self._results = list(earlier.results) if earlier else []
        self._entries = list(earlier.entries) if earlier else []
        self._begun = earlier.begun if earlier else None
        """The seq of RestoreBegun, once there was something to do."""
        self._last: Entry | None = None
        """The last outcome, whose receipt stands for all of it."""
        self._problem: Problem | None = None

    def run(self, tell: Tell[A]) -> A:
        """Bring back everything that can be, and say how it went."""
        *most, last = _chunks(self._units)
        if most:
            for chunk in (*most, last):
                with self._alone_at(chunk):
                    self._note(self._found(chunk))
        for chunk in most:
            with self._alone_at(chunk) as locks:
                self._record(self._bring_back(self._found(chunk), locks))
        with self._alone_at(last) as locks:
            outcomes = self._bring_back(self._found(last), locks)
            if isinstance(self._problem, StorageUnavailable):
                self._record(outcomes)
                raise half_way(self._context, self._problem, self._entries)
            return self._answer(outcomes, tell)

    def _found(self, chunk: Sequence[U]) -> list[Way]:
        return [way for unit in chunk for way in self._find(unit)]

    def _alone_at(self, chunk: Sequence[U]) -> AbstractContextManager[FileLocks]:
        keys = [key for unit in chunk for key in unit.keys]
        return alone_and_settled(self._gateway, self._context, keys)

    def _note(self, ways: Sequence[Way]) -> None:
        """Record what is about to be replaced and was never recorded."""
        going = [way.planned for way in ways if way.planned]
        met = [(one.path, one.plan.before) for one in going if one.plan.before]
        note(self._gateway, self._context, met)

    def _bring_back(self, ways: Sequence[Way], locks: FileLocks) -> list[Outcome]:
        """Bring back some files whose locks are held; returns what is to be recorded of it."""
        self._ways += ways
        planned = [way.planned for way in ways if way.planned]
        if not planned:
            return []
        announced = self._context.read(lambda tx: self._describe(tx, planned))
        intents = self._announce(announced)
        self._entries += intents
        outcomes, problem = act(
            self._gateway, self._context, locks, announced, intents, stops=False
        )
        if problem and not isinstance(self._problem, StorageUnavailable):
            self._problem = problem
        return outcomes

    def _describe(self, tx: ReadTx, planned: Sequence[Planned]) -> list[Announced]:
        under = replace(step_of(tx, self._context.session, None), restore=self._begun)
        writer = IntentWriter(
            self._gateway, tx, under, self._gateway.own(self._context.store.engine)
        )
        return [writer.describe(one) for one in planned]

    def _announce(self, announced: Sequence[Announced]) -> list[Entry]:
        """Record the intents, the first time after the beginning of the whole."""
        context, begun = self._context, self._begun

        def work(tx: WriteTx) -> list[Entry]:
            self._gateway.require_alive(tx)
            record_seen(context, tx, announced)
            start = begun or context.record(tx, self._beginning(tx)).seq
            intents = [one.intent.model_copy(update={"restore": start}) for one in announced]
            return [context.record(tx, intent) for intent in intents]

        goes_on = begun is not None
        entries = announce_alive(self._gateway, context, work, announced, goes_on=goes_on)
        self._begun = intent_of(context, entries[0]).restore
        return entries

    def _beginning(self, tx: ReadTx) -> RestoreBegun:
        under = step_of(tx, self._context.session, None)
        return RestoreBegun(
            workspace=self._gateway.identity,
            scope=self._aim.scope,
            point=self._aim.point,
            files=self._aim.files,
            revision=under.revision,
            step=under.step,
            is_undo=self._aim.is_undo,
        )

    def _record(self, outcomes: Sequence[Outcome]) -> None:
        recorded = record_outcomes(self._context, outcomes)
        self._last = recorded[-1] if recorded else self._last

    def _answer(self, outcomes: Sequence[Outcome], tell: Tell[A]) -> A:
        context = self._context

        def work(tx: WriteTx) -> A:
            conclude(context, tx, outcomes)
            told = tell(self._aim, self._steps(tx), self._begun)
            if outcomes or not self._begun:
                return told
            last = self._last or entry_at(tx, self._begun)
            return told.model_copy(update={"receipt": ReceiptShown(seq=last.seq, hash=last.hash)})

        try:
            return context.write(work, urgent=bool(outcomes))
        except StorageUnavailable as unavailable:
            # The store's own message would say that nothing was written, but files have changed.
            if not outcomes:
                raise
            raise StorageUnavailable(
                "Files were brought back, and the store could not take note of how it went",
                hint="It is settled by the next operation on them, or at the next start",
                outcome="unknown",
            ) from unavailable

    def _steps(self, tx: ReadTx) -> list[BackStep]:
        """Report how each file went, here or earlier."""
        results = {one.path: one for one in self._results if one.status in ("done", "recovered")}
        for entry in self._entries[len(self._results) :]:
            result = result_of(self._gateway, self._context, tx, entry)
            results[result.path] = result
        steps = {step.path: step for step in (way.step for way in self._ways)}
        for path, result in results.items():
            step = steps.get(path)
            if step is None or step.action in ("none", "skip"):
                step = BackStep(path=path, action=result.action, to=result.to, sha256=result.sha256)
            steps[path] = step.model_copy(update={"status": result.status, "code": result.code})
        return sorted(steps.values(), key=lambda step: step.path)


def _chunks(units: Sequence[U]) -> Iterator[list[U]]:
    """Give as many units at a time as files may be locked at once, and at least one list."""
    chunk: list[U] = []
    held = 0
    for unit in units:
        if chunk and held + len(unit.keys) > limits.OPS_MAX:
            yield chunk
            chunk, held = [], 0
        chunk.append(unit)
        held += len(unit.keys)
    yield chunk
