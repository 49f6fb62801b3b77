"""Write lanes: a thread and a connection that commit one project's work at a time."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
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
from hansard.engines.postgres.heads import Marked, ask_head, locked_head, moved, storing
from hansard.engines.postgres.object_store import Objects
from hansard.engines.postgres.query_trails import Trails
from hansard.engines.postgres.row_cache import HotRows, Kept, Mark, Place, Unknown
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
        trails: Trails,
        objects: Objects | None = None,
    ) -> None:
        """Start the thread; it connects when there is something to write."""
        self._connector = connector
        self._announce = announce
        self._names = names
        self._hot = hot
        self._trails = trails
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
            except _AnswerLostError as lost:
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
                # A connection that lay idle may have been lost long ago; the next one will be new.
                was_lost = had_connection and self._connection is None
                is_worth_trying = isinstance(error, PASSING) or was_lost
            if not is_worth_trying or attempt == ATTEMPTS_MAX:
                return _refused(jobs, error, outcome="not_written")
        raise AssertionError("the last attempt has returned")

    def _transact(self, project: str, jobs: Sequence[Job[WriteTx]]) -> list[Settle]:
        """Run the jobs in one transaction that holds the project's lock."""
        with self._locked(project) as (connection, at):
            where = connection, self._names, project
            known = self._hot, self._trails
            work = _SharedWork(*where, *known, at=at, objects=self._objects)
            work.run(jobs)
        if work.has_changes:
            work.remember()
            self._announce()
        return work.settles

    @contextmanager
    def _locked(self, project: str) -> Iterator[tuple[Connection, Marked]]:
        """Begin a transaction that holds the project's lock, and end it."""
        if self._connection is None:
            self._connection = self._connector.connect(**_SETTINGS)
        connection = self._connection
        try:
            with pipelined(connection):
                connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
                self._connector.set_locally(connection, **_SETTINGS)
                asked = ask_head(connection, self._names, project, lock=True)
            yield connection, locked_head(connection, self._names, project, asked)
        finally:
            end_transaction(connection)
            if connection.closed:
                self._connection = None

    def _has_landed(self, work: "_SharedWork") -> bool | None:
        """Find out whether work was committed whose answer was lost; `None` if nobody can tell.

        Until the server has ended that transaction, one way or the other, it holds the lock.
        """
        try:
            with self._locked(work.project) as (connection, (_, mark)):
                return work.has_landed(connection, mark)
        except psycopg.Error as error:
            if not is_trouble(error):
                raise
            return None


class _SharedWork:
    """The work that shares one transaction."""

    def __init__(
        self,
        connection: Connection,
        names: Names,
        project: str,
        hot: HotRows,
        trails: Trails,
        *,
        at: Marked,
        objects: Objects | None,
    ) -> None:
        """Take the connection on which the project's head is locked."""
        self._objects = objects
        self._connection = connection
        self._names = names
        self.project = project
        self._hot = hot
        self._trails = trails
        self._locked = at[1]
        self._head = at[0]
        self._rows: dict[Place, Kept | Unknown] = {}
        self._has_forgotten = False
        self._changed: set[str] = set()
        self.has_changes = False
        self.settles: list[Settle] = []
        """What tells each caller how it ended, once all is committed."""

    def run(self, jobs: Sequence[Job[WriteTx]]) -> None:
        """Run each job so that its failure undoes only itself, and commit what was changed."""
        if len(jobs) == 1:
            self._run_alone(jobs[0])
            return
        self._connection.execute("SAVEPOINT job")
        self.settles = [self._run_beside(job) for job in jobs]
        if self.has_changes:
            self._commit(self._transaction())

    def _run_alone(self, job: Job[WriteTx]) -> None:
        """Run a job whose failure undoes the whole transaction."""
        tx = self._transaction()
        try:
            result = job.work(tx)
            self.settles = [partial(job.done.set_result, result)]
            if tx.has_changes:
                self._take_over(tx)
                self._commit(tx)
        except BaseException as error:  # its waiting caller raises it again
            if is_trouble(error) or isinstance(error, _AnswerLostError):
                raise
            self.has_changes = False
            self.settles = [partial(job.done.set_exception, error)]

    def _run_beside(self, job: Job[WriteTx]) -> Settle:
        """Run a job between two savepoints."""
        tx = self._transaction()
        try:
            result = job.work(tx)
            if tx.has_changes:
                with tx.sending():
                    tx.post()
                    self._connection.execute("RELEASE SAVEPOINT job")
                    self._connection.execute("SAVEPOINT job")
        except BaseException as error:  # its waiting caller raises it again
            if is_trouble(error):
                raise
            self._connection.execute("ROLLBACK TO SAVEPOINT job")
            return partial(job.done.set_exception, error)
        self._take_over(tx)
        return partial(job.done.set_result, result)

    def _commit(self, tx: PostgresWriteTx) -> None:
        """Send what is left to be sent, where the journal now ends, and the commit, together."""
        self._moved = moved(self._head, self._locked)
        try:
            with tx.sending():
                tx.post(storing(self._names, self.project, self._moved))
                commit = self._connection.execute("COMMIT")
        except psycopg.Error as error:
            if self._connection.closed:
                raise _AnswerLostError(error, self) from error
            raise
        assert commit.statusmessage == "COMMIT", f"the commit ended in {commit.statusmessage}"

    def has_landed(self, connection: Connection, now: Mark) -> bool | None:
        """Whether this is part of what a project has become; `None` if that does not say."""
        before, after = self._locked, self._moved[1]
        if now in (before, after):
            return now == after
        if after.seq == before.seq:
            return None
        hashes = connection.execute(
            f"SELECT hash FROM {self._names.journal} WHERE project = %s AND seq = %s".encode(),
            (self.project, after.seq),
        ).fetchall()
        return hashes == [(after.hash,)]

    def remember(self) -> None:
        """Have this process know, now that all is committed, what it need not ask for again."""
        if self._has_forgotten:
            self._hot.forget(self.project)
        else:
            marks = self._locked, self._moved[1]
            self._hot.move(self.project, *marks, self._rows, self._changed)

    def _transaction(self) -> PostgresWriteTx:
        where = self._connection, self._names, self.project, self._hot
        at = self._head, self._locked
        tx = PostgresWriteTx(
            *where, at=at, known=self._rows, objects=self._objects, trails=self._trails
        )
        tx.has_forgotten = self._has_forgotten
        tx.changed |= self._changed
        return tx

    def _take_over(self, tx: PostgresWriteTx) -> None:
        """Go on from where a job has left the project."""
        self._trails.note(self.project, tx.trail)
        self._head = tx.head()
        self._rows = dict(tx.rows)
        self._changed |= tx.changed
        self._has_forgotten |= tx.has_forgotten
        self.has_changes |= tx.has_changes


@dataclass(frozen=True, slots=True)
class _ProjectWork(Generic[T]):
    """Work and the project it is for."""

    project: str
    work: Callable[[WriteTx], T]

    def __call__(self, tx: WriteTx) -> T:
        return self.work(tx)


class _AnswerLostError(Exception):
    """The connection was lost while the commit was under way."""

    def __init__(self, error: psycopg.Error, work: _SharedWork) -> None:
        super().__init__(error)
        self.error = error
        self.work = work


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


def _refused(jobs: Sequence[Job[WriteTx]], error: psycopg.Error, *, outcome: str) -> list[Settle]:
    """Tell each caller, with a problem of its own, that the store could not take its work."""
    what = "PostgreSQL could not take the write"
    return [
        partial(job.done.set_exception, unavailable(what, error, outcome=outcome)) for job in jobs
    ]
