"""A model of undo and restore that knows nothing of how they are done, to hold them against.

Every file of it has the same number of lines, and no line ever written is like another. So what a
merge must give can be said line by line, and what a line was is never a matter of opinion.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from hansard.recorder.renames import likeness

CELLS = 5
"""Lines of a file."""


class ClashError(Exception):
    """Nothing of these files may change."""


@dataclass(frozen=True)
class Held:
    """What a file holds."""

    cells: tuple[str, ...]
    mode: int

    @property
    def content(self) -> bytes:
        return "".join(f"{cell}\n" for cell in self.cells).encode()


State = Held | None


@dataclass
class Rev:
    """One revision of one file."""

    path: str
    before: State
    after: State
    session: str | None
    """`None` for what came from outside."""
    source: str
    seq: int = 0
    step: int = 0
    """When it was made, which may be before it was met."""
    group: int = 0
    to: str | None = None
    """On both revisions of a move: where the file went."""
    origin: str | None = None
    partner: str | None = None
    """Of a move from outside, the other path."""
    takers: "list[Rev]" = field(default_factory=list)
    """What has taken it back."""

    @property
    def stands(self) -> bool:
        return not any(taker.stands for taker in self.takers)


def merged_cells(base: Held, mine: Held, theirs: Held) -> tuple[str, ...]:
    """Put two changes together; runs of changed lines that share a line clash, unless alike."""
    ours, other = _runs(base, mine), _runs(base, theirs)
    cells = list(base.cells)
    for run in _joined([*ours, *other]):
        is_ours = any(run & each for each in ours)
        is_other = any(run & each for each in other)
        if is_ours and is_other and any(mine.cells[i] != theirs.cells[i] for i in run):
            raise ClashError
        for place in run:
            cells[place] = (mine if is_ours else theirs).cells[place]
    return tuple(cells)


def _runs(one: Held, other: Held) -> list[set[int]]:
    runs: list[set[int]] = []
    for place in range(CELLS):
        if one.cells[place] != other.cells[place]:
            if runs and place - 1 in runs[-1]:
                runs[-1].add(place)
            else:
                runs.append({place})
    return runs


def _joined(runs: Iterable[set[int]]) -> list[set[int]]:
    joined: list[set[int]] = []
    for run in runs:
        meeting = [each for each in joined if each & run]
        joined = [each for each in joined if not each & run]
        joined.append(run.union(*meeting))
    return joined


def merged_mode(base: int, mine: int, theirs: int) -> int:
    if theirs in (base, mine):
        return mine
    if mine == base:
        return theirs
    raise ClashError


def undone(base: State, mine: State, theirs: State) -> State:
    """Take one change back: from `base`, which it left, to `theirs`, which was before it."""
    if mine == base:
        return theirs
    if mine == theirs:
        return mine
    if base is None or mine is None or theirs is None:
        raise ClashError
    mode = merged_mode(base.mode, mine.mode, theirs.mode)
    return Held(merged_cells(base, mine, theirs), mode)


@dataclass(frozen=True)
class Change:
    """A change as an undo sees it: one file, or two if it was moved."""

    seqs: tuple[int, ...]
    path: str
    before: State
    after: State
    to: str | None = None
    partner: str | None = None

    @property
    def paths(self) -> set[str]:
        return {self.path, self.to} if self.to else {self.path}

    @property
    def hangs_on(self) -> set[str]:
        return self.paths | ({self.partner} if self.partner else set())


def joined(changes: list[Change]) -> list[Change]:
    """Make one of changes to a file that follow on one another."""
    made: list[Change] = []
    for change in changes:
        at = next((n for n in reversed(range(len(made))) if made[n].paths & change.paths), None)
        is_next = at is not None and change.to is None and made[at].to is None
        if at is not None and is_next and made[at].after == change.before:
            made[at] = replace(made[at], after=change.after, seqs=made[at].seqs + change.seqs)
        else:
            made.append(change)
    return made


def components(changes: list[Change]) -> list[list[Change]]:
    groups: list[list[Change]] = []
    for change in changes:
        meeting = [g for g in groups if any(one.hangs_on & change.hangs_on for one in g)]
        groups = [g for g in groups if g not in meeting]
        groups.append([*(one for g in meeting for one in g), change])
    return [sorted(group, key=lambda one: one.seqs) for group in groups]


@dataclass
class Model:
    """The files, all that was recorded of them, and who touched what."""

    new_mode: int
    has_real_clock: bool
    disk: dict[str, Held] = field(default_factory=dict)
    revs: dict[str, list[Rev]] = field(default_factory=dict)
    touched: dict[str, set[str]] = field(default_factory=dict)
    changed_at: dict[str, int] = field(default_factory=dict)
    """By path the step in which somebody last changed it from outside."""
    step_of: dict[int, int] = field(default_factory=dict)
    """By seq the step in which it was recorded."""
    groups: int = 0

    def recorded(self, path: str) -> State:
        revs = self.revs.get(path)
        return revs[-1].after if revs else None

    def meet(
        self, path: str, session: str, *, finds_moves: bool = False, busy: Iterable[str] = ()
    ) -> list[Rev]:
        """Take note of a file that is not as recorded; where others are `busy`, nobody looks."""
        now = self.disk.get(path)
        if finds_moves and now is not None and self.recorded(path) is None:
            gone = [other for other in self.revs if self._was_moved(other, now)]
            gone = [other for other in gone if other not in busy]
            if gone:
                source = min(gone, key=lambda other: (-likeness(other, path), other))
                return self._met_moved(source, path, session)
        if path not in self.revs:
            if now is None:
                return []
            return [self._add(Rev(path, None, now, None, "found"))]
        if now == self.recorded(path):
            return []
        step = self.changed_at.get(path, 0)
        self.touched.setdefault(session, set()).add(path)
        return [self._add(Rev(path, self.recorded(path), now, None, "external", step=step))]

    def _was_moved(self, path: str, held: Held) -> bool:
        """Whether a file that is gone held this."""
        recorded = self.recorded(path)
        return path not in self.disk and recorded is not None and recorded.cells == held.cells

    def _met_moved(self, source: str, path: str, session: str) -> list[Rev]:
        """Take note that somebody moved a file: two revisions, which belong together."""
        self.groups += 1
        self.touched.setdefault(session, set()).update((source, path))
        step, now = self.changed_at.get(path, 0), self.disk[path]
        both = [
            Rev(source, self.recorded(source), None, None, "external", group=self.groups),
            Rev(path, None, now, None, "external", step=step, group=self.groups),
        ]
        for rev, other in zip(both, both[::-1], strict=True):
            rev.partner = other.path
        return [self._add(rev) for rev in both]

    def do(
        self,
        session: str,
        path: str,
        after: State,
        source: str = "executed",
        *,
        group: int = 0,
        busy: Iterable[str] = (),
    ) -> list[Rev]:
        """Change a file as an operation does; gives the new revisions, what was met first."""
        met = self.meet(path, session, finds_moves=source == "executed", busy=busy)
        rev = Rev(path, self.disk.get(path), after, session, source, group=group)
        self.touched.setdefault(session, set()).add(path)
        self._put(path, after)
        return [*met, self._add(rev)]

    def move(
        self, session: str, path: str, to: str, source: str = "executed", *, group: int = 0
    ) -> list[Rev]:
        finds_moves = source == "executed"
        met = self.meet(path, session, finds_moves=finds_moves, busy=[to])
        met += self.meet(to, session)
        held = self.disk[path]
        both = [
            Rev(path, held, None, session, source, group=group, to=to, origin=path),
            Rev(to, None, held, session, source, group=group, to=to, origin=path),
        ]
        self.touched.setdefault(session, set()).update((path, to))
        self._put(path, None)
        self._put(to, held)
        return [*met, *(self._add(rev) for rev in both)]

    def outside(self, path: str, after: State, step: int) -> None:
        """Have a person change a file."""
        self._put(path, after)
        self.changed_at[path] = step

    def standing_at(self, path: str, point: int) -> Rev | None:
        """Give the revision a file was at; `None` for none."""
        revs = self.revs.get(path, [])
        before = [rev for rev in revs if rev.seq <= point]
        later = [rev for rev in revs if rev.seq > point]
        if later and later[0].source == "external" and self._is_older(later[0], point):
            return later[0]
        if not before and later and later[0].source == "found":
            return later[0]
        return before[-1] if before else None

    def is_unnoticed(self, path: str, point: int) -> bool:
        """Whether somebody changed a file before the point, and nobody has met it since."""
        revs, now = self.revs.get(path, []), self.disk.get(path)
        if now is None or not revs or revs[-1] is not self.standing_at(path, point):
            return False
        if now == revs[-1].after or not self.has_real_clock or not point:
            return False
        return self.changed_at.get(path, 0) < self._step(point)

    def _is_older(self, rev: Rev, point: int) -> bool:
        if not self.has_real_clock or rev.after is None or not point:
            return False
        return rev.step < self._step(point)

    def _step(self, point: int) -> int:
        return max((step for seq, step in self.step_of.items() if seq <= point), default=0)

    def all_revs(self) -> Iterator[Rev]:
        for revs in self.revs.values():
            yield from revs

    def changes(self, revs: Iterable[Rev]) -> list[Change]:
        """Give revisions as changes, the two of a move as one."""
        found: dict[int, Change] = {}
        for rev in sorted(revs, key=lambda rev: rev.seq):
            if rev.to is not None:
                assert rev.origin is not None
                held = rev.before or rev.after
                found[rev.seq] = Change((rev.seq,), rev.origin, held, held, rev.to)
            else:
                found[rev.seq] = Change(
                    (rev.seq,), rev.path, rev.before, rev.after, partner=rev.partner
                )
        return list(found.values())

    def undo(self, revs: list[Rev]) -> tuple[dict[str, State], dict[str, str]]:
        """Say what files hold when these are taken back, and what is done to each."""
        seqs = {rev.seq for rev in revs}
        left = [rev for rev in revs if not self._is_gone(rev, revs, seqs)]
        changes = self.changes(left)
        then: dict[str, State] = {}
        actions = dict.fromkeys({rev.path for rev in revs}, "unchanged")
        for group in components(changes):
            paths = set[str]().union(*(change.paths for change in group))
            try:
                states = self._taken_back(group, paths)
            except ClashError:
                actions |= dict.fromkeys(paths, "left")
                continue
            then |= states
            actions |= {path: self._action(path, held) for path, held in states.items()}
        return then, actions

    def _is_gone(self, rev: Rev, revs: list[Rev], seqs: set[int]) -> bool:
        """Whether something else has taken all of a change back."""
        parts = [one for one in revs if one.seq == rev.seq]
        return all(
            any(taker.stands and taker.seq not in seqs for taker in one.takers) for one in parts
        )

    def _taken_back(self, group: list[Change], paths: set[str]) -> dict[str, State]:
        states: dict[str, State] = {path: self.disk.get(path) for path in paths}
        for change in reversed(joined(group)):
            if change.to is None:
                states[change.path] = undone(change.after, states[change.path], change.before)
            elif states[change.to] is None and states[change.path] is not None:
                continue
            elif states[change.to] is None or states[change.path] is not None:
                raise ClashError
            else:
                states[change.path], states[change.to] = states[change.to], None
        return states

    def _action(self, path: str, held: State) -> str:
        now = self.disk.get(path)
        if now == held:
            return "unchanged"
        if held is None:
            return "delete"
        return "edit" if now else "create"

    def _put(self, path: str, held: State) -> None:
        if held is None:
            self.disk.pop(path, None)
        else:
            self.disk[path] = held

    def _add(self, rev: Rev) -> Rev:
        self.revs.setdefault(rev.path, []).append(rev)
        return rev
