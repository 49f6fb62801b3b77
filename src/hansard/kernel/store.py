"""A store: an engine, its kinds of events, and the views derived from them."""

import threading
import time
from collections.abc import Callable, Iterable
from typing import TypeVar

import orjson

from hansard.kernel import limits, paging
from hansard.kernel.blob import Blob
from hansard.kernel.blob_references import name, proving
from hansard.kernel.engine import Engine, ReadTx, Table, WriteTx
from hansard.kernel.event import Entry, Event, Kinds, Stamp
from hansard.kernel.named_blobs import finder_in
from hansard.kernel.problem import ProjectUnavailable
from hansard.kernel.rebuilding import Reached, Rebuilding, behind_of
from hansard.kernel.view import Derivation, View, fingerprint, is_newer

T = TypeVar("T")
Told = Callable[[Reached], None]
"""Called after each page of a rebuild with its progress."""

REBUILD_WHOLE_ENTRIES_MAX = 20_000
"""A project with at most this many entries is rebuilt in one transaction, while others read."""

CATALOG = "@catalog"
"""The project for store-wide data: the directory of projects, workspaces, blocks of ids."""

UNMADE = "@unmade"
"""The project that calls read if theirs does not exist yet: it is always empty."""


class Store:
    """Records events and reads the rows derived from them."""

    def __init__(self, engine: Engine, kinds: Kinds, views: Iterable[View]) -> None:
        """Use an engine that has the schema of the same views."""
        self.engine = engine
        self.kinds = kinds
        self.views = tuple(views)
        self.fingerprint = fingerprint(self.views)
        self._tables = {table.name for view in self.views for table in view.tables}
        self._rebuilding = Rebuilding(kinds, self.views)
        self._turns: dict[str, threading.Lock] = {}
        self._concerned: dict[type[Event], tuple[View, ...]] = {}
        """The views that apply an event, by its class."""

    def has(self, table: Table) -> bool:
        """Whether this store derives a table: a small catalog has few."""
        return table.name in self._tables

    def read(self, project: str, work: Callable[[ReadTx], T]) -> T:
        """Run work on a consistent snapshot of a project whose views are current."""

        def checked(tx: ReadTx) -> T:
            if not self._is_current(tx):
                raise _ViewsMovedError
            return work(tx)

        return self._when_current(project, lambda: self.engine.read(project, checked))

    def write(
        self,
        project: str,
        work: Callable[[WriteTx], T],
        *,
        blobs: Iterable[Blob] = (),
        urgent: bool = False,
    ) -> T:
        """Run work in one durable transaction that also keeps these blobs.

        The transaction checks that the blobs its events name, and the bases of these blobs, are
        kept.

        `urgent` is only for outcomes of effects: the world has changed, so they must get through.
        """
        staged = tuple(blobs)
        for blob in staged:
            self.engine.stage(blob)

        def checked(tx: WriteTx) -> T:
            if not self._is_current(tx):
                raise _ViewsMovedError
            with proving(tx, staged):
                for blob in staged:
                    tx.keep(blob)
                done = work(tx)
            assert project != UNMADE, "something was to be kept of a project that is not made yet"
            return done

        return self._when_current(
            project, lambda: self.engine.write(project, checked, urgent=urgent)
        )

    def record(self, tx: WriteTx, event: Event, stamp: Stamp) -> Entry:
        """Append an event and derive its rows, in this transaction."""
        head = tx.head()
        if head.seq == 0:
            tx.mark_views(self.fingerprint)
        entry = Entry.following(head, tx.project, event, stamp)
        if (find := finder_in(type(event))) and entry.payload:
            name(tx, find(orjson.loads(entry.payload)))
        tx.append(entry)
        self.derive(tx, entry, event)
        return entry

    def derive(self, tx: WriteTx, entry: Entry, event: Event) -> None:
        """Apply one recorded event to every view."""
        derivation = Derivation(tx, entry)
        kind = type(event)
        if (concerned := self._concerned.get(kind)) is None:
            # Two threads may both do it: they find the same.
            concerned = tuple(view for view in self.views if view.concerns(kind))
            self._concerned[kind] = concerned
        for view in concerned:
            view.apply(event, derivation)

    def rebuild(self, project: str, *, told: Told = lambda _: None) -> int:
        """Rebuild a project's views from its journal; returns how many entries it has.

        A large project is derived page by page, and other callers wait meanwhile.
        """

        def begin(tx: WriteTx) -> int | None:
            if behind_of(tx.head().views, self.views):
                return None  # begun already, by an upgrade or by a process that was killed
            if tx.head().seq <= REBUILD_WHOLE_ENTRIES_MAX:
                return self.rederive(tx)
            self._rebuilding.begin_in_place(tx)
            return None

        entries = self.engine.write(project, begin)
        return self._go_on(project, told=told) if entries is None else entries

    def rederive(self, tx: WriteTx) -> int:
        """Rebuild a project's views in this transaction; returns how many entries it has."""
        self._rebuilding.clear(tx, self.views)
        tx.mark_views(self.fingerprint)
        for entry in paging.entries(tx):
            if event := self.kinds.decode(entry):
                self.derive(tx, entry, event)
        return tx.head().seq

    def _when_current(self, project: str, ask: Callable[[], T]) -> T:
        """Read, and repeat while somebody rebuilds the views in between."""
        while True:
            try:
                return ask()
            except _ViewsMovedError:
                self._go_on(project, wait_s=limits.REBUILD_WAIT_S, told=lambda _: None)

    def _go_on(self, project: str, *, wait_s: float | None = None, told: Told) -> int:
        """Derive tables that are not live yet, page by page, from the stored progress on.

        After `wait_s` the next caller continues. Only one thread of a process does this.
        """
        deadline = None if wait_s is None else time.monotonic() + wait_s
        turn = self._turns.setdefault(project, threading.Lock())
        if not turn.acquire(timeout=-1 if wait_s is None else wait_s):
            entries = self.engine.read(project, lambda tx: tx.head().seq)
            raise self._being_derived(project, entries)
        try:
            while not (reached := self.engine.write(project, self._next_page)).is_done:
                told(reached)
                if deadline is not None and time.monotonic() >= deadline:
                    raise self._being_derived(project, reached.of, reached.seq)
        finally:
            turn.release()
        return reached.of

    def _next_page(self, tx: WriteTx) -> Reached:
        if self._is_current(tx):
            return Reached(tx.head().seq, tx.head().seq, is_done=True)
        return self._rebuilding.step(tx)

    def _being_derived(
        self, project: str, entries: int, done: int | None = None
    ) -> ProjectUnavailable:
        far = f"{done:,} of {entries:,} entries are done" if done is not None else "it has begun"
        return ProjectUnavailable(
            f"{_called(project)} is being derived again from its journal: {far}",
            hint="Ask again, which goes on from there; or run `hansard rebuild`, and ask then",
            outcome="not_written",
        )

    def _is_current(self, tx: ReadTx) -> bool:
        head = tx.head()
        if head.seq == 0 or head.views == self.fingerprint:
            return True
        if is_newer(head.views, self.fingerprint):
            raise ProjectUnavailable(
                f"{_called(tx.project)} has been opened by a newer Hansard than this one",
                hint="Restart with the newer version; nothing was changed",
            )
        return False


def _called(project: str) -> str:
    return "This store" if project == CATALOG else f"The project {project}"


class _ViewsMovedError(Exception):
    """The tables were derived by older views than ours."""
