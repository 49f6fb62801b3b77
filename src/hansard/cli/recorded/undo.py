"""`hansard undo`: takes changes back after a preview; later work stays."""

from typing import Annotated, Any

import typer

from hansard.cli.desk import writing_desk
from hansard.cli.flags import Flags
from hansard.cli.options import Json, settings_flags
from hansard.cli.recorded.going_back import (
    All,
    DryRun,
    Expected,
    ReturnRequest,
    TakeSide,
    Yes,
    go_back,
    taken,
)
from hansard.kernel.problem import InvalidInput
from hansard.recorder.going_back.answers import UndoneAnswer

Entry = Annotated[
    str | None,
    typer.Argument(
        metavar="[s:N]", help="An entry of the timeline; of a batch or restore, all of it."
    ),
]
Prompt = Annotated[
    str | None,
    typer.Option(
        metavar="last|N|s:N",
        help="What was changed since you said something: the last, the N-th from the end, or by "
        "its entry.",
    ),
]


@settings_flags
def undo(
    flags: Flags,
    entry: Entry = None,
    *,
    step: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="What this step changed, counted from 1."),
    ] = None,
    prompt: Prompt = None,
    session: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="What this session changed; with --step or --prompt, or the latest.",
        ),
    ] = None,
    path: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="Only this file of them; may be repeated."),
    ] = None,
    take: TakeSide = None,
    expected: Expected = None,
    yes: Yes = False,
    dry_run: DryRun = False,
    whole: All = False,
    json: Json = False,
) -> int:
    """Take back what an entry, a step, a prompt or a session changed, and only that.

    What others did since stays. It is shown first, and can be undone.
    """
    _require_what(entry, step, prompt, session)
    asked: dict[str, Any] = {"entry": entry, "step": step and step - 1, "prompt": prompt}
    asked |= taken(take, expected) | {"paths": path or None}
    with writing_desk(flags) as at:
        if entry is None:
            asked["of_session"] = session or at.latest_session()
        going = ReturnRequest(at.ask, "undo", UndoneAnswer, asked)
        question = "Undo this in {files}?"
        return go_back(going, question=question, yes=yes, dry_run=dry_run, json=json, whole=whole)


def _require_what(*named: str | int | None) -> None:
    if all(one is None for one in named):
        raise InvalidInput(
            "What shall be undone?",
            hint="Give s:N from `hansard timeline`, --step N, --prompt last or --session ID",
        )


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(undo)
