"""Reads a file's history under all its names, newest revision first."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from hansard.kernel import paging
from hansard.kernel.engine import Range, ReadTx, Row, Where
from hansard.recorder.history.standing import taken_back_by
from hansard.recorder.tables import FILES, HISTORIES, REVISIONS


@dataclass(frozen=True, slots=True)
class History:
    """The revisions of one file up to a point: 1 to `latest`, without holes."""

    tx: ReadTx
    name: str
    latest: int

    def rows(self, *, below: int | None = None) -> Iterator[Row]:
        """Go through the revisions, newest first; `below` leaves out that one and later ones."""
        name, top = self.name, self.latest if below is None else min(below - 1, self.latest)
        while True:
            yield from _descending(self.tx, name, top)
            base = (self.tx.get(HISTORIES, name) or {}).get("base")
            if base is None:
                return
            name, top = base[0], min(base[1], top)

    def row(self, revision: int) -> Row | None:
        """Give one revision."""
        row = next(self.rows(below=revision + 1), None)
        return row if row and row["revision"] == revision else None

    def path(self) -> str:
        """Give the name that the file has at its latest revision."""
        row = self.row(self.latest)
        assert row is not None, "a history has lost its latest revision"
        return path_of(self.tx, row)

    def replaced_at(self) -> int | None:
        """Name the entry by which the file came to where another of that name had been."""
        found = self.tx.get(HISTORIES, self.name)
        assert found is not None, "a file has no history"
        is_another = found.get("is_over") and found["revision"] == self.latest
        return found["since"] if is_another else None


def history_at(tx: ReadTx, file: str, as_of: int | None = None) -> History | None:
    """Find the history of the file that lies at a path, or lay there before it was moved on."""
    row = latest_revision(tx, file, as_of)
    if row is None:
        return None
    if row["history"]:
        return History(tx, row["history"], row["revision"])
    left = tx.get(HISTORIES, row["left"])
    assert left is not None, "a file that was moved has no history"
    whole = History(tx, row["left"], left["revision"])
    done = (one for one in whole.rows() if as_of is None or one["done"] <= as_of)
    return next((History(tx, row["left"], one["revision"]) for one in done), None)


def revision_by(tx: ReadTx, file: str, seq: int) -> Row | None:
    """Give the revision of a path that an entry made."""
    rows = tx.scan(REVISIONS, {"file": file, "seq": Range(at_least=seq, below=seq + 1)}, limit=1)
    return rows[0].row if rows else None


def latest_of(tx: ReadTx, revision: Row) -> Row | None:
    """Give the latest revision of the very file that this is one of; `None` if it was deleted."""
    found = tx.get(HISTORIES, revision["history"])
    if found is None:
        return None
    whole = History(tx, revision["history"], found["revision"])
    since = takewhile(lambda row: row["revision"] > revision["revision"], whole.rows())
    # What is made where a file was deleted goes on its history, and is another file.
    gone = (row for row in since if row["after"] is None)
    if any(taken_back_by(tx, row["file"], row["seq"]) is None for row in gone):
        return None
    return whole.row(whole.latest)


def latest_revision(tx: ReadTx, file: str, as_of: int | None) -> Row | None:
    """Give the last row that a path had come to, now or right after an entry."""
    where: Where = {"file": file}
    if as_of is not None:
        where = {"file": file, "seq": Range(below=as_of + 1)}
    # Of two, since the last one may have been announced by then, and not yet done.
    for found in tx.scan(REVISIONS, where, order="seq", descending=True, limit=2):
        if as_of is None or found.row["done"] <= as_of:
            return found.row
    return None


def path_of(tx: ReadTx, revision: Row) -> str:
    """Give the path that a revision lay at."""
    file = tx.get(FILES, revision["file"])
    assert file is not None, "a revision lies nowhere"
    return str(file["path"])


def _descending(tx: ReadTx, history: str, top: int) -> Iterator[Row]:
    where: Where = {"history": history, "revision": Range(below=top + 1)}
    found = paging.rows(tx, REVISIONS, where, order="revision", descending=True, first=1)
    return (one.row for one in found)
