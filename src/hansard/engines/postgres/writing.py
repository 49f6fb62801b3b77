"""Write lanes: a thread and a connection that commit one project's work at a time."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import psycopg
from psycopg import errors

from hansard.engines.group_commit import GroupCommit, Job
from hansard.engines.postgres.connections import (
    PASSING,
    Connection,
    Connector,
    end_transaction,
    is_trouble,
    pipelined,
    unavailable,
)
from hansard.engines.postgres.heads import ask_head, locked_head
from hansard.engines.postgres.object_store import Objects
from hansard.engines.postgres.query_trails import Trails
from hansard.engines.postgres.read_queries import MovedError
from hansard.engines.postgres.row_cache import Mark, RowCache
from hansard.engines.postgres.schema import Names
from hansard.engines.postgres.shared_work import AnswerLostError, Settle, SharedWork
from hansard.engines.postgres.write_transaction import UnderLockError
from hansard.kernel.engine import WriteTx
from hansard.kernel.problem import StorageUnavailable

T = TypeVar("T")

ATTEMPTS_MAX = 5
"""How often work is retried that collided with others."""

SHARERS_MAX = 60
"""Pieces of work in one commit. PostgreSQL has room for 64 savepoints; past that all slow down."""

TURN_S = 0.5
"""How long a lane waits at a time for a project that another process writes.

Then its other projects have their turn. Longer than a commit takes, so that those who write one
project from several servers do not lose their places in the line for its lock for nothing."""

IDLE_IN_TRANSACTION_S = 60
"""A process that stops in the middle of a write loses the project's lock after this."""

_SETTINGS = {
    "idle_in_transaction_session_timeout": f"{IDLE_IN_TRANSACTION_S}s",
}


