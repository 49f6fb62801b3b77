"""Moves what is sound in a damaged store, and in a backup, into a new store.

The journal is followed from its first entry on: each next entry is taken from the first source that
has one which follows. Where none has, the journal ends; what the store has beyond is set aside.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain as chain_together
from pathlib import Path

from hansard.app import copies
from hansard.app.erasure_events import Collected, ErasedBlob, Redacted
from hansard.app.keeping.bundle import entry_line, paged
from hansard.app.keeping.exporting import Progress
from hansard.app.keeping.files import write_durably
from hansard.app.verify.chain import DAMAGED
from hansard.app.verify.missing import Missing
from hansard.kernel import paging
from hansard.kernel.blob import Blob, Digest, digest_of, redact, seal
from hansard.kernel.content import content
from hansard.kernel.engine import ReadTx, WriteTx
from hansard.kernel.event import Entry, Head, Kinds, Stamp, genesis
from hansard.kernel.limits import ENTRIES_PAGE
from hansard.kernel.named_blobs import finders
from hansard.kernel.private_files import make_folder, sync_folder
from hansard.kernel.problem import BlobDamaged, StorageUnavailable
from hansard.kernel.store import Store

LOST = b"[lost]"
"""What is read in place of content that no source has any more."""

UNREADABLE = (*DAMAGED, StorageUnavailable)


@dataclass(slots=True)
class Seqs:
    """How many entries, and the first and last of them: there may be millions."""

    count: int = 0
    first: int = 0
    last: int = 0

    def add(self, seq: int) -> None:
        """Count one more, which comes after the others."""
        self.first = self.first or seq
        self.count, self.last = self.count + 1, seq

    def __bool__(self) -> bool:
        return self.count > 0


@dataclass(slots=True)
class SalvagedAnswer:
    """What became of one project."""

    project: str
    head: Head
    from_backup: int = 0
    """Entries that only the backup had whole."""
    aside: Seqs = field(default_factory=Seqs)
    """Entries beyond the sound ones, which were set aside in a file."""
    unreadable: Seqs = field(default_factory=Seqs)
    """Entries beyond the sound ones of which nothing could be read."""
    blobs_from_backup: int = 0
    blobs_lost: dict[Digest, int] = field(default_factory=dict)
    """Contents that nobody has any more, each with an entry that names it."""


def projects_in(sources: Sequence[Store]) -> list[str]:
    """List the projects that any of these stores can still name."""
    names: set[str] = set()
    for source in sources:
        try:
            names |= source.engine.heads().keys()
        except UNREADABLE:
            continue  # then another source must know them
    return sorted(names)


def save_project(
    sources: Sequence[Store],
    target: Store,
    project: str,
    *,
    aside: Path,
    stamp: Stamp,
    progress: Progress = lambda *_: None,
) -> SalvagedAnswer:
    """Save one project. The first source is the damaged store, others are backups of it."""
    readers = [_Reader(source, project) for source in sources]
    saved = SalvagedAnswer(project, genesis(project))
    _save_blobs(readers, target, saved, progress)
    _stand_in(target, saved, _missing(_Chain(readers, project, target.kinds), target, project))
    chain = _Chain(readers, project, target.kinds)
    for page in paged(chain, lambda entry: len(entry.payload or b"")):
        _append(target, project, page)
        progress(project, "entries", page[-1].seq, page[-1].seq)
    saved.from_backup, saved.head = chain.from_others, chain.reached
    copies.note(target, project, saved.head.seq)
    _set_aside(readers[0], saved, aside)
    _own_up(target, saved, stamp)
    return saved


class _Reader:
    """Reads one project of a store that may be damaged: what cannot be read is not there."""

    def __init__(self, store: Store, project: str) -> None:
        self._store = store
        self._project = project
        self._page: dict[int, Entry] = {}
        self._span = range(0)
        """The seqs that the page was read for; what it lacks of them cannot be read."""

    def entry(self, seq: int) -> Entry | None:
        """Give an entry, if it can be read."""
        if seq not in self._span:
            self._page = {entry.seq: entry for entry in self._entries(seq, ENTRIES_PAGE)}
            self._span = range(seq, seq + ENTRIES_PAGE)
        return self._page.get(seq)

    def last(self, after: int) -> int:
        """Say which is the last seq that there is or should be."""
        try:
            head, newest = self._store.engine.read(self._project, _ends)
        except UNREADABLE:
            return after
        return max(after, head, newest)

    def digests(self) -> Iterator[Digest]:
        """Go through the blobs that are kept, as far as they can be listed."""
        with suppress(*UNREADABLE):
            yield from paging.digests_apart(self._store.engine, self._project)

    def blob(self, digest: Digest) -> tuple[Blob, bytes | None] | None:
        """Give a blob with its content, proved; the content is `None` if it was redacted."""

        def work(tx: ReadTx) -> tuple[Blob, bytes | None] | None:
            blob = tx.blob(digest)
            if blob is None:
                return None
            if blob.codec == "redacted":
                return blob, None
            data = content(tx, digest)
            return (blob, data) if len(data) == blob.size else None

        try:
            return self._store.engine.read(self._project, work)
        except (BlobDamaged, *UNREADABLE):
            return None

    def _entries(self, first: int, count: int) -> list[Entry]:
        def work(tx: ReadTx) -> list[Entry]:
            return tx.entries(after=first - 1, before=first + count, limit=count)

        try:
            return self._store.engine.read(self._project, work)
        except UNREADABLE:
            if count == 1:
                return []
            half = count // 2
            return [*self._entries(first, half), *self._entries(first + half, count - half)]


def _ends(tx: ReadTx) -> tuple[int, int]:
    newest = tx.entries(limit=1, descending=True)
    return tx.head().seq, newest[0].seq if newest else 0


class _Chain:
    """The longest sound journal that the sources have between them."""

    def __init__(self, readers: Sequence[_Reader], project: str, kinds: Kinds) -> None:
        self._readers = readers
        self._kinds = kinds
        self.reached = genesis(project)
        self.from_others = 0

    def __iter__(self) -> Iterator[Entry]:
        while entry := self._next():
            self.reached = entry.as_head()
            yield entry

    def _next(self) -> Entry | None:
        for number, reader in enumerate(self._readers):
            entry = reader.entry(self.reached.seq + 1)
            if entry is not None and entry.follows(
                self.reached, advances=self._kinds.advances(entry.kind)
            ):
                self.from_others += number > 0
                return entry
        return None


def _missing(chain: _Chain, target: Store, project: str) -> Missing:
    """Find which blobs the entries name that nobody has."""
    finders_by_kind, missing = finders(target.kinds), Missing()

    def kept(digests: Collection[Digest]) -> Collection[Digest]:
        return target.engine.read(project, lambda tx: tx.kept(digests))

    for number, entry in enumerate(chain, start=1):
        event = target.kinds.decode(entry)
        if isinstance(event, Collected):
            missing.let_go(blob.digest for blob in event.blobs)
        elif event is not None and (find := finders_by_kind.get(event.kind)):
            missing.name(find(event.model_dump(mode="json")), entry.seq)
        if number % ENTRIES_PAGE == 0:
            missing.look_up(kept)
    missing.look_up(kept)
    return missing


def _save_blobs(
    readers: Sequence[_Reader], target: Store, saved: SalvagedAnswer, progress: Progress
) -> None:
    """Save every blob that some source has whole, as it is packed wherever that can be."""
    count = 0
    for number, reader in enumerate(readers):
        # What an earlier source lists is done already.
        new = (one for one in reader.digests() if not number or not _has(target, saved, one))
        for page in paged(_whole_blobs(new, readers, saved), lambda blob: len(blob.packed)):
            _keep(target, saved.project, page)
            count += len(page)
            progress(saved.project, "blobs", count, count)


def _whole_blobs(
    digests: Iterable[Digest], readers: Sequence[_Reader], saved: SalvagedAnswer
) -> Iterator[Blob]:
    for digest in digests:
        for number, reader in enumerate(readers):
            if found := reader.blob(digest):
                blob, data = found
                # What a backup has stands alone, since its base may be damaged here.
                yield blob if number == 0 or data is None else seal(data)
                saved.blobs_from_backup += number > 0
                break


def _keep(target: Store, project: str, blobs: Sequence[Blob]) -> None:
    def work(tx: WriteTx) -> None:
        for blob in blobs:
            tx.keep(blob)

    for blob in blobs:
        target.engine.stage(blob)
    target.engine.write(project, work)


def _stand_in(target: Store, saved: SalvagedAnswer, missing: Missing) -> None:
    """Keep a stand-in for each blob that the entries name and nobody has."""
    for digest, seq in missing.by.items():
        saved.blobs_lost[digest] = seq
        _keep(target, saved.project, [redact(Blob(digest, len(LOST), "raw", b""), LOST)])


def _append(target: Store, project: str, entries: Sequence[Entry]) -> None:
    def work(tx: WriteTx) -> None:
        if tx.head().seq == 0:
            tx.mark_views(target.fingerprint)
        for entry in entries:
            tx.append(entry)
            if event := target.kinds.decode(entry):
                target.derive(tx, entry, event)

    target.engine.write(project, work)


def _has(target: Store, saved: SalvagedAnswer, digest: Digest) -> bool:
    return bool(target.engine.read(saved.project, lambda tx: tx.kept([digest])))


def _set_aside(reader: _Reader, saved: SalvagedAnswer, folder: Path) -> None:
    """Write what the store has beyond the sound entries into a file, as it is."""
    first, last = saved.head.seq + 1, reader.last(saved.head.seq)

    def lines() -> Iterator[bytes]:
        for seq in range(first, last + 1):
            entry = reader.entry(seq)
            if entry is None:
                saved.unreadable.add(seq)
            else:
                saved.aside.add(seq)
                yield _line(entry)

    written = lines()
    line = next(written, None)
    if line is not None:
        make_folder(folder)
        name = f"{digest_of(saved.project.encode())[:16]}.jsonl"
        write_durably(folder / name, chain_together([line], written))
        sync_folder(folder)


def _line(entry: Entry) -> bytes:
    try:
        return entry_line(entry)
    except ValueError:
        # Its payload is no longer JSON: write the header, and what is left as text.
        text = f"{entry!r}\n"
        return text.encode()


def _own_up(target: Store, saved: SalvagedAnswer, stamp: Stamp) -> None:
    """Record which contents are lost, so that from now on the journal says so itself."""
    if not saved.blobs_lost:
        return
    blobs = [
        ErasedBlob(digest=digest, size_bytes=0, stand_in=digest_of(LOST))
        for digest in saved.blobs_lost
    ]
    event = Redacted(payloads=[], blobs=blobs, reason="damaged beyond repair")
    target.write(saved.project, lambda tx: target.record(tx, event, stamp))
