"""Repairs a damaged store: rebuilds its views, or moves what is sound into a new store."""

import secrets
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hansard.app.keeping.backup import Backup, OpenStore
from hansard.app.keeping.blob_lock import alone, building
from hansard.app.keeping.exporting import Progress
from hansard.app.keeping.restoring import require_unused, restore_bundles, swap
from hansard.app.keeping.salvage import SalvagedAnswer, projects_in, save_project
from hansard.app.preflight import refused
from hansard.app.verify import Report, verify
from hansard.engines.sqlite import copying
from hansard.kernel.event import Stamp
from hansard.kernel.problem import PermissionDenied, Problem, StorageUnavailable
from hansard.kernel.store import Store

Need = Literal["nothing", "views", "salvage"]


class RepairFailed(Problem):
    """What could be saved is not sound either, so nothing was changed."""

    code, http_status = "REPAIR_FAILED", 500
    hint = "Restore a backup with `hansard restore-backup`; nothing was changed"


@dataclass(frozen=True, slots=True)
class Repaired:
    """How a repair went."""

    saved: tuple[SalvagedAnswer, ...]
    replaced: Path | None
    """Where the damaged store lies now; `None` if it was mended where it is."""
    aside: Path | None
    """The folder of entries that could not stay in the journal; `None` if there were none."""


def needed(report: Report) -> Need:
    """Say what a verification calls for."""
    serious = {one.check for one in report.findings if one.severity != "drift"}
    if serious - {"views"}:
        return "salvage"
    return "views" if report.findings else "nothing"


def derive_again(store: Store, report: Report, *, progress: Progress = lambda *_: None) -> None:
    """Derive the views of the projects that need it, each in one transaction."""
    projects = sorted({one.project for one in report.findings if one.check == "views"})
    with alone(store.engine):
        for number, project in enumerate(projects, start=1):
            store.rebuild(project)
            progress(project, "views", number, len(projects))


def salvage(
    location: Path,
    backup: Backup | None,
    *,
    open_store: OpenStore,
    stamp: Stamp,
    progress: Progress = lambda *_: None,
) -> Repaired:
    """Save what is sound into a new store, prove it, and replace the damaged one with it."""
    _require_person(stamp)
    location = location.resolve()
    try:
        return _salvaged(location, backup, open_store, stamp, progress)
    except OSError as error:
        raise refused(error, f"{location} cannot be mended") from error


def _salvaged(
    location: Path,
    backup: Backup | None,
    open_store: OpenStore,
    stamp: Stamp,
    progress: Progress,
) -> Repaired:
    aside = location.with_name(f"{location.name}.aside-{secrets.token_hex(4)}")
    with building(location) as incoming:
        require_unused(location)
        with (
            _scratch_beside(incoming) as scratch,
            _sources(location, backup, scratch, open_store) as sources,
            open_store(incoming) as target,
        ):
            with _lost_contents_as_failure():
                saved = tuple(
                    save_project(
                        sources, target, project, aside=aside, stamp=stamp, progress=progress
                    )
                    for project in projects_in(sources)
                )
            _require_sound(target, saved, progress)
        copying.tidy_up(incoming)
        replaced = swap(incoming, location, force=True)
    return Repaired(saved, replaced, aside if aside.exists() else None)


@contextmanager
def _scratch_beside(incoming: Path) -> Iterator[Path]:
    """Give a folder for copies, beside the new store and called like it: a crash leaves neither."""
    # What a failing disk keeps is removed by the next repair, and must not hide why this one
    # failed.
    with tempfile.TemporaryDirectory(
        prefix=f"{incoming.name}-", dir=incoming.parent, ignore_cleanup_errors=True
    ) as folder:
        yield Path(folder)


@contextmanager
def _lost_contents_as_failure() -> Iterator[None]:
    try:
        yield
    except (AssertionError, LookupError, TypeError, ValueError) as error:
        # A view that cannot do without a content that is lost. Only the new store was touched.
        raise RepairFailed(f"The views cannot be derived from what is left: {error}") from error


def _require_person(stamp: Stamp) -> None:
    if stamp.actor.kind != "human":
        raise PermissionDenied(
            "Only a person may replace a damaged store", hint="Run it yourself, on a terminal"
        )


def _require_sound(store: Store, saved: Sequence[SalvagedAnswer], progress: Progress) -> None:
    if not any(one.head.seq for one in saved):
        raise RepairFailed("No entry of any project could be read, so there is nothing to save")
    # The views were derived just now, from the same entries: comparing them would say nothing.
    report = verify(store, quick=True, progress=progress)
    bad = [one for one in report.findings if one.severity != "drift"]
    if bad:
        raise RepairFailed(f"What could be saved is not sound: {bad[0].message}")


@contextmanager
def _sources(
    location: Path, backup: Backup | None, scratch: Path, open_store: OpenStore
) -> Iterator[list[Store]]:
    """Open copies of the damaged store, if possible, and of the backup, never the originals."""
    with ExitStack() as stack:
        sources: list[Store] = []
        try:
            copy = copying.copy_files(location, scratch / "damaged")
            sources.append(stack.enter_context(open_store(copy)))
        except StorageUnavailable:
            if backup is None:
                raise
        if backup is not None and backup.form == "store":
            copy = copying.copy_files(backup.folder, scratch / "backup")
            sources.append(stack.enter_context(open_store(copy)))
        elif backup is not None:
            store = stack.enter_context(open_store(scratch / "backup"))
            restore_bundles(backup, store)
            sources.append(store)
        yield sources
