"""Three-way merge of contents by lines. Pure; libgit2 finds the changed lines.

Two changes clash where they touch the same lines of what both started from, or insert at the same
place. Changes of lines that are only neighbours do not: each has a place of its own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from hansard.recorder import limits
from hansard.recorder.contents.diffs import Region, changed_regions, is_text, lines_of

Side = Literal["mine", "theirs", "both"]
"""Whose lines count where both changed: what is there now, what would come, or one after the other.
"""

Take = Side | Sequence[Side]
"""What is decided about a file: one side for all of its clashes, or one for each, in turn."""


class Decisions:
    """Gives what was decided of one clash after the other; a clash may only be met once."""

    def __init__(self, take: Take | None = None) -> None:
        """Decide all alike, or each for itself, or nothing."""
        self._for_all = take if isinstance(take, str) else None
        self._each = [] if take is None or isinstance(take, str) else list(take)
        self.are_against = False
        """Whether any decision was other than to leave what is there."""
        self.take_away = False
        """Whether any decision removes something that is there."""

    def next(self) -> Side | None:
        """Say what was decided about the next clash, if anything."""
        side = self._each.pop(0) if self._each else self._for_all
        self.are_against |= side not in (None, "mine")
        self.take_away |= side == "theirs"
        return side

    @property
    def are_left(self) -> bool:
        """Whether more was decided than there was to decide."""
        return bool(self._each)


@dataclass(frozen=True, slots=True)
class Clash:
    """Lines that both sides changed, and differently."""

    line: int
    """Where they begin in what is there now, counted from 1."""
    base: bytes
    mine: bytes
    theirs: bytes


@dataclass(frozen=True, slots=True)
class Merged:
    """What came out; where lines clash that nobody has decided about, no content did."""

    content: bytes | None
    clashes: tuple[Clash, ...] = ()


@dataclass(slots=True)
class _Cluster:
    """Changes of either side that lie over one another, and the lines of the base they span."""

    start: int
    end: int
    mine: list[Region]
    theirs: list[Region]

    def meets(self, region: Region) -> bool:
        """Whether a change lies over these; two that only touch do not, but for two insertions."""
        if region.start == region.end == self.start == self.end:
            return True
        return region.start < self.end and self.start < region.end


def is_mergeable(*contents: bytes) -> bool:
    """Whether contents can be merged line by line."""
    lines = sum(content.count(b"\n") for content in contents)
    return all(map(is_text, contents)) and lines <= limits.DIFF_LINES_MAX


def merge(base: bytes, mine: bytes, theirs: bytes, decisions: Decisions | None = None) -> Merged:
    """Merge both changes of `base`; `decisions` say what counts where they clash."""
    decisions = decisions or Decisions()
    if theirs in (base, mine):
        return Merged(mine)
    if base == mine:
        return Merged(theirs)
    old, now, then = lines_of(base), lines_of(mine), lines_of(theirs)
    parts: list[bytes] = []
    clashes: list[Clash] = []
    reached = grown = 0
    for cluster in _clusters(changed_regions(old, now), changed_regions(old, then)):
        parts += old[reached : cluster.start]
        ours, other = _side(old, now, cluster, "mine"), _side(old, then, cluster, "theirs")
        is_clash = bool(cluster.mine and cluster.theirs and ours != other)
        side = decisions.next() if is_clash else _changed(cluster)
        if side is None:
            was = b"".join(old[cluster.start : cluster.end])
            line = cluster.start + grown + 1
            clashes.append(Clash(line, was, b"".join(ours), b"".join(other)))
        parts += _chosen(side, ours, other)
        grown += sum(region.growth for region in cluster.mine)
        reached = cluster.end
    parts += old[reached:]
    return Merged(None if clashes else b"".join(parts), tuple(clashes))


def _clusters(mine: Iterable[Region], theirs: Iterable[Region]) -> list[_Cluster]:
    """Gather the changes of both sides, those that lie over one another together."""
    sides = [(region, "mine") for region in mine] + [(region, "theirs") for region in theirs]
    clusters: list[_Cluster] = []
    for region, side in sorted(sides, key=lambda one: (one[0].start, one[0].end)):
        if not clusters or not clusters[-1].meets(region):
            clusters.append(_Cluster(region.start, region.end, [], []))
        cluster = clusters[-1]
        cluster.end = max(cluster.end, region.end)
        (cluster.mine if side == "mine" else cluster.theirs).append(region)
    return clusters


def _side(old: Sequence[bytes], new: Sequence[bytes], cluster: _Cluster, side: Side) -> list[bytes]:
    """Give the lines that one side has in place of those that a cluster spans."""
    lines: list[bytes] = []
    reached = cluster.start
    for region in cluster.mine if side == "mine" else cluster.theirs:
        lines += old[reached : region.start]
        lines += new[region.new_start : region.new_end]
        reached = region.end
    return [*lines, *old[reached : cluster.end]]


def _changed(cluster: _Cluster) -> Side:
    """Name the side that made a change; of two that made the same, either."""
    return "mine" if cluster.mine else "theirs"


def _chosen(side: Side | None, ours: list[bytes], other: list[bytes]) -> list[bytes]:
    if side != "both":
        return other if side == "theirs" else ours
    is_open = bool(ours and other) and not ours[-1].endswith(b"\n")
    return [*ours, *([b"\n"] if is_open else []), *other]
