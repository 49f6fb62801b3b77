"""Events of records. Bodies are blobs; events carry their digests."""

from typing import Any, ClassVar, Literal

from hansard.kernel.blob import Digest
from hansard.kernel.event import Event
from hansard.records.shapes import State
from hansard.sessions.events import RecordChange


class RecordCreated(RecordChange):
    kind: ClassVar[str] = "records.record_created.v1"
    advances_tick: ClassVar[bool] = True
    activity: ClassVar[str | None] = "record_created"

    id: str
    parent_id: str | None
    type: str
    title: str
    summary_text: str
    body: Digest
    state: State
    reason: str | None
    resolved_by: str | None
    related: list[str]
    metadata: dict[str, Any]
    cites: list[str]

    def summary(self) -> str:
        """Name it."""
        return f"{self.id} created: {self.title}"

    def subject(self) -> str:
        """Give the record."""
        return self.id


class RecordUpdated(RecordChange):
    """The named fields have new values; `None` means a field was left as it is."""

    kind: ClassVar[str] = "records.record_updated.v1"
    advances_tick: ClassVar[bool] = True
    activity: ClassVar[str | None] = "record_updated"

    id: str
    title: str | None = None
    summary_text: str | None = None
    body: Digest | None = None
    related: list[str] | None = None
    metadata: dict[str, Any] | None = None
    """All of it, after the given keys were merged in."""
    cites: list[str] | None = None

    def summary(self) -> str:
        """Name what changed."""
        given = self.model_dump(exclude_none=True, exclude={"id"})
        fields = [name.removesuffix("_text") for name in given]
        return f"{self.id} updated: {', '.join(fields)}"

    def subject(self) -> str:
        """Give the record."""
        return self.id


class RecordTransitioned(RecordChange):
    kind: ClassVar[str] = "records.record_transitioned.v1"
    advances_tick: ClassVar[bool] = True
    activity: ClassVar[str | None] = "state_transition"

    id: str
    from_state: State
    to_state: State
    reason: str | None
    resolved_by: str | None

    def summary(self) -> str:
        """Name the states, and why."""
        why = f": {self.reason}" if self.reason else ""
        by = f" by {self.resolved_by}" if self.resolved_by else ""
        return f"{self.id} {self.from_state} -> {self.to_state}{by}{why}"

    def subject(self) -> str:
        """Give the record."""
        return self.id


class RecordMoved(RecordChange):
    """The record was moved under another parent, with all that lies under it."""

    kind: ClassVar[str] = "records.record_moved.v1"
    activity: ClassVar[str | None] = "record_moved"

    id: str
    from_parent: str | None
    to_parent: str | None

    def summary(self) -> str:
        """Name where it was and is."""
        return f"{self.id} moved from {_place(self.from_parent)} to {_place(self.to_parent)}"

    def subject(self) -> str:
        """Give the record."""
        return self.id


class ConflictDetected(Event):
    """A session wanted to change a record that another had changed; nothing was applied."""

    kind: ClassVar[str] = "records.conflict_detected.v1"
    activity: ClassVar[str | None] = "conflict_detected"

    id: str
    operation: str
    base: int
    stored: int

    def summary(self) -> str:
        """Name the versions."""
        return f"{self.id}: {self.operation} from t:{self.base} met t:{self.stored}"

    def subject(self) -> str:
        """Give the record."""
        return self.id


class ConflictResolved(Event):
    """A session changed a record, knowing that another had: by overwriting or by merging."""

    kind: ClassVar[str] = "records.conflict_resolved.v1"
    activity: ClassVar[str | None] = "conflict_resolved"

    id: str
    base: int
    stored: int
    by: Literal["force", "merge"] = "force"

    def summary(self) -> str:
        """Name the versions."""
        done = "overridden" if self.by == "force" else "merged with what was changed"
        return f"{self.id}: t:{self.stored} was {done} from t:{self.base}"

    def subject(self) -> str:
        """Give the record."""
        return self.id


def _place(parent: str | None) -> str:
    return parent or "the roots"


EVENTS: tuple[type[Event], ...] = (
    RecordCreated,
    RecordUpdated,
    RecordTransitioned,
    RecordMoved,
    ConflictDetected,
    ConflictResolved,
)
