"""Pieces of work that share one transaction: under the project's lock, or ahead of it.

Ahead of it, work is done on what the project was when it was last seen, without a transaction.
That it still is what it was is asked together with the changes and the commit, which end in an
error if it is not; then nothing was changed, and all is done anew under the lock.
"""

from collections.abc import Callable, Sequence
from functools import partial

import psycopg

from hansard.engines.group_commit import Job
from hansard.engines.postgres.connections import (
    Connection,
    forget_prepared,
    is_trouble,
    pipelined,
)
from hansard.engines.postgres.heads import MOVED, ask_unmoved, storing
from hansard.engines.postgres.object_store import Objects
from hansard.engines.postgres.query_trails import Trails
from hansard.engines.postgres.read_queries import MovedError
from hansard.engines.postgres.row_cache import Mark, RowCache
from hansard.engines.postgres.schema import Names
from hansard.engines.postgres.watched import LocalCommitError
from hansard.engines.postgres.write_buffer import WriteBuffer
from hansard.engines.postgres.write_transaction import PostgresWriteTx, UnderLockError
from hansard.kernel.engine import WriteTx
from hansard.kernel.problem import StorageUnavailable

Settle = Callable[[], None]
"""Tells a job's caller how it ended."""


class SharedWork:
    """The work that shares one transaction."""

    def __init__(
        self,
        connection: Connection,
        names: Names,
        project: str,
        hot: RowCache,
        trails: Trails,
        *,
        at: Mark,
        objects: Objects | None,
        begin: Callable[[Connection], None] | None = None,
        is_own: bool = True,
    ) -> None:
        """Take the connection on which the project's head is locked.

        `begin` begins a transaction; with it the work is done ahead of the lock, at what was seen.
        `is_own` says that what is set on the connection holds in every transaction.
        """
        self._begin = begin
        self._is_at_once = begin is not None and is_own
        self.is_ahead = begin is not None
        self._objects = objects
        self._connection = connection
        self._names = names
        self.project = project
        self._hot = hot
        self._trails = trails
        self._before = at
        self._head = at.head
        self._pending = WriteBuffer()
        self._has_forgotten = False
        self._changed: set[str] = set()
        self.has_changes = False
        self.settles: list[Settle] = []
        """What tells each caller how it ended, once all is committed."""

    def run(self, jobs: Sequence[Job[WriteTx]]) -> None:
        """Run each job so that its failure undoes only itself, and commit what was changed."""
        if self._begin:
            self._run_ahead(jobs)
            return
        if len(jobs) == 1:
            self._run_alone(jobs[0])
            return
        self._connection.execute("SAVEPOINT job")
        self.settles = [self._run_beside(job) for job in jobs]
        if self.has_changes:
            self._commit(self._transaction())

    def _run_ahead(self, jobs: Sequence[Job[WriteTx]]) -> None:
        """Run the jobs one after the other in memory, and commit what they changed."""
        self.settles = [self._run_in_memory(job) for job in jobs]
        if self.has_changes:
            self._commit(self._transaction())
        elif not self._transaction().is_unmoved():
            raise MovedError

    def _run_in_memory(self, job: Job[WriteTx]) -> Settle:
        """Run a job that sends nothing; if it fails, nothing of it remains."""
        tx = self._transaction()
        try:
            result = job.work(tx)
        except (MovedError, UnderLockError, psycopg.Error):
            raise
        except BaseException as error:  # noqa: BLE001 - its waiting caller raises it again
            return partial(job.done.set_exception, error)
        self._take_over(tx)
        return partial(job.done.set_result, result)

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
            if is_trouble(error) or isinstance(error, AnswerLostError):
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
            if isinstance(error, psycopg.Error | StorageUnavailable):
                forget_prepared(self._connection)
            return partial(job.done.set_exception, error)
        self._take_over(tx)
        return partial(job.done.set_result, result)

    def _commit(self, tx: PostgresWriteTx) -> None:
        """Send what is left to be sent, where the journal now ends, and the commit, together."""
        self._after = Mark(self._before.changes + 1, self._head)
        try:
            with self._connection.replicated():
                if self._is_at_once and self._pending.only_inserts:
                    tx.send_whole(self._after)
                else:
                    self._send(tx)
        except MOVED as error:
            raise MovedError from error
        except psycopg.Error as error:
            if self._connection.closed or isinstance(error, LocalCommitError):
                raise AnswerLostError(error, self) from error
            raise

    def _send(self, tx: PostgresWriteTx) -> None:
        with tx.sending():
            if self._begin:
                self._begin(self._connection)
                ask_unmoved(self._connection, self._names, self.project, self._before)
            tx.post(storing(self._names, self.project, self._after))
            commit = self._connection.execute("COMMIT")
        assert commit.statusmessage == "COMMIT", f"the commit ended in {commit.statusmessage}"

    def has_landed(self, connection: Connection, now: Mark) -> bool | None:
        """Whether this work is part of the project by now; `None` if the journal cannot tell."""
        before, after = self._before, self._after
        if now == before:
            return False
        # Without an entry it looks like anything else that was done once, or kept from landing.
        if after.head.seq == before.head.seq:
            return None
        if now == after:
            return True
        hashes = connection.execute(
            f"SELECT hash FROM {self._names.journal} WHERE project = %s AND seq = %s".encode(),
            (self.project, after.head.seq),
        ).fetchall()
        return hashes == [(after.head.hash,)]

    def outdate(self, connection: Connection, now: Mark) -> None:
        """Move the locked head on, so that what this has sent fails if it gets the lock later."""
        moved = Mark(now.changes + 1, now.head)
        with connection.replicated(), pipelined(connection):
            statement, values = storing(self._names, self.project, moved)
            connection.execute(statement.encode(), values)
            commit = connection.execute("COMMIT")
        assert commit.statusmessage == "COMMIT", f"the commit ended in {commit.statusmessage}"
        self._hot.move(self.project, now, moved, {}, ())

    def remember(self) -> None:
        """Update this process's cache, now that everything is committed."""
        for lock in self._pending.released:
            lock.was_released()
        if self._has_forgotten:
            self._hot.forget(self.project)
        else:
            marks = self._before, self._after
            self._hot.move(self.project, *marks, self._pending.rows, self._changed)

    def _transaction(self) -> PostgresWriteTx:
        where = self._connection, self._names, self.project, self._hot
        tx = PostgresWriteTx(
            *where,
            at=self._before,
            head=self._head,
            pending=self._pending.copy(),
            is_ahead=self.is_ahead,
            objects=self._objects,
            trails=self._trails,
        )
        tx.has_forgotten = self._has_forgotten
        tx.changed |= self._changed
        return tx

    def _take_over(self, tx: PostgresWriteTx) -> None:
        """Go on from where a job has left the project."""
        self._trails.note(self.project, tx.trail)
        self._head = tx.head()
        if not tx.has_changes:
            tx.pending.fences = list(self._pending.fences)  # none of it has to be refused
        self._pending = tx.pending
        self._changed |= tx.changed
        self._has_forgotten |= tx.has_forgotten
        self.has_changes |= tx.has_changes


class AnswerLostError(Exception):
    """The commit has no answer, or one that does not say that the standby has it."""

    def __init__(self, error: psycopg.Error, work: SharedWork) -> None:
        super().__init__(error)
        self.error = error
        self.work = work