class Lane:
    """A writer thread with a connection of its own; a project always has the same lane."""

    def __init__(
        self,
        number: int,
        connector: Connector,
        names: Names,
        hot: RowCache,
        announce: Callable[[], None],
        *,
        trails: Trails,
        lock_wait_s: float,
        objects: Objects | None = None,
    ) -> None:
        """Start the thread; it connects when there is something to write."""
        self._connector = connector
        self._lock_wait_s = lock_wait_s
        turn_ms = math.ceil(min(lock_wait_s, TURN_S) * 1000)
        self._settings = _SETTINGS | {"lock_timeout": f"{turn_ms}ms"}
        self._announce = announce
        self._names = names
        self._hot = hot
        self._trails = trails
        self._objects = objects
        self._connection: Connection | None = None
        self._contested: set[str] = set()
        """Projects that another process changed while something was done ahead of their lock."""
        self._group: GroupCommit[WriteTx] = GroupCommit(f"postgres-writer-{number}", self._commit)

    def write(self, project: str, work: Callable[[WriteTx], T]) -> T:
        """Run work in a transaction of its project, perhaps with others."""
        return self._group.run(_ProjectWork(project, work))

    def close(self) -> None:
        """Finish accepted work, then release the connection."""
        self._group.close()
        if self._connection is not None:
            self._connection.close()

    def _commit(self, batch: Sequence[Job[WriteTx]]) -> None:
        for project, jobs in _by_project(batch):
            for settle in self._settled(project, jobs):
                settle()

    def _settled(self, project: str, jobs: Sequence[Job[WriteTx]]) -> list[Settle]:
        """Try until the work is done or cannot be; returns what tells each caller."""
        for attempt in range(1, ATTEMPTS_MAX + 1):
            had_connection = self._connection is not None
            try:
                return self._transact(project, jobs)
            except AnswerLostError as lost:
                error, landed = lost.error, self._has_landed(lost.work)
                if landed:
                    self._announce()
                    return lost.work.settles
                if landed is None:
                    return _refused(jobs, error, outcome="unknown")
                is_worth_trying = attempt == 1
            except psycopg.Error as trouble:
                if not is_trouble(trouble):
                    raise
                error = trouble
                if isinstance(error, errors.LockNotAvailable):
                    return self._after_turn(jobs, error)
                # An idle connection may have been lost long ago; the next one will be new.
                was_lost = had_connection and self._connection is None
                is_worth_trying = isinstance(error, PASSING) or was_lost
            if not is_worth_trying or attempt == ATTEMPTS_MAX:
                return _refused(jobs, error, outcome="not_written")
        raise AssertionError("the last attempt has returned")

    def _after_turn(self, jobs: Sequence[Job[WriteTx]], error: psycopg.Error) -> list[Settle]:
        """Let other projects go before one that is locked, and refuse callers who waited too long.

        Nothing of the jobs was done yet, so they can be done later.
        """
        now = time.monotonic()
        late = [job for job in jobs if _work_of(job).waited_s(now) >= self._lock_wait_s]
        if not self._group.put_back([job for job in jobs if job not in late]):
            late = list(jobs)
        return _refused(late, error, outcome="not_written")

    def _transact(self, project: str, jobs: Sequence[Job[WriteTx]]) -> list[Settle]:
        """Run the jobs in one transaction, ahead of the project's lock if that can be."""
        work = self._ahead(project, jobs) or self._behind(project, jobs)
        if work.has_changes:
            work.remember()
            self._announce()
        return work.settles

    def _ahead(self, project: str, jobs: Sequence[Job[WriteTx]]) -> SharedWork | None:
        """Run the jobs on what was seen of the project; `None` if that takes its lock.

        Any failure but a lost connection is found again under the lock, job by job.
        """
        seen = self._hot.newest(project)
        if seen is None or seen.changes == 0 or project in self._contested:
            return None
        with self._connected() as connection:
            work = self._work(connection, project, seen, begin=self._begin)
            try:
                work.run(jobs)
            except MovedError:
                self._contested.add(project)
            except (UnderLockError, StorageUnavailable):
                pass
            except psycopg.Error as error:
                if is_trouble(error):
                    raise
                connection.close()  # what it has prepared is uncertain
            else:
                return work
        return None

    def _behind(self, project: str, jobs: Sequence[Job[WriteTx]]) -> SharedWork:
        """Run the jobs while the project is locked."""
        with self._locked(project) as (connection, at):
            if at == self._hot.newest(project):
                self._contested.discard(project)
            work = self._work(connection, project, at)
            work.run(jobs)
        return work

    def _work(
        self,
        connection: Connection,
        project: str,
        at: Mark,
        *,
        begin: Callable[[Connection], None] | None = None,
    ) -> SharedWork:
        where = connection, self._names, project, self._hot, self._trails
        is_own = not self._connector.is_pooled
        return SharedWork(*where, at=at, objects=self._objects, begin=begin, is_own=is_own)

    @contextmanager
    def _locked(
        self, project: str, *, wait_s: float | None = None
    ) -> Iterator[tuple[Connection, Mark]]:
        """Begin a transaction that holds the project's lock, and end it.

        `wait_s` says how long it may wait for the lock, if not for a turn.
        """
        with self._connected() as connection:
            with pipelined(connection):
                self._begin(connection)
                if wait_s is not None:
                    wait = f"{math.ceil(wait_s * 1000)}ms"
                    connection.execute("SELECT set_config('lock_timeout', %s, true)", (wait,))
                asked = ask_head(connection, self._names, project, lock=True)
            yield connection, locked_head(connection, self._names, project, asked)

    def _begin(self, connection: Connection) -> None:
        connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
        self._connector.set_locally(connection, **self._settings)

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        """Give the connection, a new one if it was lost, and leave no transaction open on it."""
        if self._connection is not None and not self._connector.is_good(self._connection):
            self._connection.close()
            self._connection = None
        if self._connection is None:
            self._connection = self._connector.connect(**self._settings)
        connection = self._connection
        try:
            yield connection
        finally:
            end_transaction(connection)
            if connection.closed:
                self._connection = None

    def _has_landed(self, work: "SharedWork") -> bool | None:
        """Find out whether work was committed whose answer was lost; `None` if nobody can tell.

        What was done under the lock holds it until the server has ended that transaction, one way
        or the other. What was sent ahead of the lock may not have come to it yet: where it has not
        landed, it is kept from landing later. What has landed may have waited for no standby: this
        commits after it, and waits for both.
        """
        try:
            with self._locked(work.project, wait_s=self._lock_wait_s) as (connection, mark):
                has_landed = work.has_landed(connection, mark)
                if has_landed or (has_landed is False and work.is_ahead):
                    work.outdate(connection, mark)
                return has_landed
        except psycopg.Error as error:
            if not is_trouble(error):
                raise
            return None


@dataclass(slots=True)
class _ProjectWork(Generic[T]):
    """Work and the project it is for."""

    project: str
    work: Callable[[WriteTx], T]
    began_at: float = 0.0
    """When the wait for the project's lock began; 0 if it has not."""

    def waited_s(self, now: float) -> float:
        """Say how long the lock has been waited for, counted from the first time this is asked."""
        self.began_at = self.began_at or now
        return now - self.began_at

    def __call__(self, tx: WriteTx) -> T:
        return self.work(tx)


def _work_of(job: Job[WriteTx]) -> "_ProjectWork[Any]":
    assert isinstance(job.work, _ProjectWork), "a lane runs its own jobs"
    return job.work


def _by_project(batch: Sequence[Job[WriteTx]]) -> Iterator[tuple[str, Sequence[Job[WriteTx]]]]:
    """Start the jobs whose callers still wait, by project, in batches; locked ones come last."""
    by_project: dict[str, list[Job[WriteTx]]] = {}
    for job in sorted(batch, key=lambda job: _work_of(job).began_at > 0):
        if job.begin():
            by_project.setdefault(_work_of(job).project, []).append(job)
    for project, jobs in by_project.items():
        for start in range(0, len(jobs), SHARERS_MAX):
            yield project, jobs[start : start + SHARERS_MAX]


def _refused(jobs: Sequence[Job[WriteTx]], error: psycopg.Error, *, outcome: str) -> list[Settle]:
    """Give each caller a problem of its own: the store could not take its work."""
    what = "PostgreSQL could not take the write"
    return [
        partial(job.done.set_exception, unavailable(what, error, outcome=outcome)) for job in jobs
    ]
