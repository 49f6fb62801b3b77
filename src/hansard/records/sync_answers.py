"""Answers of a sync: what others did to each record, reported once."""

from collections.abc import Iterator
from typing import Annotated, Literal

from hansard.kernel.model_answer import KEPT, UNTOLD, unless
from hansard.kernel.operation import Written
from hansard.kernel.text import between_marks, counted, one_line
from hansard.records import text
from hansard.records.shapes import Json, Omitted, Shape
from hansard.sessions.rules import Level, Status

ChangeType = Literal["modified", "state_changed", "created", "deleted"]
"""Nothing deletes a record, so 000's `deleted` never occurs."""


class Writer(Shape):
    """An author who changed a record, and how often."""

    session_id: str
    author: str
    writes: int


class OthersChange(Shape):
    """What others did to one record since the last sync, taken together."""

    record_id: str
    title: str
    change_type: ChangeType
    version: int
    """The version that it has now."""
    writes: int
    by: list[Writer]
    """Everybody who changed it, the last one last."""
    by_session: Annotated[str, UNTOLD]
    at_tick: Annotated[int, UNTOLD]
    """Of the last change: whose it was, and when."""
    changed_fields: list[str]
    """What differs from what the session knew; empty if it has seen all of it in other ways."""
    old_value: Json | None = None
    """What those fields were, apart from the body; absent for a new record."""
    new_value: Json | None = None
    """What they are. A body is in here whole, if it is new or shorter than its diff."""
    diff: str | None = None
    """The unified diff of the body."""

    def text(self) -> str:
        """Say who changed what from what to what."""
        writers = ", ".join(f"{one.author} in session {one.session_id}" for one in self.by)
        times = counted(self.writes, "write", "writes")
        head = f"[{self.record_id}] {self.title}: {self.change_type}, now t:{self.version}"
        return "\n".join([one_line(f"{head} ({times} by {writers})"), *self._values()])

    def _values(self) -> Iterator[str]:
        old, new = self.old_value or {}, self.new_value or {}
        for name in self.changed_fields:
            if name in new and name != "body":
                was = f"{old[name]!r} -> " if name in old else ""
                yield f"  {name}: {was}{new[name]!r}"
        if "body" in new:
            named = self.record_id
            yield between_marks(f"body of {named}", new["body"], f"end of {named}")
        if self.diff:
            yield self.diff


class SyncedAnswer(Written):
    """What other sessions changed."""

    session_id: str
    project_tick: int
    session_tick_before: Annotated[int, UNTOLD]
    tick_gap: int
    """Writes of others since; the session's own are no news."""
    changes: Annotated[list[OthersChange], KEPT]
    more: bool
    """Whether changes are left to report: call again."""
    omitted: list[Omitted] | None = None
    session_status: Status
    staleness: Annotated[Level, unless("fresh")]
    warning: str | None = None

    def text(self) -> str:
        """Give each change."""
        behind = f"{counted(self.tick_gap, 'write', 'writes')} behind"
        status = f"{self.session_status}, {behind}"
        return "\n".join([
            f"Session {self.session_id} was {status}; the project is at tick {self.project_tick}",
            *([f"Warning: {self.warning}"] if self.warning else []),
            *(change.text() for change in self.changes),
            *text.omitted(self.omitted or ()),
            *([] if self.changes else ["No foreign changes"]),
            *(["There is more: call sync_session again"] if self.more else []),
        ])  # fmt: skip
