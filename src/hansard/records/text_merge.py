"""Compares and merges texts by lines with libgit2, which is imported on first use."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hansard.records import limits

_HEADER_LINES = 4
"""`diff --git`, `index`, `---`, `+++`: replaced by ours, since these are no files."""


Kind = Literal["same", "mine", "theirs", "both", "clash"]


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines of a text, from one up to but not including another, counting from 0."""

    start: int
    end: int

    def of(self, lines: list[str]) -> str:
        """Give what they say."""
        return "".join(lines[self.start : self.end])


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of a base, and of the two texts made of it, that belong together."""

    kind: Kind
    base: LineRange
    mine: LineRange
    theirs: LineRange


def unified_diff(old: str, new: str, *, was: str = "before", now: str = "after") -> str:
    """Give the unified diff of two texts; empty if they are the same."""
    if old == new:
        return ""
    if _is_too_long(old, new):
        sizes = f"{len(old)} characters became {len(new)}"
        return f"--- {was}\n+++ {now}\n(too long to compare: {sizes})\n"
    import pygit2
    from pygit2.enums import DiffOption

    # The patch reads from these until it is written, and pygit2 does not keep them alive.
    old_bytes, new_bytes = old.encode(), new.encode()
    # As text even with many control characters, which libgit2 would take for a binary.
    patch = pygit2.Patch.create_from(old_bytes, new_bytes, flag=DiffOption.FORCE_TEXT)
    hunks = str(patch.text).split("\n", _HEADER_LINES)[_HEADER_LINES]
    return f"--- {was}\n+++ {now}\n{hunks}"


def three_way(base: str, mine: str, theirs: str) -> list[Part]:
    """Say who changed which lines of a base. The parts cover all three texts, in order.

    Changes that touch each other belong together, as they do for Git.
    """
    texts = [split_lines(text) for text in (base, mine, theirs)]
    if _is_too_long(base, mine) or _is_too_long(base, theirs):
        return [Part(_kind(base, mine, theirs), *(LineRange(0, len(lines)) for lines in texts))]
    return list(_parts(texts, _changes(base, mine), _changes(base, theirs)))


def join(parts: list[Part], mine: str, theirs: str) -> str | None:
    """Put the merged text together; `None` if something clashes."""
    if any(part.kind == "clash" for part in parts):
        return None
    my_lines, their_lines = split_lines(mine), split_lines(theirs)
    return "".join(
        part.mine.of(my_lines) if part.kind == "mine" else part.theirs.of(their_lines)
        for part in parts
    )


def split_lines(text: str) -> list[str]:
    """Split a text at its line feeds and nowhere else; each line keeps its own."""
    *whole, last = text.split("\n")
    return [f"{line}\n" for line in whole] + ([last] if last else [])


@dataclass(frozen=True, slots=True)
class _Change:
    """Lines of a base that a text replaces, and how many more it has."""

    start: int
    end: int
    longer: int


def _changes(old: str, new: str) -> list[_Change]:
    if old == new:
        return []
    import pygit2
    from pygit2.enums import DiffOption

    # Kept alive until the hunks are read, as above.
    old_bytes, new_bytes = old.encode(), new.encode()
    patch = pygit2.Patch.create_from(
        old_bytes, new_bytes, flag=DiffOption.FORCE_TEXT, context_lines=0, interhunk_lines=0
    )
    changes = []
    for hunk in patch.hunks:
        # For an insertion, libgit2 names the line that it comes after.
        start = hunk.old_start - 1 if hunk.old_lines else hunk.old_start
        longer = hunk.new_lines - hunk.old_lines
        changes.append(_Change(start, start + hunk.old_lines, longer))
    return changes


def _parts(
    texts: list[list[str]], my_changes: list[_Change], their_changes: list[_Change]
) -> Iterator[Part]:
    """Iterate over the changes of both sides, with what lies between them."""
    base, mine, theirs = texts
    at = my_shift = their_shift = 0
    for my_part, their_part in _groups(my_changes, their_changes):
        together = [*my_part, *their_part]
        start = min(change.start for change in together)
        end = max(change.end for change in together)
        if start > at:
            yield _unchanged(at, start, my_shift, their_shift)
        my_start, their_start = start + my_shift, start + their_shift
        my_shift += sum(change.longer for change in my_part)
        their_shift += sum(change.longer for change in their_part)
        was, my_lines = LineRange(start, end), LineRange(my_start, end + my_shift)
        their_lines = LineRange(their_start, end + their_shift)
        kind = _kind(was.of(base), my_lines.of(mine), their_lines.of(theirs))
        yield Part(kind, was, my_lines, their_lines)
        at = end
    if at < len(base):
        yield _unchanged(at, len(base), my_shift, their_shift)


def _groups(
    my_changes: list[_Change], their_changes: list[_Change]
) -> Iterator[tuple[list[_Change], list[_Change]]]:
    """Gather the changes of both sides that touch each other."""
    sided = [(one, 0) for one in my_changes] + [(one, 1) for one in their_changes]
    group: tuple[list[_Change], list[_Change]] = ([], [])
    end = -1
    for change, side in sorted(sided, key=lambda one: (one[0].start, one[0].end)):
        if change.start > end and any(group):
            yield group
            group = ([], [])
        group[side].append(change)
        end = max(end, change.end)
    if any(group):
        yield group


def _unchanged(start: int, end: int, my_shift: int, their_shift: int) -> Part:
    return Part(
        "same",
        LineRange(start, end),
        LineRange(start + my_shift, end + my_shift),
        LineRange(start + their_shift, end + their_shift),
    )


def _kind(base: str, mine: str, theirs: str) -> Kind:
    if mine == theirs:
        return "same" if mine == base else "both"
    if mine == base:
        return "theirs"
    return "mine" if theirs == base else "clash"


def _is_too_long(old: str, new: str) -> bool:
    return old.count("\n") + new.count("\n") > limits.DIFF_LINES_MAX
