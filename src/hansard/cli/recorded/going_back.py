"""Shared by `hansard undo` and `hansard restore`: shows everything, asks, acts, reports."""

import shlex
import sys
from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

import orjson
import typer

from hansard.cli.desk import Ask, told
from hansard.cli.terminal import screen
from hansard.cli.terminal.text import painter, print_json, printable
from hansard.kernel.limits import LIST_LIMIT_MAX
from hansard.kernel.problem import InvalidInput
from hansard.recorder.going_back.answers import BackStep, ClashHunk, WentBackAnswer

COLOURS = {
    "create": "green",
    "edit": "yellow",
    "delete": "red",
    "move": "blue",
    "skip": "grey",
    "none": "grey",
    "clash": "red",
}
DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
CHANGES = ("create", "edit", "delete", "move")
DIFF_LINES_SHOWN = 40
"""How much of one file's change is shown; --all shows all of it."""

HEADING_LINES = 2
"""`---` and `+++`."""

EXIT_FAILED = 1
"""Something did not go back: the disk refused it, or somebody has to decide."""

W = TypeVar("W", bound=WentBackAnswer)

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")]
All = Annotated[bool, typer.Option("--all", help="Show the whole of long changes.")]
SIDES = ("mine", "theirs", "both")
TakeSide = Annotated[
    str | None,
    typer.Option(
        "--take",
        metavar="SIDE",
        help="Where lines clash: mine, as they are, theirs, as before, or both.",
    ),
]
Expected = Annotated[
    list[str] | None,
    typer.Option(
        "--expected",
        metavar="PATH=SHA256",
        help="What a file held as it was shown; if it changed since, it is left. "
        "May be repeated; --take with --yes needs it.",
    ),
]

SHOWN_DIGITS = 12
"""How many digits of a SHA-256 suffice to name it."""


class ReturnRequest:
    """An undo or restore, as the operation is called for it."""

    def __init__(self, ask: Ask, operation: str, answer: type[W], asked: dict[str, Any]) -> None:
        self._ask = ask
        self._operation = operation
        self._answer = answer
        self._asked = {name: value for name, value in asked.items() if value is not None}

    def preview(self) -> WentBackAnswer:
        """Ask what would happen, page by page, to every file."""
        first = self._page(None)
        files, cursor = list(first.files), first.nextCursor
        while cursor is not None:
            page = self._page(cursor)
            files += page.files
            cursor = page.nextCursor
        return first.model_copy(update={"files": files, "nextCursor": None, "total": None})

    def do(self, shown: WentBackAnswer | None = None) -> WentBackAnswer:
        """Do it to what was `shown`, and not to what has changed since."""
        seen = {step.path: step.now for step in shown.files if step.now} if shown else {}
        expected = seen | self._asked.get("expected", {})
        asked = self._asked | ({"expected": expected} if expected else {})
        return told(self._answer, self._ask(self._operation, **asked, limit=LIST_LIMIT_MAX))

    def _page(self, cursor: str | None) -> WentBackAnswer:
        more = {"cursor": cursor} if cursor else {}
        asked = self._asked | {"preview": True, "diff": True, "limit": LIST_LIMIT_MAX} | more
        return told(self._answer, self._ask(self._operation, **asked))


def go_back(
    going: ReturnRequest, *, question: str, yes: bool, dry_run: bool, json: bool, whole: bool
) -> int:
    """Show it, ask, do it and say how it went; gives the command's exit code."""
    shown = None
    preview = going.preview()
    changes = sum(preview.counts.get(action, 0) for action in CHANGES)
    if dry_run or not changes:
        tell(preview, json=json, whole=whole)
        return EXIT_FAILED if preview.counts.get("clash") and not dry_run else 0
    if not yes:
        _require_someone(json=json)
        tell(preview, json=False, whole=whole)
        if not _is_agreed(question, changes):
            print("Nothing was changed.")
            return 0
        shown = preview
    done = going.do(shown)
    tell(done, json=json, whole=whole)
    return EXIT_FAILED if done.counts.get("failed") or done.counts.get("clash") else 0


