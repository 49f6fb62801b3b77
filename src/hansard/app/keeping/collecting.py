"""Collecting what nothing needs any more. Looking comes first, and changes nothing.

Three things are collected: what was staged or kept and is named by no entry; what only deleted
checkpoints and threads named; and tables of views that have newer versions. A blob that another
is packed against stays, and so does whatever any other entry names.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from hansard.app.keeping.deleted import SAVING, Deleted
from hansard.app.keeping.guard import alone
from hansard.app.redacted import Collected, GoneBlob
from hansard.kernel import walking
from hansard.kernel.blob import Digest
from hansard.kernel.content import content
from hansard.kernel.engine import Engine, ReadTx, WriteTx
from hansard.kernel.event import Stamp
from hansard.kernel.limits import ENTRIES_PAGE
from hansard.kernel.problem import BlobDamaged
from hansard.kernel.store import Store

LOOSE_S = 3_600.0
"""What was staged less than an hour ago may yet be kept."""

Progress = Callable[[str, str, int, int], None]
Sizes = dict[Digest, int]

_DIGEST = re.compile(rb"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Garbage:
    """What can be collected, and how many bytes it takes."""

    loose: Sizes
    """Staged, or left by a crash, and kept by no project."""
    unnamed: dict[str, Sizes]
    """By project: kept, and named by no entry."""
    deleted: dict[str, Sizes]
    """By project: named only by checkpoints and steps of threads that were deleted."""
    tables: tuple[str, ...]
    """Of older versions of views."""

    @property
    def count(self) -> int:
        """Count the blobs."""
        return sum(len(sizes) for sizes in self._all())

    @property
    def bytes(self) -> int:
        """Say how much room the blobs take, packed."""
        return sum(sum(sizes.values()) for sizes in self._all())

    def _all(self) -> Iterator[Sizes]:
        yield self.loose
        yield from self.unnamed.values()
        yield from self.deleted.values()


def find(store: Store, *, deleted_before: str, progress: Progress = lambda *_: None) -> Garbage:
    """Look for what can be collected; `deleted_before` says since when it must be deleted."""
    unnamed: dict[str, Sizes] = {}
    deleted: dict[str, Sizes] = {}
    heads = store.engine.heads()
    for number, project in enumerate(sorted(heads), start=1):
        first, second = store.engine.read(project, lambda tx: _needless(store, tx, deleted_before))
        unnamed |= {project: first} if first else {}
        deleted |= {project: second} if second else {}
        progress(project, "projects", number, len(heads))
    # Until every project is derived by our views, an older program may yet read the old tables.
    are_ours = all(head.views == store.fingerprint for head in heads.values())
    tables = tuple(store.engine.outdated()) if are_ours else ()
    return Garbage(store.engine.loose(older_s=LOOSE_S), unnamed, deleted, tables)


def collect(
    store: Store, *, deleted_before: str, stamp: Stamp, progress: Progress = lambda *_: None
) -> Garbage:
    """Look again, beside whoever writes, and let go of what is found; returns what went."""
    with alone(store.engine) as still_alone:
        found = find(store, deleted_before=deleted_before, progress=progress)
        for project in sorted({*found.unnamed, *found.deleted}):
            still_alone()
            store.write(project, lambda tx: _let_go(store, tx, deleted_before, stamp))
        still_alone()
        gone = [digest for sizes in _kept(found) for digest in sizes]
        store.engine.discard([*found.loose, *gone, *superfluous(store.engine)])
        store.engine.scrub(dropping=found.tables)
    return found


def superfluous(engine: Engine) -> list[Digest]:
    """Name the staged blobs that some project keeps in the database, so that no file is needed.

    So it is where a blob was packed anew or redacted: its file must go, however young it is.
    """
    return [
        digest
        for digest in engine.loose(older_s=0)
        if any(engine.read(project, partial(_has, digest=digest)) for project in engine.heads())
    ]


def _has(tx: ReadTx, digest: Digest) -> bool:
    return tx.blob(digest) is not None


def _kept(found: Garbage) -> Iterator[Sizes]:
    yield from found.unnamed.values()
    yield from found.deleted.values()


def _let_go(store: Store, tx: WriteTx, deleted_before: str, stamp: Stamp) -> None:
    """Let go in the transaction that sees that nothing needs it."""
    unnamed, deleted = _needless(store, tx, deleted_before)
    for digest in (*unnamed, *deleted):
        tx.drop(digest)
    if deleted:
        gone = [GoneBlob(digest=digest, packed_bytes=size) for digest, size in deleted.items()]
        store.record(tx, Collected(blobs=gone), stamp)


def _needless(store: Store, tx: ReadTx, deleted_before: str) -> tuple[Sizes, Sizes]:
    """Find the blobs of a project that no entry names, and those only deleted ones name."""
    named, going = _named(store, tx, deleted_before)
    sizes, bases = Sizes(), defaultdict[Digest, set[Digest]](set)
    for digest in _digests(tx):
        blob = tx.blob(digest)
        if blob is None or blob.codec == "redacted":
            continue
        if blob.base is not None:
            bases[blob.base].add(digest)
        if digest not in named:
            sizes[digest] = len(blob.packed)
    _spare_bases(sizes, bases)
    _spare_mentioned(tx, sizes, going, bases)
    unnamed = {digest: size for digest, size in sizes.items() if digest not in going}
    return unnamed, {digest: size for digest, size in sizes.items() if digest in going}


def _named(store: Store, tx: ReadTx, deleted_before: str) -> tuple[set[Digest], set[Digest]]:
    """Gather what entries name, and what is named only for what was deleted.

    Whatever looks like a digest in a payload counts as named: better too much than too little.
    """
    named, let_go = set[Digest](), set[Digest]()
    deleted = Deleted(store, tx, deleted_before)
    for entry in walking.entries(tx):
        found = {Digest(one.decode()) for one in _DIGEST.findall(entry.body or b"")}
        if entry.kind in SAVING:
            going = deleted.lets_go(entry, store.kinds.decode(entry))
            let_go |= going
            found -= going
        elif entry.kind == Collected.kind:
            continue  # it names what went, and may come again and go again
        named |= found
    return named, let_go - named


def _spare_bases(going: Sizes, bases: dict[Digest, set[Digest]]) -> None:
    """Spare what something that stays is packed against, down to the last base."""
    while spared := [digest for digest in going if bases[digest] - going.keys()]:
        for digest in spared:
            del going[digest]


def _spare_mentioned(
    tx: ReadTx, sizes: Sizes, deleted: set[Digest], bases: dict[Digest, set[Digest]]
) -> None:
    """Spare what was never named but by the content of a blob that stays, and what it rests on.

    Whatever is spared stays too, so its content counts like that of any other.
    """
    going = sizes.keys() - deleted
    looks: Iterable[Digest] = (digest for digest in _digests(tx) if digest not in going)
    while sizes.keys() - deleted:
        before = set(sizes)
        for digest in looks:
            for one in _mentioned(tx, digest) - deleted:
                sizes.pop(one, None)
        _spare_bases(sizes, bases)
        looks = before - sizes.keys()
        if not looks:
            return


def _mentioned(tx: ReadTx, digest: Digest) -> set[Digest]:
    try:
        return {Digest(one.decode()) for one in _DIGEST.findall(content(tx, digest))}
    except BlobDamaged:
        return set()  # it names nothing that anybody could read


def _digests(tx: ReadTx) -> Iterator[Digest]:
    after = ""
    while page := tx.digests(after=after, limit=ENTRIES_PAGE):
        yield from page
        after = page[-1]
