"""Counting what is asked of PostgreSQL, where psycopg hands it to the server."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import psycopg


class Wire:
    """Counts statements, on every connection of this process, and the round trips they take.

    A pipeline sends any number of statements and waits once, so it is one round trip.
    """

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.round_trips = 0
        self._piped = threading.local()

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count from now on, in every thread."""
        plain, pipeline = psycopg.Connection.execute, psycopg.Connection.pipeline

        def execute(connection: Any, query: Any, *more: Any, **named: Any) -> Any:
            text = query.decode() if isinstance(query, bytes) else str(query)
            self.statements.append(text)
            self.round_trips += not getattr(self._piped, "is_open", False)
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

        with (
            patch.object(psycopg.Connection, "execute", execute),
            patch.object(psycopg.Connection, "pipeline", piped),
        ):
            yield

    def of(self, call: Callable[[], object]) -> "Asked":
        """Count one call."""
        self.statements, self.round_trips = [], 0
        call()
        return Asked(self.statements, self.round_trips)


@dataclass(frozen=True, slots=True)
class Asked:
    """What one call has asked."""

    statements: list[str]
    round_trips: int
