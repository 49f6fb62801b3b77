"""Leases: locks in a table, each with a fencing number.

A lease is ours while its row has our number, whatever becomes of connections. A thread puts off the
end of all we have, three times before it comes. Somebody else takes a lease only from a process
that is dead: one of the same machine shows that itself, one of another has let the time pass, by
the database's clock and while that answered. Then the number changes, and the old owner can
neither renew the lease nor commit under it.
"""

import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import errors

from hansard.engines.postgres import lease_service
from hansard.engines.postgres.connections import (
    Connection,
    Connector,
    end_transaction,
    forget_prepared,
    is_trouble,
    pipelined,
    translated,
)
from hansard.engines.postgres.process_liveness import Sign, lives
from hansard.engines.postgres.schema import Names
from hansard.engines.postgres.text import short
from hansard.kernel.opener import OpeningProcess
from hansard.kernel.problem import StorageUnavailable

LEASE_S = 15.0
"""After this long without a sign, a process of another machine is taken for dead."""

BEATS = 3
"""How often a lease is renewed before it would end."""

TRIES = 15
"""How often that is tried in the same time while the server is gone."""

_SETTINGS = {
    # A lease that a crash of the server loses is a lease lost, which its number shows.
    "synchronous_commit": "off",
    # Whoever waits here keeps this process from its beats and its other leases.
    "lock_timeout": "1s",
}

LOOK_S = 1.0
"""How often to look whether the owner of a lease that is over is known to be dead."""

TAKES_MAX = 3
"""How often to retry a lease that others release at the same moment."""

FORGOTTEN_S = 86_400
"""Leases that ended so long ago are cleared away; nobody asks for those of a dead process again."""


Ask = Callable[[Connection], Callable[[], None]]
"""Asks something in a pipeline; what it gives is called once that is answered."""


def nothing(_: Connection) -> Callable[[], None]:
    """Ask nothing else."""
    return lambda: None


class PostgresLock:
    """A lease that was taken."""

    def __init__(self, leases: "Leases", name: str, number: int) -> None:
        """Make the handle of a lease that was taken under this number."""
        self.name = name
        self.number = number
        self._leases = leases

    def __enter__(self) -> None:
        """Nothing is left to do: it was taken already."""

    def __exit__(self, *_: object) -> None:
        self._leases.release(self)

    def is_ours(self) -> bool:
        return self._leases.are_ours([self])

    def renew(self) -> bool:
        return self._leases.renew(self)

    def was_released(self) -> None:
        """Note that a commit removed its row, so that it need not be released."""
        self._leases.note_released(self)


