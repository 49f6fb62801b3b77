"""Connections to PostgreSQL: creating them, sharing them, and classifying their failures."""

import itertools
import select
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from hansard.engines.postgres.servers import ReplacedServerError, Servers, ServersApartError
from hansard.engines.postgres.watched import LocalCommitError, SilentServerError, WatchedConnection
from hansard.kernel.problem import StorageUnavailable

_forgotten = itertools.count()

Connection = WatchedConnection

TROUBLE = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.InternalError,
    errors.InsufficientPrivilege,
)
"""What psycopg raises when the server fails; its other errors are mistakes in our statements."""

PASSING = (errors.SerializationFailure, errors.DeadlockDetected)
"""Refusals that the same work may not meet again."""

POOL_WAIT_S = 10.0
"""How long a reader waits for a connection that others use."""

LIFETIME_S = 1800.0
"""The longest that a connection is used, so that changes at the server reach all of them, and the
memory that its process has gathered is freed."""

DEFAULTS = {
    "application_name": "hansard",
    "connect_timeout": "10",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}
"""The defaults, unless the URL says otherwise. A dead server is noticed within a minute."""

SEVERAL = {"target_session_attrs": "read-write", "connect_timeout": "3"}
"""What holds besides where the URL names several servers: the one that takes writes is ours."""

_SETTINGS = {
    # An acknowledged write is on disk, whatever the server's default.
    "synchronous_commit": "on",
    # A statement that is a transaction of its own does not say this itself.
    "default_transaction_isolation": "read committed",
    # So that the server, too, notices within a minute that we are gone, and frees our locks.
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
}

_OF_A_CONNECTION = (
    *("tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count"),
    "default_transaction_isolation",
)
"""Settings that have no effect on a transaction."""

_SET = "SELECT set_config(name, value, {}) FROM unnest(%s::text[], %s::text[]) AS s(name, value)"

_TELLING = (ReplacedServerError, ServersApartError, SilentServerError, LocalCommitError)
"""Errors of our own, whose words are for people."""

_REASONS = {
    "55P03": "another writer held it for too long",
    "53100": "its disk is full",
    "53200": "it is out of memory",
    "53300": "it takes no more connections",
    "57014": "it took too long",
    "25006": "it is read-only here",
    "42501": "this user may not do that",
    "28P01": "it did not accept the password",
    "28000": "it did not accept this user",
    "3D000": "there is no such database",
}


class Connector:
    """Knows how to reach the server; nobody else sees the URL."""

    def __init__(self, url: str, *, lock_wait_s: float) -> None:
        try:
            asked = conninfo_to_dict(url)
            several = SEVERAL if "," in str(asked.get("host", "")) else {}
            parameters = {**DEFAULTS, **several, **asked, "client_encoding": "utf8"}
            self._servers = Servers(parameters)
        except psycopg.ProgrammingError:
            # What psycopg says here may quote the URL, and with it the password.
            raise StorageUnavailable("The PostgreSQL URL cannot be understood") from None
        self._settings = _SETTINGS | {"lock_timeout": f"{int(lock_wait_s * 1000)}ms"}
        self.is_pooled = False
        """Whether a pooler stands between: what is set or prepared on a connection may be lost."""

    def connect(self, **more_settings: str) -> Connection:
        """Open a connection on which transactions are begun and ended by hand."""
        connection = self._servers.connect()
        try:
            self._make_ready(connection, self._settings | more_settings)
        except BaseException:
            connection.close()
            raise
        return connection

    def is_good(self, connection: Connection) -> bool:
        """Whether a connection that lay idle may be used: the primary is at its other end."""
        return not has_news(connection) and not self._servers.has_left(connection)

    def require_primary(self, connection: Connection) -> None:
        """Raise if another server was found to be the primary than that of a connection."""
        self._servers.require_primary(connection)

    def set_locally(self, connection: Connection, **more_settings: str) -> None:
        """Apply the settings to the transaction just begun, unless they apply already."""
        if self.is_pooled:
            settings = self._settings | more_settings
            some = {name: settings[name] for name in settings if name not in _OF_A_CONNECTION}
            _set(connection, some, for_transaction=True)

    def _make_ready(self, connection: Connection, settings: dict[str, str]) -> None:
        if not self.is_pooled:
            # The server we reached is not the one that answers: a pooler stands between.
            self.is_pooled = connection.info.backend_pid != backend_of(connection)
        if self.is_pooled:
            # What one connection prepares or sets, another is given.
            connection.prepare_threshold = None
        else:
            _set(connection, settings, for_transaction=False)


def _set(connection: Connection, settings: dict[str, str], *, for_transaction: bool) -> None:
    statement = _SET.format("true" if for_transaction else "false")
    connection.execute(statement.encode(), (list(settings), list(settings.values())))


