"""Whether a store is what it says: database, chain, blobs, views, intents and kept receipts.

Nothing here writes, and nothing waits for writers: verification ends where each journal ended when
it began.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hansard.app.anchoring import holds
from hansard.app.unfinished_imports import unfinished
from hansard.app.verify import documents
from hansard.app.verify.anchors import check_anchors
from hansard.app.verify.chain import DAMAGED
from hansard.app.verify.documents import Documents
from hansard.app.verify.folder import check_folder
from hansard.app.verify.intents import list_intents
from hansard.app.verify.one_project import Examination
from hansard.app.verify.report import (
    Checked,
    Finding,
    Findings,
    OpenIntent,
    Progress,
    ReceiptFound,
    Report,
)
from hansard.app.verify.scratch import scratch
from hansard.app.verify.views import all_filed
from hansard.app.verify.worker_processes import Spread, check_projects
from hansard.kernel.engine import Engine
from hansard.kernel.event import Head, Receipt
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.store import CATALOG, Store
from hansard.kernel.temporary_files import NoTemporaryRoom
from hansard.sessions.contract import ProjectNotFound
from hansard.sessions.project_views import PROJECTS

__all__ = [
    "Checked",
    "Finding",
    "OpenIntent",
    "ReceiptFound",
    "Report",
    "Spread",
    "list_intents",
    "projects_of",
    "verify",
]


def verify(
    store: Store,
    *,
    projects: Sequence[str] = (),
    quick: bool = False,
    receipts: Sequence[Receipt] = (),
    progress: Progress = lambda *_: None,
    git: Path | None = None,
    folder: Path | None = None,
    anchored: Path | None = None,
    spread: Spread | None = None,
) -> Report:
    """Check a store, or only some projects of it, and the Git repositories in a folder.

    `folder` is the store's own, if it lies in one; `anchored` is a file with anchors.
    `quick` leaves out comparing the views and the repositories with what the journal makes of them,
    and having the database prove its own pages.
    """
    store.engine.forget()
    known = projects_of(store.engine)
    for project in projects:
        if project not in known:
            raise ProjectNotFound(f"There is no project {project}", project_id=project)
    findings = Findings()
    if not projects:
        if folder:
            check_folder(folder, findings)
        _check_catalog(store, findings)
        _check_database(store.engine, findings, thorough=not quick)
        _check_imports(store, findings)
    entries = _entries(store.engine)
    with scratch(documents.SCHEMA, entries=entries, is_shared=spread is not None) as aside:
        found = None if quick else _documents(store, aside.engine, findings)
        look = Examination(store, quick, findings, progress, git, found)
        checked = check_projects(look, projects or known, spread, aside.folder)
    if anchored:
        check_anchors(store.engine, anchored, projects or known, findings)
    return Report(
        quick=quick,
        projects=tuple(checked),
        findings=tuple(findings),
        open_intents=tuple(_intents(look, projects or known)),
        receipts=tuple(_find(look, receipt, projects or known) for receipt in receipts),
        left_out=findings.left_out,
    )


def projects_of(engine: Engine) -> list[str]:
    """Name every project that has a journal or a line in the directory, the catalog first."""
    everything: set[Any] = {*_heads(engine), *(_listed(engine) or ())} - {CATALOG}
    return [CATALOG, *sorted(name for name in everything if isinstance(name, str))]


def _listed(engine: Engine) -> set[str] | None:
    """Name the projects of the directory; `None` where it cannot be read."""
    try:
        return set(engine.read(CATALOG, lambda tx: dict(all_filed(tx, PROJECTS))))
    except DAMAGED:
        return None  # that is reported with the views of the catalog


def _heads(engine: Engine) -> dict[str, Head]:
    """Give the heads; none if one cannot be read, which is reported with the catalog."""
    try:
        return engine.heads()
    except DAMAGED:
        return {}


def _check_catalog(store: Store, findings: Findings) -> None:
    try:
        heads: Mapping[Any, Head] = store.engine.heads()
    except DAMAGED:
        findings.broken("head", CATALOG, "The heads cannot be read: a row of theirs is damaged")
        return
    for name in heads:
        if not isinstance(name, str):
            findings.broken("head", CATALOG, f"A head's project is not a name: {name!r}")
    if heads and CATALOG not in heads:
        findings.broken("head", CATALOG, "The catalog has no journal, though there are projects")
    catalog = heads.get(CATALOG)
    if catalog is None or catalog.views != store.fingerprint:
        return  # an older program's directory, or a newer one's, is not where this one would look
    listed = _listed(store.engine)
    unlisted = [] if listed is None else sorted(map(str, heads.keys() - listed - {CATALOG}))
    for name in unlisted:
        message = f"{name} has a journal, and no entry of the catalog made such a project"
        findings.drift("head", CATALOG, f"{message}; `hansard export` saves it, if it is yours")


def _check_imports(store: Store, findings: Findings) -> None:
    """Say which projects are only half here; what cannot be read is reported with the heads."""
    with suppress(StorageUnavailable, LookupError, *DAMAGED):
        for project, message in unfinished(store).items():
            findings.drift("store", project, message)


def _check_database(engine: Engine, findings: Findings, *, thorough: bool) -> None:
    """Ask the database about itself. It has no projects, so what it says is the catalog's."""
    try:
        for fault in engine.check(thorough=thorough):
            findings.broken("database", CATALOG, fault)
    except StorageUnavailable as problem:
        findings.unreadable("database", CATALOG, problem.message)


def _entries(engine: Engine) -> int:
    try:
        return sum(head.seq for head in _heads(engine).values())
    except DAMAGED:
        return 0  # that is reported with the heads


def _documents(store: Store, aside: Engine, findings: Findings) -> Documents | None:
    """Read the documents that searches read; `None` if that fails."""
    topics = [topic for view in store.views for topic in view.topics]
    try:
        found = Documents.looked(store.engine, topics, aside)
    except NoTemporaryRoom:
        raise
    except StorageUnavailable as problem:
        findings.unreadable("database", CATALOG, problem.message)
        return None
    except DAMAGED:
        findings.broken("database", CATALOG, "The full-text documents cannot be read")
        return None
    for fault in found.nobodys():
        findings.broken("database", CATALOG, fault)
    return found


def _intents(look: Examination, projects: Collection[str]) -> list[OpenIntent]:
    found: list[OpenIntent] = []
    for project in projects:
        try:
            found += list_intents(look.store.engine, project)
        except StorageUnavailable as problem:
            look.findings.unreadable("intents", project, problem.message)
        except (AssertionError, LookupError, *DAMAGED):
            look.findings.broken("intents", project, "The open intents cannot be read")
    return found


def _find(look: Examination, receipt: Receipt, projects: Collection[str]) -> ReceiptFound:
    """Look for a receipt in these projects' journals, since it does not say whose it is."""
    for project in projects:
        with suppress(*DAMAGED):  # that is reported with the chain
            if look.store.engine.read(project, lambda tx: holds(tx, receipt)):
                return ReceiptFound(receipt.seq, receipt.hash, project)
    return ReceiptFound(receipt.seq, receipt.hash, None)
