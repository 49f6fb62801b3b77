"""Garbage collection. `unused_blobs.py` looks first, and changes nothing.

Three things are collected: what was staged or kept and is named by no entry; what only deleted
checkpoints and threads named, and answers to calls whose keys are forgotten; and tables of views
that have newer versions. A blob that another is packed against stays, and so does whatever any
other entry names.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from hansard.app.keeping.blob_lock import alone
from hansard.app.keeping.idempotency_keys import NONE_OLD, count_old, forget_some, old_keys
from hansard.app.keeping.unused_blobs import Sizes, sifted
from hansard.kernel.blob import Digest
from hansard.kernel.engine import Engine, ReadTx
from hansard.kernel.event import Head, Stamp
from hansard.kernel.store import Store

LOOSE_S = 3_600.0
"""What was staged less than an hour ago may yet be kept."""

Progress = Callable[[str, str, int, int], None]


@dataclass(frozen=True, slots=True)
class Garbage:
    """What can be collected, and how many bytes it takes."""

    loose: Sizes
    """Staged, or left by a crash, and kept by no project."""
    unnamed: dict[str, Sizes]
    """By project: kept, and named by no entry."""
    deleted: dict[str, Sizes]
    """By project: named only by checkpoints and steps of threads that were deleted, or by answers
    that are forgotten."""
    tables: tuple[str, ...]
    """Of older versions of views."""
    keys: int = 0
    """Of calls made so long ago that they are forgotten."""

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


def find(
    store: Store,
    *,
    deleted_before: str,
    keys_before: str | None = None,
    progress: Progress = lambda *_: None,
) -> Garbage:
    """Look for what can be collected; `deleted_before` says since when it must be deleted.

    Keys of calls from before `keys_before` can be forgotten; without it, none.
    """
    found = _Found()
    heads = store.engine.heads()
    for number, project in enumerate(sorted(heads), start=1):
        old = NONE_OLD
        if keys_before is not None:
            old = store.read(project, partial(old_keys, made_before=keys_before))
            found.keys += store.read(project, partial(count_old, made_before=keys_before))
        before = old.replies_before
        with sifted(store, project, deleted_before, replies_before=before) as sifting:
            found.note(project, sifting.sieve.next(-1, is_deleted=False), is_deleted=False)
            found.note(project, sifting.sieve.next(-1, is_deleted=True), is_deleted=True)
        progress(project, "projects", number, len(heads))
    return found.garbage(store, heads)


def collect(
    store: Store,
    *,
    deleted_before: str,
    keys_before: str | None = None,
    stamp: Stamp,
    progress: Progress = lambda *_: None,
) -> Garbage:
    """Look beside writers and release what is found, some at a time; returns what went.

    Between two steps the store is sound, so that it may end at any of them: what is left is found
    by the next look.
    """
    found = _Found()
    with alone(store.engine) as still_alone:
        heads = store.engine.heads()
        for number, project in enumerate(sorted(heads), start=1):
            while keys_before and (count := forget_some(store, project, keys_before, stamp)):
                found.keys += count
                still_alone()
            with sifted(store, project, deleted_before) as sifting:
                while not sifting.is_empty():
                    still_alone()
                    unnamed, deleted = sifting.let_go(stamp)
                    store.engine.discard([*unnamed, *deleted])
                    found.note(project, unnamed, is_deleted=False)
                    found.note(project, deleted, is_deleted=True)
            progress(project, "projects", number, len(heads))
        still_alone()
        garbage = found.garbage(store, heads)
        store.engine.discard([*garbage.loose, *superfluous(store.engine)])
        store.engine.scrub(dropping=garbage.tables)
    return garbage


class _Found:
    """What was found so far, by project."""

    def __init__(self) -> None:
        self._unnamed: dict[str, Sizes] = {}
        self._deleted: dict[str, Sizes] = {}
        self.keys = 0

    def note(self, project: str, sizes: Sizes, *, is_deleted: bool) -> None:
        """Add some blobs of a project."""
        if sizes:
            by_project = self._deleted if is_deleted else self._unnamed
            by_project.setdefault(project, {}).update(sizes)

    def garbage(self, store: Store, heads: Mapping[str, Head]) -> Garbage:
        """Give all of it, and what belongs to no project."""
        # Until every project is derived by our views, an older program may yet read the old tables.
        are_ours = all(head.views == store.fingerprint for head in heads.values())
        tables = tuple(store.engine.outdated()) if are_ours else ()
        loose = store.engine.loose(older_s=LOOSE_S)
        return Garbage(loose, self._unnamed, self._deleted, tables, self.keys)


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
