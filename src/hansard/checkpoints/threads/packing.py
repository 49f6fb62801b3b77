"""Packs a step: each value as a difference from the one before in its channel.

As many steps as make a group may rest on one line of values, and no more. A value that lies
elsewhere (it has not changed for longer than that, it came back, another thread has it too) is
named with a second copy of its own, which lies in the line.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hansard.checkpoints import copies
from hansard.checkpoints.threads.contract import StepRequest
from hansard.checkpoints.threads.reading import place_of
from hansard.checkpoints.threads.rules import NO_LINE, Line, base_in, followed, has_ended
from hansard.checkpoints.threads.views import LINES, STEPS, line_key, step_key
from hansard.checkpoints.threads.write_cache import Memory, Place
from hansard.kernel.blob import Blob, Digest, digest_of, seal, seal_onto
from hansard.kernel.content import content
from hansard.kernel.engine import Kept, ReadTx, WriteTx
from hansard.kernel.operation import Context
from hansard.kernel.problem import BlobDamaged, InvalidInput


@dataclass(frozen=True, slots=True)
class Packing:
    """What is to be stored with one step. The store is asked only what is not remembered."""

    context: Context
    memory: Memory
    thread: str
    ns: str
    place: Place
    kept: dict[Digest, Kept]
    """What of the values that were given is kept already, and how."""
    mended: list[Blob]
    """What of these can no longer be read."""
    blobs: dict[Digest, tuple[Blob, bytes]] = field(default_factory=dict)
    """What is new, packed and as it was."""
    lines: dict[str | None, Line] = field(default_factory=dict)
    spares: dict[str, Digest] = field(default_factory=dict)
    bases: set[Digest] = field(default_factory=set)

    @property
    def size_bytes(self) -> int:
        """Add up what is new."""
        return sum(len(blob.packed) for blob, _ in self.blobs.values())

    def add(self, channel: str | None, data: bytes, digest: Digest) -> Digest:
        """Pack a channel's new value, or with `None` a step's body."""
        line = self.line(channel)
        if digest not in self.kept and digest not in self.blobs:
            self._pack(line, data, digest)
        elif channel is not None and self._lies_elsewhere(line, digest):
            self._spare(channel, line, data)
        self._follow(channel, line, digest)
        return digest

    def name(self, channel: str, digest: Digest) -> Digest:
        """Take over a value that the step before has under this channel."""
        line = self.line(channel)
        is_last = digest == line["last"]
        if not is_last or (has_ended(line, self.place.steps) and line["spare"] is None):
            found = self._recall(digest)
            if found is None:
                raise InvalidInput(f"known: the value of {channel} can no longer be read")
            self._spare(channel, line, found[1])
        elif line["spare"]:
            self.spares[channel] = Digest(line["spare"])
        self._follow(channel, line, digest)
        return digest

    def line(self, channel: str | None) -> Line:
        """Give what a channel's next value may be packed onto."""
        return self.place.lines.get(channel) or self.context.read(
            lambda tx: _read_line(tx, self.thread, self.ns, channel)
        )

    def require(self, tx: WriteTx, known: Iterable[Digest]) -> None:
        """Make sure, in the transaction that names all this, that it can be read."""
        if not self.place.is_at(place_of(tx, self.thread, self.ns)):
            raise copies.CopyOvertakenError
        wanted = set(known)
        if len(tx.kept(wanted)) < len(wanted):
            raise InvalidInput("known: a value of the parent is no longer kept")
        copies.require_kept(tx, (self.bases - self.blobs.keys()) | self.kept.keys())
        copies.mend(tx, self.mended)

    def remember(
        self,
        step: str,
        number: int,
        values: dict[str, Digest],
        depths: dict[str, int],
        *,
        latest: tuple[int, str] | None,
    ) -> None:
        """Note what is stored now; `depths` says of new blobs how they truly are."""
        project = self.context.project
        for digest, (blob, data) in self.blobs.items():
            stored = Blob(digest, blob.size, blob.codec, b"", blob.base, depths[digest])
            self.memory.contents.put((project, digest), (stored, data), len(data))
        after = self.place.after(number, self.size_bytes, self.lines, step, values, latest=latest)
        self.memory.places.put((project, self.thread, self.ns), after)

    def _lies_elsewhere(self, line: Line, digest: Digest) -> bool:
        """Whether content that is stored lies neither in this line nor alone."""
        if digest == line["last"]:
            return has_ended(line, self.place.steps) or line["spare"] is not None
        stored = self.kept[digest] if digest in self.kept else self.blobs[digest][0]
        return stored.depth > 0

    def _spare(self, channel: str, line: Line, data: bytes) -> None:
        """Give a value a second copy in its line, unless it has one there."""
        if line["spare"] and line["last"] == digest_of(data):
            self.spares[channel] = Digest(line["spare"])
        else:
            copy = copies.copy_of(data)
            self.spares[channel] = self._pack(line, copy, digest_of(copy))

    def _follow(self, channel: str | None, line: Line, digest: Digest) -> None:
        spare = self.spares.get(channel) if channel is not None else None
        self.lines[channel] = followed(line, self.place.steps, digest, spare)

    def _pack(self, line: Line, data: bytes, digest: Digest) -> Digest:
        onto = base_in(line, self.place.steps)
        base = self._recall(Digest(onto)) if onto else None
        blob = seal_onto(data, *base, digest) if base else seal(data, digest)
        if blob.base:
            self.bases.add(blob.base)
        self.blobs[blob.digest] = blob, data
        return blob.digest

    def _recall(self, digest: Digest) -> tuple[Blob, bytes] | None:
        known = self.memory.contents.get((self.context.project, digest))
        return known or self.context.read(lambda tx: _read_content(tx, digest))


def begin(
    context: Context, memory: Memory, request: StepRequest, contents: dict[Digest, bytes]
) -> Packing:
    """Begin with what is known of the thread, and of the contents that it is given."""
    thread, ns = request.thread, request.ns
    place = memory.places.get((context.project, thread, ns))
    if place is None:
        place = context.read(lambda tx: Place.of(place_of(tx, thread, ns)))

    def work(tx: ReadTx) -> tuple[dict[Digest, Kept], list[Blob]]:
        # The write asks for the step's row, and finds it looked up.
        if place.number is not None:
            key = step_key(place.number, request.id)
            tx.prefetch(lambda: tx.kept(contents.keys()), lambda: tx.get(STEPS, key))
        return proved(tx, contents)

    kept, mended = context.read(work) if contents else ({}, [])
    return Packing(context, memory, thread, ns, place, kept, mended)


def proved(tx: ReadTx, contents: dict[Digest, bytes]) -> tuple[dict[Digest, Kept], list[Blob]]:
    """Say which contents are kept already, and which of those must be written again."""
    kept = tx.kept(contents.keys())
    mended = [
        blob for digest, one in kept.items() for blob in copies.prove(tx, contents[digest], one)
    ]
    return kept, mended


def _read_line(tx: ReadTx, thread: str, ns: str, channel: str | None) -> Line:
    place = place_of(tx, thread, ns)
    row = tx.get(LINES, line_key(place["number"], channel)) if place else None
    return {name: row[name] for name in NO_LINE} if row else NO_LINE


def _read_content(tx: ReadTx, digest: Digest) -> tuple[Blob, bytes] | None:
    try:
        blob = tx.blob(digest)
        return (blob, content(tx, digest)) if blob else None
    except BlobDamaged:
        # What cannot be read cannot be built upon; the new value stands alone.
        return None
