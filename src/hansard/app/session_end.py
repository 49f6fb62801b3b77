"""Ends the sessions of a process that stops, if the store answers in time."""

import threading
from contextlib import suppress

from hansard.app.application import Application
from hansard.kernel.liveness_lock import Lifeline
from hansard.kernel.operation import Seat
from hansard.kernel.problem import Problem

LEAVE_S = 2.0
"""A stopping process waits no longer than this to record that. Its lock shows it as well."""


def leave_in_time(application: Application, seat: Seat, lifeline: Lifeline) -> bool:
    """End the sessions that a process began for itself; false if the store kept it waiting.

    A process that is kept waiting need not close the store either: that would wait for the same
    lock, and
    everything that was acknowledged is durable.
    """
    if not seat.begun:
        return True

    def leave() -> None:
        # A store that refuses loses nothing: everyone sees that this process is gone.
        with suppress(Problem):
            application.leave(seat, lifeline)

    thread = threading.Thread(target=leave, name="leaving", daemon=True)
    with suppress(RuntimeError):  # the interpreter is shutting down, and starts no more threads
        thread.start()
        thread.join(LEAVE_S)
    return not thread.is_alive()
