"""`hansard repair`: repairs a damaged store from its journal, a backup, or both."""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from hansard.app.keeping.backup import find_backup
from hansard.app.keeping.repair import Repaired, derive_again, needed, salvage
from hansard.app.keeping.salvage import SalvagedAnswer, Seqs
from hansard.app.settings import Settings, load, store_location
from hansard.app.verify import Report, verify
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened, store_folder
from hansard.cli.options import settings_flags
from hansard.cli.person_proof import claimed, person
from hansard.cli.store.backup import open_copies, warn_of_unreadable
from hansard.cli.terminal.consent import require_consent
from hansard.cli.terminal.stderr import say, say_problem
from hansard.cli.terminal.text import printable, show_progress
from hansard.kernel.event import Stamp
from hansard.kernel.problem import InvalidInput, StorageUnavailable
from hansard.kernel.temporary_files import NoTemporaryRoom

SHOWN_MAX = 20


@settings_flags
def repair(
    flags: Flags,
    *,
    source: Annotated[
        Path | None, typer.Option("--from", metavar="DIR", help="Backups to take from.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> int:
    """Say what is wrong and what can be done, ask, and do it. Exits as `hansard verify` does.

    Views are derived again in place. For anything worse, what is sound in the store and the backup
    is saved into a new store, which replaces the old one once it is proved. The old one is kept
    beside it.
    """
    settings = load(flags)
    if source:
        warn_of_unreadable(source)
    backup = find_backup(source) if source else None
    report = _looked_at(flags)
    need = needed(report) if report else "salvage"
    if report and need == "nothing":
        print("Nothing is broken.")
        return report.exit_code
    _print_findings(report)
    if need == "views":
        require_consent("Derive the views again?", yes=yes)
        with opened(flags) as (application, _):
            assert report is not None, "views were found broken by a report"
            derive_again(application.store, report, progress=show_progress)
            return verify(application.store, progress=show_progress).exit_code
    folder = _replaceable(settings)
    helped = f" and the backup of {backup.taken_at}" if backup else ""
    question = f"Save what is sound of {folder}{helped} into a new store, in its place?"
    require_consent(question, yes=yes)
    done = salvage(
        folder,
        backup,
        open_store=open_copies(settings),
        stamp=_signed(flags),
        progress=show_progress,
    )
    _print(done)
    return 0


def _replaceable(settings: Settings) -> Path:
    folder = store_folder(settings)
    if folder is None:
        raise InvalidInput(
            f"{store_location(settings)} is a database, which is not replaced in place",
            hint="Restore a backup into a new one, or `hansard export` what is sound",
        )
    return folder


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(repair)


def _looked_at(flags: Flags) -> Report | None:
    """Verify the store; `None` if it cannot even be opened.

    Where there is no room to verify it, nothing is known of it, and nothing is repaired.
    """
    try:
        with ExitStack() as stack:
            application, _ = stack.enter_context(opened(flags))
            return verify(application.store, progress=show_progress)
    except NoTemporaryRoom:
        raise
    except StorageUnavailable as problem:
        say_problem(problem)
        return None


def _print_findings(report: Report | None) -> None:
    for finding in report.findings[:SHOWN_MAX] if report else ():
        print(f"{finding.severity} {finding.project} {finding.check}: {printable(finding.message)}")


def _signed(flags: Flags) -> Stamp:
    """Say who repairs: a person, proved where the store can still be asked for its secret."""
    what = "replace the store"
    try:
        with opened(flags) as (application, _):
            return person(application, what)[0]
    except StorageUnavailable:
        return claimed(what)[0]


def _print(done: Repaired) -> None:
    for saved in done.saved:
        helped = f", {saved.from_backup:,} of them from the backup" if saved.from_backup else ""
        print(f"{saved.project} {saved.head.seq}:{saved.head.hash}{helped}")
        if saved.blobs_from_backup:
            print(f"{saved.project}: {saved.blobs_from_backup:,} blobs are the backup's")
        _print_losses(saved)
    if done.replaced:
        print(f"The damaged store is now {done.replaced}")
    if done.aside:
        say(f"What could not stay in the journal is in {done.aside}")


def _print_losses(saved: SalvagedAnswer) -> None:
    if saved.aside:
        say(f"{saved.project}: {_seqs(saved.aside)} did not follow, and were set aside")
    if saved.unreadable:
        say(f"{saved.project}: {_seqs(saved.unreadable)} cannot be read any more")
    for digest, seq in saved.blobs_lost.items():
        say(f"{saved.project}: blob {digest}, which s:{seq} names, is lost")


def _seqs(seqs: Seqs) -> str:
    if seqs.count == 1:
        return f"s:{seqs.first}"
    return f"s:{seqs.first} to s:{seqs.last} ({seqs.count:,})"
