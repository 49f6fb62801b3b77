"""Iterates over all rows, entries or blobs, a page at a time."""

from collections.abc import Collection, Iterator

from hansard.kernel.blob import Digest
from hansard.kernel.engine import Found, Position, ReadTx, Table, Where
from hansard.kernel.event import Entry
from hansard.kernel.limits import ENTRIES_PAGE


def rows(
    tx: ReadTx,
    table: Table,
    where: Where | None = None,
    *,
    order: str | None = None,
    descending: bool = False,
    after: Position | None = None,
    first: int = ENTRIES_PAGE,
) -> Iterator[Found]:
    """Give every row, in the order of a field or of the keys.

    Who may stop soon begins with a small page; each that follows is larger.
    """
    limit = first
    while page := tx.scan(
        table, where, order=order, descending=descending, after=after, limit=limit
    ):
        yield from page
        if len(page) < limit:
            return
        last = page[-1]
        after = Position(last.row[order] if order else None, last.key)
        limit = max(limit, min(8 * limit, ENTRIES_PAGE))


def entries(
    tx: ReadTx,
    *,
    after: int = 0,
    kinds: Collection[str] | None = None,
    session: str | None = None,
) -> Iterator[Entry]:
    """Give every entry after a seq, in order; also those that are appended meanwhile."""
    while page := tx.entries(after=after, limit=ENTRIES_PAGE, kinds=kinds, session=session):
        yield from page
        after = page[-1].seq


def digests(tx: ReadTx) -> Iterator[Digest]:
    """Name every blob that the project keeps, in order."""
    after = ""
    while page := tx.digests(after=after, limit=ENTRIES_PAGE):
        yield from page
        after = page[-1]
