"""`hansard evolution`: the revisions of a file."""

import base64
import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from hansard.cli.desk import Desk, desk, pages, told
from hansard.cli.flags import Flags
from hansard.cli.options import Json, settings_flags
from hansard.cli.recorded.revision_browser import (
    RevisionCursor,
    about,
    coloured,
    plain,
    step_through,
)
from hansard.cli.terminal import screen
from hansard.cli.terminal.output import write_exactly
from hansard.cli.terminal.text import painter, print_json, printable
from hansard.kernel.limits import LIST_LIMIT_MAX
from hansard.kernel.problem import InvalidInput
from hansard.recorder.answers import EvolutionAnswer, RevisionShown


@settings_flags
def evolution(
    flags: Flags,
    path: Annotated[str | None, typer.Argument(metavar="PATH", help="Else: the files.")] = None,
    *,
    everything: Annotated[
        bool, typer.Option("--all", help="Print all diffs instead of stepping through them.")
    ] = False,
    revision: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Print what it held at this revision.")
    ] = None,
    since: Annotated[
        int | None,
        typer.Option("--from", min=0, metavar="N", help="Print the diff from here; 0 is no file."),
    ] = None,
    until: Annotated[
        int | None, typer.Option("--to", min=1, metavar="N", help="… to here.")
    ] = None,
    json: Json = False,
) -> None:
    """Step through the revisions of a file; piped or with --all, print them all."""
    with desk(flags) as opened:
        asked = {"session_id": opened.settings.session or None, "path": path}
        if path is None:
            _list_files(opened, json=json)
        elif revision is not None:
            _print_content(
                told(EvolutionAnswer, opened.ask(_GET, **asked, revision=revision)), json=json
            )
        elif since is not None or until is not None:
            between = {"from": since, "to": until}
            _print_diff(told(EvolutionAnswer, opened.ask(_GET, **asked, **between)), json=json)
        else:
            _show_all(opened, path, everything=everything, json=json)


_GET = "get_evolution"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(evolution)


def _show_all(opened: Desk, path: str, *, everything: bool, json: bool) -> None:
    answers = list(_pages(opened, path))
    name = answers[0].path or path
    revisions = [one for page in answers for one in page.revisions or ()][::-1]

    def diff(number: int) -> str:
        between = {"from": number - 1, "to": number}
        asked = opened.ask(_GET, session_id=opened.settings.session or None, path=path, **between)
        return told(EvolutionAnswer, asked).diff or ""

    if screen.is_screen() and not everything and not json:
        step_through(RevisionCursor(name, revisions, diff))
        return
    for one in revisions:
        if json:
            print_json(
                one.model_dump(mode="json", exclude_none=True) | {"diff": diff(one.revision)}
            )
        else:
            _print_revision(name, one, diff(one.revision))


def _pages(opened: Desk, path: str | None) -> Iterator[EvolutionAnswer]:
    return pages(
        opened.ask,
        EvolutionAnswer,
        _GET,
        session_id=opened.settings.session or None,
        path=path,
        limit=LIST_LIMIT_MAX,
    )


def _list_files(opened: Desk, *, json: bool) -> None:
    answers = list(_pages(opened, None))
    files = [file for page in answers for file in page.files or ()]
    for file in files:
        if json:
            print_json(file.model_dump(mode="json", exclude_none=True))
        else:
            print(printable(file.text()))
    if not files and not json:
        print("Nothing is recorded of any file of this workspace.")
        if answers[0].note:
            print(printable(f"{answers[0].note}."))


def _print_revision(path: str, revision: RevisionShown, diff: str) -> None:
    paint = painter()
    print(paint(f"{printable(path)} revision {revision.revision}", "yellow"))
    print(printable(about(revision)))
    _print_lines(diff)
    print()


def _print_diff(answer: EvolutionAnswer, *, json: bool) -> None:
    if json:
        print_json(answer.model_dump(mode="json", exclude_none=True))
    elif answer.diff:
        _print_lines(answer.diff)
    else:
        print("No difference.")


def _print_lines(diff: str) -> None:
    """Print a diff: for a terminal so that nothing in it can act there, else byte for byte."""
    if not sys.stdout.isatty():
        write_exactly(diff if diff.endswith("\n") else f"{diff}\n")
        return
    for line in diff.splitlines():
        print(coloured(plain(line)))


def _print_content(answer: EvolutionAnswer, *, json: bool) -> None:
    """Print what a revision held, byte for byte unless for a terminal."""
    if json:
        print_json(answer.model_dump(mode="json", exclude_none=True))
        return
    if answer.content is None:
        raise InvalidInput(_absence(answer), hint="Other revisions are shown without --revision")
    if sys.stdout.isatty():
        if answer.encoding == "base64":
            raise InvalidInput("It is not text", hint="Send it to a file with > NAME")
        for line in answer.content.splitlines():
            print(plain(line))
    elif answer.encoding == "base64":
        sys.stdout.flush()
        sys.stdout.buffer.write(base64.b64decode(answer.content))
    else:
        write_exactly(answer.content)


def _absence(answer: EvolutionAnswer) -> str:
    assert answer.revisions, "a revision was answered without saying which"
    revision = answer.revisions[0]
    if revision.redacted:
        rules = ", ".join(revision.redacted)
        return f"It held a secret at revision {revision.revision} and was not recorded ({rules})"
    return f"There was no file at revision {revision.revision}"
