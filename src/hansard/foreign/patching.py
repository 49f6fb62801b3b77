"""Applies changed lines, as hosts report them, to what is known of a file. Pure.

A change is made only where all of its old lines stand just where it says. What does not fit is not
guessed.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
NO_NEWLINE = "\\"


@dataclass(slots=True)
class PatchHunk:
    """Lines that stood in one place, and those that stand there now."""

    start: int
    """The index of the first old line."""
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    is_sure: bool = True
    """Whether it leaves the end of the last line alone."""

    def take(self, line: str) -> None:
        """Add a line of a patch, its sign first."""
        sign, rest = line[:1], line[1:]
        if sign == NO_NEWLINE:
            self.is_sure = False
        if sign in {" ", "-", ""}:
            self.old.append(rest)
        if sign in {" ", "+", ""}:
            self.new.append(rest)


def from_diff(diff: str) -> list[PatchHunk]:
    """Read the hunks of a unified diff of one file."""
    hunks: list[PatchHunk] = []
    left_old = left_new = 0
    for line in diff.split("\n"):
        if left_old <= 0 and left_new <= 0:
            if found := _HUNK.match(line):
                start, old, _, new = (int(part) if part else 1 for part in found.groups())
                hunks.append(PatchHunk(start - 1 if old else start))
                left_old, left_new = old, new
            elif line.startswith(NO_NEWLINE) and hunks:
                hunks[-1].is_sure = False
            continue
        hunks[-1].take(line)
        left_old -= line[:1] in {" ", "-", ""}
        left_new -= line[:1] in {" ", "+", ""}
    return hunks


def from_lines(told: object) -> list[PatchHunk]:
    """Read hunks given as objects with a place and lines; none if one is something else."""
    hunks: list[PatchHunk] = []
    for one in told if isinstance(told, list) else ():
        lines = one.get("lines") if isinstance(one, dict) else None
        start = one.get("oldStart") if isinstance(one, dict) else None
        if not isinstance(lines, list) or not isinstance(start, int):
            return []
        if not all(isinstance(line, str) for line in lines):
            return []
        has_old = any(line[:1] in {" ", "-"} for line in lines)
        hunks.append(PatchHunk(start - 1 if has_old else start))
        for line in lines:
            hunks[-1].take(line)
    return hunks


def patched(before: str, hunks: Iterable[PatchHunk]) -> str | None:
    """Give what a file holds after a patch; `None` if the patch does not fit."""
    lines = before.split("\n")
    after: list[str] = []
    reached = 0
    is_any = False
    for hunk in hunks:
        end = hunk.start + len(hunk.old)
        if not hunk.is_sure or hunk.start < reached or lines[hunk.start : end] != hunk.old:
            return None
        after += [*lines[reached : hunk.start], *hunk.new]
        reached, is_any = end, True
    return "\n".join([*after, *lines[reached:]]) if is_any else None


def made_by(hunks: list[PatchHunk]) -> str | None:
    """Give a file that a patch made from nothing; `None` if it was something before."""
    if len(hunks) != 1 or hunks[0].old or not hunks[0].is_sure:
        return None
    return "".join(f"{line}\n" for line in hunks[0].new)


def unmade_by(hunks: list[PatchHunk]) -> str | None:
    """Give what a file held that a patch left nothing of."""
    if len(hunks) != 1 or hunks[0].new or not hunks[0].is_sure:
        return None
    return "".join(f"{line}\n" for line in hunks[0].old)


def shown(hunks: Iterable[PatchHunk]) -> str:
    """Write hunks for people to read."""
    lines: list[str] = []
    for hunk in hunks:
        lines.append(f"@@ line {hunk.start + 1} @@")
        lines += [f"-{line}" for line in hunk.old if line not in hunk.new]
        lines += [f"+{line}" for line in hunk.new if line not in hunk.old]
    return "\n".join(lines)
