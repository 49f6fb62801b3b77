"""Connections on which a server that says nothing is found out.

The server's own limits end nothing where the server itself stands still, and the network notices
nothing either as long as the machine's kernel answers.
"""

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg.errors import Diagnostic

T = TypeVar("T")

SILENCE_S = 10.0
"""How long an answer may take before it is asked whether the server lives at all."""


WARNING = "01000"
"""What says that a commit did not wait, among other things; those are doubted in vain."""


class SilentServerError(psycopg.OperationalError):
    """The server says nothing any more."""


class LocalCommitError(psycopg.OperationalError):
    """The server has committed something that its standby may not have."""


class WatchedConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that is given up if an answer takes long and its server hangs."""

    server: int = 0
    """Which of the servers that the URL names is at the other end."""

    doubt: Callable[["WatchedConnection"], None] | None = None
    """Raises if the server hangs. Without it, a server that takes long is taken to hang."""

    @contextmanager
    def replicated(self) -> Iterator[None]:
        """Raise if the server ended a commit in here without waiting for the standby.

        Whoever cancels the statement ends that wait; the server then only warns, and commits.
        """
        warnings: list[str] = []

        def note(notice: Diagnostic) -> None:
            if notice.sqlstate == WARNING:
                warnings.append(WARNING)

        self.add_notice_handler(note)
        try:
            yield
        finally:
            self.remove_notice_handler(note)
        if warnings:
            raise LocalCommitError("its wait for the standby was ended")

    def wait(self, gen: Generator[Any, Any, T], *limits: Any, **more_limits: Any) -> T:
        """Wait for an answer; every statement comes by here."""
        return super().wait(self._watched(gen), *limits, **more_limits)

    def _watched(self, asking: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
        """Go on as what asks does; psycopg wakes it ten times a second while nothing is heard."""
        try:
            wanted = next(asking)
            until = time.monotonic() + SILENCE_S
            while True:
                heard = yield wanted
                if not heard and time.monotonic() >= until:
                    self._ask_for_life()
                    until = time.monotonic() + SILENCE_S
                wanted = asking.send(heard)
        except StopIteration as done:
            answer: T = done.value
            return answer

    def _ask_for_life(self) -> None:
        try:
            if self.doubt is None:
                raise SilentServerError("it says nothing any more")
            self.doubt(self)
        except psycopg.Error:
            self.close()  # the answer, if it ever comes, is nobody's
            raise
