"""Iterates over whatever comes in pages: rows, entries, blobs, and the answers to a list."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Protocol, TypeVar

from hansard.kernel.blob import Digest
from hansard.kernel.engine import Engine, Found, Position, ReadTx, Table, Where
from hansard.kernel.event import Entry
from hansard.kernel.limits import ENTRIES_PAGE

T = TypeVar("T")
K = TypeVar("K")


class ListAnswer(Protocol):
    """A page of a list, as an operation answers with it."""

    @property
    def nextCursor(self) -> str | None:  # noqa: N802 - the wire's name
        """Open the next page; `None` on the last one."""


A = TypeVar("A", bound=ListAnswer)


def pages(
    read: Callable[[K], Sequence[T]], key: Callable[[T], K], after: K
) -> Iterator[Sequence[T]]:
    """Give page after page, each read after the key of the last item, until one is empty."""
    while page := read(after):
        yield page
        after = key(page[-1])


def answers(ask: Callable[..., A]) -> Iterator[A]:
    """Give every page of a list: `ask` is called without a cursor, then with each `nextCursor`."""
    answer = ask()
    yield answer
    while answer.nextCursor is not None:
        answer = ask(cursor=answer.nextCursor)
        yield answer


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

    A caller that may stop soon begins with a small page; each that follows is larger.
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
    before: int | None = None,
    kinds: Collection[str] | None = None,
    session: str | None = None,
    descending: bool = False,
    limit: int = ENTRIES_PAGE,
) -> Iterator[Entry]:
    """Give every entry between two seqs, in order; also those that are appended meanwhile.

    `limit` is the size of a page.
    """
    while page := tx.entries(
        after=after,
        before=before,
        limit=limit,
        descending=descending,
        kinds=kinds,
        session=session,
    ):
        yield from page
        if descending:
            before = page[-1].seq
        else:
            after = page[-1].seq


def digests(tx: ReadTx) -> Iterator[Digest]:
    """Name every blob that the project keeps, in order."""
    return chain.from_iterable(pages(partial(_digests, tx), str, ""))


def entries_apart(engine: Engine, project: str, *, after: int = 0, last: int) -> Iterator[Entry]:
    """Give the entries up to the last one named, each page in a transaction of its own."""

    def read(reached: int) -> list[Entry]:
        return engine.read(
            project,
            lambda tx: tx.entries(after=reached, before=last + 1, limit=ENTRIES_PAGE),
        )

    return chain.from_iterable(pages(read, lambda entry: entry.seq, after))


def digests_apart(engine: Engine, project: str) -> Iterator[Digest]:
    """Name every blob that the project keeps, each page in a transaction of its own."""

    def read(reached: str) -> list[Digest]:
        return engine.read(project, partial(_digests, after=reached))

    return chain.from_iterable(pages(read, str, ""))


def _digests(tx: ReadTx, after: str) -> list[Digest]:
    return tx.digests(after=after, limit=ENTRIES_PAGE)
