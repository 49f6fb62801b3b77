"""The PostgreSQL engine: readers use a connection pool, writers use lanes."""

import math
import zlib
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, closing
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import psycopg

from hansard.engines.postgres import integrity
from hansard.engines.postgres.connections import (
    PASSING,
    Connection,
    Connector,
    Pool,
    translated,
)
from hansard.engines.postgres.head_cache import HeadCache
from hansard.engines.postgres.leases import LEASE_S, Leases, PostgresLock
from hansard.engines.postgres.notices import Announcer, CommitNotices
from hansard.engines.postgres.object_store import (
    batched,
    digest_in,
    is_outside,
    let_nobody_name,
    open_objects,
    unnamed,
)
from hansard.engines.postgres.pooling import is_lent_by_transaction
from hansard.engines.postgres.query_trails import Trails
from hansard.engines.postgres.read_queries import BEGIN_LOOK, MovedError
from hansard.engines.postgres.row_cache import RowCache
from hansard.engines.postgres.schema import Names, column, lay_out, outdated
from hansard.engines.postgres.surveys import Surveys
from hansard.engines.postgres.transaction import PostgresReadTx
from hansard.engines.postgres.whole_tables import scrub
from hansard.engines.postgres.writing import Lane
from hansard.kernel.blob import Blob, Digest
from hansard.kernel.engine import Lock, ReadTx, Schema, Table, Topic, Watch, WriteTx
from hansard.kernel.event import Head
from hansard.kernel.opener import OpeningProcess

T = TypeVar("T")

_Lend = Callable[..., AbstractContextManager[Connection]]
"""Lends a connection; `fresh` says that the one before was lost."""

READERS_MAX = 8
"""Connections for reading; a server has some hundred in all, for every process together."""

LANES = 4
"""Threads for writing, each with a connection. Different lanes do not wait for each other."""

LOOK_MAX_S = 120.0
"""How long one statement of a read may take, where no pooler stands between.

The server ends it then. What goes over a whole store, and what is written, takes as long as it
takes: to begin a project's tables anew is one statement each."""

LOCK_WAIT_S = 10.0
"""How long a write waits for a project that another process writes, perhaps a suspended one."""