def tell(answer: WentBackAnswer, *, json: bool, whole: bool) -> None:
    """Say what happens, or happened, to each file."""
    if json:
        print_json(answer.model_dump(mode="json", exclude_none=True))
        return
    counts = [f"{number} {name}" for name, number in answer.counts.items() if number]
    print(printable(f"{answer.title()}: {', '.join(counts) or 'nothing to do'}"))
    longest = max((screen.width(printable(step.path)) for step in answer.files), default=0)
    for step in answer.files:
        _print_row(step, longest)
        _print_others(step)
        for hunk in step.hunks or ():
            _print_hunk(hunk)
        _print_diff(step.diff, whole=whole)
    if answer.omitted:
        print(f"  … and {answer.omitted} more")
    _print_how_to_decide([step for step in answer.files if step.action == "clash" and step.sides])
    if answer.undo:
        print(f"To undo it: hansard undo {_entry(answer.undo)}")


def taken(side: str | None, expected: Sequence[str] | None) -> dict[str, Any]:
    """Read what is to be decided, and about what."""
    if side is not None and side not in SIDES:
        raise InvalidInput(f"--take: must be one of {', '.join(SIDES)}")
    named = [one.rpartition("=") for one in expected or ()]
    if not all(path and digest for path, _, digest in named):
        raise InvalidInput("--expected: must be PATH=SHA256, as a clash shows it")
    return {"take": side, "expected": {path: digest for path, _, digest in named} or None}


def _print_how_to_decide(clashes: Sequence[BackStep]) -> None:
    if not clashes:
        return
    print("To decide: --take mine keeps clashing lines as they are, --take theirs brings them")
    print("back as they were before, --take both keeps them and brings those back below them.")
    if seen := [f"{step.path}={step.now[:SHOWN_DIGITS]}" for step in clashes if step.now]:
        print("With --yes, theirs and both also need what you have seen:")
        for one in seen:
            print(f"  --expected {printable(shlex.quote(one))}")


def _print_row(step: BackStep, longest: int) -> None:
    path = printable(step.path)
    padding = " " * (longest - screen.width(path))
    action = painter()(f"{step.action:<6}", COLOURS[step.action])
    print(f"  {action}  {path}{padding}  {printable(_note(step))}".rstrip())


def _note(step: BackStep) -> str:
    """Say what changes, how it went, and why not."""
    if step.action in ("skip", "clash", "none"):
        return step.reason or ""
    parts = [f"to {step.to}"] if step.to else []
    if step.to_revision:
        parts.append(f"revision {step.from_revision} → revision {step.to_revision}")
    elif step.from_revision:
        parts.append(f"revision {step.from_revision} → no file")
    parts += [f"+{step.added or 0} -{step.removed or 0}"] if step.added or step.removed else []
    parts += [f"mode {step.mode}"] if step.mode else []
    parts += [step.status] if step.status not in (None, "done") else []
    return ", ".join(parts) + (f" ({step.code})" if step.code else "")


def _print_others(step: BackStep) -> None:
    paint = painter()
    for one in step.takes_away or ():
        print(paint(printable(f"          takes away {one.text()}"), "red"))
    for one in step.keeps or ():
        print(paint(printable(f"          keeps {one.text()}"), "grey"))


def _print_hunk(hunk: ClashHunk) -> None:
    print(f"          line {hunk.line}")
    sides = (("now", hunk.mine), ("left by it", hunk.base), ("before", hunk.theirs))
    for name, text in sides:
        for place, line in enumerate(text.splitlines() or ["(nothing)"]):
            print(f"            {name if not place else '':<10} {printable(line)}")


def _print_diff(diff: str | None, *, whole: bool) -> None:
    """Print the lines of a change, without its heading: the row above names the file."""
    paint = painter()
    lines = (diff or "").splitlines()
    lines = lines[HEADING_LINES:] if (diff or "").startswith("--- ") else lines
    shown = lines if whole else lines[:DIFF_LINES_SHOWN]
    for line in shown:
        colour = DIFF_COLOURS.get(line[:1])
        text = f"          {printable(line)}"
        print(paint(text, colour) if colour else text)
    if len(lines) > len(shown):
        print(f"          … {len(lines) - len(shown)} more lines; --all shows them")


def _require_someone(*, json: bool) -> None:
    if json or not sys.stdin.isatty():
        raise InvalidInput(
            "Nobody is here to be asked", hint="--yes does it, --dry-run only shows it"
        )


def _is_agreed(question: str, changes: int) -> bool:
    files = "1 file" if changes == 1 else f"{changes} files"
    print(f"{question.format(files=files)} [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _entry(undo: str) -> str:
    """Find the entry in the call that takes something back."""
    _, _, arguments = undo.partition(" ")
    return str(orjson.loads(arguments)["entry"])
