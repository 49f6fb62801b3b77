"""`hansard restore`: files brought back, after a look at what that would do."""

import sys
from typing import Annotated, Any

import orjson
import typer

from hansard.cli import screen
from hansard.cli.asking import Ask, asking
from hansard.cli.flags import Flags
from hansard.cli.options import Json, settings_flags
from hansard.cli.recorder_desk import latest_session, told
from hansard.cli.terminal import painter, print_json, printable
from hansard.kernel.problem import InvalidInput
from hansard.recorder.restored import BackStep, Restored

ACTION_COLOURS = {"create": "green", "edit": "yellow", "delete": "red", "skip": "grey"}
CHANGES = ("create", "edit", "delete")
EXIT_FAILED = 1

Point = Annotated[str | None, typer.Option(metavar="POINT", help="s:340, t:12 or an ISO time.")]


@settings_flags
def restore(
    flags: Flags,
    path: Annotated[str | None, typer.Argument(metavar="PATH", help="One file.")] = None,
    *,
    entry: Annotated[
        str | None, typer.Option(metavar="s:N", help="What this entry of the timeline changed.")
    ] = None,
    step: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="What this step of the session's plan changed."),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="All that this session changed; with --step, the session, else the latest.",
        ),
    ] = None,
    before: Point = None,
    after: Point = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would change.")
    ] = False,
    json: Json = False,
) -> int:
    """Bring back a file, what an entry or a step changed, or a whole session.

    Files go back to before the change, or to before or after a POINT. It is shown first, and can
    be undone.
    """
    if path is None and entry is None and step is None and session is None:
        raise InvalidInput(
            "What shall come back?",
            hint="Give a PATH with --before or --after, --entry s:N, --step N or --session ID",
        )
    scope = {"path": path, "entry": entry, "step": step, **_goal(before, after)}
    if path is not None and "point" not in scope:
        raise InvalidInput(
            "To which point?", hint=f"Give --before or --after; `hansard evolution {path}` helps"
        )
    with asking(flags) as ask:
        if path is None and entry is None:
            scope["of_session"] = _session(ask, session)
        return _restore(ask, scope, yes=yes, dry_run=dry_run, json=json)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(restore)


def _session(ask: Ask, named: str | None) -> str:
    """Give the session that is meant, or refuse one that is not there."""
    if named is None:
        return latest_session(ask)
    ask("get_timeline", session_id=named, limit=1)
    return named


def _goal(before: str | None, after: str | None) -> dict[str, str]:
    if before is not None and after is not None:
        raise InvalidInput("--before and --after: give one of them")
    if after is not None:
        return {"to": "after", "point": after}
    return {} if before is None else {"to": "before", "point": before}


def _restore(ask: Ask, scope: dict[str, Any], *, yes: bool, dry_run: bool, json: bool) -> int:
    preview = told(Restored, ask("restore", **scope, preview=True))
    changes = sum(preview.counts.get(action, 0) for action in CHANGES)
    if dry_run or not changes:
        _tell(preview, json=json)
        return 0
    if not yes:
        _require_someone(json=json)
        _tell(preview, json=False)
        if not _is_agreed(changes, preview.point):
            print("Nothing was changed.")
            return 0
    done = told(Restored, ask("restore", **scope))
    _tell(done, json=json)
    return EXIT_FAILED if done.counts.get("failed") else 0


def _require_someone(*, json: bool) -> None:
    if json or not sys.stdin.isatty():
        raise InvalidInput(
            "Nobody is here to be asked", hint="--yes does it, --dry-run only shows it"
        )


def _is_agreed(changes: int, point: str) -> bool:
    files = "1 file" if changes == 1 else f"{changes} files"
    print(f"Bring {files} back to after {point}? [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _tell(answer: Restored, *, json: bool) -> None:
    if json:
        print_json(answer.model_dump(mode="json", exclude_none=True))
        return
    if not answer.counts:
        print("Nothing was changed that could come back.")
        return
    what = "Would bring back" if answer.preview else "Brought back"
    counts = [f"{number} {name}" for name, number in answer.counts.items() if number]
    print(f"{what}, to after {answer.point}: {', '.join(counts) or 'nothing'}")
    longest = max((screen.width(printable(step.path)) for step in answer.files), default=0)
    for step in answer.files:
        _print_row(step, longest)
    if answer.omitted:
        print(f"  … and {answer.omitted} more")
    if answer.undo:
        print(f"To undo it: hansard restore --entry {_undone_entry(answer.undo)}")


def _print_row(step: BackStep, longest: int) -> None:
    path = printable(step.path)
    padding = " " * (longest - screen.width(path))
    action = painter()(f"{step.action:<6}", ACTION_COLOURS.get(step.action, "grey"))
    print(f"  {action}  {path}{padding}  {printable(_note(step))}".rstrip())


def _note(step: BackStep) -> str:
    """Say from which revision to which, how it went, and why not."""
    if step.action == "skip":
        return step.reason or ""
    goal = "no file" if step.to_revision is None else f"revision {step.to_revision}"
    start = f"revision {step.from_revision} → " if step.from_revision else ""
    ended = f", {step.status}" if step.status not in (None, "done") else ""
    return f"{start}{goal}{ended}" + (f" ({step.code})" if step.code else "")


def _undone_entry(undo: str) -> str:
    """Find the entry in the call that undoes a restore."""
    _, _, arguments = undo.partition(" ")
    return str(orjson.loads(arguments)["entry"])
