"""Backups: a folder of complete copies, each verified before it gets its name.

A backup folder holds one folder for each time that a backup was taken, named by that time. One that
is not complete yet is called `.incoming-…`, so whatever has its final name is complete. A store
that lies in a folder is copied as it is; of any other store, each project is exported into a
bundle.
"""

import fcntl
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import orjson

from hansard.app.keeping.blob_lock import KeepingBusy, alone
from hansard.app.keeping.exporting import Progress, write_bundle
from hansard.app.keeping.files import remove, write_durably
from hansard.app.keeping.importing import look_through
from hansard.app.preflight import refused
from hansard.app.verify import Report, verify
from hansard.engines.sqlite import copying
from hansard.kernel.event import Head
from hansard.kernel.private_files import make_folder, sync_folder
from hansard.kernel.problem import InvalidInput, Problem
from hansard.kernel.store import CATALOG, Store

MANIFEST = "backup.json"
INCOMING = ".incoming-"
LOCK_FILE = ".lock"
FORMAT = 1

Form = Literal["store", "bundles"]
OpenStore = Callable[[Path], AbstractContextManager[Store]]
"""Opens the store that lies in a folder, for a while."""


class BackupUnsound(Problem):
    """What was copied is not sound, so it does not count as a backup."""

    code, http_status = "BACKUP_UNSOUND", 500
    hint = "Run `hansard verify` on the store; older backups are untouched"


class BackupNotFound(Problem):
    """There is no whole backup in that folder."""

    code, http_status = "BACKUP_NOT_FOUND", 404
    hint = "Name the folder that was given to `hansard backup`"


@dataclass(frozen=True, slots=True)
class Backup:
    """A whole backup."""

    folder: Path
    taken_at: str
    form: Form
    heads: dict[str, tuple[int, str]]
    """By project: the seq and hash at which its journal ended."""
    copied: int = 0
    """How many files had to be copied; the others are those of the backup before."""
    store: str = ""
    """The hash of the store's first entry, which tells it from all others; empty if unknown."""


def back_up(
    store: Store,
    location: Path | None,
    target: Path,
    *,
    at: str,
    open_store: OpenStore,
    whole: bool = False,
    progress: Progress = lambda *_: None,
) -> Backup:
    """Take a backup of a store while others write to it, and prove it.

    `location` is the store's folder, `None` if it has none. `whole` copies every file, instead of
    sharing those that the backup before has.
    """
    _require_outside(target, location)
    with alone(store.engine), _into(target), _named_when_done(target, at) as incoming:
        earlier = backups(target)
        like = earlier[-1] if earlier and not whole else None
        if location is not None:
            form: Form = "store"
            taken = partial(_copy, location, incoming, like, open_store)
        else:
            form = "bundles"
            taken = partial(export_all, store, incoming)
        heads, copied = taken(progress)
        backup = Backup(target / _name(at), at, form, heads, copied, _identity(store))
        _write_manifest(incoming, backup)
    return backup


def backups(target: Path) -> list[Backup]:
    """List the complete backups in a folder, oldest first, without those that cannot be read."""
    found: list[Backup] = []
    for folder in _folders(target):
        with suppress(BackupNotFound):
            found.append(_read_manifest(folder))
    return found


def unreadable(target: Path) -> list[Path]:
    """List the folders that should be backups, and no longer say what they hold."""
    readable = {backup.folder for backup in backups(target)}
    return [folder for folder in _folders(target) if folder not in readable]


def _folders(target: Path) -> list[Path]:
    found = sorted(target.glob(f"*/{MANIFEST}")) if target.is_dir() else []
    return [path.parent for path in found if not path.parent.name.startswith(".")]


def find_backup(source: Path) -> Backup:
    """Find the newest backup in a folder, or the one that this folder is."""
    if (source / MANIFEST).is_file():
        return _read_manifest(source)
    found = backups(source)
    if not found:
        raise BackupNotFound(f"There is no backup in {source}")
    return found[-1]


def forget(target: Path, taken: Backup, *, keep: int) -> list[Path]:
    """Remove all but the newest backups of a store; returns what was removed.

    The one just taken stays, though a clock that was put back makes it look old. So does whatever
    may be another store's.
    """
    assert keep > 0, "the backup just taken is not removed"
    others = [
        backup.folder
        for backup in backups(target)
        if taken.store and backup.store == taken.store and backup.folder != taken.folder
    ]
    old = others[: max(0, len(others) - (keep - 1))]
    for folder in old:
        # Renamed first: what is removed in part has no name that looks whole.
        going = folder.with_name(f"{INCOMING}{folder.name}")
        folder.rename(going)
        sync_folder(target)
        shutil.rmtree(going)
    return old


