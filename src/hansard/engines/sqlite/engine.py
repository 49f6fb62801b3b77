"""The SQLite engine: one writer at a time, group commit, and a connection for each reader."""

import os
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import apsw

from hansard.engines.group_commit import GroupCommit, Job
from hansard.engines.sqlite import schema as layout
from hansard.engines.sqlite import wal
from hansard.engines.sqlite.batch import Tried, transact
from hansard.engines.sqlite.cache_folder import DERIVED, clear
from hansard.engines.sqlite.database import (
    BUSY_TIMEOUT_MS,
    DATABASE,
    LOG,
    STATEMENTS_CACHED,
    connect_to_look,
    connected_to_write,
    remains,
    require_nothing_left,
)
from hansard.engines.sqlite.errors import (
    CANNOT_READ,
    CANNOT_WRITE,
    FULL,
    GONE,
    READ_ONLY,
    Stop,
    can_write,
    is_read_only,
    is_without_room,
    refusal,
    refusals,
)
from hansard.engines.sqlite.files import BLOBS, BlobFiles, LockFiles, WriteLock, is_inline
from hansard.engines.sqlite.reserve import OPENING_BYTES, RESERVE, Reserve
from hansard.engines.sqlite.transaction import SqliteTx
from hansard.engines.sqlite.watch import SqliteWatch
from hansard.engines.sqlite.word_counts import add_functions
from hansard.engines.sqlite.write_transaction import SqliteWriteTx
from hansard.engines.uncached import Uncached
from hansard.kernel import limits
from hansard.kernel.blob import Blob, Digest
from hansard.kernel.engine import Lock, ReadTx, Schema, Table, Topic, Watch, WriteTx
from hansard.kernel.event import Head
from hansard.kernel.opener import OpeningProcess
from hansard.kernel.private_files import make_folder, sync_folder
from hansard.kernel.problem import StorageUnavailable

T = TypeVar("T")

LOCKS = "locks"
WRITE_LOCK = "write.lock"
STOPPED = "stopped-"
"""Prefix of a lock's name; the rest is the id of a process that stopped writing."""
SYNCHRONOUS_FULL = 2
"""Acknowledged means on disk. One step lower, a power cut took 200 of 200 acknowledged rows."""

_OPEN = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
WAL_BYTES_KEPT = 16 * 1024 * 1024
WAL_PAGES = 4000
"""Pages in the log before a checkpoint, which costs two syncs: as many as the log keeps."""


