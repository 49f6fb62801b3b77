"""Diffs of two contents by lines. libgit2 is imported on first use, since few edits need it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hansard.recorder import limits

if TYPE_CHECKING:
    import pygit2

_BINARY_LOOK_BYTES = 8_000
"""Like Git: what has a NUL so near its beginning is no text."""

_HEADER_LINES = 4
"""`diff --git`, `index`, `---`, `+++`: replaced by ours, since these are revisions, not files."""


@dataclass(frozen=True, slots=True)
class Region:
    """Some lines, from `start` to before `end`, and those that came in their place."""

    start: int
    end: int
    new_start: int
    new_end: int

    @property
    def growth(self) -> int:
        """By how many lines the content grew here."""
        return (self.new_end - self.new_start) - (self.end - self.start)


def is_text(content: bytes) -> bool:
    """Whether lines mean something in this content."""
    return b"\0" not in content[:_BINARY_LOOK_BYTES]


def line_counts(old: bytes | None, new: bytes | None) -> tuple[int, int]:
    """Count the lines added and removed; what is no text has none."""
    before, after = old or b"", new or b""
    if before == after or not (is_text(before) and is_text(after)):
        return 0, 0
    _, was, now = _without_common_ends(lines_of(before), lines_of(after))
    if not set(was) & set(now) or len(was) + len(now) > limits.DIFF_LINES_MAX:
        return len(now), len(was)
    import pygit2

    # libgit2 points into what it compares and keeps none of it alive: both need a name here.
    old_middle, new_middle = b"".join(was), b"".join(now)
    patch = pygit2.Patch.create_from(old_middle, new_middle, context_lines=0)
    _, added, removed = patch.line_stats
    return added, removed


def changed_regions(was: Sequence[bytes], now: Sequence[bytes], *, above: int = 0) -> list[Region]:
    """Say which lines changed, in order; regions that touch are one.

    `above` is how many lines before these are the same.
    """
    same, old, new = _without_common_ends(was, now)
    start = above + same
    if not old or not new or not set(old) & set(new):
        whole = Region(start, start + len(old), start, start + len(new))
        return [whole] if old or new else []
    import pygit2
    from pygit2.enums import DiffOption

    old_bytes, new_bytes = b"".join(old), b"".join(new)
    # As text: what lies between the common ends may begin with what libgit2 takes for a binary.
    patch = pygit2.Patch.create_from(
        old_bytes, new_bytes, flag=DiffOption.FORCE_TEXT, context_lines=0, interhunk_lines=0
    )
    return [_region(hunk, start) for hunk in patch.hunks]


def _region(hunk: "pygit2.DiffHunk", start: int) -> Region:
    """Give a hunk as a region; one without lines is named by the line before it."""
    old = start + hunk.old_start - (1 if hunk.old_lines else 0)
    new = start + hunk.new_start - (1 if hunk.new_lines else 0)
    return Region(old, old + hunk.old_lines, new, new + hunk.new_lines)


def unified_diff(old: bytes | None, new: bytes | None, *, was: str, now: str) -> str:
    """Give the unified diff of two contents; empty if they are the same."""
    before, after = old or b"", new or b""
    if before == after:
        return ""
    names = f"--- {was}\n+++ {now}\n"
    sizes = f"{len(before)} bytes became {len(after)}"
    if not (is_text(before) and is_text(after)):
        return f"{names}(not text: {sizes})\n"
    lines = before.count(b"\n") + after.count(b"\n")
    if lines > limits.DIFF_LINES_MAX or len(before) + len(after) > limits.DIFF_BYTES_MAX:
        return f"{names}(too long to compare: {sizes})\n"
    import pygit2

    patch = pygit2.Patch.create_from(before, after)
    text = patch.data.decode("utf-8", "replace")
    return names + text.split("\n", _HEADER_LINES)[_HEADER_LINES]


def middles_of(old: bytes, new: bytes) -> tuple[int, bytes, bytes]:
    """Leave out most of the lines that both begin and end with; says how many came before."""
    start = old.rfind(b"\n", 0, same_beginning(old, new)) + 1
    was, now = old[start:], new[start:]
    same = same_beginning(was[::-1], now[::-1])
    # What is the same at the end may begin within a line, so the next one is where that begins.
    end = was.find(b"\n", len(was) - same) + 1
    if end > 0:
        below = len(was) - end
        was, now = was[:end], now[: len(now) - below]
    return old.count(b"\n", 0, start), was, now


def same_beginning(one: bytes, other: bytes) -> int:
    """Count the bytes with which both begin, by halving."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def line_count(content: bytes) -> int:
    """Count what `lines_of` gives."""
    return content.count(b"\n") + (not content.endswith(b"\n") and content != b"")


def lines_of(content: bytes) -> list[bytes]:
    """Split as Git does: at line feeds alone."""
    *ended, last = content.split(b"\n")
    return [line + b"\n" for line in ended] + ([last] if last else [])


def _without_common_ends(
    was: Sequence[bytes], now: Sequence[bytes]
) -> tuple[int, Sequence[bytes], Sequence[bytes]]:
    """Leave out the lines that both begin and end with; also says how many the former are."""
    shorter = min(len(was), len(now))
    start = next((i for i in range(shorter) if was[i] != now[i]), shorter)
    left = shorter - start
    end = next((i for i in range(left) if was[-1 - i] != now[-1 - i]), left)
    return start, was[start : len(was) - end], now[start : len(now) - end]
