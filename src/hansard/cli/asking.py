"""Asking the application for a person: under a session that ends with the command."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from hansard.app.application import Application
from hansard.app.settings import load
from hansard.app.start import start
from hansard.cli.flags import Flags
from hansard.cli.opening import opened
from hansard.cli.terminal import actor
from hansard.kernel.operation import Caller, Result, Seat
from hansard.sessions.contract import SessionNotFound

Ask = Callable[..., Result]


@contextmanager
def asking(flags: Flags, *, makes_store: bool = False) -> Iterator[Ask]:
    """Open the store for a while; gives what asks an operation by name, as whoever sits here."""
    if makes_store:
        start(load(flags)).close()
    with opened(flags) as (application, settings):
        seat = Seat()
        caller = Caller(actor(), session=settings.session or None, seat=seat)

        def ask(operation: str, **arguments: Any) -> Result:
            given = {name: value for name, value in arguments.items() if value is not None}
            return application.call(operation, given, caller)

        try:
            yield ask
        finally:
            _close_own(application, seat, caller)


def _close_own(application: Application, seat: Seat, caller: Caller) -> None:
    """End the session that this command began: it has nothing more to say."""
    for session in list(seat.sessions.values()):
        # One that only looked has never begun.
        with suppress(SessionNotFound):
            application.call("close_session", {"session_id": session}, caller)
