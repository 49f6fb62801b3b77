"""Events for content that is gone for good: redacted by a person, or garbage-collected."""

from typing import ClassVar

from hansard.kernel.event import Event, Proof
from hansard.kernel.model import Model
from hansard.kernel.reply import KeysForgotten


class ErasedPayload(Model):
    """An entry whose payload was erased, and what is left of it."""

    seq: int
    payload_digest: str
    payload_bytes: int
    fields: list[str]
    """Which of its fields were erased."""
    stand_in: str
    """The digest of what is read in its place."""


class ErasedBlob(Model):
    """A blob whose content was erased."""

    digest: str
    size_bytes: int
    stand_in: str | None
    """The digest of what is read in its place; `None` if reading it is refused."""


class Redacted(Event):
    """A person had content erased; where it stood, header, digest and length stay."""

    kind: ClassVar[str] = "keeping.redacted.v1"
    activity: ClassVar[str | None] = "redacted"
    rewrites: ClassVar[bool] = True

    payloads: list[ErasedPayload]
    blobs: list[ErasedBlob]
    reason: str
    proof: Proof | None = None
    """Whether the person was proved; `None` of entries from before it was asked."""

    def summary(self) -> str:
        """Say what was erased, and why."""
        erased = [f"s:{one.seq}" for one in self.payloads]
        erased += [f"blob {one.digest[:12]}" for one in self.blobs]
        return f"Redacted {', '.join(erased)}: {self.reason}"


class GoneBlob(Model):
    """A blob that is no longer kept, unless the same content was saved again since."""

    digest: str
    packed_bytes: int


class Collected(Event):
    """Content was let go that only deleted or forgotten things had named."""

    kind: ClassVar[str] = "keeping.collected.v1"
    activity: ClassVar[str | None] = "collected"

    blobs: list[GoneBlob]

    def summary(self) -> str:
        """Say how much."""
        size = sum(blob.packed_bytes for blob in self.blobs)
        return f"{len(self.blobs):,} blobs of deleted things collected ({size:,} bytes)"


EVENTS: tuple[type[Event], ...] = (Redacted, Collected)

HOUSEKEEPING = frozenset({Collected.kind, KeysForgotten.kind})
"""What only `hansard gc` records."""
