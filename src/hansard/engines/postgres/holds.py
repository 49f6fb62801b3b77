"""Holds: advisory locks on a connection of their own, which the server frees when we die.

It frees them as well when that connection is lost, and tells nobody. So a lock knows on which
connection it was taken, and is ours only for as long as that one answers. What was held is taken
again on the next connection, so that we are not mistaken for dead any longer than need be; but
who relied on it must know that somebody else may have had it in between.
"""

import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager

import psycopg

from hansard.engines.postgres.connections import Connection, Connector, backend_of, translated
from hansard.engines.postgres.schema import Names
from hansard.kernel.problem import StorageUnavailable


class PostgresLock:
    """A lock that the server keeps for one of our connections."""

    def __init__(self, holds: "Holds", name: str, taken_on: int) -> None:
        """Be the handle of a lock that was taken on that connection."""
        self.name = name
        self.taken_on = taken_on
        self._holds = holds

    def __enter__(self) -> None:
        """Nothing is left to do: it was taken already."""

    def __exit__(self, *_: object) -> None:
        self._holds.release(self)

    def is_ours(self) -> bool:
        return self._holds.is_ours(self)

    def renew(self) -> bool:
        return self._holds.renew(self)


class Holds:
    """The locks that this engine holds."""

    def __init__(self, connector: Connector, names: Names) -> None:
        self._connector = connector
        self._names = names
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._made = 0
        """How many connections there have been: which one a lock was taken on."""
        self._keeper = 0
        """The process of the server that keeps them; a pooler may have us ask another."""
        self._held: dict[str, PostgresLock] = {}
        self._closed = False

    def take(self, name: str) -> PostgresLock | None:
        """Take a lock; `None` if someone has it, and be it ourselves."""
        with self._alone("PostgreSQL could not be asked for a lock"):
            # The server would grant a connection what it already holds.
            if name in self._held or not self._try(name):
                return None
            taken = self._held[name] = PostgresLock(self, name, self._made)
            return taken

    def held(self, names: Collection[str]) -> set[str]:
        """Say which of these locks somebody has.

        Asked on the connection of our own: if that was lost, what we held is taken again first.
        """
        with self._alone("PostgreSQL could not be asked for its locks"):
            if not self._answers():
                self._connected()
            taken = self._taken()
        return {name for name in names if self._names.lock_number(name) in taken}

    def is_ours(self, lock: PostgresLock) -> bool:
        """Whether the connection that a lock was taken on has been there ever since."""
        with self._alone("PostgreSQL could not be asked for a lock"):
            is_known = self._held.get(lock.name) is lock and lock.taken_on == self._made
            return is_known and self._answers()

    def renew(self, lock: PostgresLock) -> bool:
        """Take a lock again if it was lost."""
        with self._alone("PostgreSQL could not be asked for a lock"):
            if not self._answers():
                self._connected()
            if lock.name not in self._held and self._try(lock.name):
                self._held[lock.name] = lock
            if self._held.get(lock.name) is not lock:
                return False
            lock.taken_on = self._made
            return True

    def release(self, lock: PostgresLock) -> None:
        """Let go of a lock, if it is still this one."""
        with self._lock:
            if self._held.get(lock.name) is not lock:
                return
            del self._held[lock.name]
            assert self._connection is not None, "what is held is held on a connection"
            number = self._names.lock_number(lock.name)
            try:
                self._connection.execute("SELECT pg_advisory_unlock(%s)", (number,))
            except psycopg.OperationalError:
                # Lost, and with it the lock: that is what was wanted.
                self._connection.close()

    def close(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._closed = True
            self._held.clear()
            if self._connection is not None:
                self._connection.close()

    @contextmanager
    def _alone(self, what: str) -> Iterator[None]:
        """Have the connection to ourselves, and say what could not be asked of it."""
        with self._lock, translated(what):
            if self._closed:
                raise StorageUnavailable("The store is closed")
            yield

    def _answers(self) -> bool:
        """Whether the connection is still there; the server alone can tell."""
        if self._connection is None:
            return False
        try:
            return backend_of(self._connection) == self._keeper
        except psycopg.OperationalError:
            if not self._connection.closed:
                raise
            return False

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
            self._connection = connection = self._connector.connect()
            self._made += 1
            self._keeper = backend_of(connection)
            # What someone else has taken since is theirs.
            still = {name for name in self._held if self._ask(connection, name)}
            self._held = {name: lock for name, lock in self._held.items() if name in still}
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
