"""The servers that a URL names, and which of them is the primary.

A primary that was lost may come back after its standby was promoted. It then takes writes too,
and does not know what was written since. A promotion begins a new timeline, so of several servers
that take writes the one of the highest timeline is the primary. Of two of the same timeline none
is: from when that is found, neither is read nor written, until one of them alone is found.
"""

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from typing import Any, NamedTuple

import psycopg
from psycopg import errors
from psycopg.conninfo import make_conninfo

from hansard.engines.postgres import watched
from hansard.engines.postgres.watched import SilentServerError, WatchedConnection

SURVEY_HOLDS_S = 10.0
"""How long connections go straight to the server last found to be the primary."""

_APART = "two servers take writes, each promoted by itself; stop the one that shall not stay"

_LISTS = ("host", "hostaddr", "port")
"""Parameters that may name several servers."""

_ASK_TIMELINE = (
    b"SELECT system_identifier, "
    b"('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint, "
    b"pg_postmaster_start_time()::text FROM pg_control_system()"
)


class ServerTimeline(NamedTuple):
    """Which history a server continues, and how often a standby was promoted in it."""

    cluster: int = 0
    timeline: int = 0
    started: str = ""
    """When it was started: the same server under two names says the same."""

    def is_behind(self, other: "ServerTimeline") -> bool:
        """Whether it ended where another began, or before."""
        return self.cluster == other.cluster and self.timeline < other.timeline

    def is_as_new_as(self, other: "ServerTimeline") -> bool:
        """Whether both went on from the same primary, so that neither has all of the other."""
        is_as_new = (self.cluster, self.timeline) == (other.cluster, other.timeline)
        return is_as_new and self.started != other.started


class ReplacedServerError(psycopg.OperationalError):
    """A server takes writes though another one has replaced it."""


class ServersApartError(psycopg.OperationalError):
    """Two servers take writes, and neither has replaced the other."""


class Servers:
    """Opens connections to the primary."""

    def __init__(
        self, parameters: Mapping[str, Any], timer: Callable[[], float] = time.monotonic
    ) -> None:
        """Start without asking any server."""
        self._conninfos = [make_conninfo("", **one) for one in _each(parameters)]
        self._timer = timer
        self._lock = threading.Lock()
        self._primary: int | None = None
        """The server last found to be the primary, if there are several."""
        self._timeline = ServerTimeline()
        """The newest timeline of a primary that was found."""
        self._until = 0.0
        self._are_apart = False
        """Whether two servers took writes when all were last asked, so that neither is used."""

    def connect(self) -> WatchedConnection:
        """Open a connection to the primary, which is given up when that hangs or is replaced."""
        connection = self._connected()
        connection.doubt = self.doubt
        return connection

    def has_left(self, connection: WatchedConnection) -> bool:
        """Whether another server than that of this connection is the primary, or none is."""
        return self._are_apart or self._primary not in (None, connection.server)

    def require_primary(self, connection: WatchedConnection) -> None:
        """Raise if another server was found to be the primary, or none."""
        if self._are_apart:
            raise ServersApartError(_APART)
        if self.has_left(connection):
            raise ReplacedServerError("another server has replaced it")

    def doubt(self, connection: WatchedConnection) -> None:
        """Raise if a server that has not answered for a while hangs, or is the primary no more.

        A live server may take as long as it likes: a commit, say, waits for a standby.
        """
        self._require_life(connection.server)
        if len(self._conninfos) > 1:
            with suppress(psycopg.OperationalError):
                self._survey().close()
        self.require_primary(connection)

    def _connected(self) -> WatchedConnection:
        if len(self._conninfos) == 1:
            return self._open(0)
        if not self._are_apart and self._primary is not None and self._timer() < self._until:
            with suppress(psycopg.OperationalError):
                return self._open(self._primary)
        return self._survey()

    def _open(self, number: int, **parameters: Any) -> WatchedConnection:
        connection = WatchedConnection.connect(
            self._conninfos[number],
            autocommit=True,
            cursor_factory=psycopg.RawCursor,
            **parameters,
        )
        connection.server = number
        connection.is_one_of_several = len(self._conninfos) > 1
        return connection

    def _require_life(self, number: int) -> None:
        """Raise if a server says nothing at all; one that refuses has said something."""
        patience = {"connect_timeout": math.ceil(watched.SILENCE_S), "target_session_attrs": "any"}
        try:
            with closing(self._open(number, **patience)) as connection:
                connection.execute("SELECT 1")
        except (errors.ConnectionTimeout, SilentServerError):
            raise SilentServerError("it says nothing any more") from None
        except psycopg.Error:
            return

    def _survey(self) -> WatchedConnection:
        """Ask all servers, and give a connection to the primary."""
        found: list[tuple[WatchedConnection, ServerTimeline]] = []
        try:
            last_error = self._ask_all(found)
            if not found:
                raise last_error
            best = self._best(found)
            if any(timeline.is_as_new_as(best[1]) for _, timeline in found):
                self._are_apart = True
                raise ServersApartError(_APART)
            self._remember(*best)
            return found.pop(found.index(best))[0]
        finally:
            for connection, _ in found:
                connection.close()

    def _ask_all(self, found: list[tuple[WatchedConnection, ServerTimeline]]) -> psycopg.Error:
        """Add the servers that take writes; give the last refusal of the others."""
        last_error: psycopg.Error = psycopg.OperationalError("no server takes writes")
        for number in range(len(self._conninfos)):
            try:
                connection = self._open(number)
                found.append((connection, _timeline_of(connection)))
            except psycopg.Error as error:
                last_error = error
        return last_error

    def _best(
        self, found: Sequence[tuple[WatchedConnection, ServerTimeline]]
    ) -> tuple[WatchedConnection, ServerTimeline]:
        """Choose the present primary, or the first named, unless another is ahead of it."""
        best = next((one for one in found if one[0].server == self._primary), found[0])
        for one in found:
            if best[1].is_behind(one[1]):
                best = one
        return best

    def _remember(self, connection: WatchedConnection, timeline: ServerTimeline) -> None:
        """Send further connections to a server, unless it is known to have been replaced."""
        with self._lock:
            if timeline.is_behind(self._timeline):
                raise ReplacedServerError("another server has replaced it, and does not answer")
            self._primary, self._timeline = connection.server, timeline
            self._until = self._timer() + SURVEY_HOLDS_S
            self._are_apart = False


def _each(parameters: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the parameters of each server that is named."""
    lists = {name: str(parameters[name]).split(",") for name in _LISTS if parameters.get(name)}
    count = max(map(len, lists.values()), default=1)
    if any(len(some) not in (1, count) for some in lists.values()):
        raise psycopg.ProgrammingError("of hosts and ports there are not equally many")
    for number in range(count):
        one = {name: some[number % len(some)] for name, some in lists.items()}
        yield {**parameters, **one}


def _timeline_of(connection: WatchedConnection) -> ServerTimeline:
    """Ask a server for its timeline; one that may not be asked has none, and its place decides."""
    try:
        [[cluster, timeline, started]] = connection.execute(_ASK_TIMELINE).fetchall()
    except psycopg.Error:
        if connection.closed:
            raise
        return ServerTimeline()
    return ServerTimeline(int(cluster), int(timeline), str(started))
