"""The engine in memory: one lock gives a transaction the whole store."""

import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

from hansard.engines.locks import ProcessLock
from hansard.engines.memory.tables import IndexedDocument
from hansard.engines.memory.transaction import MemoryReadTx, MemoryWriteTx, Project
from hansard.engines.uncached import Uncached
from hansard.kernel.blob import Blob, Digest
from hansard.kernel.engine import Lock, ReadTx, Schema, Table, Topic, Watch, WriteTx
from hansard.kernel.event import Head
from hansard.kernel.problem import StorageUnavailable

T = TypeVar("T")


class MemoryStore:
    """What several engines of one process share, as several processes share a file."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.committed = threading.Condition(self.lock)
        self.commits = 0
        self.is_writing = False
        self.projects: dict[str, Project] = {}
        self.holders: dict[str, object] = {}


class MemoryEngine(Uncached):
    """A database that lives as long as its `MemoryStore`."""

    name = "memory"

    def __init__(self, schema: Schema, shared: MemoryStore | None = None) -> None:
        """Open a new store, or one that another engine of this process has open."""
        self._tables = frozenset((table.name, table.version) for table in schema.tables)
        self._store = shared or MemoryStore()
        self._closed = False

    def read(self, project: str, work: Callable[[ReadTx], T]) -> T:
        with self._alone():
            state = self._store.projects.get(project) or Project(project)
            return work(MemoryReadTx(state, self._tables))

    def write(self, project: str, work: Callable[[WriteTx], T], *, urgent: bool = False) -> T:
        del urgent  # nothing is staged here
        with self._alone():
            state = self._store.projects.setdefault(project, Project(project))
            tx = MemoryWriteTx(state, self._tables)
            self._store.is_writing = True
            try:
                result = work(tx)
            except BaseException:
                tx.roll_back()
                raise
            finally:
                self._store.is_writing = False
            if tx.has_changes:
                self._store.commits += 1
                self._store.committed.notify_all()
            return result

    def stage(self, blob: Blob) -> None:
        """Do nothing: blobs are stored with the rest."""

    def hold(self, name: str, *, patiently: bool = False) -> Lock | None:  # noqa: ARG002 - it can tell
        with self._alone():
            if name in self._store.holders:
                return None
            self._store.holders[name] = self
        return ProcessLock(partial(self._has, name), partial(self._let_go, name))

    def held(self, names: Collection[str]) -> set[str]:
        with self._alone():
            return {name for name in names if name in self._store.holders}

    def heads(self) -> dict[str, Head]:
        with self._alone():
            heads = {name: project.head for name, project in self._store.projects.items()}
            return {name: head for name, head in heads.items() if head.seq}

    def total(self, *fields: tuple[Table, str]) -> int:
        with self._alone():
            looks = [MemoryReadTx(one, self._tables) for one in self._store.projects.values()]
            return sum(look.sum(table, field) for look in looks for table, field in fields)

    def loose(self, *, older_s: float) -> dict[Digest, int]:
        """Give none: nothing is staged here."""
        del older_s
        return {}

    def discard(self, digests: Collection[Digest]) -> None:
        """Do nothing, as there is nothing."""

    def outdated(self) -> list[str]:
        """Name nothing: memory holds nothing older than the process."""
        return []

    def scrub(self, *, dropping: Collection[str] = (), gently: bool = False) -> bool:
        """Do nothing: there are no files."""
        del dropping, gently
        return True

    def check(self, *, thorough: bool) -> list[str]:
        """Find nothing: there are no files to damage."""
        del thorough
        return []

    def marks(self, topic: Topic, take: Callable[[str, str, str], None]) -> None:
        with self._alone():
            found = [
                (project, key, document.mark())
                for project, state in self._store.projects.items()
                for key, document in state.words(topic).documents()
            ]
        for one in found:
            take(*one)

    def mark(self, topic: Topic, texts: Mapping[str, str]) -> str:
        return IndexedDocument.of(topic, texts).mark()

    def watch(self) -> Watch:
        with self._alone():
            return _MemoryWatch(self._store)

    def close(self) -> None:
        """Refuse further work and release what this engine holds; the store stays."""
        with self._store.lock:
            self._closed = True
            for name, holder in list(self._store.holders.items()):
                if holder is self:
                    del self._store.holders[name]

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with self._store.lock:
            assert not self._store.is_writing, "work must touch nothing but its transaction"
            if self._closed:
                raise StorageUnavailable("The store is closed", outcome="not_written")
            yield

    def _has(self, name: str) -> bool:
        with self._store.lock:
            return self._store.holders.get(name) is self

    def _let_go(self, name: str) -> None:
        with self._store.lock:
            if self._store.holders.get(name) is self:
                del self._store.holders[name]


class _MemoryWatch:
    """Compares the number of commits with the last one seen."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._seen = store.commits

    def wait(self, timeout_s: float) -> bool:
        store = self._store
        with store.lock:
            news = store.committed.wait_for(lambda: store.commits != self._seen, timeout_s)
            self._seen = store.commits
            return news

    def close(self) -> None:
        pass
