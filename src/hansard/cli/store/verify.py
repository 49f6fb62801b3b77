"""`hansard verify`: whether the store is intact."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Annotated

import typer

from hansard.app.start import anchor_location, git_folder
from hansard.app.verify import Checked, Report, Spread
from hansard.app.verify import verify as verify_store
from hansard.cli.flags import Flags
from hansard.cli.opened_store import looked_at, opened, store_folder
from hansard.cli.options import Json, settings_flags
from hansard.cli.terminal.stderr import say_problem
from hansard.cli.terminal.text import painter, print_json, printable, show_progress
from hansard.kernel.blob import Digest
from hansard.kernel.event import Receipt
from hansard.kernel.problem import InvalidInput, Problem

EXIT_CANNOT_READ = 3
WORKERS_MAX = 64

_RECEIPT = re.compile(r"(?:s:)?([0-9]{1,18}):([0-9a-f]{64})")
_VERDICTS = {
    0: ("Sound.", "green"),
    1: ("Not damaged, but see above.", "yellow"),
    2: ("Broken.", "red"),
    EXIT_CANNOT_READ: ("Not everything could be read.", "red"),
}
_COLOURS = {"broken": "red", "unreadable": "red", "drift": "yellow"}
_OWNERS = {True: "at work", False: "dead", None: "unknown"}


Receipts = Annotated[
    list[str] | None,
    typer.Option(metavar="SEQ:HASH", help="A receipt you kept; may be repeated."),
]
Projects = Annotated[
    list[str] | None, typer.Option(metavar="ID", help="Only this project; may be repeated.")
]
Workers = Annotated[
    int,
    typer.Option(metavar="N", min=1, max=WORKERS_MAX, help="Processes that share the projects."),
]


@settings_flags
def verify(
    flags: Flags,
    *,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Leave out comparing the views with a rebuild, and the database's pages.",
        ),
    ] = False,
    json: Json = False,
    receipt: Receipts = None,
    project: Projects = None,
    workers: Workers = 1,
) -> int:
    """Check database, chain, blobs, views, Git, open intents and kept receipts. Writes nothing.

    Exits with 0 if all is sound, 1 if something drifted or a dead process left an intent open,
    2 if something is broken, 3 if something could not be read.
    """
    receipts = [_receipt(text) for text in receipt or ()]
    try:
        with opened(flags, looking=True) as (application, settings):
            spread = Spread(workers, partial(looked_at, settings)) if workers > 1 else None
            report = verify_store(
                application.store,
                git=git_folder(settings),
                folder=store_folder(settings),
                anchored=anchor_location(settings),
                projects=project or (),
                quick=quick,
                receipts=receipts,
                progress=show_progress,
                spread=spread,
            )
    except Problem as problem:
        return _cannot_read(problem, json=json)
    if json:
        print_json(report.as_dict())
    else:
        _print(report)
    return report.exit_code


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(verify)


def _receipt(text: str) -> Receipt:
    match = _RECEIPT.fullmatch(text)
    if match is None:
        raise InvalidInput(
            f"--receipt: {text} is not a seq, a colon and 64 hexadecimal digits",
            hint="Take them from an answer's receipt, or from `hansard anchor`",
        )
    return Receipt(int(match[1]), Digest(match[2]))


def _cannot_read(problem: Problem, *, json: bool) -> int:
    if json:
        outcome = {"exit_code": EXIT_CANNOT_READ, "sound": False}
        print_json(outcome | {"error": problem.as_dict()})
    else:
        say_problem(problem)
    return EXIT_CANNOT_READ


def _print(report: Report) -> None:
    paint = painter()
    for checked in report.projects:
        print(f"{checked.project}: {_counts(checked, quick=report.quick)}")
    for finding in report.findings:
        label = paint(finding.severity, _COLOURS[finding.severity])
        print(f"{label} {finding.project} {finding.check}: {printable(finding.message)}")
    if report.left_out:
        print(f"… and {report.left_out} more findings")
    for line in (*_intent_lines(report), *_receipt_lines(report)):
        print(line)
    print(paint(*_VERDICTS[report.exit_code]))


def _counts(checked: Checked, *, quick: bool) -> str:
    counted = f"{checked.entries:,} entries, {checked.blobs:,} blobs"
    if checked.redacted:
        counted += f", {checked.redacted:,} redacted"
    if checked.rows is not None:
        return f"{counted}, {checked.rows:,} rows"
    return counted if quick else f"{counted}, views not compared"


def _intent_lines(report: Report) -> Iterator[str]:
    for intent in report.open_intents:
        owner = _OWNERS[intent.alive]
        yield f"open {intent.project} s:{intent.seq} {intent.kind}, its owner is {owner}"


def _receipt_lines(report: Report) -> Iterator[str]:
    for receipt in report.receipts:
        where = f"is in {receipt.project}" if receipt.project else "is not in this history"
        yield f"receipt {receipt.seq}:{receipt.hash} {where}"
