"""Places of threads: what they continue, and what continues them.

What one message adds to a talk is a thread of its own; often it is too short to be found by itself.
"""

from collections.abc import Collection
from datetime import date

from hansard.entities.tables import THREADS, type_of
from hansard.entities.types.message_thread import MESSAGE_THREAD
from hansard.kernel.engine import AnyOf, ReadTx, Row, Where
from hansard.kernel.surroundings import TextPlace

FORKS_MAX = 4
"""How many that go on from one are looked at, on average; the latest is the one that counts."""


def places(tx: ReadTx, keys: Collection[str]) -> dict[str, TextPlace]:
    """Look up where threads stand; other entities stand nowhere."""
    threads = sorted(key for key in keys if type_of(key) is MESSAGE_THREAD)
    if not threads:
        return {}
    # In the orders of the indexes that have them: in any other, all threads would be gone through.
    wanted: Where = {"id": AnyOf(threads), "is_deleted": False}
    there = tx.scan(THREADS, wanted, order="id", limit=len(threads))
    following = tx.scan(
        THREADS,
        {"base": AnyOf(threads), "is_deleted": False},
        order="base",
        limit=FORKS_MAX * len(threads),
    )
    following.sort(key=lambda one: one.row["created_seq"])
    # A fork that added nothing says nothing.
    after = {one.row["base"]: one.key for one in following if one.row["segment"] is not None}
    return {one.key: _place(one.row, after.get(one.key)) for one in there}


def _place(row: Row, after: str | None) -> TextPlace:
    return TextPlace(
        before=row["base"],
        after=after,
        who=row["sender"],
        day=date.fromisoformat(row["createdAt"][:10]),
    )
