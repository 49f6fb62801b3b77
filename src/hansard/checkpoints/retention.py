"""Which old checkpoints are deleted when their number is limited."""

from collections.abc import Iterator

from hansard.checkpoints import events, rules
from hansard.checkpoints.reading import context_of, state_of
from hansard.checkpoints.views import CHECKPOINTS
from hansard.kernel.engine import Position, ReadTx, Row, WriteTx
from hansard.kernel.operation import Context
from hansard.kernel.problem import BlobDamaged

LOOKED_AT_MAX = 400
"""How many checkpoints beyond those that stay are examined with each save: the newest."""


def retain(tx: WriteTx, context: Context, session: str, keep: int) -> None:
    """Delete what is beyond the last few of a session; 0 keeps everything."""
    for row in needless(tx, session, keep) if keep > 0 else ():
        gone = events.CheckpointDeleted(id=row["id"], session=session, why="retention")
        context.record(tx, gone)


def needless(tx: ReadTx, session: str, keep: int, *, most: int = LOOKED_AT_MAX) -> list[Row]:
    """Give the checkpoints beyond the last few that no marked key needs.

    A checkpoint is needed if the next newer one that stays lacks one of its marked keys, or has
    it with another value: whatever a marked key has been can be had back, and no more than that.
    """
    kept, older = _newest_first(tx, session, keep, most)
    marks = state_of(tx, session)["marks"]
    if not marks or not kept:
        return older
    return list(_superseded(tx, kept[-1], older, list(marks)))


def _superseded(tx: ReadTx, oldest: Row, older: list[Row], marks: list[str]) -> Iterator[Row]:
    newer = _readable(tx, oldest) or {}
    for row in older:
        found = _readable(tx, row)
        if found is None:
            continue  # nobody can say what it holds, so it stays
        if rules.adds_nothing(found, newer, marks):
            yield row
        else:
            newer = found


def _newest_first(tx: ReadTx, session: str, keep: int, most: int) -> tuple[list[Row], list[Row]]:
    where = {"session": session}
    first = tx.scan(CHECKPOINTS, where, order="number", descending=True, limit=keep)
    if len(first) < keep:
        return [one.row for one in first], []
    last = first[-1]
    rest = tx.scan(
        CHECKPOINTS,
        where,
        order="number",
        descending=True,
        after=Position(last.row["number"], last.key),
        limit=most,
    )
    return [one.row for one in first], [one.row for one in rest]


def _readable(tx: ReadTx, row: Row) -> dict[str, object] | None:
    try:
        return context_of(tx, row)
    except BlobDamaged:
        return None
