"""Answers of update_record: the written record, or the conflict to decide."""

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal

from hansard.kernel.model_answer import SECONDS, only
from hansard.records import text
from hansard.records.shapes import RecordHead, Shape
from hansard.sessions.citations import CitingAnswer

Side = Literal["mine", "theirs", "both"]
"""Whose a field or some lines are; `both` is what both sides did alike, or what joins them."""

Kind = Literal["same", "mine", "theirs", "both", "clash"]
"""The same with what nobody changed, and with what only the caller can decide."""

Span = tuple[int, int]
"""Lines of a text: the number of the first, counting from 1, and how many there are."""


class RecordWritten(RecordHead):
    """A record after a write; with its body only if the caller does not have it."""

    body: str | None = None

    def told_by(self) -> tuple[str, ...] | None:
        """Name its version, for a caller who has the rest."""
        return ("id", "state", "version") if self.body is None else None


class VersionWritten(Shape):
    """A version that another session wrote after the one that the caller knew."""

    version: int
    author: str
    session_id: str | None = None
    at: Annotated[str, SECONDS]
    changed_fields: list[str]

    def text(self) -> str:
        """Say it in a few words."""
        fields = ", ".join(self.changed_fields) or "nothing"
        who = f"{self.author} in session {self.session_id}"
        return f"t:{self.version} by {who}, {self.at[:16]} ({fields})"


class OtherVersion(RecordHead):
    """What is stored, as another session left it. Its body is `record.body` of the answer."""

    session_id: str | None = None


class Hunk(Shape):
    """Some lines of the three bodies that belong together, as `[first, count]` in each.

    The bodies are the base's, the one that was sent (`mine`) and the stored one (`theirs`). A line
    ends with its line feed; a last line may have none. The hunks cover all lines, in order. With
    `count` 0, `first` is the line before which the others have something.

    `same`: nobody changed them. `mine`, `theirs`: one side did. `both`: both did, alike. `clash`:
    both did, each in another way. So a merge takes the lines of `mine` from the hunks `mine` and
    `both`, of `theirs` from all others, and decides at each `clash`.
    """

    kind: Kind
    base: Span
    mine: Span
    theirs: Span


class FieldMerge(Shape):
    """Whose a field is, what it was and what others made of it; the caller knows its own value.

    Of `metadata`, only the keys that somebody changed.
    """

    nulls: ClassVar[tuple[str, ...]] = ("base", "theirs")

    kind: Literal["mine", "theirs", "both", "clash"]
    base: Any
    theirs: Any


class Merge(Shape):
    """How the two sides combine."""

    clean: bool
    """Whether the bodies merge by lines without a clash."""
    fields: dict[str, FieldMerge]
    """Every field but the body that either side changed."""
    hunks: list[Hunk] | None = None
    """The parts of the bodies, if either side changed it; absent if there would be too many."""


class ChangedFields(Shape):
    """What each side changed since the base."""

    theirs: list[str]
    yours: list[str]


class UpdateConflict(Shape):
    """What others wrote since, and what there is to decide. Nothing of the update was applied."""

    message: str
    version: int
    """The stored version: `force_version` of an update that is to be written over it."""
    other_version: Annotated[OtherVersion, only("version", "session_id")]
    base_version: Annotated[RecordHead, only("version")]
    """What the caller knew."""
    changed_fields: ChangedFields
    mergeable: bool
    """Whether `accept: "merge"` would write the update together with theirs, without a clash."""
    merge: Annotated[Merge, only("clean")]
    clashes: list[str] | None = None
    """What `merge` says of clashes, in words."""

    def lines(self) -> Iterable[str]:
        """Say what clashes, and what to call."""
        yield from (f"Clash in {one}" for one in self.clashes or ())
        if self.mergeable:
            yield 'Nothing clashes: repeat with accept: "merge" to write both'
        yield f"To write yours over theirs: force: true, force_version: {self.version}"


def clashes_in(merge: Merge) -> list[str] | None:
    """Say what clashes, in words."""
    fields = [
        f"{name}: it was {field.base!r}, theirs is {field.theirs!r}"
        for name, field in merge.fields.items()
        if field.kind == "clash"
    ]
    hunks = [
        f"body: your {_lines(hunk.mine)}, their {_lines(hunk.theirs)}"
        for hunk in merge.hunks or ()
        if hunk.kind == "clash"
    ]
    return [*fields, *hunks] or None


class MergedWith(Shape):
    """What an update was merged with, and whose each field is that either side changed."""

    versions: list[VersionWritten]
    fields: dict[str, Side]

    def text(self) -> str:
        """Say whose each field is."""
        fields = ", ".join(f"{name} {side}" for name, side in self.fields.items())
        return f"Merged ({fields}) with {'; '.join(one.text() for one in self.versions)}"


class RecordUpdatedAnswer(CitingAnswer):
    """A record after an update; or, with `conflict`, as it stands without it, whole."""

    record: RecordWritten
    changed_fields: list[str] | None = None
    """What the update changed in what was stored; empty if that said the same already."""
    conflict: UpdateConflict | None = None
    merged: MergedWith | None = None
    """Where the update was merged with what others wrote. `record.body` is then the merged one, if
    it is not what was sent."""
    replaced: list[VersionWritten] | None = None
    """Where it was forced: the versions of others that it was written over, the newest first."""
    replaced_more: int | None = None
    """How many more there are than are named; get_record_history has all of them."""

    def text(self) -> str:
        """Say whether it was applied, and if not, what there is to decide."""
        one = self.record
        if self.conflict:
            return "\n".join([
                f"NOT APPLIED. {self.conflict.message}",
                text.in_full(one, one.body or ""),
                *self.conflict.lines(),
            ])  # fmt: skip
        fields = f" ({', '.join(self.changed_fields)})" if self.changed_fields else ""
        done = f"updated{fields}, now t:{one.version}"
        if self.changed_fields == [] and self.replaced is None and self.merged is None:
            done = f"nothing to change, still t:{one.version}"
        return "\n".join([f"{text.stated(one)} {done}", *self._after()])

    def _after(self) -> Iterable[str]:
        """Say whose versions this one was merged with or written over."""
        if self.merged:
            yield self.merged.text()
            if self.record.body is not None:
                yield text.in_full(self.record, self.record.body)
        for version in self.replaced or ():
            yield f"Written over {version.text()}"
        if self.replaced_more:
            yield f"and over {self.replaced_more} more: get_record_history names them"


def _lines(span: Span) -> str:
    first, count = span
    if not count:
        return f"nothing before line {first}"
    return f"line {first}" if count == 1 else f"lines {first}-{first + count - 1}"
