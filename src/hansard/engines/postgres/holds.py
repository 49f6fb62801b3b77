"""Holds: advisory locks on a connection of their own, which the server frees when we die."""

import threading
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager

import psycopg

from hansard.engines.postgres.connections import Connection, Connector
from hansard.engines.postgres.schema import Names
from hansard.kernel.problem import StorageUnavailable


class Holds:
    """The locks that this engine holds."""

    def __init__(self, connector: Connector, names: Names) -> None:
        self._connector = connector
        self._names = names
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._held: set[str] = set()
        self._closed = False

    def take(self, name: str) -> AbstractContextManager[None] | None:
        """Take a lock; `None` if someone has it, and be it ourselves."""
        with self._lock:
            if self._closed:
                raise StorageUnavailable("The store is closed")
            # The server would grant a connection what it already holds.
            if name in self._held or not self._try(name):
                return None
            self._held.add(name)
        return self._until_released(name)

    def held(self, names: Collection[str]) -> set[str]:
        """Say which of these locks somebody has.

        Asked on the connection of our own: if that was lost, what we held is taken again first.
        """
        with self._lock:
            if self._closed:
                raise StorageUnavailable("The store is closed")
            try:
                taken = self._taken()
            except psycopg.OperationalError:
                if self._connection is not None and not self._connection.closed:
                    raise
                taken = self._taken()
        return {name for name in names if self._names.lock_number(name) in taken}

    def close(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._closed = True
            self._held.clear()
            if self._connection is not None:
                self._connection.close()

    @contextmanager
    def _until_released(self, name: str) -> Iterator[None]:
        try:
            yield
        finally:
            self._release(name)

    def _release(self, name: str) -> None:
        with self._lock:
            if name not in self._held:
                return
            self._held.remove(name)
            assert self._connection is not None, "what is held is held on a connection"
            try:
                self._connection.execute(
                    "SELECT pg_advisory_unlock(%s)", (self._names.lock_number(name),)
                )
            except psycopg.OperationalError:
                # Lost, and with it the lock: that is what was wanted.
                self._connection.close()

    def _try(self, name: str) -> bool:
        try:
            return self._ask(self._connected(), name)
        except psycopg.OperationalError:
            if self._connection is not None and not self._connection.closed:
                raise
        return self._ask(self._connected(), name)

    def _connected(self) -> Connection:
        """Give the connection; if it was lost, a new one, with what was held taken again."""
        if self._connection is None or self._connection.closed:
            self._connection = self._connector.connect()
            # What someone else has taken since is theirs.
            self._held = {name for name in self._held if self._ask(self._connection, name)}
        return self._connection

    def _taken(self) -> set[int]:
        """Give the numbers of all advisory locks of this database."""
        rows = self._connected().execute(
            "SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks l "
            "JOIN pg_database d ON d.oid = l.database AND d.datname = current_database() "
            "WHERE locktype = 'advisory' AND objsubid = 1 AND granted"
        )
        return {number for (number,) in rows}

    def _ask(self, connection: Connection, name: str) -> bool:
        answer = connection.execute(
            "SELECT pg_try_advisory_lock(%s)", (self._names.lock_number(name),)
        ).fetchone()
        return answer == (True,)
