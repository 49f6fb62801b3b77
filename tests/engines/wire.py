"""Counting what is asked of PostgreSQL, where psycopg hands it to the server."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import psycopg

BESIDE = {"postgres-announcer", "postgres-notices", "postgres-leases"}
"""Threads whose statements no call waits for: some in a second, however many calls there are."""


class Wire:
    """Counts statements, on every connection of this process, and the round trips they take.

    A pipeline sends any number of statements and waits once, so it is one round trip; and one more
    for each answer that is waited for before its end.
    """

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.round_trips = 0
        self._piped = threading.local()

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count from now on, in every thread that calls wait for."""
        plain, pipeline = psycopg.Connection.execute, psycopg.Connection.pipeline

        def execute(connection: Any, query: Any, *more: Any, **named: Any) -> Any:
            if threading.current_thread().name not in BESIDE:
                self.statements.append(query.decode() if isinstance(query, bytes) else str(query))
                self.round_trips += not self._is_piped()
            return plain(connection, query, *more, **named)

        @contextmanager
        def piped(connection: Any) -> Iterator[Any]:
            self.round_trips += 1
            self._piped.is_open = True
            try:
                with pipeline(connection) as opened:
                    yield opened
            finally:
                self._piped.is_open = False

        with ExitStack() as stack:
            for name, counted in (("execute", execute), ("pipeline", piped)):
                stack.enter_context(patch.object(psycopg.Connection, name, counted))
            for name in ("fetchone", "fetchall"):
                stack.enter_context(patch.object(psycopg.Cursor, name, self._fetching(name)))
            yield

    def of(self, call: Callable[[], object]) -> "Asked":
        """Count one call."""
        self.statements, self.round_trips = [], 0
        call()
        return Asked(list(self.statements), self.round_trips)

    def _fetching(self, name: str) -> Callable[[Any], Any]:
        plain = getattr(psycopg.Cursor, name)

        def fetch(cursor: Any) -> Any:
            self.round_trips += self._is_piped()
            return plain(cursor)

        return fetch

    def _is_piped(self) -> bool:
        return bool(getattr(self._piped, "is_open", False))


@dataclass(frozen=True, slots=True)
class Asked:
    """What one call has asked."""

    statements: list[str]
    round_trips: int
