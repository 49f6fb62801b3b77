"""Rebuilds views from the journal: beside the live tables, page by page, and only once.

Another version of a view has tables of its own. So after an upgrade they are filled beside those
that an older program still reads and writes, a page of entries in a transaction, until they have
caught up with the head; the same transaction then names them in the head, and from there on the
older program refuses. Each page's transaction also stores the progress of the view: the next caller
continues from there, in this process or another, also after a kill.

A view that uses the live tables themselves is rebuilt in place: the head then says so, and other
callers wait and help.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hansard.kernel.engine import Found, Row, Table, Where, WriteTx
from hansard.kernel.event import Kinds
from hansard.kernel.view import IN_PLACE, PASSES, Derivation, View, fingerprint

PAGE_ENTRIES = 1_000
"""Entries derived in one transaction, for which others wait: about a third of a second."""


@dataclass(frozen=True, slots=True)
class Reached:
    """How far the views of a project are derived."""

    seq: int
    of: int
    is_done: bool


class Rebuilding:
    """Derives some views again, a step in each transaction."""

    def __init__(self, kinds: Kinds, views: Sequence[View]) -> None:
        """Derive these views from events of these kinds."""
        self._kinds = kinds
        self._views = tuple(views)
        self._rewriting = kinds.rewriting
        self._target = fingerprint(views)
        # A mark that older programs do not know, with our versions: they refuse the project.
        self._in_place = f"{IN_PLACE}:1 {self._target}"

    def step(self, tx: WriteTx) -> Reached:
        """Derive the next page of what is not live; with the last one, make it live."""
        stored = tx.head().views
        behind = behind_of(stored, self._views)
        is_apart = len(behind) < len(self._views)
        is_theirs = is_in_place(stored) and stored != self._in_place
        if is_theirs or (is_apart and any(view.is_shared for view in behind)):
            self.begin_in_place(tx)
            return self.step(tx)
        try:
            return self._derive_page(tx, behind, is_apart=is_apart)
        except NotApartError:
            self.begin_in_place(tx)
            return self.step(tx)

    def begin_in_place(self, tx: WriteTx) -> None:
        """Derive every view from the first entry on, in the tables that are live so far."""
        self.clear(tx, self._views)
        tx.mark_views(self._in_place)

    def clear(self, tx: WriteTx, views: Iterable[View]) -> None:
        """Remove all that these views derived, and their progress."""
        for view in views:
            tx.clear(view.tables, view.topics)
            _note(tx, view, None)

    def _derive_page(self, tx: WriteTx, behind: Sequence[View], *, is_apart: bool) -> Reached:
        passed = self._passed(tx, behind, is_apart=is_apart)
        head = tx.head()
        page = tx.entries(after=min(passed.values(), default=head.seq), limit=PAGE_ENTRIES)
        names = frozenset(table.name for view in behind for table in view.tables)
        for entry in page:
            event = self._kinds.decode(entry)
            derivation = Apart(tx, entry, names) if is_apart else Derivation(tx, entry)
            for view in behind if event else ():
                if passed[called(view)] < entry.seq:
                    assert event is not None, "it was looked at"
                    view.apply(event, derivation)
        reached = page[-1].seq if page else head.seq
        is_done = reached == head.seq
        for view in behind:
            note = {"seq": max(reached, passed[called(view)]), "looked": head.seq}
            _note(tx, view, None if is_done else note)
        if is_done:
            tx.mark_views(self._target)
        return Reached(reached, head.seq, is_done)

    def _passed(self, tx: WriteTx, behind: Sequence[View], *, is_apart: bool) -> dict[str, int]:
        """Say how far each view is; those whose rows cannot be used start over."""
        notes = {called(view): tx.get(PASSES, called(view)) for view in behind}
        useless = [view for view in behind if not self._is_useful(tx, notes[called(view)])]
        if useless and not is_apart:
            if len(useless) < len(behind):
                # They may use each other's tables, so they advance together, and nobody else in
                # between.
                raise NotApartError
            useless = list(behind)
        self.clear(tx, useless)
        anew = {called(view) for view in useless}
        return {name: 0 if name in anew else _seq(note) for name, note in notes.items()}

    def _is_useful(self, tx: WriteTx, note: Row | None) -> bool:
        """Whether what was derived still follows from the journal as it is now."""
        if note is None:
            return False
        return not tx.entries(after=note["looked"], limit=1, kinds=self._rewriting)


@dataclass(frozen=True, slots=True)
class Apart(Derivation):
    """A derivation that knows only the tables that are derived: all others are ahead of it."""

    names: frozenset[str]

    def derives(self, table: Table) -> bool:
        return table.name in self.names

    def get(self, table: Table, key: str) -> Row | None:
        self._require(table)
        return self.tx.get(table, key)

    def scan(self, table: Table, where: Where, *, limit: int) -> list[Found]:
        self._require(table)
        return self.tx.scan(table, where, limit=limit)

    def put(self, table: Table, key: str, row: Row) -> None:
        self._require(table)
        self.tx.put(table, key, row, seq=self.entry.seq)

    def delete(self, table: Table, key: str) -> None:
        self._require(table)
        self.tx.delete(table, key, seq=self.entry.seq)

    def _require(self, table: Table) -> None:
        if table.name not in self.names:
            raise NotApartError(table.name)


class NotApartError(Exception):
    """A view uses another view's table, and so cannot be derived without it."""


def behind_of(stored: str, views: Iterable[View]) -> list[View]:
    """Choose the views of which the live tables, as the head names them, are not this version."""
    live = () if is_in_place(stored) else stored.split()
    return [view for view in views if called(view) not in live]


def is_in_place(stored: str) -> bool:
    """Whether the head says that the live tables themselves are being derived."""
    return stored.startswith(f"{IN_PLACE}:")


def called(view: View) -> str:
    """Name a view with its version, as the head does."""
    return f"{view.name}:{view.version}"


def _seq(note: Row | None) -> int:
    return int(note["seq"]) if note else 0


def _note(tx: WriteTx, view: View, note: Row | None) -> None:
    seq = tx.head().seq
    if note is None:
        tx.delete(PASSES, called(view), seq=seq)
    else:
        tx.put(PASSES, called(view), note, seq=seq)
