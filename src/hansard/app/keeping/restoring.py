"""Restores a backup: into a new folder, verified there, and only then into the store's place."""

import errno
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hansard.app import copies
from hansard.app.keeping.backup import (
    Backup,
    BackupUnsound,
    OpenStore,
    bundle_name,
    heads_of,
    prove,
)
from hansard.app.keeping.blob_lock import alone, building
from hansard.app.keeping.exporting import Progress
from hansard.app.keeping.files import exchange
from hansard.app.keeping.importing import look_through, take_in
from hansard.app.preflight import refused
from hansard.app.verify import verify
from hansard.decisions.git import decision_log
from hansard.engines.sqlite import copying
from hansard.engines.sqlite.interim_name import between_name
from hansard.kernel.private_files import sync_folder
from hansard.kernel.problem import Problem, StorageUnavailable
from hansard.kernel.store import Store

Heads = dict[str, tuple[int, str]]


class StoreInPlace(Problem):
    """There is a store already where the backup should go."""

    code, http_status = "STORE_IN_PLACE", 409
    hint = "Name a new place with --store, or --force to set what is there aside"


class StoreInUse(Problem):
    """A process has the store open that should be replaced."""

    code, http_status = "STORE_IN_USE", 409
    hint = "End the servers that use it, then try again"


def restore_folder(
    backup: Backup,
    location: Path,
    *,
    open_store: OpenStore,
    force: bool = False,
    progress: Progress = lambda *_: None,
) -> tuple[Heads, Path | None]:
    """Put a backup in a folder as its store; returns its heads, and where the old store went."""
    if backup.form != "store":
        raise StoreInPlace(
            "This backup holds bundles, which are restored into a database",
            hint="Name one with --store, or `hansard import` the bundles one by one",
        )
    location = location.resolve()
    try:
        with building(location) as incoming:
            _require_free(location, force=force)
            copying.copy_store(backup.folder, incoming, like=None)
            with open_store(incoming) as store:
                heads = prove(store, progress=progress)
                copies.note_all(store)
                # Repositories are no part of a backup: they are made again.
                decision_log.start_over(store)
            copying.tidy_up(incoming)
            _require_heads(heads, backup)
            return heads, swap(incoming, location, force=force)
    except OSError as error:
        raise refused(error, f"{location} cannot be written") from error


def restore_bundles(backup: Backup, store: Store, *, progress: Progress = lambda *_: None) -> Heads:
    """Take every project of a backup into an empty store; returns its heads.

    An interrupted attempt is continued: what is there must be how the backup begins.
    """
    if backup.form != "bundles":
        raise StoreInPlace(
            "This backup is of a store in a folder, and is restored into one",
            hint="Name a folder with --store, then move projects with `hansard export`",
        )
    with alone(store.engine):
        there = store.engine.heads()
        paths = [backup.folder / bundle_name(number + 1) for number in range(len(backup.heads))]
        found = [(path, look_through(path, store.kinds, heads=there)) for path in paths]
        ours = {contents.opening.project for _, contents in found if contents.goes_on}
        if strange := sorted(there.keys() - ours):
            raise StoreInPlace(
                "The store there holds projects that are not those to be taken over, or other "
                f"entries of them: {', '.join(strange[:5])}",
                hint="Name an empty place",
            )
        for path, contents in found:
            take_in(store, path, contents, contents.opening.project, progress=progress)
        copies.note_all(store)
    report = verify(store, quick=True, progress=progress)
    if report.exit_code > 1:
        raise BackupUnsound(f"What was restored is not sound: {report.findings[0].message}")
    heads = heads_of(store.engine.heads())
    _require_heads(heads, backup)
    return heads


def _require_free(location: Path, *, force: bool) -> None:
    if not _is_empty(location):
        if not force:
            raise StoreInPlace(f"There is something in {location} already")
        require_unused(location)


def _is_empty(location: Path) -> bool:
    return not location.exists() or not any(location.iterdir())


def require_unused(location: Path) -> None:
    """Refuse a store that somebody has open."""
    with _unused(location):
        pass


@contextmanager
def _unused(location: Path) -> Iterator[None]:
    """Keep others from opening a store for a while; refuse if somebody has it open already."""
    with copying.claimed(location) as is_free:
        if not is_free:
            raise StoreInUse(f"The store in {location} is in use")
        yield


def _require_heads(heads: Heads, backup: Backup) -> None:
    if heads != backup.heads:
        raise BackupUnsound(
            "The journals do not end where the backup says they did",
            hint="The backup was altered; take an older one",
        )


def swap(incoming: Path, location: Path, *, force: bool) -> Path | None:
    """Put the new store in place, at once if the system can; what was there is kept beside it.

    Somebody may have begun a store there, or opened it, since we last looked: then nothing is done.
    """
    if _is_empty(location):
        try:
            # This replaces an empty folder, and nothing else.
            incoming.rename(location)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            raise StoreInPlace(f"A store was begun in {location} meanwhile") from error
        _make_sure(location, None)
        return None
    if not force:
        raise StoreInPlace(f"A store was begun in {location} meanwhile")
    aside = location.with_name(f"{location.name}.replaced-{secrets.token_hex(4)}")
    with _unused(location):
        # Not under the name of a store being built: that is removed after a crash.
        incoming.rename(aside)
        try:
            exchange(aside, location, between_name(location))
        except OSError as error:
            aside.rename(incoming)
            raise StorageUnavailable(
                f"{location} cannot be replaced: {error.strerror}",
                hint="Nothing was changed; restore into a new folder, named with --store",
                outcome="not_written",
            ) from error
        _make_sure(location, aside)
    return aside


def _make_sure(location: Path, aside: Path | None) -> None:
    """Make a store's new place durable; if the disk fails, nobody knows whether it stays."""
    try:
        sync_folder(location.parent)
    except OSError as error:
        kept = f" What was there is kept as {aside.name}." if aside else ""
        raise StorageUnavailable(
            f"The new store is in place, and the disk failed to say that it stays so: "
            f"{error.strerror}.{kept}",
            hint=f"Check the disk, then run `hansard verify` on {location}",
            outcome="unknown",
        ) from error
