"""Before a change: the state on disk, then one read of the store for everything else."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

from hansard.kernel.blob import digest_of
from hansard.kernel.effect import intent_key
from hansard.kernel.engine import ReadTx, Table
from hansard.kernel.limits import FILE_BYTES_MAX
from hansard.kernel.operation import Context
from hansard.kernel.problem import Problem
from hansard.recorder import contract, limits, renames, rules
from hansard.recorder.file_decisions import require_allowed
from hansard.recorder.gateway import Gateway
from hansard.recorder.intents import Announced, IntentWriter, Planned, step_of
from hansard.recorder.problems import FileNotFound
from hansard.recorder.settling import pending
from hansard.recorder.tables import BEATS, FILES, HISTORIES, OUTCOMES, TOUCHED, touched_key
from hansard.recorder.workspace.paths import FilePath
from hansard.recorder.workspace.states import Seen


@dataclass(frozen=True, slots=True)
class Target:
    """A change that was asked for, and where."""

    change: contract.FileChange
    path: FilePath
    to: FilePath | None

    def paths(self) -> list[FilePath]:
        """Give every path it concerns."""
        return [self.path, *([self.to] if self.to else [])]


@dataclass(frozen=True, slots=True)
class SurveyedTarget:
    """What the disk shows about a change, or why it cannot be read."""

    target: Target
    current: Seen | None = None
    there: Seen | None = None
    """What is where a file is to be moved to."""
    missing: int = 0
    """How many folders must be made for it."""
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class DoneFirst:
    """What has been done already of what may have to be done first."""

    is_settled: bool = False
    """Anything still open belongs to another workspace, or cannot be judged now."""
    are_moves_noticed: bool = False


class SettleFirstError(Exception):
    """Something was left open on the files; it must be settled, and everything read again."""


class NoticeFirstError(Exception):
    """Files may have been moved to where they are; if so, that is recorded first."""

    def __init__(self, found: Sequence[tuple[FilePath, Seen | None]]) -> None:
        """Say what lies where."""
        super().__init__()
        self.found = found


class ChangeRefusedError(Exception):
    """One of the changes is refused, which is put on the timeline before the caller gets it."""

    def __init__(self, change: contract.FileChange, problem: Problem) -> None:
        """Say which, and why."""
        super().__init__()
        self.change = change
        self.problem = problem


def look(gateway: Gateway, target: Target) -> SurveyedTarget:
    """Examine the files of a change whose locks are held; problems are returned, not raised.

    A repeated request is answered as it was the first time, whatever lies there by now.
    """
    try:
        current = _current(gateway, target)
        there = gateway.workspace.look(target.to) if target.to else None
        makes = target.to or (target.path if current is None else None)
        missing = gateway.workspace.missing_folders(makes) if makes else 0
    except Problem as problem:
        return SurveyedTarget(target, problem=problem)
    return SurveyedTarget(target, current, there, missing)


@dataclass(frozen=True, slots=True)
class Survey:
    """What is read from the store before changes are written."""

    gateway: Gateway
    context: Context
    request: contract.FileOp
    files: Collection[str]
    is_new: bool
    """Whether this request has announced nothing before."""

    def announced(
        self, tx: ReadTx, looked: Sequence[SurveyedTarget], done: DoneFirst
    ) -> list[Announced]:
        """Say what will be recorded of changes, or what must be done first, or refuse them."""
        if self.is_new:
            self.context.require_new(tx)
        self._prefetch(tx, looked)
        if not done.is_settled and pending(tx, self.files):
            raise SettleFirstError
        planned = [self._planned(tx, one) for one in looked]
        found = [(one.path, one.plan.before) for one in planned]
        may_be_moved = (renames.candidates(tx, self.gateway, *one) for one in found)
        if not done.are_moves_noticed and any(may_be_moved):
            raise NoticeFirstError(found)
        step = step_of(tx, self.context.session, self.request.step)
        under = replace(step, cites=self.request.cites or ())
        writer = IntentWriter(self.gateway, tx, under, self.gateway.owner_name)
        return [writer.describe(one) for one in planned]

    def _prefetch(self, tx: ReadTx, looked: Sequence[SurveyedTarget]) -> None:
        """Fetch all at once what is read here and while the changes are recorded."""
        paths = [str(path) for one in looked for path in one.target.paths()]
        session, head = self.context.session, tx.head().seq
        rows: list[tuple[Table, str]] = [(FILES, file) for file in self.files]
        if session is not None:
            told = [touched_key(session, file) for file in self.files]
            rows += [(table, key) for table in (TOUCHED, BEATS) for key in told]
        # Where the intents will be, if nothing comes between; if it does, they are asked for then.
        rows += [(OUTCOMES, intent_key(head + number)) for number, _ in enumerate(looked, 1)]
        tx.prefetch(
            *(partial(pending, tx, [file]) for file in self.files),
            *(partial(ask, tx, path) for path in paths for ask in self.gateway.asks),
            *(partial(tx.get, table, key) for table, key in rows),
            *(partial(_ask_for_content, tx, one) for one in looked),
        )

    def _planned(self, tx: ReadTx, looked: SurveyedTarget) -> Planned:
        target = looked.target
        try:
            if looked.problem:
                raise looked.problem
            for path in map(str, target.paths()):
                require_allowed(path, self.gateway.governed(tx, path), self.context.caller)
            plan = rules.plan_change(target.change, looked.current, looked.there)
        except FileNotFound as problem:
            told = self._told_where(tx, target.path) or problem
            raise ChangeRefusedError(target.change, told) from problem
        except Problem as problem:
            raise ChangeRefusedError(target.change, problem) from problem
        return Planned(target.path, target.to, plan, makes=looked.missing)

    def _told_where(self, tx: ReadTx, path: FilePath) -> FileNotFound | None:
        """Say where a file lies that was moved away, so that nobody makes it a second time."""
        left = tx.get(FILES, self.gateway.file(path))
        history = tx.get(HISTORIES, left["history"]) if left and left["is_away"] else None
        here = tx.get(FILES, history["file"]) if history else None
        if here is None or not here["after"]:
            return None
        try:
            to = self.gateway.resolve(here["path"], self.context.caller)
        except Problem:  # the caller may not go on with it there
            return None
        if not self.gateway.has_file(to):
            return None
        where = {"path": str(path), "moved_to": str(to)}
        return FileNotFound(f"{path} was moved to {to}", hint=f"Go on with {to}", **where)


def _ask_for_content(tx: ReadTx, looked: SurveyedTarget) -> None:
    """Ask whether a file's new content is kept already, as packing it will."""
    if looked.problem is None:
        after = rules.plan_change(looked.target.change, looked.current, looked.there).after
        if after is not None:
            tx.blob(digest_of(after))


def _current(gateway: Gateway, target: Target) -> Seen | None:
    """Look at the file as far as the change needs: what is about to go is kept, if it fits."""
    if target.change.edits is not None:
        return gateway.workspace.read(target.path)
    goes = target.change.action != "move"
    limit_bytes = limits.KEPT_BYTES_MAX if goes else FILE_BYTES_MAX
    return gateway.workspace.look(target.path, limit_bytes)
