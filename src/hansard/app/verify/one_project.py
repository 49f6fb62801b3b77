"""Verifies one project: its chain, blobs, views and repository."""

from dataclasses import dataclass
from pathlib import Path

from hansard.app.verify.blobs import check_blobs
from hansard.app.verify.chain import DAMAGED, Journal, check_journal
from hansard.app.verify.documents import Documents
from hansard.app.verify.report import Checked, Findings, Progress
from hansard.app.verify.views import check_views
from hansard.decisions.git import decision_log
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.store import Store
from hansard.kernel.temporary_files import NoTemporaryRoom


@dataclass(frozen=True, slots=True)
class Examination:
    """What one verification is asked to do, and what it has found."""

    store: Store
    quick: bool
    findings: Findings
    progress: Progress
    git: Path | None
    documents: Documents | None
    """`None` where the views are not compared."""


def check_project(look: Examination, project: str) -> Checked:
    """Check one project; a store that stops answering is a finding, and the others go on."""
    journal = Journal(project)
    blobs, rows = 0, None
    try:
        check_journal(look.store, journal, look.findings, look.progress)
        blobs = check_blobs(look.store.engine, journal, look.findings, look.progress)
        if look.documents:
            rows = check_views(look.store, journal, look.documents, look.findings, look.progress)
        if not look.quick:
            _check_git(look, project)
    except NoTemporaryRoom:
        raise
    except StorageUnavailable as problem:
        look.findings.unreadable("store", project, problem.message)
    except (AssertionError, LookupError, *DAMAGED):
        message = "Something is stored that Hansard never wrote; the rest was not checked"
        look.findings.broken("store", project, message)
    return Checked(
        project,
        journal.entries,
        journal.reached.seq,
        journal.reached.hash,
        blobs,
        rows,
        redacted=len(journal.erased) + len(journal.blobs_erased_by_word),
    )


def _check_git(look: Examination, project: str) -> None:
    """Compare a repository with the journal. It can be made again, so nothing of it is damage."""
    if look.git is None:
        return
    try:
        faults = decision_log.faults(look.store, look.git, project)
    except StorageUnavailable as problem:
        look.findings.unreadable("git", project, problem.message)
        return
    except OSError as error:
        message = f"The repository cannot be looked at: {error.strerror}"
        look.findings.unreadable("git", project, message)
        return
    except (LookupError, *DAMAGED):
        faults = ["The repository cannot be compared with a journal that cannot be read"]
    for fault in faults:
        look.findings.drift("git", project, fault)
