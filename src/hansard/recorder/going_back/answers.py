"""Answers of undo and restore, done or previewed."""

from typing import Annotated, Literal

from hansard.kernel.model import AnswerPart
from hansard.kernel.model_answer import KEPT, PROOF, SECONDS, SHORT, UNTOLD
from hansard.kernel.operation import Written
from hansard.recorder.answers import Status, short
from hansard.recorder.contents.merging import Side
from hansard.sessions.contract import more

OUTSIDE = "outside"
"""The author of a change that did not come through Hansard: nothing more is known."""

BackAction = Literal["create", "edit", "delete", "move", "none", "skip", "clash"]

COUNTED = {"none": "unchanged", "skip": "skipped", "clash": "clash"}
"""What some actions are counted as; the others are counted under their own names."""


class ClashHunk(AnswerPart):
    """Lines that an undo would change and that have been changed since."""

    line: int
    """Where they begin in the file as it is now, counted from 1."""
    base: str
    """As the undone change had left them."""
    mine: str
    """As they are now."""
    theirs: str
    """As they were before the undone change."""

    def text(self) -> str:
        """Show them side by side."""
        sides = [("now", self.mine), ("left by what is undone", self.base), ("before", self.theirs)]
        lines = [f"  line {self.line}"]
        for name, text in sides:
            lines += [f"    {name}:", *(f"      | {line}" for line in text.splitlines())]
        return "\n".join(lines)


class Others(AnswerPart):
    """What somebody else did to a file, all of one session together."""

    by: str
    session_id: str | None = None
    count: int
    first: str | None = None
    last: str | None = None
    """The entries that say so; absent if it has not been recorded yet."""
    at: Annotated[str | None, SECONDS] = None
    """When, the last time."""

    def text(self) -> str:
        """Give it in a few words."""
        changes = "1 change" if self.count == 1 else f"{self.count} changes"
        entries = " and ".join(dict.fromkeys(filter(None, (self.first, self.last))))
        where = f" ({entries}, {(self.at or '')[:19]})" if entries else " (not recorded yet)"
        whose = "from outside" if self.by == OUTSIDE else f"by {self.by}"
        return f"{changes} {whose}{where}"


class BackStep(AnswerPart):
    """What going back does, or would do, to one file."""

    path: str
    action: BackAction
    to: str | None = None
    """Where a file is moved."""
    from_revision: Annotated[int | None, UNTOLD] = None
    """The latest one recorded."""
    to_revision: int | None = None
    """The one that a restore brings back; absent if the file was not there."""
    sha256: Annotated[str | None, PROOF] = None
    """Of what the file will hold; absent if it will be gone."""
    now: Annotated[str | None, SHORT] = None
    """The SHA-256 of what it holds now, where it clashes or a preview shows what would go."""
    sides: list[Side] | None = None
    """What can be decided there, in `take`."""
    mode: str | None = None
    """The permissions it will have, if these change."""
    added: int | None = None
    removed: int | None = None
    undoes: Annotated[list[int] | None, UNTOLD] = None
    """The entries that an undo takes back here."""
    takes_away: list[Others] | None = None
    """What others did that is lost too: by a restore, or as was decided with `take`."""
    keeps: list[Others] | None = None
    """What others did since that an undo leaves in place."""
    hunks: list[ClashHunk] | None = None
    diff: str | None = None
    reason: str | None = None
    """Why the file is left as it is."""
    status: Status | None = None
    code: str | None = None

    def text(self) -> str:
        """Give one line, and below it what needs a decision."""
        where = f"{self.path} -> {self.to}" if self.to else self.path
        revision = f" to revision {self.to_revision}" if self.to_revision else ""
        changed = self.added or self.removed
        lines = f" (+{self.added or 0} -{self.removed or 0})" if changed else ""
        mode = f" (mode {self.mode})" if self.mode else ""
        end = f": {self.status}" if self.status else ""
        why = self.reason or self.code
        said = [f"{self.action} {where}{revision}{lines}{mode}{end}" + (f" ({why})" if why else "")]
        said += [f"  takes away {one.text()}" for one in self.takes_away or ()]
        said += [f"  keeps {one.text()}" for one in self.keeps or ()]
        said += [f"  now: {short(self.now)}"] if self.now else []
        said += [hunk.text() for hunk in self.hunks or ()]
        return "\n".join([*said, *([self.diff] if self.diff else [])])


class WentBackAnswer(Written):
    """What was, or with `preview` would be, brought back."""

    session_id: str | None = None
    preview: bool
    counts: dict[str, int]
    files: Annotated[list[BackStep], KEPT]
    total: int | None = None
    """How many files there are in all, where this is a page of them."""
    nextCursor: str | None = None  # noqa: N815 - as MCP spells it
    omitted: int | None = None
    """How many more files were handled as requested; the timeline names each."""
    undo: str | None = None
    """How to take it back."""

    def title(self) -> str:
        """Say what was asked, and whether it was done."""
        raise NotImplementedError

    def did(self, would: str, done: str, left: str) -> str:
        """Say that something would be done, was done, or could not be done."""
        if self.preview:
            return would
        is_any_done = any(self.counts.get(one) for one in ("create", "edit", "delete", "move"))
        is_any_left = self.counts.get("clash") or self.counts.get("skipped")
        return left if is_any_left and not is_any_done else done

    def text(self) -> str:
        """Give a line each."""
        counts = ", ".join(f"{number} {name}" for name, number in self.counts.items() if number)
        lines = [f"{self.title()}: {counts or 'nothing to do'}"]
        lines += [step.text() for step in self.files]
        lines += [f"... and {self.omitted} more"] if self.omitted else []
        if self.counts.get("clash"):
            lines.append("Decide with take: mine (as it is now), theirs (as before) or both;")
            lines.append("theirs and both with expected, by path the now: that you saw")
        lines += [f"Undo: {self.undo}"] if self.undo else []
        return "\n".join([*lines, *more(self.nextCursor)])


class RestoredAnswer(WentBackAnswer):
    """Files as they stood at a point."""

    point: str
    """The entry right after which the files stood as they are brought back to."""

    def title(self) -> str:
        """Say to where."""
        return f"{self.did('Would restore', 'Restored', 'Restored nothing')} to after {self.point}"


class UndoneAnswer(WentBackAnswer):
    """Changes taken back, and what others did since left in place."""

    what: str
    """What is undone, in words."""

    def title(self) -> str:
        """Say what."""
        return f"{self.did('Would undo', 'Undid', 'Undid nothing of')} {self.what}"
