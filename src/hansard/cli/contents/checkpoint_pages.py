"""Shared by commands on checkpoints: a session's checkpoints and its progress."""

import sys
from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import typer

from hansard.checkpoints.answers import CheckpointListAnswer, CheckpointListed, CheckpointSession
from hansard.checkpoints.limits import OFFSET_MAX
from hansard.checkpoints.retention import needless
from hansard.cli.desk import Desk
from hansard.cli.terminal.text import BEGIN_LINE, CLEAR_LINE
from hansard.kernel import paging
from hansard.kernel.limits import LIST_LIMIT_MAX
from hansard.kernel.problem import InvalidInput

Session = Annotated[
    str | None, typer.Argument(metavar="[SESSION]", help="The session; else that of --session.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]


def chosen_session(at: Desk, named: str | None) -> str:
    """Give the session that is meant; nobody's checkpoints are taken for the last session's."""
    if session := at.named_session(named):
        return session
    raise InvalidInput("Which session?", hint="`hansard checkpoints list` shows them")


def checkpoints_of(at: Desk, session: str, **chosen: Any) -> Iterator[CheckpointListed]:
    """Iterate over a session's checkpoints, newest first."""
    look = partial(
        at.look,
        CheckpointListAnswer,
        "workflow_checkpoint_list",
        sessionId=session,
        limit=LIST_LIMIT_MAX,
        **chosen,
    )
    return (one for page in paging.answers(look) for one in page.checkpoints)


def about(at: Desk, session: str) -> CheckpointSession:
    """Give what is known about a session: its tags, its marked keys."""
    asked = {"sessionId": session, "limit": 1}
    return at.look(CheckpointListAnswer, "workflow_checkpoint_list", **asked).session


def needless_of(at: Desk, session: str, keep: int) -> list[str]:
    """Name the checkpoints beyond the last few that no marked key needs."""
    project = at.application.own_project()
    rows = at.application.store.read(
        project, lambda tx: needless(tx, session, keep, most=OFFSET_MAX)
    )
    return [row["id"] for row in rows]


def show_step(what: str, done: int, total: int) -> None:
    """Show progress on a terminal, always on the same line."""
    if sys.stderr.isatty():
        end = BEGIN_LINE if done < total else f"{BEGIN_LINE}{CLEAR_LINE}"
        print(f"{CLEAR_LINE}{done:,} of {total:,} {what}", end=end, file=sys.stderr, flush=True)