class SqliteEngine(Uncached):
    """A store in a folder."""

    name = "sqlite"

    def __init__(self, folder: Path, schema: Schema, *, looking: bool = False) -> None:
        """Open the store in this folder, and lay it out if it is new.

        A store opened read-only is not changed or repaired; the next writer does that.
        """
        self._folder = folder
        self._schema = schema
        self._opener = OpeningProcess()
        self._committed = threading.Condition()
        self._readers: deque[apsw.Connection] = deque()
        self._files = BlobFiles(folder / BLOBS)
        self._locks = LockFiles(folder / LOCKS, looking=looking)
        self._reserve = Reserve(folder / RESERVE, folder / DATABASE)
        self._is_looking = looking
        self._stopped: Stop | None = None
        """Why writing has stopped, if it has."""
        with refusals("The store cannot be opened"):
            self._is_read_only = looking or (folder.is_dir() and not can_write(folder))
            self._stopped = READ_ONLY if self._is_read_only else None
            self.derived = None if self._is_read_only else folder / DERIVED
            require_nothing_left(folder, remains(folder))
            if self._is_read_only:
                self._require_layout()
            else:
                self._open_to_write()

    def _open_to_write(self) -> None:
        make_folder(self._folder)
        self._locks.sweep()
        self._files.sweep()
        with ExitStack() as undo:
            self._turn = WriteLock(self._folder / WRITE_LOCK)
            undo.callback(self._turn.close)
            try:
                self._open_writer()
            except apsw.Error as error:
                if not is_without_room(error):
                    raise
                if not self._reserve.spend(OPENING_BYTES):
                    raise FULL.problem() from error
                self._open_writer()
            undo.pop_all()
        self._reserve.fill()
        self._group: GroupCommit[apsw.Connection] = GroupCommit(
            "sqlite-writer", self._commit, self._lead
        )

    def _open_writer(self) -> None:
        with ExitStack() as undo:
            self._writer = undo.enter_context(closing(connected_to_write(self._connect)))
            self._lay_out()
            # By now there is a log, which stays until the last process closes it.
            self._turn.look_after(self._folder / DATABASE, self._folder / LOG)
            self._require_in_place()
            undo.pop_all()

    def read(self, project: str, work: Callable[[ReadTx], T]) -> T:
        self._opener.require()
        try:  # not `refusals`, which would take as long as the read itself
            connection = self._reader()
            connection.execute("BEGIN")
            try:
                return work(SqliteTx(connection, self._files, project))
            finally:
                connection.execute("ROLLBACK")
                self._readers.append(connection)
        except (apsw.Error, OSError) as error:
            if problem := refusal(CANNOT_READ, error, writes=False):
                raise problem from error
            raise

    def write(self, project: str, work: Callable[[WriteTx], T], *, urgent: bool = False) -> T:
        self._opener.require()
        if self._stopped:
            raise self._stopped.problem()

        return self._group.run(
            lambda connection: work(SqliteWriteTx(connection, self._files, project)), urgent=urgent
        )

    def stage(self, blob: Blob) -> None:
        if is_inline(blob) or self._stopped:
            return
        with refusals("A blob cannot be stored"):
            self._require_in_place()
            self._files.write(blob.digest, blob.packed)

    def hold(self, name: str, *, patiently: bool = False) -> Lock | None:  # noqa: ARG002 - it can tell
        with refusals("A lock cannot be taken"):
            self._require_in_place()
            return self._locks.hold(name)

    def held(self, names: Collection[str]) -> set[str]:
        with refusals("A lock cannot be looked at"):
            return self._locks.held(names)

    def heads(self) -> dict[str, Head]:
        rows = self._look("SELECT project, seq, tick, hash, clock, views FROM heads")
        heads = {project: Head(*rest) for project, *rest in rows}
        return {project: head for project, head in heads.items() if head.seq}

    def total(self, *fields: tuple[Table, str]) -> int:
        return sum(total for one in fields for (total,) in self._look(layout.adding_up(*one)))

    def loose(self, *, older_s: float) -> dict[Digest, int]:
        self._opener.require()
        with refusals(CANNOT_READ):
            sizes = self._files.sizes(older_s)
            return {digest: sizes[digest] for digest in sizes.keys() - self._in_files()}

    def discard(self, digests: Collection[Digest]) -> None:
        if self._stopped:
            raise self._stopped.problem()
        # Under the write lock, so that nobody is about to keep a removed blob.
        with refusals("A blob cannot be removed"), self._other_turn():
            for digest in set(digests) - self._in_files():
                self._files.remove(digest)

    def outdated(self) -> list[str]:
        self._opener.require()
        with refusals(CANNOT_READ), closing(self._connect()) as connection:
            return layout.outdated(connection, self._schema)

    def scrub(self, *, dropping: Collection[str] = (), gently: bool = False) -> bool:
        del gently  # only this gives space in the file back
        if self._stopped:
            raise self._stopped.problem()
        with refusals("The store cannot be scrubbed"):
            with self._other_turn(), closing(self._connect()) as connection:
                connection.pragma("synchronous", SYNCHRONOUS_FULL)
                for name in dropping:
                    connection.execute(f"DROP TABLE IF EXISTS {name}")
                for statement in layout.optimizing(connection):
                    connection.execute(statement)
                connection.execute("VACUUM")
                [[busy, _, _]] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            # A reader of all vectors holds their lock for long, and writers must not wait.
            return clear(self._folder / DERIVED, self._locks.hold) and not busy

    def _in_files(self) -> set[Digest]:
        """Name the blobs that some project keeps in a file."""
        rows = self._look("SELECT DISTINCT digest FROM blobs WHERE packed IS NULL")
        return {Digest(digest) for (digest,) in rows}

    def _look(self, statement: str) -> list[tuple[Any, ...]]:
        """Query all projects at once; a table that does not exist yet has no rows."""
        self._opener.require()
        with refusals(CANNOT_READ):
            connection = self._reader()
            try:
                return connection.execute(statement).fetchall()
            except apsw.SQLError as error:
                if not layout.is_unmade(error):
                    raise
                return []
            finally:
                self._readers.append(connection)

    @contextmanager
    def _other_turn(self) -> Iterator[None]:
        """Wait for the write lock outside the writer thread."""
        self._require_in_place()
        with closing(WriteLock(self._folder / WRITE_LOCK)) as turn, turn.turn():
            yield

    def watch(self) -> Watch:
        return SqliteWatch(self._connect(), self._committed)

    def close(self) -> None:
        if not self._opener.is_this():
            # A fork's copies of locks would outlive the parent. SQLite's handles are left alone.
            if not self._is_read_only:
                self._turn.close()
            self._locks.close()
            return
        while self._readers:
            self._readers.pop().close()
        # A writer that waits for a suspended process may go on waiting: it holds nothing.
        if not self._is_read_only and self._group.close():
            self._writer.close()
            self._turn.close()
        self._locks.close()

    def _commit(self, batch: Sequence[Job[apsw.Connection]]) -> None:
        """Run a batch and commit it once; callers get their results after the commit."""
        if self._stopped:
            raise self._stopped.problem()
        with self._turn.turn():
            self._commit_in_turn(batch)

    def _lead(self, job: Job[apsw.Connection]) -> bool:
        """Do the same with one job in its caller's thread, unless another process has the turn."""
        if self._stopped:
            raise self._stopped.problem()
        try:
            if not self._turn.is_taken():
                return False
            self._commit_in_turn([job])
            return True
        finally:
            self._turn.let_go()  # also where an interrupt came just as it was taken

    def _commit_in_turn(self, batch: Sequence[Job[apsw.Connection]]) -> None:
        with refusals(CANNOT_WRITE, self._stop), self._noticing_read_only():
            self._require_in_place()
            try:
                results = self._transact(batch)
            except apsw.FullError as full:
                results = self._transact_on_reserve(batch, full)
            if not self._reserve.is_whole:
                self._reserve.fill()
        for job, (result, failure) in results:
            if failure:
                job.done.set_exception(failure)
            else:
                job.done.set_result(result)
        with self._committed:
            self._committed.notify_all()

    def _transact(self, batch: Sequence[Job[apsw.Connection]]) -> list[Tried]:
        """Run jobs in one transaction; returns each that was begun, and how it went."""
        changes = self._writer.total_changes()
        results = transact(self._writer, batch)
        # Work that changes nothing still asks whether a write is possible; the disk was not asked.
        if self._writer.total_changes() == changes and not can_write(self._folder):
            self._stop(READ_ONLY)
            raise READ_ONLY.problem()
        return results

    def _transact_on_reserve(
        self, batch: Sequence[Job[apsw.Connection]], full: apsw.FullError
    ) -> list[Tried]:
        """Run urgent jobs again in the reserved space, and refuse the others.

        A full disk fails before anything is synced, so nothing of it was written.
        """
        urgent = [job for job in batch if job.urgent]
        if not urgent or not self._reserve.spend():
            raise full
        try:
            done = self._transact(urgent)
        finally:
            self._reserve.save_rest()
        others = [job for job in batch if not job.urgent and job.begin()]
        return [*done, *((job, (None, refusal(CANNOT_WRITE, full))) for job in others)]

    @contextmanager
    def _noticing_read_only(self) -> Iterator[None]:
        """Stop once the file system is read-only; what was written is certain."""
        try:
            yield
        except apsw.IOError as error:
            if not is_read_only(error, self._writer):
                raise
            self._stop(READ_ONLY)
            raise READ_ONLY.problem() from error

    def _stop(self, why: Stop) -> None:
        """Accept no more writes: after a failed sync it is unknown what is on disk."""
        self._stopped = why
        # A lock that lives as long as this process tells others that it has stopped writing.
        with suppress(OSError):
            self._locks.hold(f"{STOPPED}{os.getpid()}")

    def _require_in_place(self) -> None:
        """Stop if the store was moved or removed: nobody would find what is written."""
        if self._is_read_only or self._turn.is_in_place():
            return
        # Only our callers learn of it: another store may be at this path by now.
        self._stopped = GONE
        raise GONE.problem()

    def _connect(self, flags: int = 0) -> apsw.Connection:
        path = self._folder / DATABASE
        if self._is_read_only:
            connection = connect_to_look(path, may_change=self._is_looking)
        else:
            # A new file gets the same permissions as the lock beside it.
            uri = f"{path.absolute().as_uri()}?modeof={quote(str(self._turn.path.absolute()))}"
            connection = apsw.Connection(uri, _OPEN | flags, statementcachesize=STATEMENTS_CACHED)
            self._require_in_place()
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        with ExitStack() as undo:
            # An open one would say that the store is in use.
            undo.callback(connection.close)
            # Without this, SQLite plans each statement with `LIMIT ?` on every run.
            connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
            add_functions(connection)
            undo.pop_all()
        return connection

    def _reader(self) -> apsw.Connection:
        try:
            return self._readers.pop()
        except IndexError:
            connection = self._connect()
            connection.execute("PRAGMA query_only = ON")
            return connection

    def _lay_out(self) -> None:
        """Create missing tables, one process at a time; a complete store is not written."""
        if not self._has_layout(self._writer):
            # Checked again in our turn: several processes may find a new store at once.
            with self._turn.turn_within(limits.WRITE_WAIT_S):
                self._writer.pragma("journal_mode", "wal")
                self._writer.pragma("synchronous", SYNCHRONOUS_FULL)
                if not self._has_layout(self._writer):
                    self._create()
        mode = self._writer.pragma("journal_mode")
        self._writer.pragma("synchronous", SYNCHRONOUS_FULL)
        self._writer.pragma("journal_size_limit", WAL_BYTES_KEPT)
        self._writer.pragma("wal_autocheckpoint", WAL_PAGES)
        assert mode == "wal", f"the database refused write-ahead logging: {mode}"
        assert self._writer.pragma("synchronous") == SYNCHRONOUS_FULL, "the database refused FULL"

    def _has_layout(self, connection: apsw.Connection) -> bool:
        if not layout.is_of_this_format(connection):
            return False
        if self._is_looking:
            return True  # a table that another version has not made yet reads as empty
        row = connection.execute("SELECT fingerprint FROM layout").fetchone()
        is_ours = row is not None and row[0] == layout.fingerprint(self._schema)
        # A store that cannot be written to works without it.
        return is_ours and (
            self._is_read_only or not layout.missing_indexes(connection, self._schema)
        )

    def _require_layout(self) -> None:
        """Refuse a store that this version would have to write to before reading it."""
        connection = self._reader()
        self._readers.append(connection)
        if not self._has_layout(connection):
            for fault in wal.faults(self._folder / LOG):
                raise StorageUnavailable(fault, hint="Do not open it: keep a copy of its folder")
            raise StorageUnavailable(
                "This store was last opened by another version, and cannot be written to here",
                hint="Open it once where it can be written to",
            )

    def _create(self) -> None:
        with self._writer:
            tables = self._writer.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            made = {name for (name,) in tables}
            if not made:
                require_nothing_left(self._folder)
            for statement in layout.statements(self._schema, made):
                self._writer.execute(statement)
            self._writer.execute("DELETE FROM layout")
            fingerprint = layout.fingerprint(self._schema)
            self._writer.execute("INSERT INTO layout VALUES(?)", (fingerprint,))
            self._writer.pragma("user_version", layout.FORMAT)
        (self._folder / BLOBS).mkdir(exist_ok=True, mode=0o700)
        sync_folder(self._folder)
        sync_folder(self._folder.parent)

    def check(self, *, thorough: bool) -> list[str]:
        from hansard.engines.sqlite import integrity

        self._opener.require()
        with refusals(CANNOT_READ), closing(self._connect()) as connection:
            found = integrity.faults(connection, self._schema, thorough=thorough)
            return [*wal.faults(self._folder / LOG), *found]

    def marks(self, topic: Topic, take: Callable[[str, str, str], None]) -> None:
        from hansard.engines.sqlite import integrity

        self._opener.require()
        with refusals(CANNOT_READ), closing(self._connect()) as connection:
            integrity.marks(connection, topic, take)

    def mark(self, topic: Topic, texts: Mapping[str, str]) -> str:
        from hansard.engines.sqlite import integrity

        return integrity.mark(topic, texts)
