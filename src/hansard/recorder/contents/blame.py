"""Blame: follows lines back to the revision that wrote each. Pure.

Lines are counted from 0 here, and kept as spans: whole ranges go back together for as long as
nothing changes between them, so a file of any length costs what its changes cost.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from hansard.recorder.contents.diffs import Region


@dataclass(frozen=True, slots=True)
class LineSpan:
    """Requested lines, and where they lie in the present revision."""

    asked: int
    here: int
    length: int

    def part(self, start: int, end: int, shift: int = 0) -> "LineSpan":
        """Give the lines from `start` to before `end` of the revision, moved by some lines."""
        offset = start - self.here
        return LineSpan(self.asked + offset, start + shift, end - start)


@dataclass(frozen=True, slots=True)
class Revision:
    """What blame must know about a revision."""

    number: int
    holds: str | None
    """The digest of its content; `None` if there was no file."""
    regions: Callable[[], Sequence[Region] | None]
    """Which lines it changed; `None` if nobody knows what was there before."""
    brings_back: int | None = None
    """The revision whose lines it brought back, if it went back."""
    is_foreign: bool = False
    """Whether it may have brought back an earlier content without saying so."""


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """The revision that wrote some lines."""

    span: LineSpan
    number: int
    is_certain: bool = True
    """If not, it wrote them or they were there before it, and it is unknown which."""


Between = Callable[[int, int], Sequence[Region] | None]
"""Compares an older revision with a newer one; `None` if that cannot be done."""


def through(
    spans: Iterable[LineSpan], regions: Sequence[Region]
) -> tuple[list[LineSpan], list[LineSpan]]:
    """Follow lines from the new side of a comparison to the old: those that stay, and the new."""
    kept: list[LineSpan] = []
    new: list[LineSpan] = []
    for span in spans:
        at, end, shift = span.here, span.here + span.length, 0
        for region in regions:
            if region.new_start >= end:
                break
            if at < region.new_start:
                kept.append(span.part(at, region.new_start, shift))
                at = region.new_start
            if at < region.new_end:
                until = min(end, region.new_end)
                new.append(span.part(at, until))
                at = until
            shift = region.end - region.new_end
        if at < end:
            kept.append(span.part(at, end, shift))
    return kept, new


class Blame:
    """Follows lines back through the revisions of a file, newest first."""

    def __init__(self, spans: Sequence[LineSpan], start: int, between: Between) -> None:
        """Begin with lines of one revision."""
        self._pending: dict[int, list[LineSpan]] = {start: list(spans)}
        self._between = between
        self._unclaimed: dict[str, tuple[int, list[LineSpan]]] = {}
        """What a foreign revision wrote, by its content: an earlier one may have had it before."""

    def trace(self, revisions: Iterable[Revision]) -> Iterator[LineOrigin]:
        """Give the origin of every line; reads no more revisions than that takes."""
        for revision in revisions:
            spans = self._arriving(revision)
            if spans:
                yield from self._look(revision, spans)
            if not self._pending and not self._unclaimed:
                return
        for number, spans in self._unclaimed.values():
            yield from (LineOrigin(span, number) for span in spans)

    def _arriving(self, revision: Revision) -> list[LineSpan]:
        spans = self._pending.pop(revision.number, [])
        if revision.holds and revision.holds in self._unclaimed:
            spans = spans + self._unclaimed.pop(revision.holds)[1]
        return spans

    def _look(self, revision: Revision, spans: list[LineSpan]) -> Iterator[LineOrigin]:
        regions = revision.regions()
        if regions is None:
            yield from (LineOrigin(span, revision.number, is_certain=False) for span in spans)
            return
        kept, new = through(spans, regions)
        if kept:
            self._pending.setdefault(revision.number - 1, []).extend(kept)
        new = self._brought_back(revision, new)
        if new and revision.is_foreign and revision.holds:
            self._unclaimed[revision.holds] = (revision.number, new)
            return
        yield from (LineOrigin(span, revision.number) for span in new)

    def _brought_back(self, revision: Revision, new: list[LineSpan]) -> list[LineSpan]:
        """Follow what a revision brought back to where it was; gives what it wrote itself."""
        target = revision.brings_back
        if not new or target is None:
            return new
        regions = self._between(target, revision.number)
        if regions is None:
            return new
        kept, new = through(new, regions)
        if kept:
            self._pending.setdefault(target, []).extend(kept)
        return new


def joined(origins: Iterable[LineOrigin]) -> list[LineOrigin]:
    """Put origins into the order of the lines asked about, neighbours of one revision together."""
    told: list[LineOrigin] = []
    for one in sorted(origins, key=lambda origin: origin.span.asked):
        last = told[-1] if told else None
        if last and _goes_on(last, one):
            longer = replace(last.span, length=last.span.length + one.span.length)
            told[-1] = replace(last, span=longer)
        else:
            told.append(one)
    return told


def _goes_on(last: LineOrigin, one: LineOrigin) -> bool:
    ends = (last.span.asked + last.span.length, last.span.here + last.span.length)
    is_next = ends == (one.span.asked, one.span.here)
    return is_next and (last.number, last.is_certain) == (one.number, one.is_certain)
