"""Connections on which a server that has gone silent is detected.

The server's own timeouts end nothing while the server itself is stopped, and the network notices
nothing either as long as the machine's kernel answers.
"""

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg.abc import Params
from psycopg.errors import Diagnostic

from hansard.engines.postgres.statement_text import numbered

T = TypeVar("T")

SILENCE_S = 10.0
"""How long an answer may take before we ask whether the server is alive at all."""


WARNING = "01000"
"""The code that says that a commit did not wait; it has other meanings, so some are doubted in
vain."""


class SilentServerError(psycopg.OperationalError):
    """The server no longer answers."""


class LocalCommitError(psycopg.OperationalError):
    """The server has committed something that its standby may not have."""


class WatchedConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that is given up if an answer takes long and its server hangs."""

    server: int = 0
    """Which of the servers that the URL names is at the other end."""

    is_one_of_several: bool = False
    """Whether the URL names other servers too."""

    doubt: Callable[["WatchedConnection"], None] | None = None
    """Raises if the server hangs. Without it, a server that takes long is taken to hang."""

    @contextmanager
    def replicated(self) -> Iterator[None]:
        """Raise if the server ended a commit in here without waiting for the standby.

        Cancelling the statement ends that wait; the server then only warns, and commits.
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

    def execute(
        self,
        query: Any,
        params: Params | None = None,
        *,
        prepare: bool | None = None,
        binary: bool = False,
    ) -> psycopg.Cursor[tuple[Any, ...]]:
        """Send a statement, whose places are `%s` or `%b`, with the values for them in order."""
        if params is not None:
            query = numbered(query if isinstance(query, bytes) else query.encode())
        return super().execute(query, params, prepare=prepare, binary=binary)

    def wait(self, gen: Generator[Any, Any, T], *limits: Any, **more_limits: Any) -> T:
        """Wait for an answer; every statement comes by here."""
        return super().wait(self._watched(gen), *limits, **more_limits)

    def _watched(self, asking: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
        """Drive psycopg's wait, which returns ten times a second while nothing arrives."""
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
            self.close()  # nobody waits for the answer any more
            raise
