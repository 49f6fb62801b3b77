"""Rules of undo: takes changes back and keeps later work of others. Pure.

Each change is undone by merging three ways: from what it left (`base`), to what is there now
(`mine`) and to what was there before it (`theirs`). Changes that follow on one another without
anybody between them are one. Where lines clash, or a file came or went meanwhile, the one who
decides takes a side; until then nothing of the file, and of what it was moved from or to, changes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from hansard.kernel.blob import digest_of
from hansard.recorder.contents.merging import Clash, Decisions, Side, Take, is_mergeable, merge

GONE_SINCE = "it has been deleted or moved since"
"""Why a change clashes when the file is gone."""

Takes = Mapping[str, Take]
"""By path, what counts where it clashes."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a file holds, held or held before; without content if that was not kept."""

    digest: str
    mode: int | None
    content: bytes | None
    why: str = ""
    """Why there is no content."""
    origin: str | None = None
    """The path under which it lies on disk now; `None` if it does not."""

    def is_same(self, other: "Held | None") -> bool:
        """Whether both are one file; modes count as far as they are known."""
        if other is None or self.digest != other.digest:
            return False
        return None in (self.mode, other.mode) or self.mode == other.mode


@dataclass(frozen=True, slots=True)
class DoneChange:
    """Something that was done to a file, with what it was before and after."""

    seqs: tuple[int, ...]
    path: str
    before: Held | None
    after: Held | None
    to: str | None = None
    """Where the file was moved."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that it concerns."""
        return (self.path, self.to) if self.to else (self.path,)


class ClashError(Exception):
    """A change cannot be taken back without deciding against what somebody did since."""

    def __init__(
        self,
        path: str,
        reason: str,
        clashes: Sequence[Clash] = (),
        sides: Sequence[Side] = ("mine", "theirs"),
    ) -> None:
        """Say where, why, with which lines, and what can be decided."""
        super().__init__(reason)
        self.sides = sides
        self.path = path
        self.lies_at = path
        """The present place of what is decided about, which an undo may first move back."""
        self.reason = reason
        self.clashes = tuple(clashes)


class LostError(Exception):
    """A content that is needed was not kept."""

    def __init__(self, path: str, reason: str) -> None:
        """Name the file, and why."""
        super().__init__(reason)
        self.path = path
        self.reason = reason


States = dict[str, Held | None]


@dataclass(frozen=True, slots=True)
class Taken:
    """What files hold when changes to them are undone."""

    states: States
    lies_at: Mapping[str, str]
    """By path, where what it is made from lies now."""
    against: Sequence[str]
    """The paths whose present content is not to stay, by decision."""
    taken_away: Sequence[str] = ()
    """Those of them where something that is there is lost."""


@dataclass(frozen=True, slots=True)
class UndoStep:
    """What is to be done to one file, or to two if it is moved."""

    action: Literal["create", "edit", "delete", "move"]
    path: str
    to: str | None = None
    held: Held | None = None
    """What it will hold."""


def take_back(changes: Sequence[DoneChange], now: States, takes: Takes) -> Taken:
    """Give what files hold when changes to them, the latest last, are undone."""
    states = dict(now)
    decisions = {path: Decisions(takes.get(path)) for path in states}
    lies_at = {path: path for path in states}
    try:
        for change in reversed(joined(changes)):
            if change.to is None:
                _undo(change, states, decisions[change.path])
            elif _move_back(change, states, decisions):
                lies_at[change.path] = lies_at[change.to]
        for path, held in states.items():
            _require_whole(path, held, decisions[path])
    except ClashError as clash:
        clash.lies_at = lies_at[clash.path]
        raise
    against = [path for path in states if decisions[path].are_against]
    return Taken(states, lies_at, against, [one for one in against if decisions[one].take_away])


def _require_whole(path: str, held: Held | None, decisions: Decisions) -> None:
    if decisions.are_left:
        raise ClashError(path, "it clashes in fewer places than were decided")
    if held is not None and held.content is None and held.origin is None:
        raise LostError(path, held.why)


def steps_to(then: States, now: States) -> list[UndoStep]:
    """Say what makes files hold `then` what they do not hold `now`."""
    moves = [
        UndoStep("move", held.origin, path, held)
        for path, held in then.items()
        if held and held.origin and _is_moved(path, held, then, now)
    ]
    moved = {path for step in moves for path in (step.path, step.to)}
    steps = [
        _step(path, held, now[path])
        for path, held in then.items()
        if path not in moved and not _are_same(held, now[path])
    ]
    return sorted([*moves, *steps], key=lambda step: step.path)


def _is_moved(path: str, held: Held, then: States, now: States) -> bool:
    """Whether a file only changes its name, and with that perhaps its permissions."""
    assert held.origin is not None, "a file that is nowhere was to be moved"
    is_free = now[path] is None and then[held.origin] is None
    found = now[held.origin]
    return held.origin != path and is_free and found is not None and held.digest == found.digest


def _step(path: str, held: Held | None, found: Held | None) -> UndoStep:
    if held is None:
        return UndoStep("delete", path)
    return UndoStep("edit" if found else "create", path, held=held)


