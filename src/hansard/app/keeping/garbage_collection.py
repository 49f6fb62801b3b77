"""Garbage collection. `unused_blobs.py` looks first, and changes nothing.

Three things are collected: what was staged or kept and is named by no entry; what only deleted
checkpoints and threads named, and answers to calls whose keys are forgotten; and tables of views
that have newer versions. A blob that another is packed against stays, and so does whatever any
other entry names.

An entry reports the second kind. It is written only where somebody has written since the project
last went to another store or came from one (`copies.py`): two stores that are kept in step never
diverge because of it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from hansard.app import copies
from hansard.app.keeping.blob_lock import alone
from hansard.app.keeping.idempotency_keys import (
    NONE_OLD,
    Cutoff,
    count_old,
    forget_some,
    old_keys,
)
from hansard.app.keeping.unused_blobs import Sizes, sifted
from hansard.kernel.blob import Digest
from hansard.kernel.engine import Engine, ReadTx
from hansard.kernel.event import Head, Stamp
from hansard.kernel.limits import INLINE_BLOB_BYTES_MAX
from hansard.kernel.store import Store

LOOSE_S = 3_600.0
"""What was staged less than an hour ago may yet be kept."""

Progress = Callable[[str, str, int, int], None]


@dataclass(frozen=True, slots=True)
class Garbage:
    """What can be collected, and its size in bytes."""

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
    """Keys of calls made so long ago that they are forgotten."""
    waiting: tuple[str, ...] = ()
    """Projects of which something stays until somebody writes to them, as another store has all
    that they have."""

    @property
    def count(self) -> int:
        """Count the blobs."""
        return sum(len(sizes) for sizes in self._all())

    @property
    def bytes(self) -> int:
        """Give the packed size of the blobs."""
        return sum(sum(sizes.values()) for sizes in self._all())

    def _all(self) -> Iterator[Sizes]:
        yield self.loose
        yield from self.unnamed.values()
        yield from self.deleted.values()


def find(
    store: Store,
    *,
    deleted_before: str,
    keys_before: Cutoff | None = None,
    goes_on_here: bool = False,
    progress: Progress = lambda *_: None,
) -> Garbage:
    """Look for what can be collected; `deleted_before` says since when it must be deleted.

    Keys of calls from before `keys_before` can be forgotten; without it, none. If each project
    `goes_on_here`, it does not matter which others have.
    """
    found = _Found()
    heads = store.engine.heads()
    for number, project in enumerate(sorted(heads), start=1):
        may_write = goes_on_here or copies.has_gone_on(store, project)
        old = NONE_OLD
        if keys_before is not None:
            old = store.read(project, partial(old_keys, cutoff=keys_before))
            count = store.read(project, partial(count_old, cutoff=keys_before))
            found.note_keys(project, count, may_write=may_write)
        before = old.replies_before
        with sifted(
            store, project, deleted_before, replies_before=before, may_write=may_write
        ) as sifting:
            found.note(project, sifting.sieve.next(-1, is_deleted=False), is_deleted=False)
            found.note(project, sifting.sieve.next(-1, is_deleted=True), is_deleted=True)
            found.note_waiting(project, is_waiting=sifting.is_waiting)
        progress(project, "projects", number, len(heads))
    return found.garbage(store, heads)


def collect(
    store: Store,
    *,
    deleted_before: str,
    keys_before: Cutoff | None = None,
    stamp: Stamp,
    goes_on_here: bool = False,
    rewrites: bool = False,
    progress: Progress = lambda *_: None,
) -> Garbage:
    """Look beside writers and release what is found, some at a time; returns what went.

    A database that frees room by itself is left to that, unless this `rewrites` its tables.

    Between two steps the store is sound, so that it may end at any of them: what is left is found
    by the next look.
    """
    found = _Found()
    with alone(store.engine) as still_alone:
        heads = store.engine.heads()
        for number, project in enumerate(sorted(heads), start=1):
            # Until this ends, nobody moves entries to another store or from one.
            may_write = goes_on_here or copies.has_gone_on(store, project)
            if keys_before is not None:
                for count in _forgotten(store, project, keys_before, stamp, may_write=may_write):
                    found.note_keys(project, count, may_write=may_write)
                    still_alone()
            with sifted(store, project, deleted_before, may_write=may_write) as sifting:
                while not sifting.is_empty():
                    still_alone()
                    unnamed, deleted = sifting.let_go(stamp)
                    store.engine.discard(_files_of(unnamed | deleted))
                    found.note(project, unnamed, is_deleted=False)
                    found.note(project, deleted, is_deleted=True)
                found.note_waiting(project, is_waiting=sifting.is_waiting)
            progress(project, "projects", number, len(heads))
        still_alone()
        garbage = found.garbage(store, heads)
        store.engine.discard([*garbage.loose, *superfluous(store.engine)])
        store.engine.scrub(dropping=garbage.tables, gently=not rewrites)
    return garbage


def _forgotten(
    store: Store, project: str, keys_before: Cutoff, stamp: Stamp, *, may_write: bool
) -> Iterator[int]:
    """Forget old keys, some at a time, and count them; if nothing may be written, only count."""
    if not may_write:
        yield store.read(project, partial(count_old, cutoff=keys_before))
        return
    while count := forget_some(store, project, keys_before, stamp):
        yield count


def _files_of(sizes: Sizes) -> list[Digest]:
    """Name those that had a file or an object; the others lay in the database, and went with it."""
    return [digest for digest, size in sizes.items() if size > INLINE_BLOB_BYTES_MAX]


class _Found:
    """What was found so far, by project."""

    def __init__(self) -> None:
        self._unnamed: dict[str, Sizes] = {}
        self._deleted: dict[str, Sizes] = {}
        self._waiting: set[str] = set()
        self._keys = 0

    def note_keys(self, project: str, count: int, *, may_write: bool) -> None:
        """Add some keys of a project, which stay where nothing may be written."""
        if may_write:
            self._keys += count
        else:
            self.note_waiting(project, is_waiting=count > 0)

    def note_waiting(self, project: str, *, is_waiting: bool) -> None:
        """Note whether something of a project stays for now."""
        if is_waiting:
            self._waiting.add(project)

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
        waiting = tuple(sorted(self._waiting))
        return Garbage(loose, self._unnamed, self._deleted, tables, self._keys, waiting)


def superfluous(engine: Engine) -> list[Digest]:
    """Name the staged blobs that some project keeps in the database, so that no file is needed.

    That happens when a blob was packed again or redacted: its file must go, however young it is.
    """
    return [
        digest
        for digest in engine.loose(older_s=0)
        if any(engine.read(project, partial(_has, digest=digest)) for project in engine.heads())
    ]


def _has(tx: ReadTx, digest: Digest) -> bool:
    return bool(tx.kept([digest]))
