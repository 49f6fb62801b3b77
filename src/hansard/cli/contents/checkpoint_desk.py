"""What the commands about checkpoints share: the store, who asks, and how far it is."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeVar

import typer

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.checkpoints.answers import CheckpointList, CheckpointListed, SessionListed
from hansard.checkpoints.limits import OFFSET_MAX
from hansard.checkpoints.retaining import needless
from hansard.cli.flags import Flags
from hansard.cli.naming import names
from hansard.cli.naming.named import meant
from hansard.cli.opened_store import opened
from hansard.cli.options import all_flags
from hansard.cli.proving import Proving
from hansard.cli.sitting import looking
from hansard.cli.terminal.text import BEGIN_LINE, CLEAR_LINE
from hansard.kernel.limits import LIST_LIMIT_MAX
from hansard.kernel.operation import Caller, Result
from hansard.kernel.problem import InvalidInput

R = TypeVar("R", bound=Result)

Session = Annotated[
    str | None, typer.Argument(metavar="[SESSION]", help="The session; else that of --session.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]


@dataclass(frozen=True, slots=True)
class Desk:
    """The store, and who sits at the command line."""

    application: Application
    caller: Caller
    settings: Settings
    proving: Proving

    def ask(self, expected: type[R], name: str, **arguments: Any) -> R:
        """Do an operation; what was not given is left out."""
        return self._ask(expected, name, self.proving.caller(self.caller, name), arguments)

    def look(self, expected: type[R], name: str, **arguments: Any) -> R:
        """Ask without leaving a trace: a person who looks has not resumed anything."""
        viewer = replace(self.caller, actor=replace(self.caller.actor, role="viewer"))
        return self._ask(expected, name, viewer, arguments)

    def _ask(self, expected: type[R], name: str, caller: Caller, arguments: dict[str, Any]) -> R:
        given = {key: value for key, value in arguments.items() if value is not None}
        named = meant(self.application, name, given)
        result = self.application.call(name, named, caller)
        assert isinstance(result, expected), f"{name} answers with {type(result).__name__}"
        return result

    def session(self, named: str | None) -> str:
        """Give the session that is meant."""
        if chosen := named or self.settings.session:
            return names.meant_id(self.application, names.SESSION, chosen)
        raise InvalidInput("Which session?", hint="`hansard checkpoints list` shows them")

    def checkpoints(self, session: str, **chosen: Any) -> Iterator[CheckpointListed]:
        """Go through a session's checkpoints, newest first."""
        cursor = None
        while True:
            page = self.look(
                CheckpointList,
                "workflow_checkpoint_list",
                sessionId=session,
                limit=LIST_LIMIT_MAX,
                cursor=cursor,
                **chosen,
            )
            yield from page.checkpoints
            if (cursor := page.nextCursor) is None:
                return

    def about(self, session: str) -> SessionListed:
        """Say what is known of a session: its tags, its marked keys."""
        asked = {"sessionId": session, "limit": 1}
        return self.look(CheckpointList, "workflow_checkpoint_list", **asked).session

    def needless(self, session: str, keep: int) -> list[str]:
        """Name the checkpoints beyond the last few that no marked key needs."""
        project = self.application.own_project()
        rows = self.application.store.read(
            project, lambda tx: needless(tx, session, keep, most=OFFSET_MAX)
        )
        return [row["id"] for row in rows]


@contextmanager
def desk(flags: Flags, context: typer.Context) -> Iterator[Desk]:
    """Open the store that the flags name."""
    with opened(all_flags(flags, context)) as (application, settings):
        yield Desk(application, looking(settings), settings, Proving(application))


def show_step(what: str, done: int, total: int) -> None:
    """Say on a terminal how far it is, over and over on the same line."""
    if sys.stderr.isatty():
        end = BEGIN_LINE if done < total else f"{BEGIN_LINE}{CLEAR_LINE}"
        print(f"{CLEAR_LINE}{done:,} of {total:,} {what}", end=end, file=sys.stderr, flush=True)
