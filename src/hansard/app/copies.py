"""Up to where each project is in another store as well, as far as this one knows.

Two stores that have the same entries part for good once each has written its own. So what keeps a
store in order writes only where somebody else has written since: those two have parted already, or
the other one lacks what was written.
"""

from hansard.kernel.engine import ReadTx, Row, Table, WriteTx
from hansard.kernel.store import CATALOG, Store

COPIED = Table("copied")
"""In the catalog, by project: the last entry that went to another store or came from one. What
comes from a backup counts too. Not derived."""


def note(store: Store, project: str, until: int) -> None:
    """Note that another store has a project up to this entry, or will have it in a moment."""

    def work(tx: WriteTx) -> None:
        row = tx.get(COPIED, project)
        if row is None or row["until"] < until:
            tx.put(COPIED, project, {"until": until}, seq=tx.head().seq)

    store.write(CATALOG, work)


def note_all(store: Store) -> None:
    """Note that another store may have all that is in this one."""
    for project, head in store.engine.heads().items():
        note(store, project, head.seq)


def has_gone_on(store: Store, project: str) -> bool:
    """Whether a project has entries that are in no other store; the first of them was no gc's."""

    def work(tx: ReadTx) -> Row | None:
        return tx.get(COPIED, project)

    row = store.engine.read(CATALOG, work)
    return row is None or store.engine.heads()[project].seq > row["until"]
