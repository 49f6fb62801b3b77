"""What happens to checkpoints."""

from typing import Any, ClassVar, Literal

from hansard.kernel.blob import Digest
from hansard.kernel.event import Event


class CheckpointSaved(Event):
    """A context was saved; its content is the blob of that digest."""

    kind: ClassVar[str] = "checkpoints.checkpoint_saved.v1"
    activity: ClassVar[str | None] = "checkpoint_saved"

    id: str
    session: str
    number: int
    """Which save of its session this is, from 0: it decides what the blob is packed against."""
    context: Digest
    size_bytes: int
    """Packed, as it lies on disk."""
    context_bytes: int
    """Unpacked."""
    name: str | None
    tags: list[str]
    classes: dict[str, str]
    extra: dict[str, Any]
    cites: list[str]

    def summary(self) -> str:
        """Name it, with its size."""
        named = f" “{self.name}”" if self.name else ""
        return f"Checkpoint {self.id}{named} saved ({self.context_bytes:,} bytes)"

    def subject(self) -> str:
        """Give the checkpoint."""
        return self.id


class CheckpointLoaded(Event):
    """A session resumed from a checkpoint."""

    kind: ClassVar[str] = "checkpoints.checkpoint_loaded.v1"
    activity: ClassVar[str | None] = "checkpoint_loaded"

    id: str
    session: str

    def summary(self) -> str:
        """Name it."""
        return f"Checkpoint {self.id} loaded"

    def subject(self) -> str:
        """Give the checkpoint."""
        return self.id


class CheckpointDeleted(Event):
    """A checkpoint was taken off the list."""

    kind: ClassVar[str] = "checkpoints.checkpoint_deleted.v1"
    activity: ClassVar[str | None] = "checkpoint_deleted"

    id: str
    session: str
    why: Literal["asked", "retention"]

    def summary(self) -> str:
        """Name it."""
        return f"Checkpoint {self.id} deleted" + (" by retention" * (self.why == "retention"))

    def subject(self) -> str:
        """Give the checkpoint."""
        return self.id


class KeyMarked(Event):
    """A key of a session's context was marked critical."""

    kind: ClassVar[str] = "checkpoints.key_marked.v1"
    activity: ClassVar[str | None] = "key_marked"

    session: str
    key: str

    def summary(self) -> str:
        """Name the key."""
        return f"“{self.key}” marked critical"


EVENTS: tuple[type[Event], ...] = (CheckpointSaved, CheckpointLoaded, CheckpointDeleted, KeyMarked)
