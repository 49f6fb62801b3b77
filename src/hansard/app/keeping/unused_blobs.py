"""Finds blobs that nothing needs, a page at a time, while others write.

What they add meanwhile is looked at before anything goes, in the transaction in which it goes: what
they name is needed, and so is what that mentions and rests on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from hansard.app.erasure_events import Collected, GoneBlob
from hansard.app.keeping.deleted_checkpoints import DELETING, SAVING, Deleted
from hansard.engines.sqlite.unused_blobs import Sieve, sieve
from hansard.kernel import paging
from hansard.kernel.blob import Digest, digests_in
from hansard.kernel.content import content
from hansard.kernel.engine import ReadTx, WriteTx
from hansard.kernel.event import Stamp
from hansard.kernel.limits import ENTRIES_PAGE
from hansard.kernel.problem import BlobDamaged
from hansard.kernel.store import Store

Sizes = dict[Digest, int]

STEP = 500
"""Blobs that are let go in one transaction, for which others wait."""

_COPYING = "checkpoints.thread_"
"""What kinds begin with that may bring back what was deleted, as a copy of a thread does."""


@contextmanager
def sifted(
    store: Store,
    project: str,
    deleted_before: str,
    *,
    replies_before: int = 0,
    may_write: bool = True,
) -> "Iterator[Sifting]":
    """Search a project for what may be removed.

    Answers from before the entry that is given are treated as forgotten. Where nothing may be
    written, what an entry would have to report stays.
    """
    with sieve() as made:
        sifting = Sifting(store, project, made, may_write=may_write)
        sifting.look(deleted_before, replies_before)
        yield sifting


class Sifting:
    """One search through a project, and the removal of what it found."""

    def __init__(self, store: Store, project: str, made: Sieve, *, may_write: bool) -> None:
        """Search this project, with this sieve."""
        self.is_waiting = False
        """Whether something stays only because nothing may be written."""
        self._may_write = may_write
        self.sieve = made
        self._store = store
        self._project = project
        self._seen = 0
        """Up to which entry all that was written is taken into account."""

    def look(self, deleted_before: str, replies_before: int) -> None:
        """Find what may be removed."""
        read = partial(self._store.read, self._project)
        deleted = read(lambda tx: Deleted(self._store, tx, deleted_before, replies_before))
        self._seen = deleted.seq
        after = 0
        while page := read(partial(self._name_page, deleted=deleted, after=after)):
            after = page
        after_digest: str | None = ""
        while after_digest is not None:
            after_digest = read(partial(self._keep_page, after=after_digest))
        self.sieve.choose()
        if not self._may_write:
            self.is_waiting = bool(self.sieve.next(1, is_deleted=True))
            self.sieve.spare_deleted()
        for digests in self.sieve.unlooked():
            self.sieve.spare_unnamed(read(partial(_mentioned_by, digests=digests)))

    def is_empty(self) -> bool:
        """Whether nothing is left to remove, as far as is known."""
        return not self.sieve.next(1)

    def let_go(self, stamp: Stamp) -> tuple[Sizes, Sizes]:
        """Remove some of it, in a transaction that sees that nothing needs it."""

        def work(tx: WriteTx) -> tuple[int, Sizes, Sizes]:
            seen = self._spare_new(tx)
            going = self.sieve.next(STEP)
            for digest in going:
                tx.drop(digest)
            deleted = {digest: going.pop(digest) for digest in self.sieve.deleted(going)}
            if deleted:
                assert self._may_write, "what was deleted is spared where nothing may be written"
                gone = [GoneBlob(digest=one, packed_bytes=size) for one, size in deleted.items()]
                self._store.record(tx, Collected(blobs=gone), stamp)
            return seen, going, deleted

        # What has been written since is read before others have to wait for it.
        self._seen = self._store.read(self._project, self._spare_new)
        self._seen, unnamed, deleted = self._store.write(self._project, work)
        self.sieve.gone([*unnamed, *deleted])
        return unnamed, deleted

    def _spare_new(self, tx: ReadTx) -> int:
        """Spare what newer entries need. Sparing something twice, or too much, is harmless."""
        for entry in paging.entries(tx, after=self._seen):
            if entry.kind == Collected.kind:
                continue  # ours: nobody else collects meanwhile
            named = digests_in(entry.body or b"")
            for digest in named:
                self.sieve.keep(_beneath(tx, digest))
            self.sieve.spare(named)
            if entry.kind.startswith(_COPYING) and entry.kind not in DELETING:
                self.sieve.spare_deleted()
        self._look_into_spared(tx)
        return tx.head().seq

    def _look_into_spared(self, tx: ReadTx) -> None:
        for digests in self.sieve.unlooked():
            self.sieve.spare_unnamed(_mentioned_by(tx, digests))

    def _name_page(self, tx: ReadTx, deleted: Deleted, after: int) -> int:
        """Note what some entries name; returns the last one's seq, 0 if there is none.

        Whatever looks like a digest in a payload counts as named: better too much than too little.
        """
        page = tx.entries(after=after, before=deleted.seq + 1, limit=ENTRIES_PAGE)
        named, let_go = set[Digest](), set[Digest]()
        for entry in page:
            found = digests_in(entry.body or b"")
            if entry.kind in SAVING:
                going = deleted.lets_go(tx, entry, self._store.kinds.decode(entry))
                let_go |= going
                found -= going
            elif entry.kind == Collected.kind:
                # It names what went, here or in the store that this came from. That may come again
                # and go again; until then no other entry has to tell of it.
                self.sieve.collected(found)
                let_go -= found
                continue
            named |= found
        self.sieve.name(named)
        self.sieve.let_go(let_go)
        return page[-1].seq if page else 0

    def _keep_page(self, tx: ReadTx, after: str) -> str | None:
        """Note some of what is kept; returns the last digest, `None` if there is none."""
        page = tx.digests(after=after, limit=ENTRIES_PAGE)
        kept = tx.kept(page, sized=True)
        self.sieve.keep(
            (digest, one.base, one.depth, one.packed_bytes or 0)
            for digest, one in kept.items()
            if one.codec != "redacted"
        )
        return page[-1] if page else None


def _beneath(tx: ReadTx, digest: Digest) -> Iterator[tuple[Digest, Digest | None, int, int]]:
    """Give a blob as it is kept, if it is, and all that it rests on."""
    wanted: Digest | None = digest
    while wanted and (one := tx.kept([wanted]).get(wanted)) is not None:
        yield wanted, one.base, one.depth, 0  # it stays, however large it is
        wanted = one.base


def _mentioned_by(tx: ReadTx, digests: list[Digest]) -> set[Digest]:
    """Give what looks like a digest in the content of these."""
    found = set[Digest]()
    for digest in digests:
        try:
            data = content(tx, digest)
        except BlobDamaged:
            continue  # it names nothing that can be read
        found |= digests_in(data)
    return found
