"""Writing: a lane is a thread and a connection that commit one project's work at a time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

import psycopg

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
from hansard.engines.postgres.heads import Marked, lock_head, moved, store_head
from hansard.engines.postgres.hot_rows import HotRows, Kept, Place, Unknown
from hansard.engines.postgres.objects import Objects
from hansard.engines.postgres.schema import Names
from hansard.engines.postgres.write_transaction import PostgresWriteTx
from hansard.kernel.engine import WriteTx

T = TypeVar("T")

ATTEMPTS_MAX = 5
"""How often work is tried that others got in the way of."""

SHARERS_MAX = 60
"""Pieces of work in one commit. PostgreSQL has room for 64 savepoints; past that all slow down."""

IDLE_IN_TRANSACTION_S = 60
"""A process that stops in the middle of a write loses the project's lock after this."""

_SETTINGS = {"idle_in_transaction_session_timeout": f"{IDLE_IN_TRANSACTION_S}s"}

Settle = Callable[[], None]
"""Tells a job's caller how it ended."""


class Lane:
    """A writer thread with a connection of its own; a project always has the same lane."""

    def __init__(
        self,
        number: int,
        connector: Connector,
        names: Names,
        hot: HotRows,
        announce: Callable[[], None],
        *,
        objects: Objects | None = None,
    ) -> None:
        """Start the thread; it connects when there is something to write."""
        self._connector = connector
        self._announce = announce
        self._names = names
        self._hot = hot
        self._objects = objects
        self._connection: Connection | None = None
        self._group: GroupCommit[WriteTx] = GroupCommit(f"postgres-writer-{number}", self._commit)

    def write(self, project: str, work: Callable[[WriteTx], T]) -> T:
        """Run work in a transaction of its project, perhaps with others."""
        return self._group.run(_ProjectWork(project, work))

    def close(self) -> None:
        """Finish what was accepted, then let go of the connection."""
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
            except _OutcomeUnknownError as unknown:
                return _refused(jobs, unknown.error, outcome="unknown")
            except psycopg.Error as error:
                if not is_trouble(error):
                    raise
                # A connection that lay idle may have been lost long ago; the next one will be new.
                was_lost = had_connection and self._connection is None
                is_worth_trying = isinstance(error, PASSING) or was_lost
                if not is_worth_trying or attempt == ATTEMPTS_MAX:
                    return _refused(jobs, error, outcome="not_written")
        raise AssertionError("the last attempt has returned")

    def _transact(self, project: str, jobs: Sequence[Job[WriteTx]]) -> list[Settle]:
        """Run the jobs in one transaction that holds the project's lock."""
        if self._connection is None:
            self._connection = self._connector.connect(**_SETTINGS)
        connection = self._connection
        try:
            with pipelined(connection):
                connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
                self._connector.set_locally(connection, **_SETTINGS)
                at = lock_head(connection, self._names, project)
            work = _SharedWork(
                connection, self._names, project, self._hot, at=at, objects=self._objects
            )
            settles = work.run(jobs)
            if work.has_changes:
                _commit(connection)
                work.remember()
                self._announce()
        finally:
            end_transaction(connection)
            if connection.closed:
                self._connection = None
        return settles


