"""Parts of a project that travel between stores: everything after an entry that both have.

A part is a bundle that goes on from that entry. It is proved whole before anything of it is
written; its blobs are kept first, which nobody sees, and then all its entries in one transaction.
So an interrupted transfer leaves all of it or none.
"""

from collections.abc import Collection, Iterable
from functools import partial
from pathlib import Path

from hansard import __version__
from hansard.app import copies
from hansard.app.erasure_events import HOUSEKEEPING, Collected
from hansard.app.keeping.blob_lock import alone
from hansard.app.keeping.blob_staging import Spool, spooling
from hansard.app.keeping.bundle import (
    PART_FORMAT,
    BundleDamaged,
    End,
    Opening,
    paged,
    reading,
    writing,
)
from hansard.app.keeping.exporting import Progress
from hansard.app.keeping.importing import (
    BundleContents,
    Imported,
    derive,
    enter,
    event_of,
    keep_blobs,
    next_head,
    reserve,
    withhold,
)
from hansard.app.verify.missing import Missing
from hansard.kernel import ids, paging
from hansard.kernel.blob import Blob, Digest, digests_in
from hansard.kernel.content import content
from hansard.kernel.engine import ReadTx, WriteTx
from hansard.kernel.event import Entry, Event, Head, Stamp, genesis
from hansard.kernel.named_blobs import finders
from hansard.kernel.problem import BlobDamaged, BlobRedacted, Problem
from hansard.kernel.store import CATALOG, Store
from hansard.sessions import projects


class HeadMoved(Problem):
    """Somebody has written to the project since it was read."""

    code, http_status = "HEAD_MOVED", 409
    hint = "Nothing was changed; ask again, and it is looked at anew"


def head_of(store: Store, project: str) -> Head:
    """Say where a project's journal ends; that of an unknown project has not begun."""
    return store.engine.heads().get(project, genesis(project))


def hashes_at(store: Store, project: str, seqs: Collection[int]) -> dict[int, str]:
    """Give the hashes of some entries; of those that are not there, nothing."""

    def work(tx: ReadTx) -> dict[int, str]:
        found = (tx.entries(after=seq - 1, limit=1) for seq in seqs if seq > 0)
        return {page[0].seq: page[0].hash for page in found if page and page[0].seq in seqs}

    first = {0: genesis(project).hash} if 0 in seqs else {}
    return first | store.engine.read(project, work)


def named_between(store: Store, project: str, after: int, until: int) -> list[Digest]:
    """List the blobs that some entries rest on: what they name, what these name, and so on.

    Whatever looks like a digest counts, as it does where garbage is collected.
    """
    named: set[Digest] = set()
    waiting: list[Digest] = []
    for entry in paging.entries_apart(store.engine, project, after=after, last=until):
        waiting += digests_in(entry.body or b"")
    while waiting:
        digest = waiting.pop()
        found = None if digest in named else _found(store, project, digest)
        if found is not None:
            named.add(digest)
            waiting += found
    return sorted(named)


def write_part(
    store: Store,
    project: str,
    path: Path,
    span: tuple[int, int],
    wanted: Iterable[Digest],
    *,
    notes: bool = True,
) -> End:
    """Write what a project has after an entry, until another, into a new file.

    It has the blobs that the other side has asked for. With `notes`, it is noted first that the
    other side will have the entries.
    """
    after, until = span
    hashes, line = hashes_at(store, project, span), projects.line(store, project)
    if hashes.keys() < set(span) or until <= after:
        raise HeadMoved(f"{project} has no entries from s:{after} to s:{until}")
    opening = Opening(
        project=project,
        name=line["name"] if line else project,
        description=line["description"] if line else None,
        seq=until,
        hash=hashes[until],
        made_by=f"hansard {__version__}",
        format=PART_FORMAT,
        after=after,
        after_hash=hashes[after],
    )
    with alone(store.engine), writing(path) as bundle:
        _require_not_collected(store, project, until)
        if notes:
            copies.note(store, project, until)
        bundle.begin(opening)
        blobs = (blob for one in wanted if (blob := _blob(store, project, one)))
        for page in paged(blobs, lambda blob: len(blob.packed)):
            bundle.add_blobs(page)
        entries = paging.entries_apart(store.engine, project, after=after, last=until)
        for journal in paged(entries, lambda entry: len(entry.payload or b"")):
            bundle.add_entries(journal)
        return bundle.finish()


def _require_not_collected(store: Store, project: str, until: int) -> None:
    """Refuse to leave out what only gc has written: the other side could then diverge."""

    def work(tx: ReadTx) -> list[Entry]:
        return tx.entries(after=until, kinds=HOUSEKEEPING, limit=1)

    if store.engine.read(project, work):
        raise HeadMoved(f"{project} was collected since it was looked at")


def lacking(store: Store, project: str, digests: Collection[Digest]) -> list[Digest]:
    """Say which of these blobs a project does not have."""
    if project not in store.engine.heads():
        return sorted(digests)
    kept = store.engine.read(project, lambda tx: set(tx.kept(digests)))
    return sorted(set(digests) - kept)


