"""Packing what a step holds: each value onto an earlier one of its channel."""

from dataclasses import dataclass, field

from hansard.checkpoints.threads.memory import Memory, Place
from hansard.checkpoints.threads.reading import place_of
from hansard.checkpoints.threads.rules import NO_SPINE, Spine, base_in, extended
from hansard.checkpoints.threads.views import SPINES, spine_key
from hansard.kernel.blob import Blob, Digest, seal, seal_onto
from hansard.kernel.content import content
from hansard.kernel.engine import ReadTx
from hansard.kernel.operation import Context
from hansard.kernel.problem import BlobDamaged


@dataclass(frozen=True, slots=True)
class Packing:
    """What is to be stored with one step. The store is asked only what is not remembered."""

    context: Context
    memory: Memory
    thread: str
    ns: str
    place: Place
    blobs: dict[Digest, tuple[Blob, bytes]] = field(default_factory=dict)
    """What is new, packed and as it was."""
    spines: dict[str | None, Spine] = field(default_factory=dict)

    @property
    def size_bytes(self) -> int:
        """Add up what is new."""
        return sum(len(blob.packed) for blob, _ in self.blobs.values())

    def add(self, channel: str | None, data: bytes) -> Digest:
        """Pack a channel's value, or with `None` a step's body."""
        spine = self.place.spines.get(channel) or self.context.read(
            lambda tx: _read_spine(tx, self.thread, self.ns, channel)
        )
        digest = base_in(spine)
        base = self._recall(Digest(digest)) if digest else None
        blob = seal_onto(data, *base) if base else seal(data)
        if self.memory.contents.get((self.context.project, blob.digest)) is None:
            self.blobs[blob.digest] = blob, data
        self.spines[channel] = extended(spine, blob.digest)
        return blob.digest

    def remember(self, step: str, values: dict[str, Digest], depths: dict[str, int]) -> None:
        """Note what is stored now; `depths` says of some blobs how they truly are."""
        project = self.context.project
        for digest, (blob, data) in self.blobs.items():
            if digest in depths:
                stored = Blob(digest, blob.size, blob.codec, b"", blob.base, depths[digest])
                self.memory.contents.put((project, digest), (stored, data), len(data))
        after = self.place.after(self.size_bytes, self.spines, step, values)
        self.memory.places.put((project, self.thread, self.ns), after)

    def _recall(self, digest: Digest) -> tuple[Blob, bytes] | None:
        known = self.memory.contents.get((self.context.project, digest))
        return known or self.context.read(lambda tx: _read_content(tx, digest))


def begin(context: Context, memory: Memory, thread: str, ns: str) -> Packing:
    """Begin with what is known of the thread."""
    place = memory.places.get((context.project, thread, ns))
    if place is None:
        row = context.read(lambda tx: place_of(tx, thread, ns))
        place = Place(row["bytes"] if row else 0)
    return Packing(context, memory, thread, ns, place)


def _read_spine(tx: ReadTx, thread: str, ns: str, channel: str | None) -> Spine:
    place = place_of(tx, thread, ns)
    row = tx.get(SPINES, spine_key(place["number"], channel)) if place else None
    return {name: row[name] for name in NO_SPINE} if row else NO_SPINE


def _read_content(tx: ReadTx, digest: Digest) -> tuple[Blob, bytes] | None:
    try:
        blob = tx.blob(digest)
        return (blob, content(tx, digest)) if blob else None
    except BlobDamaged:
        # What cannot be read cannot be built upon; the new value stands alone.
        return None
