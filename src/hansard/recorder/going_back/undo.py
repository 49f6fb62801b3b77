"""undo: takes back chosen changes of files and leaves later work.

What stands now, what the changes left and what was there before them are merged three ways. Where
they clash nothing changes, and the lines are shown for someone to decide.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hansard.kernel.engine import ReadTx
from hansard.kernel.operation import Context
from hansard.kernel.problem import InvalidInput
from hansard.kernel.truncation import cut
from hansard.recorder import contract, limits
from hansard.recorder.contents.kept_content import ContentNotKeptError, kept_content
from hansard.recorder.contents.merging import Clash
from hansard.recorder.events import FileRef
from hansard.recorder.gateway import Gateway
from hansard.recorder.going_back import undo_rules
from hansard.recorder.going_back.answers import BackStep, ClashHunk, Others, UndoneAnswer
from hansard.recorder.going_back.file_return import (
    FilePlace,
    UnreachableError,
    WantedFile,
    folders_made,
    look,
    recorded,
    skip_all,
    unchanged,
    way_to,
)
from hansard.recorder.going_back.moved_since import saying_where
from hansard.recorder.going_back.others_changes import made_anew, others_since, unrecorded
from hansard.recorder.going_back.pages import told
from hansard.recorder.going_back.restore_scope import session_of
from hansard.recorder.going_back.return_files import (
    A,
    ReturnTarget,
    ReturnTask,
    Tell,
    Way,
    carry_out,
)
from hansard.recorder.going_back.undo_rules import (
    GONE_SINCE,
    ClashError,
    DoneChange,
    Held,
    LostError,
    States,
    Taken,
    UndoStep,
)
from hansard.recorder.history.changes import (
    Changes,
    Made,
    changes_of_entry,
    changes_of_session,
    changes_of_step,
    changes_since_prompt,
    connected,
    standing,
)
from hansard.recorder.history.copies import enter_for
from hansard.recorder.history.lineage import Lineage, lineage_of, recorded_as
from hansard.recorder.intents import Planned, is_recorded
from hansard.recorder.rules import Plan, is_digest_of
from hansard.recorder.story.restore_words import scope_words
from hansard.recorder.story.reverted_work import undone_by
from hansard.recorder.workspace.states import FileState, Seen

HIDDEN = "(not shown, since the file holds a secret)"


@dataclass(frozen=True, slots=True)
class Together:
    """Changes to one file, or to files that were moved onto one another."""

    made: list[Made]

    @property
    def paths(self) -> list[str]:
        """The paths they concern, in order."""
        return sorted({path for one in self.made for path in one.paths})

    @property
    def keys(self) -> Sequence[str]:
        """The ids of their files."""
        return sorted({key for one in self.made for key in one.files().values()})


def undo(gateway: Gateway, request: contract.Undo, context: Context) -> UndoneAnswer:
    """Take back what an entry, a step, a prompt or a session changed, or say what that would do."""
    changes = context.read(lambda tx: _named(gateway, tx, context, request))
    enter_for(request, gateway, context)

    def tell(_: ReturnTarget, steps: Sequence[BackStep], begun: int | None) -> UndoneAnswer:
        return UndoneAnswer(
            session_id=context.session,
            what=scope_words(changes.name, context.session),
            **told(request, steps, begun),
        )

    return take_back(gateway, context, request, changes, tell)


def take_back(
    gateway: Gateway,
    context: Context,
    request: contract.Back,
    changes: Changes,
    tell: Tell[A],
) -> A:
    """Take changes back and leave what others did since; with `preview`, only say so."""

    def task(begun: int | None) -> ReturnTask[Together]:
        since = [one for one in changes.made if begun is None or one.restore != begun]
        lineage = context.read(lambda tx: lineage_of(gateway, tx))
        made = context.read(lambda tx: lineage.adopted(tx, since))
        units = [Together(each) for each in connected(made)]
        seqs = frozenset(one.seq for one in made)
        finder = _Finder(gateway, context, request, lineage, seqs)
        first = min((one.seq for one in made), default=1)
        files = sum(len(unit.paths) for unit in units)
        aim = ReturnTarget(changes.name, first - 1, files, is_undo=True)
        return ReturnTask(aim, units, finder.find)

    if request.preview:
        wanted = task(None)
        ways = [way for unit in wanted.units for way in wanted.find(unit)]
        steps = sorted((way.step for way in ways), key=lambda step: step.path)
        return tell(wanted.aim, steps, None)
    return carry_out(gateway, context, task, tell)


def _named(gateway: Gateway, tx: ReadTx, context: Context, request: contract.Undo) -> Changes:
    """Find the changes that are meant, and of them those to the files that are named."""
    if request.entry is not None:
        changes = changes_of_entry(tx, context, request.entry)
    else:
        session = session_of(tx, context, request.of_session)
        if request.step is not None:
            changes = changes_of_step(tx, context, session, request.step)
        elif request.prompt is not None:
            changes = changes_since_prompt(tx, context, session, request.prompt)
        else:
            changes = changes_of_session(tx, context, session)
    if request.paths is None:
        return _bounded(changes)
    paths = {str(gateway.plain(path)) for path in request.paths}
    made = [one for one in changes.made if paths.intersection(one.paths)]
    known = {path for one in made for path in one.paths}
    if strange := sorted(paths - known):
        raise InvalidInput(
            f"paths: {', '.join(strange)} was not changed by {changes.name}", argument="paths"
        )
    return _bounded(Changes(changes.name, made))


def _bounded(changes: Changes) -> Changes:
    files = {path for one in changes.made for path in one.paths}
    if len(files) > limits.RESTORE_FILES_MAX:
        raise InvalidInput(
            f"This would touch {len(files)} files; at most {limits.RESTORE_FILES_MAX}",
            hint="Undo a step or an entry instead, or some of the paths",
        )
    return changes


@dataclass(frozen=True, slots=True)
class _Finder:
    """Finds how changes are taken back, from what is on disk now."""

    gateway: Gateway
    context: Context
    request: contract.Back
    lineage: Lineage
    seqs: frozenset[int]
    """All that is taken back."""

    def find(self, unit: Together) -> list[Way]:
        """Say what becomes of each of some files that go back together."""
        places: dict[str, FilePlace] = {}
        workspace = unit.made[0].workspace
        for path in unit.paths:
            try:
                places[path] = look(self.gateway, self.context, workspace, path)
            except UnreachableError as reason:
                return skip_all(unit.paths, path, str(reason))
        return self.context.read(lambda tx: self._ways(tx, unit, places))

    def _ways(self, tx: ReadTx, unit: Together, places: Mapping[str, FilePlace]) -> list[Way]:
        """Leave out what is taken back already; the rest may fall into more groups."""
        stands, gone = standing(tx, unit.made, self.seqs)
        others = self._made_anew(tx, stands, places)
        left = [one for one in stands if one.to or one.seq > others.get(one.path, 0)]
        units = [Together(made) for made in connected(left)]
        ways = [way for one in units for way in self._back(tx, one, places)]
        concerned = {path for one in units for path in one.paths}
        why = {path: _already(tx, change) for path, change in gone.items()}
        why |= {path: _another(by) for path, by in others.items()}
        free = [path for path in unit.paths if path not in concerned]
        return [*ways, *(unchanged(path, why.get(path)) for path in free)]

    def _made_anew(
        self, tx: ReadTx, stands: Sequence[Made], places: Mapping[str, FilePlace]
    ) -> dict[str, int]:
        """Name, by path, what made another file there with the very same content: it is theirs."""
        found: dict[str, int] = {}
        for one in stands:
            now = places[one.path].current
            if one.to or not (now and one.after and now.digest == one.after.digest):
                continue
            if by := made_anew(tx, self.lineage.stretches(one.path), one.seq, self.seqs):
                found[one.path] = by
        return found

    def _back(self, tx: ReadTx, unit: Together, all_places: Mapping[str, FilePlace]) -> list[Way]:
        """Say what becomes of files when changes that stand are taken back."""
        left, places = unit.made, {path: all_places[path] for path in unit.paths}
        unknown = next((one for one in left if not one.is_before_known), None)
        if unknown is not None:
            reason = f"what it held before s:{unknown.seq} is not known"
            return skip_all(unit.paths, unknown.path, reason)
        now: States = {path: _held(place.current, path) for path, place in places.items()}
        try:
            changes = self._changes(tx, left)
            taken = undo_rules.take_back(changes, now, self.request.takes(unit.paths))
            self._require_as_shown(taken, now)
            self._require_seen(changes, taken, now)
            return self._all(tx, left, places, (taken, now))
        except ClashError as clash:
            return self._clashing(tx, left, places, clash)
        except LostError as lost:
            return skip_all(unit.paths, lost.path, lost.reason)

    def _require_as_shown(self, taken: Taken, now: States) -> None:
        """Refuse decisions about what has changed since it was shown."""
        for path, expected in (self.request.expected or {}).items():
            held = now[taken.lies_at[path]] if path in now else None
            if path in now and not is_digest_of(expected, held.digest if held else None):
                clash = ClashError(path, "it has been changed since it was shown")
                clash.lies_at = taken.lies_at[path]
                raise clash

    def _require_seen(self, changes: Sequence[DoneChange], taken: Taken, now: States) -> None:
        """Refuse decisions against what the caller has not named as seen; a preview shows it."""
        if self.request.preview:
            return
        shown = self.request.expected or {}
        unseen = {path for path in taken.against if path not in shown and now[taken.lies_at[path]]}
        if not unseen:
            return
        takes = self.request.takes(now)
        try:
            undo_rules.take_back(changes, now, {p: takes[p] for p in takes if p not in unseen})
        except ClashError as clash:
            clash.reason += "; take it with expected, which says that you saw what it holds now"
            raise
        raise AssertionError(f"what was decided about {', '.join(unseen)} clashes with nothing")

    def _changes(self, tx: ReadTx, made: Sequence[Made]) -> list[DoneChange]:
        """Give the changes as they can be merged, with no more contents than that needs."""
        refs: dict[str, FileRef] = {
            ref.digest: ref for one in made for ref in (one.before, one.after) if ref
        }
        light = [
            DoneChange(
                (one.seq,), one.path, _named_only(one.before), _named_only(one.after), one.to
            )
            for one in made
        ]
        return [self._loaded(tx, refs, change) for change in undo_rules.joined(light)]

    def _loaded(self, tx: ReadTx, refs: Mapping[str, FileRef], change: DoneChange) -> DoneChange:
        if change.to is not None:
            return change
        before, after = (
            self._content(tx, refs[held.digest], held) if held else None
            for held in (change.before, change.after)
        )
        return replace(change, before=before, after=after)

    def _content(self, tx: ReadTx, ref: FileRef, held: Held) -> Held:
        try:
            return replace(held, content=kept_content(tx, ref, self.gateway.keys))
        except ContentNotKeptError as reason:
            return replace(held, why=str(reason))

    def _all(
        self,
        tx: ReadTx,
        made: Sequence[Made],
        places: Mapping[str, FilePlace],
        states: tuple[Taken, States],
    ) -> list[Way]:
        ways: dict[str, Way] = {}
        taken, now = states
        for step in undo_rules.steps_to(taken.states, now):
            try:
                way = self._way(tx, made, places, step)
                if step.path in taken.against and self.request.preview:
                    held = now[taken.lies_at[step.path]]
                    way = way.showing(held.digest if held else None)
                if step.path in taken.taken_away:
                    way = way.taking_away(self._since(tx, made, places[step.path]))
                ways[step.path] = way
            except UnreachableError as reason:
                return skip_all(sorted(places), step.path, str(reason))
        moved = {way.step.to for way in ways.values()}
        same = [path for path in places if path not in ways and path not in moved]
        where = {path: self._lies_elsewhere(tx, made, places[path]) for path in same}
        return [*ways.values(), *(unchanged(path, why) for path, why in where.items())]

    def _lies_elsewhere(self, tx: ReadTx, made: Sequence[Made], place: FilePlace) -> str | None:
        """Say where a file lies that is gone as it should be, but only under this name."""
        if place.current is not None:
            return None
        told = saying_where(self.gateway, tx, made, place, GONE_SINCE)
        return told if told != GONE_SINCE else None

    def _way(
        self, tx: ReadTx, made: Sequence[Made], places: Mapping[str, FilePlace], step: UndoStep
    ) -> Way:
        """Say how one file, or with a move two, get back."""
        place = places[step.path]
        undoes = tuple(one.seq for one in made if {step.path, step.to} & set(one.paths))
        keeps = self._since(tx, made, place)
        held = step.held
        if step.to is not None:
            mode = held.mode if held else None
            return self._move(tx, place, places[step.to], mode, undoes)
        if held is None:
            return way_to(
                self.gateway, tx, place, WantedFile(None, undoes=undoes), diff=self.request.diff
            )
        content = held.content
        if content is None:
            raise UnreachableError(held.why or "its content is too large to be written again")
        goal = WantedFile(content, held.mode, undoes)
        said = {"sha256": held.digest, "keeps": keeps}
        return way_to(self.gateway, tx, place, goal, diff=self.request.diff, **said)

    def _move(
        self,
        tx: ReadTx,
        place: FilePlace,
        to: FilePlace,
        wanted_mode: int | None,
        undoes: tuple[int, ...],
    ) -> Way:
        current = place.current
        assert current is not None, "a missing file was to be moved back"
        mode = wanted_mode if wanted_mode != current.mode else None
        planned = Planned(
            place.path,
            to.path,
            Plan("move", current, None),
            mode=mode,
            undoes=undoes,
            makes=self.gateway.workspace.missing_folders(to.path),
            clears=folders_made(self.gateway, tx, place.path),
        )
        step = BackStep(
            path=str(place.path),
            action="move",
            to=str(to.path),
            sha256=current.digest,
            mode=None if mode is None else f"{mode:04o}",
            undoes=list(undoes),
        )
        return Way(step, planned)

    def _clashing(
        self,
        tx: ReadTx,
        made: Sequence[Made],
        places: Mapping[str, FilePlace],
        clash: ClashError,
    ) -> list[Way]:
        place, decided = places[clash.path], places[clash.lies_at].current
        contents = [decided.content] if isinstance(decided, FileState) else []
        contents += [text for one in clash.clashes for text in (one.base, one.mine, one.theirs)]
        is_secret = any(map(self.gateway.redacted, contents))
        step = BackStep(
            path=clash.path,
            action="clash",
            reason=saying_where(self.gateway, tx, made, place, clash.reason),
            now=decided.digest if decided else None,
            sides=list(clash.sides),
            hunks=[_hunk(one, is_secret=is_secret) for one in _few(clash.clashes)] or None,
            keeps=self._since(tx, made, place) or None,
        )
        others = [path for path in places if path != clash.path]
        return [Way(step), *skip_all(others, clash.path, "")]

    def _since(self, tx: ReadTx, made: Sequence[Made], place: FilePlace) -> list[Others]:
        """Say what was done to a file since, and stays."""
        path = str(place.path)
        first = min(one.seq for one in made if path in one.paths)
        stretches = self.lineage.stretches(path)
        others = others_since(tx, stretches, first, lambda row, _: row["seq"] in self.seqs)
        is_new = not is_recorded(recorded(tx, recorded_as(tx, stretches)), place.current)
        return [*others, *([unrecorded()] if is_new else [])]


def _another(by: int) -> str:
    return f"it has been deleted or moved since, and s:{by} made another file of this name"


def _already(tx: ReadTx, change: tuple[str, int]) -> str | None:
    """Say what has taken a change to a file back."""
    by = undone_by(tx, *change)
    return f"s:{by} has taken it back already" if by else None


def _held(current: Seen | None, path: str) -> Held | None:
    if current is None:
        return None
    content = current.content if isinstance(current, FileState) else None
    why = "" if content is not None else f"it has {current.size:,} bytes, too many to be merged"
    return Held(current.digest, current.mode, content, why, origin=path)


def _named_only(ref: FileRef | None) -> Held | None:
    return Held(ref.digest, ref.mode, None) if ref else None


def _few(clashes: Sequence[Clash]) -> Sequence[Clash]:
    return clashes[: limits.HUNKS_SHOWN_MAX]


def _hunk(clash: Clash, *, is_secret: bool) -> ClashHunk:
    base, mine, theirs = (
        HIDDEN if is_secret else _shown(text) for text in (clash.base, clash.mine, clash.theirs)
    )
    return ClashHunk(line=clash.line, base=base, mine=mine, theirs=theirs)


def _shown(text: bytes) -> str:
    return cut(text.decode(errors="replace"), limits.HUNK_SHOWN_CHARS)