class _SharedWork:
    """The work that shares one transaction."""

    def __init__(
        self,
        connection: Connection,
        names: Names,
        project: str,
        hot: HotRows,
        *,
        at: Marked,
        objects: Objects | None,
    ) -> None:
        """Take the connection on which the project's head is locked."""
        self._objects = objects
        self._connection = connection
        self._names = names
        self._project = project
        self._hot = hot
        self._locked = at[1]
        self._head = at[0]
        self._rows: dict[Place, Kept | Unknown] = {}
        self._has_forgotten = False
        self.has_changes = False

    def run(self, jobs: Sequence[Job[WriteTx]]) -> list[Settle]:
        """Run each job so that its failure undoes only itself; gives what tells each caller."""
        if len(jobs) == 1:
            return [self._run_alone(jobs[0])]
        self._connection.execute("SAVEPOINT job")
        settles = [self._run_beside(job) for job in jobs]
        if self.has_changes:
            self._store()
        return settles

    def _run_alone(self, job: Job[WriteTx]) -> Settle:
        """Run a job whose failure undoes the whole transaction."""
        tx = self._transaction()
        try:
            result = job.work(tx)
            if tx.has_changes:
                self._take_over(tx)
                with pipelined(self._connection):
                    tx.post()
                    self._store()
                tx.require_proved()
        except BaseException as error:  # its waiting caller raises it again
            if is_trouble(error):
                raise
            self.has_changes = False
            return partial(job.done.set_exception, error)
        return partial(job.done.set_result, result)

    def _run_beside(self, job: Job[WriteTx]) -> Settle:
        """Run a job between two savepoints."""
        tx = self._transaction()
        try:
            result = job.work(tx)
            tx.send()
        except BaseException as error:  # its waiting caller raises it again
            if is_trouble(error):
                raise
            self._connection.execute("ROLLBACK TO SAVEPOINT job")
            return partial(job.done.set_exception, error)
        self._connection.execute("RELEASE SAVEPOINT job; SAVEPOINT job")
        self._take_over(tx)
        return partial(job.done.set_result, result)

    def _store(self) -> None:
        """Store where the journal now ends."""
        self._moved = moved(self._head, self._locked)
        store_head(self._connection, self._names, self._project, self._moved)

    def remember(self) -> None:
        """Have this process know, now that all is committed, what it need not ask for again."""
        if self._has_forgotten:
            self._hot.forget(self._project)
        else:
            self._hot.move(self._project, self._locked, self._moved[1], self._rows)

    def _transaction(self) -> PostgresWriteTx:
        where = self._connection, self._names, self._project, self._hot
        at = self._head, self._locked
        tx = PostgresWriteTx(*where, at=at, known=self._rows, objects=self._objects)
        tx.has_forgotten = self._has_forgotten
        return tx

    def _take_over(self, tx: PostgresWriteTx) -> None:
        """Go on from where a job has left the project."""
        self._head = tx.head()
        self._rows = dict(tx.rows)
        self._has_forgotten |= tx.has_forgotten
        self.has_changes |= tx.has_changes


@dataclass(frozen=True, slots=True)
class _ProjectWork(Generic[T]):
    """Work and the project it is for."""

    project: str
    work: Callable[[WriteTx], T]

    def __call__(self, tx: WriteTx) -> T:
        return self.work(tx)


class _OutcomeUnknownError(Exception):
    """The connection was lost while the commit was under way."""

    def __init__(self, error: psycopg.Error) -> None:
        super().__init__(error)
        self.error = error


def _by_project(batch: Sequence[Job[WriteTx]]) -> Iterator[tuple[str, Sequence[Job[WriteTx]]]]:
    """Take on the jobs that are still waited for, and sort them by project, in parts."""
    by_project: dict[str, list[Job[WriteTx]]] = {}
    for job in batch:
        assert isinstance(job.work, _ProjectWork), "a lane runs its own jobs"
        if job.begin():
            by_project.setdefault(job.work.project, []).append(job)
    for project, jobs in by_project.items():
        for start in range(0, len(jobs), SHARERS_MAX):
            yield project, jobs[start : start + SHARERS_MAX]


def _commit(connection: Connection) -> None:
    try:
        done = connection.execute("COMMIT").statusmessage
    except psycopg.Error as error:
        if connection.closed:
            raise _OutcomeUnknownError(error) from error
        raise
    assert done == "COMMIT", f"the commit ended in {done}"


def _refused(jobs: Sequence[Job[WriteTx]], error: psycopg.Error, *, outcome: str) -> list[Settle]:
    """Tell each caller, with a problem of its own, that the store could not take its work."""
    what = "PostgreSQL could not take the write"
    return [
        partial(job.done.set_exception, unavailable(what, error, outcome=outcome)) for job in jobs
    ]
