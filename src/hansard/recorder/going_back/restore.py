"""restore: returns files to how they were at a point, each by an ordinary operation.

With `keep_others`, or for what one step changed alone, it is an undo: what others did stays.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hansard.kernel.engine import ReadTx, Row
from hansard.kernel.event import Entry
from hansard.kernel.operation import Context
from hansard.recorder import contract
from hansard.recorder.contents.kept_content import ContentNotKeptError, kept_content
from hansard.recorder.events import FileRef, RestoreBegun
from hansard.recorder.gateway import Gateway
from hansard.recorder.going_back.answers import BackStep, Others, RestoredAnswer
from hansard.recorder.going_back.file_return import (
    FilePlace,
    UnreachableError,
    WantedFile,
    clashing,
    look,
    recorded,
    skip,
    unchanged,
    way_to,
)
from hansard.recorder.going_back.others_changes import others_since, unrecorded
from hansard.recorder.going_back.pages import told
from hansard.recorder.going_back.restore_scope import (
    File,
    RestoreScope,
    Standing,
    find_scope,
    is_older,
    session_of,
    standing_at,
)
from hansard.recorder.going_back.return_files import ReturnTarget, ReturnTask, Way, carry_out
from hansard.recorder.going_back.undo import take_back
from hansard.recorder.history.changes import Changes, changes_of_session, changes_of_step, look_up
from hansard.recorder.history.copies import enter_for
from hansard.recorder.history.lineage import Lineage, Stretch, lineage_of, recorded_as
from hansard.recorder.intents import is_recorded, modified_at
from hansard.recorder.results import FROM_OUTSIDE
from hansard.recorder.rules import is_digest_of
from hansard.recorder.tables import FILES
from hansard.recorder.workspace.states import Seen


def restore(gateway: Gateway, request: contract.Restore, context: Context) -> RestoredAnswer:
    """Bring files back to where they stood at a point, or say what that would do."""
    if request.only_step is not None:
        changes = context.read(lambda tx: _of_step(tx, context, request))
        enter_for(request, gateway, context)
        return _undo(gateway, context, request, changes)
    scope = context.read(lambda tx: find_scope(gateway, tx, context, request))
    enter_for(request, gateway, context)
    # Going back to before a prompt means the work done for it, and nothing that others did.
    if request.keep_others or request.prompt is not None:
        changes = context.read(lambda tx: _own_since(gateway, tx, context, scope))
        return _undo(gateway, context, request, changes, scope.point)

    def task(begun: int | None) -> ReturnTask[_One]:
        whole = _as_begun(context, scope, begun)
        lineage = context.read(lambda tx: lineage_of(gateway, tx))
        finder = _Finder(gateway, context, request, lineage, whole)
        aim = ReturnTarget(whole.name, whole.point, len(whole.files))
        return ReturnTask(aim, [_One(file) for file in whole.files], finder.find)

    def tell(aim: ReturnTarget, steps: Sequence[BackStep], begun: int | None) -> RestoredAnswer:
        page = told(request, steps, begun)
        return RestoredAnswer(session_id=context.session, point=f"s:{aim.point}", **page)

    if request.preview:
        wanted = task(None)
        steps = [way.step for unit in wanted.units for way in wanted.find(unit)]
        return tell(wanted.aim, steps, None)
    return carry_out(gateway, context, task, tell)


@dataclass(frozen=True, slots=True)
class _One:
    """A file that goes back by itself."""

    file: File

    @property
    def keys(self) -> Sequence[str]:
        return [self.file.key]


def _undo(
    gateway: Gateway,
    context: Context,
    request: contract.Restore,
    changes: Changes,
    point: int | None = None,
) -> RestoredAnswer:
    """Take changes back and leave those of others."""

    def tell(aim: ReturnTarget, steps: Sequence[BackStep], begun: int | None) -> RestoredAnswer:
        page = told(request, steps, begun)
        before = aim.point if point is None else point
        return RestoredAnswer(session_id=context.session, point=f"s:{before}", **page)

    return take_back(gateway, context, request, changes, tell)


def _of_step(tx: ReadTx, context: Context, request: contract.Restore) -> Changes:
    assert request.only_step is not None, "a step is to be undone that none is named of"
    session = session_of(tx, context, request.of_session)
    return changes_of_step(tx, context, session, request.only_step)


def _own_since(gateway: Gateway, tx: ReadTx, context: Context, scope: RestoreScope) -> Changes:
    """Find what the session whose work it is has changed since the point, and nobody else."""
    if scope.session is None:
        return Changes(scope.name, [])
    files = {file.key for file in scope.files}
    found = changes_of_session(tx, context, scope.session, after=scope.point).made
    made = lineage_of(gateway, tx).adopted(tx, found)
    return Changes(scope.name, [one for one in made if files.intersection(one.files().values())])


def _as_begun(context: Context, scope: RestoreScope, begun: int | None) -> RestoreScope:
    """Give the scope with the point that an earlier attempt went to."""
    if begun is None:
        return scope
    _, event = context.read(lambda tx: look_up(tx, context, begun))
    return replace(scope, point=event.point) if isinstance(event, RestoreBegun) else scope


@dataclass(frozen=True, slots=True)
class _Finder:
    """Finds how a file gets back to where it stood, from what is on disk now."""

    gateway: Gateway
    context: Context
    request: contract.Restore
    lineage: Lineage
    scope: RestoreScope

    def find(self, unit: _One) -> list[Way]:
        """Say what becomes of one file."""
        file = unit.file
        try:
            place = look(self.gateway, self.context, file.workspace, file.path)
            return [self.context.read(lambda tx: self._way(tx, place))]
        except UnreachableError as reason:
            return [skip(file.path, str(reason))]
        except ContentNotKeptError as reason:
            return [skip(file.path, f"as it then was, {reason}")]

    def _way(self, tx: ReadTx, place: FilePlace) -> Way:
        path, current = str(place.path), place.current
        stretches = self.lineage.stretches(path)
        target = standing_at(tx, stretches, self.scope.point)
        latest = tx.get(FILES, recorded_as(tx, stretches))
        if target.is_unknown:
            raise UnreachableError("what it then held is not known")
        if self._stood_so(tx, place, target, latest):
            return unchanged(path)
        ref = (
            FileRef.model_validate(target.row["after"])
            if target.row and target.row["after"]
            else None
        )
        if current and ref and current.digest == ref.digest and ref.mode in (None, current.mode):
            return unchanged(path)
        if current is None and ref is None:
            return unchanged(path)
        if not self._is_as_shown(path, current):
            return clashing(path, "it has been changed since it was shown", current)
        said = {
            "from_revision": latest["revision"] if latest else None,
            "to_revision": target.row["revision"] if target.row and ref else None,
            "sha256": ref.digest if ref else None,
            "takes_away": self._others(tx, place, stretches, target),
        }
        data = kept_content(tx, ref, self.gateway.keys) if ref else None
        goal = WantedFile(data, ref.mode if ref else None, back_to=target.number)
        way = way_to(self.gateway, tx, place, goal, diff=self.request.diff, **said)
        return way.showing(current.digest if current and self.request.preview else None)

    def _is_as_shown(self, path: str, current: Seen | None) -> bool:
        expected = (self.request.expected or {}).get(path)
        found = current.digest if current else None
        return expected is None or is_digest_of(expected, found)

    def _stood_so(self, tx: ReadTx, place: FilePlace, target: Standing, latest: Row | None) -> bool:
        """Whether what is there was made from outside before the point, and is noticed only now."""
        if place.current is None or latest is None or latest["number"] != target.number:
            return False
        is_new = not is_recorded(recorded(tx, place.key), place.current)
        return is_new and is_older(tx, modified_at(place.current), self.scope.point)

    def _others(
        self, tx: ReadTx, place: FilePlace, stretches: Sequence[Stretch], target: Standing
    ) -> list[Others]:
        """Say what others did to a file since then, which a restore takes away."""
        since = target.row["seq"] if target.row else 0
        taken = others_since(tx, stretches, since, self._is_own)
        is_new = not is_recorded(recorded(tx, recorded_as(tx, stretches)), place.current)
        return [*taken, *([unrecorded()] if is_new else [])]

    def _is_own(self, row: Row, entry: Entry) -> bool:
        return row["source"] not in FROM_OUTSIDE and entry.session == self.scope.session