class Pool:
    """A few connections that readers take turns with."""

    def __init__(
        self,
        connector: Connector,
        *,
        size: int,
        settings: Mapping[str, str] = MappingProxyType({}),
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connector = connector
        self._settings = settings
        self._timer = timer
        self._places = threading.BoundedSemaphore(size)
        self._idle: list[tuple[Connection, float]] = []
        """Each with the time until which it is good."""
        self._lock = threading.Lock()
        self._closed = False

    @contextmanager
    def connection(self, *, fresh: bool = False) -> Iterator[Connection]:
        """Lend a connection; `fresh` means none that lay idle, since those may be lost too."""
        if not self._places.acquire(timeout=POOL_WAIT_S):
            raise StorageUnavailable(f"All connections were in use for {POOL_WAIT_S:g} s")
        try:
            connection, until = self._take(fresh=fresh)
            try:
                yield connection
            except psycopg.Error:
                connection.close()  # what it has prepared is uncertain
                raise
            finally:
                self._put_back(connection, until)
        finally:
            self._places.release()

    def close(self) -> None:
        """Lend no more, and close each connection when it is not in use."""
        with self._lock:
            self._closed = True
        self._close_idle()

    def _take(self, *, fresh: bool) -> tuple[Connection, float]:
        if fresh:
            self._close_idle()
        while idle := self._one_idle():
            connection, until = idle
            if self._timer() < until and self._connector.is_good(connection):
                return idle
            connection.close()
        return self._connector.connect(**self._settings), self._timer() + LIFETIME_S

    def _one_idle(self) -> tuple[Connection, float] | None:
        with self._lock:
            if self._closed:
                raise StorageUnavailable("The store is closed")
            return self._idle.pop() if self._idle else None

    def _put_back(self, connection: Connection, until: float) -> None:
        end_transaction(connection)
        with self._lock:
            if not self._closed and not connection.closed:
                self._idle.append((connection, until))
                return
        connection.close()

    def _close_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()


def has_news(connection: Connection) -> bool:
    """Whether the server has sent something unasked on an idle connection: that it closes it."""
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select([connection.fileno()], [], [], 0)[0])
    waiting = select.poll()
    waiting.register(connection.fileno(), select.POLLIN)
    return bool(waiting.poll(0))


def backend_of(connection: Connection) -> int:
    """Name the server's process that answers on a connection."""
    [[process]] = connection.execute("SELECT pg_backend_pid()").fetchall()
    return int(process)


@contextmanager
def pipelined(connection: Connection) -> Iterator[None]:
    """Send statements without waiting for the answer to each, where the client's library can."""
    if not psycopg.Pipeline.is_supported():
        yield
        return
    with connection.pipeline():
        yield


def end_transaction(connection: Connection) -> None:
    """Undo what is open on a connection; one that cannot even do that is closed."""
    if connection.closed or connection.info.transaction_status == TransactionStatus.IDLE:
        return
    has_failed = connection.info.transaction_status == TransactionStatus.INERROR
    try:
        connection.execute("ROLLBACK")
        if has_failed:
            forget_prepared(connection)
    except psycopg.Error:
        connection.close()


def forget_prepared(connection: Connection) -> None:
    """Prepare statements again after a failure in a pipeline.

    psycopg takes a statement for prepared even if the server skipped it because an earlier one had
    failed. It notices a DEALLOCATE ALL, but only in a statement that it has not sent before.
    """
    if connection.prepare_threshold is not None:
        connection.execute(f"DEALLOCATE ALL -- {next(_forgotten)}".encode())


def is_trouble(error: BaseException) -> bool:
    """Whether an error is the server's state rather than something wrong with what was asked."""
    return isinstance(error, TROUBLE) and not isinstance(error, errors.ProgramLimitExceeded)


def unavailable(what: str, error: psycopg.Error, **details: Any) -> StorageUnavailable:
    """Make the problem that tells a caller what the server's refusal means for it."""
    reason = "it cannot be reached"
    if isinstance(error, _TELLING):
        reason = str(error)
    if error.sqlstate is not None and not error.sqlstate.startswith(("08", "57P")):
        reason = _REASONS.get(error.sqlstate, f"it refused with SQLSTATE {error.sqlstate}")
    problem = StorageUnavailable(f"{what}: {reason}", **details)
    problem.__cause__ = error
    return problem


@contextmanager
def translated(what: str) -> Iterator[None]:
    """Turn the server's refusals into a problem."""
    try:
        yield
    except psycopg.Error as error:
        if is_trouble(error):
            raise unavailable(what, error) from error
        raise