def joined(changes: Sequence[DoneChange]) -> list[DoneChange]:
    """Make one of changes to a file that follow on one another, with nobody between them."""
    made: list[DoneChange] = []
    latest: dict[str, int] = {}
    for change in changes:
        at = latest.get(change.path)
        if change.to is None and at is not None and _goes_on(made[at], change):
            made[at] = replace(made[at], seqs=made[at].seqs + change.seqs, after=change.after)
            continue
        for path in change.paths:
            latest[path] = len(made)
        made.append(change)
    return made


def _goes_on(earlier: DoneChange, later: DoneChange) -> bool:
    if earlier.to is not None:
        return False
    if earlier.after is None or later.before is None:
        return earlier.after is later.before
    return earlier.after.is_same(later.before)


def _one_side(path: str, reason: str, decisions: Decisions) -> Side:
    """Say which side counts if only one can be had and that was decided."""
    side = decisions.next()
    if side not in ("mine", "theirs"):
        raise ClashError(path, reason)
    return side


def _undo(change: DoneChange, states: States, decisions: Decisions) -> None:
    path = change.path
    base, mine, theirs = change.after, states[path], change.before
    if _are_same(mine, base):
        states[path] = _in_place(theirs, mine)
    elif _are_same(mine, theirs):
        return
    elif base is None or mine is None or theirs is None:
        side = _one_side(path, _came_or_went(base, mine, theirs), decisions)
        states[path] = mine if side == "mine" else theirs
    else:
        states[path] = _merged(path, (base, mine, theirs), decisions)


def _came_or_went(base: Held | None, mine: Held | None, theirs: Held | None) -> str:
    if base is None:
        return "it had been deleted, and there is another file of this name now"
    if theirs is None:
        return "it was created by this, and has been changed since"
    assert mine is None, "a file that is there all along neither came nor went"
    return GONE_SINCE


def _merged(path: str, held: tuple[Held, Held, Held], decisions: Decisions) -> Held:
    base, mine, theirs = held
    mode = _merged_mode(path, held, decisions)
    if mine.digest == base.digest:
        return replace(theirs, mode=mode, origin=None)
    if theirs.digest in (base.digest, mine.digest):
        return replace(mine, mode=mode)
    was, now, then = (_content(path, one) for one in held)
    if not is_mergeable(was, now, then):
        reason = "it has been changed since, and cannot be merged line by line"
        side = _one_side(path, reason, decisions)
        return replace(theirs if side == "theirs" else mine, mode=mode)
    merged = merge(was, now, then, decisions)
    if merged.content is None:
        raise ClashError(
            path, "the same lines have been changed since", merged.clashes, get_args(Side)
        )
    return Held(digest_of(merged.content), mode, merged.content)


def _merged_mode(path: str, held: tuple[Held, Held, Held], decisions: Decisions) -> int | None:
    """Merge the permissions; unknown ones change nothing."""
    base, mine, theirs = held
    if None in (base.mode, theirs.mode) or theirs.mode in (base.mode, mine.mode):
        return mine.mode
    if mine.mode in (base.mode, None):
        return theirs.mode
    reason = f"its permissions have been changed since, to {mine.mode:04o}"
    side = _one_side(path, reason, decisions)
    return mine.mode if side == "mine" else theirs.mode


def _move_back(change: DoneChange, states: States, decisions: Mapping[str, Decisions]) -> bool:
    """Give a file its old name again, with whatever it holds by now; says whether it moved."""
    path, to = change.path, change.to
    assert to is not None, "what was not moved was to be moved back"
    held = states[to]
    if held is None and states[path] is not None:
        return False
    if held is None:
        _require_left(to, GONE_SINCE, decisions)
    elif states[path] is not None:
        reason = f"it was moved to {to}, and there is another file of this name now"
        _require_left(path, reason, decisions)
    else:
        states[path], states[to] = _moved_back(change, held), None
        return True
    return False


def _moved_back(change: DoneChange, held: Held) -> Held:
    """Give what a file is under its old name: permissions that it got with the move go too."""
    was, came = change.before, change.after
    is_given = was is not None and came is not None and was.mode != came.mode == held.mode
    return replace(held, mode=was.mode) if was and was.mode and is_given else held


def _require_left(path: str, reason: str, decisions: Mapping[str, Decisions]) -> None:
    """Leave a file that cannot be moved back where it is, if that was decided."""
    if decisions[path].next() != "mine":
        raise ClashError(path, reason, sides=("mine",))


def _in_place(wanted: Held | None, mine: Held | None) -> Held | None:
    """Give what comes in place of what is there, which keeps a mode that nobody knows."""
    if wanted is None or mine is None:
        return wanted
    mode = mine.mode if wanted.mode is None else wanted.mode
    return replace(mine if wanted.digest == mine.digest else wanted, mode=mode)


def _are_same(one: Held | None, other: Held | None) -> bool:
    return one is other if one is None else one.is_same(other)


def _content(path: str, held: Held) -> bytes:
    if held.content is None:
        raise LostError(path, held.why)
    return held.content
