"""Exports a project: its journal up to now and all its blobs, in one file."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from hansard import __version__
from hansard.app.keeping.blob_lock import alone
from hansard.app.keeping.bundle import End, Opening, paged, writing
from hansard.app.keeping.files import made_whole
from hansard.kernel import paging
from hansard.kernel.blob import Blob, Digest
from hansard.kernel.engine import Engine, ReadTx
from hansard.kernel.event import Head
from hansard.kernel.store import Store
from hansard.sessions import projects
from hansard.sessions.contract import ProjectNotFound

Progress = Callable[[str, str, int, int], None]
"""Hears which project is under way, what of it, how much is done, and of how much."""


def export_project(
    store: Store, project: str, path: Path, *, progress: Progress = lambda *_: None
) -> tuple[Head, End]:
    """Write a project into a new file, whole or not at all; returns where its journal ended."""
    found = projects.find(store, project)
    with alone(store.engine):
        return write_bundle(store, found.key if found else project, path, progress=progress)


def write_bundle(
    store: Store, project: str, path: Path, *, progress: Progress = lambda *_: None
) -> tuple[Head, End]:
    """Write a project into a file. The caller holds the keeping lock of the store."""
    line = projects.line(store, project)
    head = store.engine.heads().get(project)
    if head is None:
        if line is None:
            raise projects.not_found(store, project)
        raise ProjectNotFound(f"The project {project} has no entries yet", project_id=project)
    opening = Opening(
        project=project,
        name=line["name"] if line else project,
        description=line["description"] if line else None,
        seq=head.seq,
        hash=head.hash,
        made_by=f"hansard {__version__}",
    )
    with made_whole(path) as incoming:
        return head, _write(store.engine, opening, incoming, partial(progress, project))


def _write(
    engine: Engine, opening: Opening, path: Path, progress: Callable[[str, int, int], None]
) -> End:
    written = 0
    with writing(path) as bundle:
        bundle.begin(opening)
        for blobs in paged(_blobs(engine, opening.project), lambda blob: len(blob.packed)):
            bundle.add_blobs(blobs)
            written += len(blobs)
            progress("blobs", written, written)
        # Only up to where the journal ended when the export began.
        journal = paging.entries_apart(engine, opening.project, last=opening.seq)
        for entries in paged(journal, lambda entry: len(entry.payload or b"")):
            bundle.add_entries(entries)
            progress("entries", entries[-1].seq, opening.seq)
        end = bundle.finish()
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return end


def _blobs(engine: Engine, project: str) -> Iterator[Blob]:
    """Read all blobs in the order of their digests, one at a time, since one may be large.

    Others write meanwhile. A blob that they add ahead of us may rest on one that they added behind
    us; that one is read too, or the bundle could not be taken in.
    """
    passed: set[bytes] = set()
    for digest in paging.digests_apart(engine, project):
        wanted: Digest | None = digest
        while wanted and wanted <= digest and bytes.fromhex(wanted) not in passed:
            blob = engine.read(project, partial(_blob, digest=wanted))
            assert blob is not None, "a blob went away while the store was being kept"
            passed.add(bytes.fromhex(wanted))
            yield blob
            wanted = blob.base


def _blob(tx: ReadTx, digest: Digest) -> Blob | None:
    return tx.blob(digest)
