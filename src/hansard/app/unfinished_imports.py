"""Projects whose import was interrupted and is not finished yet."""

from hansard.kernel import paging
from hansard.kernel.engine import ReadTx, Table, WriteTx
from hansard.kernel.event import Head
from hansard.kernel.store import CATALOG, Store

UNFINISHED = Table("unfinished_imports")
"""In the catalog, by project: the last entry that an import under way will bring. Not derived."""


def begin(store: Store, project: str, until: int) -> None:
    """Note that a project is about to be taken in, up to an entry."""

    def work(tx: WriteTx) -> None:
        tx.put(UNFINISHED, project, {"until": until}, seq=tx.head().seq)

    store.write(CATALOG, work)


def end(store: Store, project: str) -> None:
    """Note that all of it is here."""
    store.write(CATALOG, lambda tx: tx.delete(UNFINISHED, project, seq=tx.head().seq))


def is_begun(store: Store, project: str) -> bool:
    """Whether an import of a project was begun here and not finished."""
    return store.engine.read(CATALOG, lambda tx: tx.get(UNFINISHED, project)) is not None


def unfinished(store: Store) -> dict[str, str]:
    """Describe each half-imported project: how much of it is here, and what to do."""
    heads = store.engine.heads()
    found = store.engine.read(CATALOG, _all)
    return {project: _told(project, heads.get(project), until) for project, until in found.items()}


def _all(tx: ReadTx) -> dict[str, int]:
    return {one.key: int(one.row["until"]) for one in paging.rows(tx, UNFINISHED)}


def _told(project: str, head: Head | None, until: int) -> str:
    reached = head.seq if head else 0
    return (
        f"{project} has {reached:,} of {until:,} entries, as its import was cut off: the same "
        "`hansard import` once more goes on with it"
    )
