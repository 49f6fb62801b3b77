"""Who uses the command line, and the session that ends with the command.

Only this module and `person_proof` find out who that is: every command has its caller from these
two.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.cli.person_proof import PersonProof
from hansard.cli.terminal.text import actor
from hansard.kernel.event import Actor
from hansard.kernel.liveness_lock import Lifeline
from hansard.kernel.operation import Caller, Seat
from hansard.kernel.problem import Problem
from hansard.kernel.session_holder import Holder


def for_one_write(settings: Settings) -> Caller:
    """Build the caller of a command that writes once: its session ends with that very write."""
    session = settings.session or None
    return Caller(
        actor(), session=session, holder=Holder(via="terminal"), ends_with_write=session is None
    )


def looking(settings: Settings | None = None) -> Caller:
    """Build the caller of a command that only reads, or proves itself before it writes."""
    return Caller(actor(), session=settings.session or None if settings else None)


@contextmanager
def sitting(
    application: Application, settings: Settings, *, asks: bool = True, whose: Actor | None = None
) -> Iterator[Caller]:
    """Build the caller of a command that writes for a while, under a session that ends with it.

    It proves to be a person's at the beginning, if it can; what nobody sits at `asks` for nothing.
    What a command only passes on is `whose` it is, never a person's.
    """
    assert whose is None or whose.kind == "agent", "nobody is a person by being named"
    seat, lifeline = Seat(), Lifeline()
    caller = Caller(
        whose or actor(),
        session=settings.session or None,
        seat=seat,
        holder=Holder(via="terminal", owner=lifeline.name),
        lifeline=lifeline,
    )
    if asks and whose is None:
        caller = replace(caller, secret=PersonProof(application).secret(caller))
    try:
        yield caller
    finally:
        for session in list(seat.sessions.values()):
            # One under which nothing was written has never begun. A store that refuses this has
            # refused more before, and everyone sees that this process is gone.
            with suppress(Problem):
                application.call("close_session", {"session_id": session}, caller)
        lifeline.drop()
