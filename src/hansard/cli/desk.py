"""An open store at the command line, and the calls a command makes as its user."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.cli.cli_session import for_one_write, looking
from hansard.cli.flags import Flags
from hansard.cli.naming.finding import LATEST
from hansard.cli.naming.named_arguments import meant
from hansard.cli.opened_store import opened
from hansard.cli.person_proof import PersonProof
from hansard.cli.terminal.stderr import say
from hansard.kernel import paging
from hansard.kernel.operation import Caller, Flagged, Result
from hansard.kernel.problem import InvalidInput

R = TypeVar("R")
P = TypeVar("P", bound=paging.ListAnswer)

Ask = Callable[..., Result]
"""Calls an operation by name, as the user of the command line."""

BUDGET_TOKENS = 1_000_000
"""People have no context window; a page is as long as it may be."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The store, and who sits at the command line."""

    application: Application
    settings: Settings
    caller: Caller
    proving: PersonProof
    warns: bool = True
    """Whether warnings in an answer are printed on stderr."""

    def ask(self, operation: str, **arguments: Any) -> Result:
        """Do an operation; what was not given is left out.

        `activating` names the records that a write rests on, each with the version looked at.
        """
        activating: Mapping[str, int] = arguments.pop("activating", None) or {}
        # The past is only read, so nobody has to prove anything.
        is_past = arguments.get("as_of") is not None
        asker = self.caller if is_past else self.proving.caller(self.caller, operation)
        answer = self._call(operation, arguments, replace(asker, activating=activating))
        if self.warns and isinstance(answer, Flagged):
            for line in answer.cautions():
                say(line)
        return answer

    def look(self, expected: type[R], operation: str, **arguments: Any) -> R:
        """Ask without leaving a trace: a person who looks has not resumed anything."""
        viewer = replace(self.caller, actor=replace(self.caller.actor, role="viewer"))
        return told(expected, self._call(operation, arguments, viewer))

    def _call(self, operation: str, arguments: dict[str, Any], caller: Caller) -> Result:
        given = {name: value for name, value in arguments.items() if value is not None}
        named = meant(self.application, operation, given)
        return self.application.call(operation, named, caller)

    def session(self, named: str | None) -> str:
        """Give the session that is meant: by its id, the beginning of that, its title, or last."""
        return self.named_session(named) or self.latest_session()

    def named_session(self, named: str | None) -> str | None:
        """Give the session that is named here, else by the settings; `None` if none is."""
        from hansard.cli.naming import resolving

        chosen = named or self.settings.session
        return resolving.meant_id(self.application, resolving.SESSION, chosen) if chosen else None

    def latest_session(self) -> str:
        """Give the session that `@latest` means."""
        from hansard.cli.naming import resolving

        found = resolving.meant_thing(self.application, resolving.SESSION, LATEST)
        if found is None:
            raise InvalidInput(
                "No session is recorded in this project yet",
                hint="Name another project with --project, or another store with --store",
            )
        return found.id


@contextmanager
def desk(flags: Flags, *, is_anyones: bool = True, may_write: bool = True) -> Iterator[Desk]:
    """Open the store to look at it, and to do what is asked for by name.

    What is looked at is `is_anyones`, or else that of the session which the settings name. Unless
    it `may_write`, not even what a crash left open is settled.
    """
    with opened(flags, looking=not may_write) as (application, settings):
        caller = looking(None if is_anyones else settings)
        yield Desk(application, settings, caller, PersonProof(application), warns=False)


@contextmanager
def writing_desk(flags: Flags, *, makes_store: bool = False) -> Iterator[Desk]:
    """Open the store for a command that writes once; a session it begins ends with the write."""
    with opened(flags, makes_store=makes_store) as (application, settings):
        yield Desk(application, settings, for_one_write(settings), PersonProof(application))


@contextmanager
def asking(flags: Flags, *, makes_store: bool = False) -> Iterator[Ask]:
    """Open the store for a while; gives a function that calls operations as this user."""
    with writing_desk(flags, makes_store=makes_store) as at:
        yield at.ask


def pages(ask: Ask, expected: type[P], operation: str, **arguments: Any) -> Iterator[P]:
    """Ask for every page of a list, one after the other."""
    return paging.answers(lambda **place: told(expected, ask(operation, **arguments, **place)))


def told(expected: type[R], result: Result) -> R:
    """Give an answer as what it is known to be."""
    assert isinstance(result, expected), f"{type(result).__name__} is not {expected.__name__}"
    return result
