"""Events of checkpoints."""

from typing import Any, ClassVar, Literal

from hansard.kernel.blob import Digest
from hansard.kernel.event import Event


class CheckpointEvent(Event):
    """Base of what happens to one checkpoint."""

    id: str
    session: str

    def subject(self) -> str:
        """Give the checkpoint."""
        return self.id


class CheckpointSaved(CheckpointEvent):
    """A context was saved; its content is the blob of that digest."""

    kind: ClassVar[str] = "checkpoints.checkpoint_saved.v1"
    activity: ClassVar[str | None] = "checkpoint_saved"

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
    spare: Digest | None = None
    """A second copy, where the first is packed onto checkpoints that are not near this one."""
    packs: bool = True
    """Whether something was packed for this save, so that the next may be packed onto it."""

    def summary(self) -> str:
        """Name it, with its size."""
        named = f" “{self.name}”" if self.name else ""
        return f"Checkpoint {self.id}{named} saved ({self.context_bytes:,} bytes)"


class CheckpointAmended(CheckpointEvent):
    """The same context was saved once more, with something new to say of it."""

    kind: ClassVar[str] = "checkpoints.checkpoint_amended.v1"
    activity: ClassVar[str | None] = "checkpoint_amended"

    name: str | None
    tags: list[str]
    """All that it has now; the same holds for the other fields."""
    classes: dict[str, str]
    extra: dict[str, Any]
    cites: list[str]

    def summary(self) -> str:
        """Name it."""
        named = f" “{self.name}”" if self.name else ""
        return f"Checkpoint {self.id}{named} described anew"


class CheckpointLoaded(CheckpointEvent):
    """A session resumed from a checkpoint."""

    kind: ClassVar[str] = "checkpoints.checkpoint_loaded.v1"
    activity: ClassVar[str | None] = "checkpoint_loaded"

    into: str | None = None
    """The session that loaded it, if it is not the checkpoint's own."""

    def summary(self) -> str:
        """Name it."""
        return f"Checkpoint {self.id} loaded"


class CheckpointGivenInPart(CheckpointEvent):
    """A session was given less than a checkpoint holds, or has got the rest by now."""

    kind: ClassVar[str] = "checkpoints.checkpoint_given_in_part.v1"

    into: str | None = None
    """The session that loaded it, if it is not the checkpoint's own."""
    lists: dict[str, int]
    """By JSON Pointer: how many of a list's oldest items were left out."""
    keys: list[str]
    """JSON Pointers to what was left out whole."""

    def summary(self) -> str:
        """Name it."""
        return f"Checkpoint {self.id} given in part"


class CheckpointDeleted(CheckpointEvent):
    """A checkpoint was taken off the list."""

    kind: ClassVar[str] = "checkpoints.checkpoint_deleted.v1"
    activity: ClassVar[str | None] = "checkpoint_deleted"

    why: Literal["asked", "retention"]

    def summary(self) -> str:
        """Name it."""
        return f"Checkpoint {self.id} deleted" + (" by retention" * (self.why == "retention"))


class KeyMarked(Event):
    """A key of a session's context was marked critical."""

    kind: ClassVar[str] = "checkpoints.key_marked.v1"
    activity: ClassVar[str | None] = "key_marked"

    session: str
    key: str

    def summary(self) -> str:
        """Name the key."""
        return f"“{self.key}” marked critical"


class KeyUnmarked(Event):
    """A mark was taken back."""

    kind: ClassVar[str] = "checkpoints.key_unmarked.v1"
    activity: ClassVar[str | None] = "key_unmarked"

    session: str
    key: str

    def summary(self) -> str:
        """Name the key."""
        return f"“{self.key}” no longer marked critical"


class SessionTagged(Event):
    """A session was given tags of its own, in the place of those it had."""

    kind: ClassVar[str] = "checkpoints.session_tagged.v1"
    activity: ClassVar[str | None] = "session_tagged"

    session: str
    tags: list[str]

    def summary(self) -> str:
        """Name them."""
        return f"Session tagged: {' '.join(self.tags) or 'nothing'}"


EVENTS: tuple[type[Event], ...] = (
    CheckpointSaved,
    CheckpointAmended,
    CheckpointLoaded,
    CheckpointGivenInPart,
    CheckpointDeleted,
    KeyMarked,
    KeyUnmarked,
    SessionTagged,
)
