"""What the commands about recorded sessions share: the store, the session that is meant."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, TypeVar

import typer

from hansard.app.application import Application
from hansard.cli.asking import Ask
from hansard.cli.flags import Flags
from hansard.cli.naming import names
from hansard.cli.naming.finding import LATEST
from hansard.cli.naming.named import meant
from hansard.cli.opened_store import opened
from hansard.cli.proving import Proving
from hansard.cli.sitting import looking
from hansard.kernel.operation import Result
from hansard.kernel.problem import InvalidInput

R = TypeVar("R", bound=Result)

BUDGET_TOKENS = 1_000_000
"""People have no context window; a page is as long as it may be."""

Session = Annotated[
    str | None,
    typer.Argument(metavar="SESSION", help="The session; else that of --session, else the latest."),
]


@dataclass(frozen=True, slots=True)
class Desk:
    """The store, and what asks of it."""

    application: Application
    ask: Ask
    chosen: str
    """The session of the settings; empty if none was given."""

    def session(self, named: str | None) -> str:
        """Give the session that is meant: by its id, the beginning of that, its title, or last."""
        named = named or self.chosen
        if not named:
            return latest_session(self.application)
        return names.meant_id(self.application, names.SESSION, named)


@contextmanager
def desk(flags: Flags) -> Iterator[Desk]:
    """Open the store to look at it."""
    with opened(flags) as (application, settings):
        caller, proving = looking(), Proving(application)

        def ask(operation: str, **arguments: object) -> Result:
            given = {name: value for name, value in arguments.items() if value is not None}
            named = meant(application, operation, given)
            return application.call(operation, named, proving.caller(caller, operation))

        yield Desk(application, ask, settings.session)


def latest_session(application: Application) -> str:
    """Give the session that `@latest` means."""
    found = names.meant_thing(application, names.SESSION, LATEST)
    if found is None:
        raise InvalidInput(
            "No session is recorded in this project yet",
            hint="Name another project with --project, or another store with --store",
        )
    return found.id


def told(expected: type[R], result: Result) -> R:
    """Give an answer as what it is known to be."""
    assert isinstance(result, expected), f"{type(result).__name__} is not {expected.__name__}"
    return result