def take_part(
    store: Store, path: Path, stamp: Stamp, *, progress: Progress = lambda *_: None
) -> Imported:
    """Take a part in: all of it, or nothing."""
    with alone(store.engine) as still_alone:
        contents, head = _look_through(store, path)
        project = contents.opening.project
        if project == CATALOG:
            raise BundleDamaged("This is a part of a store's catalog, which is no project")
        enter(store, contents, project, stamp)
        foreign = reserve(store, contents, project, stamp)
        _keep_all(store, path, project)
        copies.note(store, project, contents.opening.seq)
        still_alone()
        taken = store.write(project, partial(_append_all, store, path, contents, head))
        store.write(project, partial(withhold, contents, foreign))
        progress(project, "entries", taken, taken)
    return Imported(project, head_of(store, project), taken, contents.blobs)


def _look_through(store: Store, path: Path) -> tuple[BundleContents, Head]:
    """Prove a part: that it goes on from where the project ends here, and each of its blobs."""
    with reading(path) as bundle:
        opening = bundle.opening
    head = head_of(store, opening.project)
    if not opening.is_part or (opening.after, opening.after_hash) != (head.seq, head.hash):
        raise HeadMoved(f"The part does not go on from s:{head.seq}, where {opening.project} ends")
    kept = partial(_blob, store, opening.project)
    with spooling(kept) as spool, reading(path) as bundle:
        found, reached = BundleContents(bundle.opening, bundle.file), head
        needs = _Needs(store, opening.project)
        for page in bundle.pages():
            for thing in page:
                if isinstance(thing, Blob):
                    found.blobs += 1
                    spool.add(thing)
                    continue
                reached = next_head(reached, thing, store.kinds)
                event = event_of(thing, store.kinds)
                needs.hear(thing, event)
                if isinstance(event, ids.IdBlockGranted):
                    found.blocks.append((thing.seq, event))
        if (reached.seq, reached.hash) != (opening.seq, opening.hash):
            raise BundleDamaged("The part's journal does not end where it says")
        spool.prove()
        needs.require_all(spool)
        found.entries = reached.seq - head.seq
        return found, head


class _Needs:
    """Knows which blobs the entries of a part name, and refuses a part that leaves one out."""

    def __init__(self, store: Store, project: str) -> None:
        self._store = store
        self._project = project
        self._finders = finders(store.kinds)
        self._missing = Missing()

    def hear(self, entry: Entry, event: Event | None) -> None:
        """Note what an entry names, or says is gone."""
        if isinstance(event, Collected):
            self._missing.let_go(blob.digest for blob in event.blobs)
        elif event is not None and (find := self._finders.get(event.kind)):
            self._missing.name(find(event.model_dump(mode="json")), entry.seq)

    def require_all(self, spool: Spool) -> None:
        """Refuse what neither the part has nor the store."""

        def there(digests: Collection[Digest]) -> Collection[Digest]:
            absent = lacking(self._store, self._project, digests)
            return set(digests) - {one for one in absent if one not in spool}

        self._missing.look_up(there)
        for digest, seq in self._missing.by.items():
            raise BundleDamaged(f"The part lacks the blob {digest}, which s:{seq} names")


def _keep_all(store: Store, path: Path, project: str) -> None:
    with reading(path) as bundle:
        for page in bundle.pages():
            if blobs := [thing for thing in page if isinstance(thing, Blob)]:
                keep_blobs(store, project, blobs)


def _append_all(store: Store, path: Path, contents: BundleContents, head: Head, tx: WriteTx) -> int:
    """Append every entry, if the journal still ends where the part goes on."""
    there = tx.head()
    if (there.seq, there.hash) != (head.seq, head.hash):
        raise HeadMoved(f"Somebody wrote to {contents.opening.project} meanwhile")
    if there.seq == 0:
        tx.mark_views(store.fingerprint)
    count = 0
    # Read again by each attempt: the file is as it was when it was proved.
    with reading(path) as bundle:
        if bundle.file != contents.file:
            raise BundleDamaged("The part was changed while it was read", hint="Try again")
        for page in bundle.pages():
            for entry in page:
                if isinstance(entry, Entry):
                    tx.append(entry)
                    derive(store, tx, entry)
                    count += 1
    return count


def _blob(store: Store, project: str, digest: Digest) -> Blob | None:
    return store.engine.read(project, lambda tx: tx.blob(digest))


def _found(store: Store, project: str, digest: Digest) -> list[Digest] | None:
    """Give what a blob rests on and names; `None` if there is no such blob."""

    def work(tx: ReadTx) -> list[Digest] | None:
        blob = tx.blob(digest)
        if blob is None:
            return None
        base = [blob.base] if blob.base else []
        try:
            return [*base, *digests_in(content(tx, digest))]
        except (BlobRedacted, BlobDamaged):
            return base

    return store.engine.read(project, work)
