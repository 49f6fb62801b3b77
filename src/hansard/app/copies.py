"""Up to which entry each project is in another store as well, as far as this one knows.

Two stores that share entries diverge for good once each has written its own. So housekeeping writes
only where somebody has written since: then the two have diverged already, or the other store lacks
what was written.
"""

from hansard.kernel.engine import ReadTx, Row, Table, WriteTx
from hansard.kernel.store import CATALOG, Store

COPIED = Table("copied")
"""In the catalog, by project: the last entry that went to another store or came from one. What
comes from a backup counts too. Not derived."""


def note(store: Store, project: str, until: int) -> None:
    """Note that another store has a project up to this entry, or will soon have it."""

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
    """Whether a project has entries that no other store has, and gc wrote not the first of them."""

    def work(tx: ReadTx) -> Row | None:
        return tx.get(COPIED, project)

    row = store.engine.read(CATALOG, work)
    return row is None or store.engine.heads()[project].seq > row["until"]