class Leases:
    """The leases that this engine has."""

    def __init__(
        self,
        connector: Connector,
        names: Names,
        renewed: Callable[[], None] = lambda: None,
        *,
        lease_s: float = LEASE_S,
    ) -> None:
        """Start without leases, and show that this process lives.

        `renewed` is called in the thread that may take a lease which others have had meanwhile.
        """
        self._opener = OpeningProcess()
        self._renewed = renewed
        self._connector = connector
        self._table = names.leases
        self._next = f"nextval('{names.lease_numbers}')"
        self._note_service = lease_service.noting(names)
        self._lease_s = lease_s
        self._member = secrets.token_hex(16)
        self._sign = Sign(self._member)
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._held: dict[str, PostgresLock] = {}
        self._numbers: dict[str, int] = {}
        """By name: the number in the table, which may be newer than the one in the handle."""
        self._doubted: set[str] = set()
        """Names of leases that are over, but not for so long that their owners must be dead."""
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def take(self, name: str, ask: Ask = nothing) -> PostgresLock | None:
        """Take a lease; `None` if someone has it, this process included.

        What else is asked with it is answered as of when the lease was ours already.
        """
        with self._alone("PostgreSQL could not be asked for a lock"):
            if name in self._held or (number := self._take(name, ask)) is None:
                return None
            taken = self._held[name] = PostgresLock(self, name, number)
            self._begin_to_beat()
            return taken

    def taken_once_known(
        self, name: str, take: Callable[[], PostgresLock | None]
    ) -> PostgresLock | None:
        """Try again while a lease is over whose owner may yet live; at most two terms."""
        until = time.monotonic() + 2 * self._lease_s
        while short(name) in self._doubted and time.monotonic() < until:
            if self._ended.wait(min(LOOK_S, self._lease_s / 2)):
                return None
            if lock := take():
                return lock
        return None

    def held(self, names: Collection[str]) -> set[str]:
        """Say which of these somebody living has."""
        by_name = {short(name): name for name in names}
        with self._alone("PostgreSQL could not be asked for its locks"):
            rows = self._ask(
                f"SELECT name, member, machine, {_IS_OVER} FROM {self._table} WHERE name = ANY(%s)",
                *(self._lease_s, list(by_name)),
            )
            return {by_name[row[0]] for row in rows if not self._is_gone(*row)}

    def are_ours(self, locks: Collection[PostgresLock]) -> bool:
        """Whether leases are under their numbers still; if so their ends are a whole term off."""
        with self._alone("PostgreSQL could not be asked for a lock"):
            return all(self._held.get(lock.name) is lock for lock in locks) and (
                self._put_off(*locks)
            )

    def renew(self, lock: PostgresLock) -> bool:
        """Take a lease again if it was lost."""
        self._renewed()
        with self._alone("PostgreSQL could not be asked for a lock"):
            if self._held.get(lock.name, lock) is not lock:
                return False
            lock.number = self._numbers.get(lock.name, lock.number)
            if lock.name in self._held and self._put_off(lock):
                return True
            number = self._take(lock.name)
            if number is None:
                self._forget(lock.name)
                return False
            lock.number, self._held[lock.name] = number, lock
            return True

    def release(self, lock: PostgresLock) -> None:
        """Release a lease, if it is still this one; a fork's copies belong to its parent."""
        if not self._opener.is_this():
            return
        with self._lock:
            if self._held.get(lock.name) is not lock:
                return
            number = self._numbers[lock.name]
            self._forget(lock.name)
            try:
                self._let_go([number])
            except psycopg.Error as error:
                if not is_trouble(error):
                    raise
                # It is not renewed any more, and given back when the server is there again.

    def note_released(self, lock: PostgresLock) -> None:
        """Forget a lease whose row a commit removed, unless it was taken again since."""
        with self._lock:
            if self._held.get(lock.name) is lock and self._numbers[lock.name] == lock.number:
                self._forget(lock.name)

    def close(self) -> None:
        """Release everything; what cannot be released at the server ends with this process.

        A fork only stops to show its parent's sign of life, which would outlive the parent.
        """
        if not self._opener.is_this():
            self._sign.close()
            return
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        with self._lock:
            numbers = list(self._numbers.values())
            self._held.clear()
            self._numbers.clear()
            if self._connection is not None:
                if numbers and not self._connection.closed:
                    self._try_to_let_go(numbers)
                self._connection.close()
        self._sign.close()

    @contextmanager
    def _alone(self, what: str) -> Iterator[None]:
        """Use the connection alone, and translate what fails on it into a problem."""
        with self._lock, translated(what):
            if self._ended.is_set():
                raise StorageUnavailable("The store is closed")
            yield

    def _take(self, name: str, ask: Ask = nothing) -> int | None:
        try:
            taken = self._taken(name, ask)
        except errors.LockNotAvailable:
            return None  # somebody commits under it, or releases it in a commit
        if taken:
            [[number]] = taken
            self._numbers[name] = int(number)
            return int(number)
        return None

    def _taken(self, name: str, ask: Ask) -> list[tuple[Any, ...]]:
        for _ in range(TAKES_MAX):
            if taken := self._insert(name, ask):
                return taken
            found = self._ask(
                f"SELECT number, member, machine, {_IS_OVER} FROM {self._table} WHERE name = %s",
                *(self._lease_s, short(name)),
            )
            if not found:
                continue  # released at this moment
            [[number, *holder]] = found
            if not self._is_gone(short(name), *holder):
                return []
            if taken := self._replace(name, number, machine=holder[1]):
                return taken
        return []

    def _insert(self, name: str, ask: Ask) -> list[tuple[Any, ...]]:
        """Take what nobody has, and hear what else is asked if it was taken.

        A row is looked for first: to insert beside one that a commit removes would wait for that.
        """
        statement = (
            f"INSERT INTO {self._table} (name, number, member, machine, until) "
            f"SELECT %s, {self._next}, %s, %s, {_END} "
            f"WHERE NOT EXISTS (SELECT 1 FROM {self._table} WHERE name = %s) "
            "ON CONFLICT (name) DO NOTHING RETURNING number"
        )
        values = short(name), self._member, self._sign.machine, self._lease_s, short(name)

        def insert(connection: Connection) -> list[tuple[Any, ...]]:
            try:
                with self._set(connection), pipelined(connection):
                    inserted = connection.execute(statement.encode(), values)
                    answered = ask(connection)
            except psycopg.Error:
                if not connection.closed:
                    forget_prepared(connection)
                raise
            if taken := inserted.fetchall():
                answered()
            return taken

        return self._try(insert)

    def _replace(self, name: str, number: int, *, machine: str) -> list[tuple[Any, ...]]:
        """Take a dead one's lease: its number is checked, so that of many takers one gets it."""
        return self._ask(
            f"UPDATE {self._table} SET number = {self._next}, member = %s, machine = %s, "
            f"until = {_END} WHERE name = %s AND number = %s AND "
            f"(%s OR {_IS_OVER}) RETURNING number",
            *(self._member, self._sign.machine, self._lease_s, short(name), number),
            *(self._sign.can_tell(machine), self._lease_s),
        )

    def _is_gone(self, name: str, member: str, machine: str, *is_over: bool) -> bool:
        """Whether the owner of a lease is dead, or is this process, which has released it."""
        if member == self._member:
            return name not in map(short, self._numbers)
        if self._sign.can_tell(machine):
            return not lives(member)
        if all(is_over) and not self._has_served():
            self._doubted.add(name)
            return False
        self._doubted.discard(name)
        return all(is_over)

    def _has_served(self) -> bool:
        """Whether whoever lives could have put off the end of its leases, all of a term."""
        try:
            [[has_served]] = self._ask(self._note_service, lease_service.PAUSE_S, self._lease_s)
        except (errors.ReadOnlySqlTransaction, errors.InsufficientPrivilege):
            return False  # who may only read cannot tell
        if not has_served:
            self._begin_to_beat()  # so that the term comes to its end, though we hold nothing
        return bool(has_served)

    def _put_off(self, *locks: PostgresLock) -> bool:
        found = self._ask(
            f"UPDATE {self._table} SET until = {_END} WHERE number = ANY(%s) RETURNING 1",
            *(self._lease_s, [lock.number for lock in locks]),
        )
        return len(found) == len(locks)

    def _let_go(self, numbers: Collection[int]) -> None:
        self._ask(
            f"DELETE FROM {self._table} WHERE member = %s AND number = ANY(%s) RETURNING 1",
            *(self._member, list(numbers)),
        )

    def _try_to_let_go(self, numbers: Collection[int]) -> None:
        try:
            self._let_go(numbers)
        except psycopg.Error as error:
            if not is_trouble(error):
                raise

    def _forget(self, name: str) -> None:
        self._held.pop(name, None)
        self._numbers.pop(name, None)

    def _begin_to_beat(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._beat, name="postgres-leases", daemon=True)
            self._thread.start()

    def _beat(self) -> None:
        """Renew all our leases until the engine is closed."""
        pause_s = self._lease_s / BEATS
        while not self._ended.wait(pause_s):
            pause_s = self._lease_s / TRIES
            with self._lock:
                try:
                    self._renew_all()
                    pause_s = self._lease_s / BEATS
                except psycopg.Error as error:
                    if not is_trouble(error):
                        raise
                    # A caller that asks for a lease gets the error; the next beat tries again.

    def _renew_all(self) -> None:
        # A commit that releases a lease may have to wait for long. It keeps its row, which nobody
        # can take until then, and which is ours as long as it can be seen.
        ours = (
            f"SELECT name FROM {self._table} WHERE member = %s "
            "ORDER BY name FOR NO KEY UPDATE SKIP LOCKED"
        )
        put_off = f"UPDATE {self._table} SET until = {_END} WHERE name IN ({ours})"
        rows = self._ask(
            f"WITH put_off AS ({put_off}) SELECT name, number FROM {self._table} WHERE member = %s",
            *(self._lease_s, self._member, self._member),
        )
        found = {number: name for name, number in rows}
        if left := found.keys() - set(self._numbers.values()):
            self._try_to_let_go(left)
        for name, number in list(self._numbers.items()):
            # Somebody may have had it in between, which its handle's old number will show.
            if number not in found and self._take(name) is None:
                self._forget(name)
        if self._has_served():
            self._ask(
                f"DELETE FROM {self._table} WHERE until < clock_timestamp() - %s * interval '1 s' "
                "RETURNING 1",
                FORGOTTEN_S,
            )

    def _ask(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run a statement."""

        def ask(connection: Connection) -> list[tuple[Any, ...]]:
            with self._set(connection):
                return connection.execute(statement.encode(), values).fetchall()

        return self._try(ask)

    @contextmanager
    def _set(self, connection: Connection) -> Iterator[None]:
        """Have our settings hold: where a pooler loses them, in a transaction of their own."""
        if not self._connector.is_pooled:
            yield
            return
        try:
            with pipelined(connection):
                connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
                self._connector.set_locally(connection, **_SETTINGS)
                yield
                connection.execute("COMMIT")
        finally:
            end_transaction(connection)

    def _try(self, ask: Callable[[Connection], list[tuple[Any, ...]]]) -> list[tuple[Any, ...]]:
        """Ask something; once more if the connection was lost, as nothing does harm twice."""
        connection = self._connected()
        try:
            return ask(connection)
        except psycopg.OperationalError:
            if not connection.closed:
                raise
        return ask(self._connected())

    def _connected(self) -> Connection:
        if self._connection is None or self._connection.closed:
            self._connection = self._connector.connect(**_SETTINGS)
        return self._connection


_END = "clock_timestamp() + %s * interval '1 s'"

_IS_OVER = "(until < clock_timestamp() OR until > clock_timestamp() + 2 * %s * interval '1 s')"
"""What lies more than a term ahead was written by a clock that was ahead of this one."""
