"""Answers of get_record_history and get_record_diff."""

from typing import Annotated, Any

from hansard.kernel.model_answer import KEPT, SECONDS, only
from hansard.kernel.operation import Result
from hansard.kernel.text import counted, one_line
from hansard.records import text
from hansard.records.shapes import (
    OldNew,
    Record,
    Shape,
)
from hansard.sessions.contract import more


class HistoryEntry(Shape):
    """One change of a record."""

    seq: int
    tick: int
    timestamp: Annotated[str, SECONDS]
    session_id: str | None = None
    author: str
    change_type: str
    summary: str
    diff: str | None = None
    """How the body changed, whole."""
    diff_how: str | None = None
    """The call that gives the diff, if it is too long to include."""
    decisions: list[str] | None = None  # what its session cited

    def text(self) -> str:
        """Give a line, and the diff."""
        when = f"s:{self.seq} t:{self.tick} {self.timestamp[:16]}"
        head = f"{when} {self.author} {self.change_type}: {one_line(self.summary)}"
        head += f" (session {self.session_id})" if self.session_id else ""
        head += f" (under {', '.join(self.decisions)})" if self.decisions else ""
        how = f"Diff: {self.diff_how}" if self.diff_how else None
        return "\n".join(filter(None, [head, self.diff, how]))


class RecordHistoryAnswer(Result):
    """What happened to a record, newest first."""

    history: list[HistoryEntry]
    total: int
    nextCursor: str | None = None  # noqa: N815 - as MCP spells it

    def text(self) -> str:
        """Give each change."""
        entries = [entry.text() for entry in self.history]
        return "\n".join(
            [counted(self.total, "change", "changes"), *entries, *more(self.nextCursor)]
        )


class RecordDiff(Shape):
    """Only the fields that differ; the body as a unified diff."""

    title: OldNew | None = None
    summary: OldNew | None = None
    body: str | None = None
    state: OldNew | None = None
    parent_id: OldNew | None = None
    resolved_by: OldNew | None = None
    related: OldNew | None = None
    metadata: OldNew | None = None
    cites: OldNew | None = None
    reason: OldNew | None = None


class RecordDiffAnswer(Result):
    """Two versions of a record."""

    from_version: Annotated[Record, only("id", "version")]
    to_version: Annotated[Record, only("id", "state", "version")]
    diff: Annotated[RecordDiff, KEPT]

    def text(self) -> str:
        """Give what differs."""
        one = self.to_version
        fields: dict[str, Any] = dict(self.diff)
        lines = [
            f"{name}: {change.old!r} -> {change.new!r}"
            for name, change in fields.items()
            if isinstance(change, OldNew)
        ]
        body = [self.diff.body] if self.diff.body else []
        span = f"t:{self.from_version.version} to t:{one.version}"
        return "\n".join([f"{text.stated(one)} {span}", *(lines + body or ["No difference"])])
