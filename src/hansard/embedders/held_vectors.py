"""One topic's vectors in a process: those in the file, and newer ones.

A process with enough new vectors writes them to the file, under the lock. Where there is no file,
or
none can be written, all is kept in memory: a search finds the same.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hansard.embedders import vectors
from hansard.kernel.engine import DERIVED_LOCK
from hansard.kernel.problem import StorageUnavailable
from hansard.kernel.store import Store

if TYPE_CHECKING:
    from hansard.embedders.vector_blocks import Witness
    from hansard.embedders.vector_file import Mapped, VectorFile
    from hansard.embedders.vector_index import VectorIndex

FILED_MIN = 512
"""Fewer changes are read from the table in a few milliseconds."""

BUILT_WAIT_S = 5.0
"""How long to wait for another process that is about to write the file; then it is done without."""

LOOK_S = 0.02
SEALED_ROWS = 1_000
"""While much is read, how many vectors at a time are put with the rest."""


@dataclass(frozen=True, slots=True)
class TopicOf:
    """Whose vectors: of which topic of which project, and made by what."""

    project: str
    topic: str
    embedder: str


class HeldVectors:
    """A topic's vectors, and how far they have been read."""

    def __init__(self, of: TopicOf) -> None:
        """Read nothing yet."""
        self.lock = threading.Lock()
        """Held during any call here."""
        self.index: VectorIndex | None = None
        self._of = of
        self._generation = ""
        self._change = 0
        self._mapped: Mapped | None = None
        self._witness: Witness | None = None
        self._is_beside = False
        """Whether memory has blocks that the file does not have."""

    def refresh(self, store: Store) -> None:
        """Read what the table has that is not here: all of it, if its generation is new."""
        if self._mapped is not None and not self._mapped.is_there():
            # Replaced, or removed because something was erased: what is mapped is let go of.
            self._begin("")
        current = store.read(self._of.project, vectors.generation)
        if current is None or current.embedder != self._of.embedder:
            self._begin("")
            return
        if current.id != self._generation:
            self._begin(current.id)
            if current.changes >= FILED_MIN and not self._adopt(store):
                self._make(store)
                return
        if current.changes != self._change:
            self._read_on(store)
        if self.index is not None and self.index.is_tail_long:
            self._put_away(store)

    def _begin(self, generation: str) -> None:
        self._generation, self._change, self.index = generation, 0, None
        self._mapped, self._witness, self._is_beside = None, None, False

    def _make(self, store: Store) -> None:
        """Read everything, and write the file from it, unless another process does."""
        with _turn(store, BUILT_WAIT_S) as is_ours:
            if is_ours and self._adopt(store):
                self._read_on(store)
                return
            self._read_on(store)
            if not (is_ours and self._write(store)) and self.index is not None:
                self.index.compact()

    def _read_on(self, store: Store) -> None:
        """Take over what the table has that is new to us."""
        while True:
            work = partial(
                vectors.news, topic=self._of.topic, known=self._generation, after=self._change
            )
            current, page = store.read(self._of.project, work)
            if current is None or current.id != self._generation:
                self._begin("")
                return
            self._take_over(page)
            is_all = len(page) < vectors.ROWS_PAGE
            self._change = current.changes if is_all else page[-1].change
            if is_all:
                return

    def _take_over(self, page: list[vectors.VectorChange]) -> None:
        if not page:
            return
        # Imported when there is something to find, and not before: numpy takes its time.
        from hansard.embedders.vector_blocks import Witness
        from hansard.embedders.vector_index import VectorIndex

        first = next((change for change in page if change.vectors is not None), None)
        if self.index is None and first is not None:
            self.index = VectorIndex(first.dimensions)
        self._witness = Witness(page[-1].key, page[-1].text, page[-1].change)
        if self.index is not None:
            self.index.update(page)
            if len(page) == vectors.ROWS_PAGE and self.index.tail_rows >= SEALED_ROWS:
                self._keep_in_memory()

    def _keep_in_memory(self) -> None:
        assert self.index is not None, "there is something to keep"
        self.index.seal()
        self._is_beside = True

    def _file(self, store: Store) -> "VectorFile | None":
        folder = store.engine.derived
        if folder is None:
            return None
        from hansard.embedders.vector_file import FileTitle, VectorFile

        of = self._of
        return VectorFile(folder, FileTitle(of.project, of.topic, of.embedder, self._generation))

    def _adopt(self, store: Store) -> bool:
        """Use the file, if it has more than the one we use and is of this very table."""
        file = self._file(store)
        found = file.mapped() if file else None
        before = self._mapped.until if self._mapped else 0
        if found is None or found.until <= before or not self._is_of_table(store, found):
            return False
        from hansard.embedders.vector_index import VectorIndex

        self.index = VectorIndex(found.dimensions, found.blocks)
        self._mapped, self._change, self._is_beside = found, found.until, False
        self._witness = found.witness
        return True

    def _is_of_table(self, store: Store, found: "Mapped") -> bool:
        """Whether the last change of a file is the table's, and not that of a copy of it."""
        seen = found.witness
        work = partial(vectors.change_of, topic=self._of.topic, key=seen.key)
        current, known = store.read(self._of.project, work)
        if current is None or current.id != self._generation or found.until > current.changes:
            return False
        if known is None:
            return False
        return known.change > seen.change or (known.change, known.text) == (seen.change, seen.text)

    def _put_away(self, store: Store) -> None:
        """Put what has come with the rest: in the file, or in memory if that cannot be."""
        with _turn(store, 0.0) as is_ours:
            if is_ours and self._adopt(store):
                self._read_on(store)
                return
            if not (is_ours and self._write(store)) and self.index is not None:
                self._keep_in_memory()
                self.index.compact()

    def _write(self, store: Store) -> bool:
        """Write what is here to the file, and map it; false if it could not be. Under the lock."""
        file = self._file(store)
        if file is None or self.index is None or self._witness is None or not len(self.index):
            return False
        # What was erased since is in no row any more, and must not come back into a file.
        current = store.read(self._of.project, vectors.generation)
        if current is None or current.id != self._generation:
            return False
        try:
            self._write_to(file)
        except OSError:
            return False
        self._mapped, self._is_beside = None, True
        return self._adopt(store)

    def _write_to(self, file: "VectorFile") -> None:
        from hansard.embedders.vector_index import SEALED_MAX

        assert self.index is not None, "there is something to write"
        assert self._witness is not None, "what is there came by a change"
        there = self._mapped
        is_added = False
        if there is not None and not self._is_beside and len(there.written) < SEALED_MAX:
            is_added = file.add(there, self.index.tail(), self._change, self._witness)
        if not is_added:
            file.replace(self.index.whole(), self._change, self._witness)


@contextmanager
def _turn(store: Store, wait_s: float) -> Iterator[bool]:
    """Take the lock on what is derived; false if somebody else has it for longer than we wait."""
    until = time.monotonic() + wait_s
    while True:
        try:
            lock = store.engine.hold(DERIVED_LOCK) if store.engine.derived is not None else None
        except StorageUnavailable:
            # A disk that is full takes no lock either: the search goes on without.
            lock = None
        if lock is not None:
            with lock:
                yield True
            return
        if store.engine.derived is None or time.monotonic() >= until:
            yield False
            return
        time.sleep(LOOK_S)
