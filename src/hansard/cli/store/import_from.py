"""`hansard import-from`: imports other programs' data into this project."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import typer

from hansard.app.application import Application
from hansard.app.settings import Settings, load
from hansard.app.start import MEMORY, checkpoint_quotas, start
from hansard.cli.cli_session import sitting
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened, store_exists
from hansard.cli.options import Json, settings_flags
from hansard.cli.terminal.text import print_json, printable, show_count
from hansard.foreign.formats import FORMATS, detected, named
from hansard.foreign.import_run import ImportReport, ImportRun, Source, actor
from hansard.foreign.importing import label_of, take_over
from hansard.foreign.items import ForeignFormat
from hansard.kernel.problem import InvalidInput

KINDS = (
    "sessions", "prompts", "edits", "notes", "decisions", "proposals", "records", "relations",
    "checkpoints", "writes",
)  # fmt: skip
"""What is counted, in the order in which it is shown."""


@settings_flags
def import_from(
    flags: Flags,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[FORMAT] PATH",
            help=f"A file or folder, and what it is if that cannot be seen: {', '.join(FORMATS)}.",
        ),
    ],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be taken over; write nothing.")
    ] = False,
    folder: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="What this workspace was called where it was recorded."),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Tells sources apart; else the end of their path."),
    ] = None,
    sign: Annotated[
        bool, typer.Option("--sign", help="Sign it yourself, so that decisions are a person's.")
    ] = False,
    json: Json = False,
) -> int:
    """Import what another program keeps: transcripts, memories, checkpoints, decisions.

    Nothing is imported twice: run it again after the source has grown, or an interruption. Nothing
    in it is executed, and nothing else is read.
    """
    found, path = _source(words)
    with _application(flags, makes_store=not dry_run) as (application, settings):
        whose = None if sign else actor(found.name)
        where = PurePosixPath(folder or Path(settings.workspace).expanduser().resolve())
        source = Source(found.name, label or label_of(path), where)
        with sitting(application, settings, asks=not dry_run, whose=whose) as caller:
            taking = ImportRun(application, caller, source, is_dry=dry_run, progress=show_count)
            report = take_over(taking, found, path, checkpoint_quotas(settings))
    _show(found, report, dry_run=dry_run, json=json)
    return 0


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("import-from")(import_from)


def _source(words: list[str]) -> tuple[ForeignFormat, Path]:
    """Find what was named and its format; a link is followed here, and nowhere below."""
    if not 1 <= len(words) <= len(("FORMAT", "PATH")):
        raise InvalidInput("Name a file or folder, and before it a format if need be")
    path = Path(words[-1]).expanduser()
    if not path.exists():
        raise InvalidInput(f"There is no {path}", hint="Name the file or folder to read")
    path = path.resolve()
    return (named(words[0]) if len(words) > 1 else detected(path)), path


@contextmanager
def _application(flags: Flags, *, makes_store: bool) -> Iterator[tuple[Application, Settings]]:
    """Open the store; if there is none yet, a dry run uses an empty one."""
    settings = load(flags)
    if makes_store or store_exists(settings):
        with opened(flags, makes_store=makes_store, looking=not makes_store) as found:
            yield found
        return
    application = start(replace(settings, store=MEMORY))
    try:
        yield application, settings
    finally:
        application.close()


def _show(found: ForeignFormat, report: ImportReport, *, dry_run: bool, json: bool) -> None:
    if json:
        told: dict[str, Any] = {"format": found.name, "dry_run": dry_run}
        for name in ("new", "known", "changed"):
            counts = getattr(report, name)
            told[name] = {kind: counts[kind] for kind in KINDS if counts[kind]}
        told["skipped"] = [
            {"reason": reason, "count": count, "places": report.places[reason]}
            for reason, count in report.skipped.most_common()
        ]
        print_json(told)
        return
    print(f"{found.name}: {found.about}")
    would = "would be taken over" if dry_run else "taken over"
    print(f"  {_counted(report.new)} {would}")
    for counts, words in ((report.changed, "changed there since"), (report.known, "here already")):
        if counts.total():
            print(f"  {_counted(counts)} {words}")
    for reason, count in report.skipped.most_common():
        places = ", ".join(printable(one) for one in report.places[reason])
        print(f"  left out {count:,}: {printable(reason)} ({places})")


def _counted(counts: Any) -> str:
    told = [(counts[kind], kind) for kind in KINDS if counts[kind]]
    words = [f"{n:,} {kind if n > 1 else kind.removesuffix('s')}" for n, kind in told]
    return ", ".join(words) or "nothing"