def prove(store: Store, *, progress: Progress = lambda *_: None) -> dict[str, tuple[int, str]]:
    """Prove the chain and the blobs of a copy; returns where its journals end."""
    report = verify(store, quick=True, progress=progress)
    if _is_unsound(report):
        first = report.findings[0]
        raise BackupUnsound(f"The copy is not sound: {first.project}: {first.message}")
    return heads_of(store.engine.heads())


def heads_of(heads: dict[str, Head]) -> dict[str, tuple[int, str]]:
    """Reduce the heads to what receipts can be compared with."""
    return {project: (head.seq, head.hash) for project, head in sorted(heads.items())}


def _identity(store: Store) -> str:
    first = store.engine.read(CATALOG, lambda tx: tx.entries(limit=1))
    return first[0].hash if first else ""


def _require_outside(target: Path, location: Path | None) -> None:
    if location is not None and target.resolve().is_relative_to(location.resolve()):
        raise InvalidInput(
            f"{target} lies in the store, and would be lost with it",
            hint="Name a folder elsewhere, at best on another disk",
        )


def _is_unsound(report: Report) -> bool:
    return any(finding.severity != "drift" for finding in report.findings)


def _copy(
    location: Path,
    incoming: Path,
    like: Backup | None,
    open_store: OpenStore,
    progress: Progress,
) -> tuple[dict[str, tuple[int, str]], int]:
    shared = like.folder if like and like.form == "store" else None
    copied = copying.copy_store(
        location, incoming, like=shared, progress=partial(progress, "store", "blob files")
    )
    try:
        with open_store(incoming) as copy:
            heads = prove(copy, progress=progress)
    except BackupUnsound:
        if shared is None:
            raise
        # A file may have rotted in the backup before, which would spoil all that share it.
        shutil.rmtree(incoming)
        return _copy(location, incoming, None, open_store, progress)
    copying.tidy_up(incoming)
    return heads, copied


def export_all(
    store: Store, incoming: Path, progress: Progress
) -> tuple[dict[str, tuple[int, str]], int]:
    """Export each project, the catalog last: so it knows all that the others rest on."""
    heads: dict[str, tuple[int, str]] = {}
    projects = [*sorted(store.engine.heads().keys() - {CATALOG}), CATALOG]
    for number, project in enumerate(projects, start=1):
        path = incoming / bundle_name(number)
        head, _ = write_bundle(store, project, path, progress=progress)
        look_through(path, store.kinds)
        heads[project] = (head.seq, head.hash)
    return heads, len(projects)


def bundle_name(number: int) -> str:
    """Name a bundle by its place, since a project's id is not always a file's name."""
    return f"{number:06d}.bundle"


@contextmanager
def _into(target: Path) -> Iterator[None]:
    """Lock a backup folder for writing, and remove what a crash left there."""
    try:
        make_folder(target)
        descriptor = os.open(target / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise refused(error, f"{target} cannot be written") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for left in target.glob(f"{INCOMING}*"):
            shutil.rmtree(left)
        yield
    except BlockingIOError:
        raise KeepingBusy(f"Another backup is being written into {target}") from None
    finally:
        os.close(descriptor)


@contextmanager
def _named_when_done(target: Path, at: str) -> Iterator[Path]:
    """Give a folder to fill; it gets its name once it is complete, else it is removed."""
    incoming = target / f"{INCOMING}{secrets.token_hex(4)}"
    try:
        incoming.mkdir(mode=0o700)
        yield incoming
        sync_folder(incoming)
        incoming.rename(target / _name(at))
        sync_folder(target)
    except OSError as error:
        raise refused(error, "The backup cannot be written") from error
    finally:
        with suppress(OSError):  # the next backup removes it
            remove(incoming)


def _name(at: str) -> str:
    """Name a backup by its time, so that names sort as times do and any file system takes them."""
    return at.replace(":", "").replace("-", "")


def _write_manifest(folder: Path, backup: Backup) -> None:
    said = asdict(backup) | {"format": FORMAT}
    del said["folder"]
    write_durably(folder / MANIFEST, [orjson.dumps(said, option=orjson.OPT_INDENT_2)])


def _read_manifest(folder: Path) -> Backup:
    try:
        said = orjson.loads((folder / MANIFEST).read_bytes())
        return Backup(
            folder=folder,
            taken_at=said["taken_at"],
            form=said["form"],
            heads={project: (seq, digest) for project, (seq, digest) in said["heads"].items()},
            copied=said["copied"],
            store=said.get("store", ""),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BackupNotFound(f"{folder / MANIFEST} cannot be read: {error}") from error
