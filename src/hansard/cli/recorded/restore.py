"""`hansard restore`: files as they were at a point, after a preview."""

from typing import Annotated, Any

import typer

from hansard.cli.desk import Desk, writing_desk
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
from hansard.recorder.going_back.answers import RestoredAnswer

Point = Annotated[str | None, typer.Option(metavar="POINT", help="s:340, t:12 or an ISO time.")]


OfEntry = Annotated[
    str | None, typer.Option(metavar="s:N", help="The files that this entry changed.")
]
BeforeStep = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help="All as before this step of the plan, counted from 1, began."
    ),
]
OfSession = Annotated[
    str | None,
    typer.Option(metavar="ID", help="All that this session touched; with --step, else the latest."),
]
BeforePrompt = Annotated[
    str | None,
    typer.Option(
        metavar="last|N|s:N",
        help="All as before you said something, but for what others did since.",
    ),
]


@settings_flags
def restore(
    flags: Flags,
    path: Annotated[str | None, typer.Argument(metavar="PATH", help="One file.")] = None,
    *,
    entry: OfEntry = None,
    step: BeforeStep = None,
    session: OfSession = None,
    before_prompt: BeforePrompt = None,
    before: Point = None,
    after: Point = None,
    keep_others: Annotated[
        bool, typer.Option("--keep-others", help="Leave what others did since, by merging.")
    ] = False,
    take: TakeSide = None,
    expected: Expected = None,
    yes: Yes = False,
    dry_run: DryRun = False,
    whole: All = False,
    json: Json = False,
) -> int:
    """Bring back a file, or all that a session touched, as it stood at a point.

    What others did since is taken away too, and named first; `hansard undo` leaves it. It is shown
    first, and can be undone.
    """
    _require_what(path, entry, step, before_prompt, session)
    asked: dict[str, Any] = {"path": path, "entry": entry, **_goal(path, before, after)}
    asked |= {"step": step and step - 1, "keep_others": keep_others or None}
    asked |= taken(take, expected) | {"prompt": before_prompt}
    with writing_desk(flags) as at:
        if path is None and entry is None:
            asked["of_session"] = _session(at, session)
        going = ReturnRequest(at.ask, "restore", RestoredAnswer, asked)
        question = "Bring {files} back?"
        return go_back(going, question=question, yes=yes, dry_run=dry_run, json=json, whole=whole)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(restore)


def _session(at: Desk, named: str | None) -> str:
    """Give the session that is meant, or refuse an unknown one."""
    if named is None:
        return at.latest_session()
    at.ask("get_timeline", session_id=named, limit=1)
    return named


def _require_what(*named: str | int | None) -> None:
    if all(one is None for one in named):
        raise InvalidInput(
            "What shall come back?",
            hint="Give a PATH with --before or --after, --entry s:N, --step N, --before-prompt "
            "last or --session ID",
        )


def _goal(path: str | None, before: str | None, after: str | None) -> dict[str, str]:
    if before is not None and after is not None:
        raise InvalidInput("--before and --after: give one of them")
    if path is not None and before is None and after is None:
        raise InvalidInput(
            "To which point?", hint=f"Give --before or --after; `hansard evolution {path}` helps"
        )
    if after is not None:
        return {"to": "after", "point": after}
    return {} if before is None else {"to": "before", "point": before}
