"""Whether a store is what it says: chain, blobs, views, open intents and kept receipts.

Nothing here writes, and nothing waits for writers: what is looked at ends where each journal ended
when the look began.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from hansard.app.verify.blobs import check_blobs
from hansard.app.verify.chain import Journal, check_journal
from hansard.app.verify.intents import list_intents
from hansard.app.verify.report import (
    Checked,
    Finding,
    Findings,
    OpenIntent,
    Progress,
    ReceiptFound,
    Report,
)
from hansard.app.verify.views import check_views
from hansard.decisions import gitlog
from hansard.kernel.engine import Engine, Position, ReadTx
from hansard.kernel.event import Receipt
from hansard.kernel.limits import ENTRIES_PAGE
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.store import CATALOG, Store
from hansard.sessions.contract import ProjectNotFound
from hansard.sessions.views import PROJECTS

__all__ = [
    "Checked",
    "Finding",
    "OpenIntent",
    "ReceiptFound",
    "Report",
    "list_intents",
    "projects_of",
    "verify",
]


@dataclass(frozen=True, slots=True)
class _Look:
    """What one verification is asked to do."""

    store: Store
    quick: bool
    findings: Findings
    progress: Progress
    git: Path | None


def verify(
    store: Store,
    *,
    projects: Sequence[str] = (),
    quick: bool = False,
    receipts: Sequence[Receipt] = (),
    progress: Progress = lambda *_: None,
    git: Path | None = None,
) -> Report:
    """Check a store, or only some projects of it, and the Git repositories in a folder.

    `quick` leaves out comparing the views and the repositories with what the journal makes of them.
    """
    known = projects_of(store.engine)
    for project in projects:
        if project not in known:
            raise ProjectNotFound(f"There is no project {project}", project_id=project)
    findings = Findings()
    look = _Look(store, quick, findings, progress, git)
    if not projects:
        _check_catalog(store.engine, findings)
    checked = [_check_project(look, project) for project in projects or known]
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

    def listed(tx: ReadTx) -> list[str]:
        names: list[str] = []
        after = None
        while page := tx.scan(PROJECTS, after=after, limit=ENTRIES_PAGE):
            names += [found.key for found in page]
            after = Position(None, page[-1].key)
        return names

    everything = {*engine.heads(), *engine.read(CATALOG, listed)} - {CATALOG}
    return [CATALOG, *sorted(everything)]


def _check_catalog(engine: Engine, findings: Findings) -> None:
    heads = engine.heads()
    if heads and CATALOG not in heads:
        findings.broken("head", CATALOG, "The catalog has no journal, though there are projects")


def _check_project(look: _Look, project: str) -> Checked:
    """Check one project; a store that stops answering is a finding, and the others go on."""
    journal = Journal(project)
    blobs, rows = 0, None
    try:
        check_journal(look.store, journal, look.findings, look.progress)
        blobs = check_blobs(look.store.engine, journal, look.findings, look.progress)
        if not look.quick:
            rows = check_views(look.store, journal, look.findings, look.progress)
            _check_git(look, project)
    except StorageUnavailable as problem:
        look.findings.unreadable("store", project, problem.message)
    return Checked(
        project,
        journal.entries,
        journal.reached.seq,
        journal.reached.hash,
        blobs,
        rows,
        redacted=len(journal.erased) + len(journal.blobs_erased_by_word),
    )


def _check_git(look: _Look, project: str) -> None:
    """Compare a repository with the journal. It can be made again, so nothing of it is damage."""
    for fault in gitlog.faults(look.store, look.git, project) if look.git else ():
        look.findings.drift("git", project, fault)


def _intents(look: _Look, projects: Collection[str]) -> list[OpenIntent]:
    found: list[OpenIntent] = []
    for project in projects:
        try:
            found += list_intents(look.store.engine, project)
        except StorageUnavailable as problem:
            look.findings.unreadable("intents", project, problem.message)
    return found


def _find(look: _Look, receipt: Receipt, projects: Collection[str]) -> ReceiptFound:
    """Look for a receipt in these projects' journals, since it does not say whose it is."""
    for project in projects:

        def entry_there(tx: ReadTx) -> bool:
            page = tx.entries(after=receipt.seq - 1, limit=1)
            return any((one.seq, one.hash) == (receipt.seq, receipt.hash) for one in page)

        if look.store.engine.read(project, entry_there):
            return ReceiptFound(receipt.seq, receipt.hash, project)
    return ReceiptFound(receipt.seq, receipt.hash, None)
