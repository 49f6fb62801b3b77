"""Places of entities: what a thread continues, what continues it, and the dates each one states.

What one message adds to a talk is a thread of its own; often it is too short to be found by itself.
"""

from collections.abc import Collection, Sequence
from datetime import date

from hansard.entities.tables import TEXTS, THREADS, type_of
from hansard.entities.types.message_thread import MESSAGE_THREAD
from hansard.kernel.engine import AnyOf, ReadTx, Row, Where
from hansard.kernel.surroundings import TextPlace

FORKS_MAX = 4
"""How many that go on from one are looked at, on average; the latest is the one that counts."""


def places(tx: ReadTx, keys: Collection[str]) -> dict[str, TextPlace]:
    """Look up the places of entities; only threads have neighbours."""
    threads = sorted(key for key in keys if type_of(key) is MESSAGE_THREAD)
    others = sorted({*keys}.difference(threads))
    return {**_of_threads(tx, threads), **_of_others(tx, others)}


def _of_others(tx: ReadTx, keys: Sequence[str]) -> dict[str, TextPlace]:
    """Give the day of things that name one."""
    if not keys:
        return {}
    rows = tx.scan(TEXTS, {"id": AnyOf(keys)}, order="id", limit=len(keys))
    return {
        one.key: TextPlace(day=date.fromisoformat(one.row["day"])) for one in rows if one.row["day"]
    }


def _of_threads(tx: ReadTx, threads: Sequence[str]) -> dict[str, TextPlace]:
    if not threads:
        return {}
    # In the orders of the indexes that have them: in any other, all threads would be read.
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
        day=date.fromisoformat(row.get("told") or row["createdAt"][:10]),
        also=date.fromisoformat(row["mentioned"]) if row.get("mentioned") else None,
    )
