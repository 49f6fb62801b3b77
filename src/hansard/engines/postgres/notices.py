"""Commit notices: one thread sends them, one listens and passes them on."""

import selectors
import socket
import threading

import psycopg
from psycopg import sql

from hansard.engines.postgres.connections import Connection, Connector
from hansard.engines.postgres.schema import Names
from hansard.kernel.engine import Watch
from hansard.kernel.problem import StorageUnavailable

RECONNECT_S = 1.0
"""How long to wait before trying again to reach a server that was lost."""

ANNOUNCE_S = 0.05
"""The least time between two notices: whoever wakes for one sees all that was committed."""


PRIMARY_S = 10.0
"""How often to check that the news still comes from the primary: a server that hangs is silent."""


POLL_S = 0.25
"""How often a process polls for news when nobody can notify it."""


class Announcer:
    """Tells watchers everywhere that something was committed, soon after it was.

    Not within the commit: PostgreSQL puts commits that carry a notice in line, over the whole
    database, each until the one before it is on disk. If a process dies in between, watchers find
    the commit when they next look by themselves.
    """

    def __init__(self, connector: Connector, names: Names) -> None:
        """Start nothing yet."""
        self._connector = connector
        # The number is for those who can only poll. News waits for no standby: it stores nothing.
        self._telling = (
            "SELECT set_config('synchronous_commit', 'off', true), "
            f"pg_notify(%s, ''), nextval('{names.commits}')"
        ).encode()
        self._channel = names.channel
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._connection: Connection | None = None
        self._news = threading.Event()
        self._ended = threading.Event()

    def announce(self) -> None:
        """Notify everybody, once for all that was committed meanwhile."""
        self._news.set()
        with self._lock:
            if self._thread is None and not self._ended.is_set():
                self._thread = threading.Thread(
                    target=self._serve, name="postgres-announcer", daemon=True
                )
                self._thread.start()

    def close(self) -> None:
        """Send what is still to be sent, then end."""
        with self._lock:
            self._ended.set()
            thread, self._thread = self._thread, None
        if thread is not None:
            self._news.set()
            thread.join()
        if self._connection is not None:
            self._connection.close()

    def _serve(self) -> None:
        is_over = False
        while not is_over:
            self._news.wait()
            is_over = self._ended.is_set()
            self._news.clear()
            is_told = self._tell()
            if not is_told:
                self._news.set()
            self._ended.wait(ANNOUNCE_S if is_told else RECONNECT_S)

    def _tell(self) -> bool:
        try:
            if self._connection is None:
                self._connection = self._connector.connect()
            self._connection.execute(self._telling, (self._channel,))
        except psycopg.Error:
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            return False
        return True


class CommitNotices:
    """Wakes every watch when something was committed. Listens only once there is a watch.

    Behind a pooler that would not pass the server's notices on, it polls, four times a second.
    """

    def __init__(self, connector: Connector, names: Names, *, only_looks: bool = False) -> None:
        self._connector = connector
        self._channel = names.channel
        self._counter = f"SELECT last_value, is_called FROM {names.commits}".encode()
        self._only_looks = only_looks
        self._seen: tuple[int, bool] | None = None
        self._lock = threading.Lock()
        self._watches: set[_PostgresWatch] = set()
        self._thread: threading.Thread | None = None
        self._ended = threading.Event()
        # A byte on the bell ends the thread's waiting, as a notice from the server does.
        self._bell, self._rope = socket.socketpair()

    def watch(self) -> Watch:
        """Begin to notice commits: when this returns, the server has been asked to notify us."""
        with self._lock:
            if self._ended.is_set():
                raise StorageUnavailable("The store is closed")
            if self._thread is None:
                connection = self._listen()
                self._thread = threading.Thread(
                    target=self._serve, args=(connection,), name="postgres-notices", daemon=True
                )
                self._thread.start()
            watch = _PostgresWatch(self)
            self._watches.add(watch)
            return watch

    def forget(self, watch: "_PostgresWatch") -> None:
        """Stop notifying this watch."""
        with self._lock:
            self._watches.discard(watch)

    def close(self) -> None:
        """Stop listening."""
        self._ended.set()
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            self._rope.send(b"!")
            thread.join()
        self._bell.close()
        self._rope.close()

    def _listen(self) -> Connection:
        connection = self._connector.connect()
        try:
            if self._only_looks:
                self._seen = connection.execute(self._counter).fetchone()
                return connection
            connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(self._channel)))
        except BaseException:
            connection.close()
            raise
        return connection

    def _serve(self, connection: Connection | None) -> None:
        while not self._ended.is_set():
            try:
                if connection is None:
                    connection = self._listen()
                    # Something may have been committed while nobody listened.
                    self._wake()
                self._pass_on(connection)
            except psycopg.Error:
                if connection is not None:
                    connection.close()
                connection = None
                self._ended.wait(RECONNECT_S)
        if connection is not None:
            connection.close()

    def _pass_on(self, connection: Connection) -> None:
        """Wait for notices from the server and pass them on, until the bell rings or it is lost."""
        if self._only_looks:
            self._look(connection)
            return
        with selectors.DefaultSelector() as selector:
            selector.register(connection.fileno(), selectors.EVENT_READ)
            selector.register(self._bell, selectors.EVENT_READ)
            while not self._ended.is_set():
                selector.select(PRIMARY_S)
                self._connector.require_primary(connection)
                if list(connection.notifies(timeout=0)):
                    self._wake()

    def _look(self, connection: Connection) -> None:
        """Look again and again whether the number of commits has moved."""
        while not self._ended.wait(POLL_S):
            found = connection.execute(self._counter).fetchone()
            if found != self._seen:
                self._wake()
            self._seen = found

    def _wake(self) -> None:
        """Tell every watch that something was committed."""
        with self._lock:
            for watch in self._watches:
                watch.news.set()


class _PostgresWatch:
    """Remembers whether there was news since it was last asked."""

    def __init__(self, notices: CommitNotices) -> None:
        self.news = threading.Event()
        self._notices = notices

    def wait(self, timeout_s: float) -> bool:
        had_news = self.news.wait(timeout_s)
        if had_news:
            # Readers after this line see everything before it; nothing is missed.
            self.news.clear()
        return had_news

    def close(self) -> None:
        self._notices.forget(self)
