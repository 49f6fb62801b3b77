"""The identity of a store. A page shows it, so that nothing is written into another store."""

import re

from hansard.kernel.problem import Problem
from hansard.kernel.store import CATALOG, Store

IDENTITY_CHARS = 16
IDENTITY = re.compile(f"[0-9a-f]{{{IDENTITY_CHARS}}}")


class StoreChanged(Problem):
    """The page shows another store than the one that answers at its address now."""

    code, http_status = "STORE_CHANGED", 409
    hint = "Reload the page; what was typed there stays kept"


def identity_of(store: Store) -> str | None:
    """Give the id that a store shares with its copies and no other store; `None` while it is empty.

    It is the hash of the first entry of its catalog, which nothing changes any more.
    """
    first = store.engine.read(CATALOG, lambda tx: tx.entries(limit=1))
    return first[0].hash[:IDENTITY_CHARS] if first else None