class PostgresEngine:
    """A store in a PostgreSQL database."""

    name = "postgresql"
    derived: Path | None = None

    def __init__(
        self,
        url: str,
        schema: Schema,
        *,
        namespace: str = "hansard",
        lock_wait_s: float = LOCK_WAIT_S,
        lease_s: float = LEASE_S,
        blobs: str = "",
    ) -> None:
        """Open the store in the database's schema of that name, and lay it out if it is new.

        `blobs` is the address of an object store for large ones; without, all are in the database.
        """
        self._names = Names(namespace)
        self._schema = schema
        self._opener = OpeningProcess()
        self._connector = connector = Connector(url, lock_wait_s=lock_wait_s)
        self._patience_s = lock_wait_s
        limit = f"{math.ceil(LOOK_MAX_S * 1000)}ms"
        self._pool = Pool(connector, size=READERS_MAX, settings={"statement_timeout": limit})
        try:
            with translated("PostgreSQL could not be opened"), self._pool.connection() as first:
                only_looks = is_lent_by_transaction(connector, first)
                lay_out(first, self._names, schema)
                self._objects = open_objects(blobs, first, self._names) if blobs else None
        except BaseException:
            self._pool.close()
            raise
        self._notices = CommitNotices(connector, self._names, only_looks=only_looks)
        self._hot = RowCache()
        self._steady = HeadCache(self._names, self._hot)
        self._trails = Trails()
        self._leases = Leases(connector, self._names, self._steady.end, lease_s=lease_s)
        self._announcer = Announcer(connector, self._names)
        lane = partial(self._lane, connector, lock_wait_s=lock_wait_s)
        self._lanes = [lane(number) for number in range(LANES)]
        self._surveys = Surveys(connector) if first.is_one_of_several else None

    def _lane(self, connector: Connector, number: int, *, lock_wait_s: float) -> Lane:
        where = connector, self._names, self._hot, self._announcer.announce
        lane = partial(Lane, trails=self._trails, objects=self._objects, lock_wait_s=lock_wait_s)
        return lane(number, *where)

    def read(self, project: str, work: Callable[[ReadTx], T]) -> T:
        def looked(connection: Connection, *, is_begun: bool = False) -> T:
            where = connection, self._names, project, self._hot
            find = None if is_begun else self._steady.find
            tx = PostgresReadTx(
                *where,
                is_begun=is_begun,
                objects=self._objects,
                find_head=find,
                trails=self._trails,
            )
            done = work(tx)
            self._trails.note(project, tx.trail)
            return done

        try:
            return self._look(looked, begins=False)
        except MovedError:
            self._steady.end()
            return self._look(partial(looked, is_begun=True))

    def write(self, project: str, work: Callable[[WriteTx], T], *, urgent: bool = False) -> T:
        del urgent  # the server's disk is the server's
        self._opener.require()
        self._steady.end()
        return self._lanes[zlib.crc32(project.encode()) % LANES].write(project, work)

    def stage(self, blob: Blob) -> None:
        """Write what is large into the object store, if there is one; never on a server's disk."""
        if self._objects is not None and is_outside(blob):
            self._objects.write(blob)

    def hold(self, name: str, *, patiently: bool = False) -> Lock | None:
        self._opener.require()
        self._steady.end()
        take = partial(self._leases.take, name, self._steady.ask)
        return take() or (self._leases.taken_once_known(name, take) if patiently else None)

    def are_ours(self, locks: Collection[Lock]) -> bool:
        self._opener.require()
        ours = [lock for lock in locks if isinstance(lock, PostgresLock)]
        assert len(ours) == len(locks), "locks of another engine"
        return self._leases.are_ours(ours)

    def held(self, names: Collection[str]) -> set[str]:
        self._opener.require()
        self._steady.end()
        return self._leases.held(names)

    def heads(self) -> dict[str, Head]:
        statement = f"SELECT project, seq, tick, hash, clock, views FROM {self._names.heads}"
        rows = self._asked(statement)
        heads = {project: Head(*head) for project, *head in rows}
        return {project: head for project, head in heads.items() if head.seq}

    def steady(self) -> AbstractContextManager[None]:
        return self._steady.lasting()

    def forget(self) -> None:
        self._hot.forget_all()
        self._steady.end()

    def total(self, *fields: tuple[Table, str]) -> int:
        sums = " + ".join(f"({self._sum(table, field)})" for table, field in fields)
        [[total]] = self._asked(f"SELECT {sums}")
        return int(total)

    def _sum(self, table: Table, field: str) -> str:
        standing = " WHERE to_seq IS NULL" if table.history else ""
        added = f"SELECT coalesce(sum({column(field)}), 0)::bigint"
        return f"{added} FROM {self._names.table(table)}{standing}"

    def loose(self, *, older_s: float) -> dict[Digest, int]:
        """Give what lies in the object store and no row names; the database has no such thing."""
        if self._objects is None:
            return {}
        loose: dict[Digest, int] = {}
        sizes = self._objects.listed(older_s)
        for some in batched(sizes):
            for name in self._look_over_all(partial(unnamed, self._names, some)):
                digest = digest_in(name)
                loose[digest] = loose.get(digest, 0) + sizes[name]
        return loose

    def discard(self, digests: Collection[Digest]) -> None:
        """Remove from the object store what nobody names, while nobody can begin to."""
        if self._objects is None:
            return
        self._opener.require()
        for some in batched(self._objects.names_of(digests)):
            with (
                translated("PostgreSQL could not say what is kept"),
                closing(self._connector.connect()) as connection,
            ):
                let_nobody_name(connection, self._names)
                self._objects.remove(unnamed(self._names, some, connection))

    def outdated(self) -> list[str]:
        return self._look_over_all(
            lambda connection: outdated(connection, self._names, self._schema)
        )

    def scrub(self, *, dropping: Collection[str] = (), gently: bool = False) -> bool:
        """Write every table anew. What the server's own log and its copies hold is out of reach.

        Gently: the server's own vacuum makes the space usable again, and blocks nobody.
        """
        self._opener.require()
        with translated("PostgreSQL could not be scrubbed"):
            scrub(
                self._connector,
                self._names,
                dropping,
                gently=gently,
                patience_s=self._patience_s,
            )
        return True

    def check(self, *, thorough: bool) -> list[str]:
        found = self._look_over_all(lambda reader: list(integrity.headless(reader, self._names)))
        return found + self._damaged_indexes() if thorough else found

    def _damaged_indexes(self) -> list[str]:
        with (
            translated("PostgreSQL could not be checked"),
            closing(self._connector.connect()) as connection,
        ):
            return list(integrity.damaged_indexes(connection, self._names))

    def marks(self, topic: Topic, take: Callable[[str, str, str], None]) -> None:
        self._look_over_all(lambda reader: integrity.marks(reader, self._names, topic, take))

    def mark(self, topic: Topic, texts: Mapping[str, str]) -> str:
        return integrity.mark(self._names, topic, texts)

    def watch(self) -> Watch:
        self._opener.require()
        with translated("PostgreSQL could not be watched"):
            return self._notices.watch()

    def close(self) -> None:
        if not self._opener.is_this():
            self._leases.close()
            return
        if self._surveys is not None:
            self._surveys.close()
        for lane in self._lanes:
            lane.close()
        self._announcer.close()
        self._notices.close()
        self._leases.close()
        self._pool.close()

    def _asked(self, statement: str) -> list[tuple[Any, ...]]:
        """Ask a single question, which needs no transaction to see one state."""
        encoded = statement.encode()
        return self._look(lambda connection: connection.execute(encoded).fetchall(), begins=False)

    def _look(self, work: Callable[[Connection], T], *, begins: bool = True) -> T:
        """Run work that sees one state; once more if the connection was lost."""
        return self._looked(work, self._pool.connection, begins=begins)

    def _look_over_all(self, work: Callable[[Connection], T]) -> T:
        """Run work that goes over the whole store, however long it takes."""
        return self._looked(work, lambda **_: closing(self._connector.connect()))

    def _looked(self, work: Callable[[Connection], T], lend: _Lend, *, begins: bool = True) -> T:
        self._opener.require()
        with translated("PostgreSQL could not be read"):
            try:
                return _try_to_look(work, lend, begins=begins)
            except _LookAgainError:
                return _try_to_look(work, lend, begins=begins, again=True)


def _try_to_look(
    work: Callable[[Connection], T], lend: _Lend, *, begins: bool, again: bool = False
) -> T:
    with lend(fresh=again) as connection:
        try:
            if begins:
                connection.execute(BEGIN_LOOK)
            return work(connection)
        except psycopg.Error as error:
            if not again and (connection.closed or isinstance(error, PASSING)):
                raise _LookAgainError from error
            raise


class _LookAgainError(Exception):
    """A read failed in a way that may not happen a second time."""
