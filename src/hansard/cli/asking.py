"""Asking the application for a person: what is written ends with the write."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from hansard.app.application import Application
from hansard.cli.flags import Flags
from hansard.cli.naming.named import meant
from hansard.cli.opened_store import opened
from hansard.cli.proving import Proving
from hansard.cli.sitting import for_one_write
from hansard.cli.terminal.stderr import say
from hansard.kernel.operation import Flagged, Result

Ask = Callable[..., Result]


@contextmanager
def asking(flags: Flags, *, makes_store: bool = False) -> Iterator[Ask]:
    """Open the store for a while; gives what asks an operation by name, as whoever sits here."""
    with opened_to_ask(flags, makes_store=makes_store) as (_, ask):
        yield ask


@contextmanager
def opened_to_ask(flags: Flags, *, makes_store: bool = False) -> Iterator[tuple[Application, Ask]]:
    """Give the store as well as what asks of it.

    `activating` names the records that a write rests on, each with the version that was looked at.
    """
    with opened(flags, makes_store=makes_store) as (application, settings):
        caller, proving = for_one_write(settings), Proving(application)

        def ask(
            operation: str, *, activating: Mapping[str, int] | None = None, **arguments: Any
        ) -> Result:
            given = {name: value for name, value in arguments.items() if value is not None}
            # What is asked of the past is only read, so nobody has to prove anything.
            asker = caller if "as_of" in given else proving.caller(caller, operation)
            told = replace(asker, activating=activating or {})
            answer = application.call(operation, meant(application, operation, given), told)
            for line in answer.cautions() if isinstance(answer, Flagged) else ():
                say(line)
            return answer

        yield application, ask
