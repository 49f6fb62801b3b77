"""A store: an engine, the kinds of events it holds and the views derived from them."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import orjson

from hansard.kernel.blob import Blob
from hansard.kernel.engine import Engine, ReadTx, WriteTx
from hansard.kernel.event import Entry, Event, Kinds, Stamp
from hansard.kernel.keeping import name, proving
from hansard.kernel.limits import ENTRIES_PAGE
from hansard.kernel.named import finders
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.view import Derivation, View, fingerprint, is_newer

T = TypeVar("T")

CATALOG = "@catalog"
"""The project of what is store-wide: the directory of projects, workspaces, blocks of ids."""

UNMADE = "@unmade"
"""Where calls look whose project is yet to be made: nothing is ever there."""


class Store:
    """Records events and reads what was derived from them."""

    def __init__(self, engine: Engine, kinds: Kinds, views: Iterable[View]) -> None:
        """Use an engine that was made with the schema of the same views."""
        self.engine = engine
        self.kinds = kinds
        self.views = tuple(views)
        self.fingerprint = fingerprint(self.views)
        self._finders = finders(kinds)

    def read(self, project: str, work: Callable[[ReadTx], T]) -> T:
        """Run work on a consistent look at a project whose views are current."""

        def checked(tx: ReadTx) -> T:
            if not self._is_current(tx):
                raise _ViewsMovedError
            return work(tx)

        try:
            return self.engine.read(project, checked)
        except _ViewsMovedError:
            self._catch_up(project)
            return self.engine.read(project, checked)

    def write(
        self,
        project: str,
        work: Callable[[WriteTx], T],
        *,
        blobs: Iterable[Blob] = (),
        urgent: bool = False,
    ) -> T:
        """Run work in one durable transaction that also keeps these blobs.

        What its events name, and what these blobs are packed onto, is proved to be kept.

        `urgent` is for outcomes of effects alone: the world has changed, so they must get through.
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

        try:
            return self.engine.write(project, checked, urgent=urgent)
        except _ViewsMovedError:
            self._catch_up(project)
            return self.engine.write(project, checked, urgent=urgent)

    def record(self, tx: WriteTx, event: Event, stamp: Stamp) -> Entry:
        """Append an event and derive what follows from it, in this transaction."""
        head = tx.head()
        if head.seq == 0:
            tx.mark_views(self.fingerprint)
        entry = Entry.following(head, tx.project, event, stamp)
        if (find := self._finders.get(event.kind)) and entry.payload:
            name(tx, find(orjson.loads(entry.payload)))
        tx.append(entry)
        self.derive(tx, entry, event)
        return entry

    def derive(self, tx: WriteTx, entry: Entry, event: Event) -> None:
        """Apply one recorded event to every view."""
        derivation = Derivation(tx, entry)
        for view in self.views:
            view.apply(event, derivation)

    def rebuild(self, project: str) -> int:
        """Derive a project's views again from its journal; returns how many entries it has."""
        return self.engine.write(project, self.rederive)

    def rederive(self, tx: WriteTx) -> int:
        """Derive a project's views again in this transaction; returns how many entries it has."""
        for view in self.views:
            tx.clear(view.tables, view.topics)
        tx.mark_views(self.fingerprint)
        for entry in walk(tx):
            if event := self.kinds.decode(entry):
                self.derive(tx, entry, event)
        return tx.head().seq

    def _catch_up(self, project: str) -> None:
        """Derive a project's views again, unless another caller has done so meanwhile."""

        def work(tx: WriteTx) -> None:
            if not self._is_current(tx):
                self.rederive(tx)

        self.engine.write(project, work)

    def _is_current(self, tx: ReadTx) -> bool:
        head = tx.head()
        if head.seq == 0 or head.views == self.fingerprint:
            return True
        if is_newer(head.views, self.fingerprint):
            raise StorageUnavailable(
                "This store has been opened by a newer Hansard than this one",
                hint="Restart with the newer version; nothing was changed",
            )
        return False


def walk(tx: ReadTx, *, after: int = 0) -> Iterator[Entry]:
    """Go through the journal page by page, in order."""
    while page := tx.entries(after=after, limit=ENTRIES_PAGE):
        yield from page
        after = page[-1].seq


class _ViewsMovedError(Exception):
    """The tables were derived by older views than ours."""
