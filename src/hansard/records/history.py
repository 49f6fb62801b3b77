"""The history of a record, and its differences between two points."""

from collections.abc import Iterator

from hansard.kernel import as_of
from hansard.kernel.cursor import from_cursor, to_cursor
from hansard.kernel.engine import AnyOf, Position, Range, ReadTx, Row
from hansard.kernel.operation import Context
from hansard.kernel.problem import InvalidInput
from hansard.records import contract, limits, reading
from hansard.records.differences import body_diff, record_diff
from hansard.records.filters import Filter
from hansard.records.history_answers import HistoryEntry, RecordDiffAnswer, RecordHistoryAnswer
from hansard.records.views import RECORDS
from hansard.sessions.citations import decisions_cited_in
from hansard.sessions.contract import SessionNotFound
from hansard.sessions.directory import session_row
from hansard.sessions.views import ACTIVITY

CHANGE_TYPES = {
    "record_created": "created",
    "record_updated": "modified",
    "state_transition": "state_changed",
    "record_moved": "moved",
}
"""The changes of a record, by the name under which the activity lists them."""

CURRENT = "current"
LAST_SAVE = "last_save"


def get_record_history(request: contract.GetRecordHistory, context: Context) -> RecordHistoryAnswer:
    """List a record's changes, newest first."""
    after = from_cursor(request.cursor, ACTIVITY, "seq")

    def work(tx: ReadTx) -> RecordHistoryAnswer:
        reading.require(tx, request.id)
        where: Filter = {
            "record_id": request.id,
            "type": AnyOf(list(CHANGE_TYPES)),
        }
        if request.since is not None:
            since = as_of.resolve_since(tx, request.since)
            where["seq"] = Range(at_least=since + 1)
        page = tx.scan(
            ACTIVITY, where, order="seq", descending=True, after=after, limit=request.limit + 1
        )
        shown = [found.row for found in page[: request.limit]]
        last = page[request.limit - 1] if len(page) > request.limit else None
        return RecordHistoryAnswer(
            history=list(_entries(tx, request.id, shown)),
            total=tx.tally(ACTIVITY, where).get(None, 0),
            nextCursor=to_cursor(Position(last.row["seq"], last.key)) if last else None,
        )

    return context.read(work)


def get_record_diff(request: contract.GetRecordDiff, context: Context) -> RecordDiffAnswer:
    """Compare a record at two points."""

    def work(tx: ReadTx) -> RecordDiffAnswer:
        reading.require(tx, request.id)
        old = _at(tx, context, request.id, request.from_, "from")
        new = _at(tx, context, request.id, request.to, "to")
        return RecordDiffAnswer(
            from_version=reading.whole(tx, old),
            to_version=reading.whole(tx, new),
            diff=record_diff(tx, old, new),
        )

    return context.read(work)


def _entries(tx: ReadTx, identifier: str, shown: list[Row]) -> Iterator[HistoryEntry]:
    """Show each change, with diffs of the bodies as long as these are not too much together."""
    left = limits.HISTORY_DIFF_CHARS_MAX
    for activity in shown:
        seq: int = activity["seq"]
        new = reading.require(tx, identifier, as_of=seq)
        old = tx.get(RECORDS, identifier, as_of=seq - 1)
        diff = body_diff(tx, old, new) if old else ""
        fits = len(diff) <= min(limits.DIFF_SHOWN_CHARS_MAX, left)
        left -= len(diff) if fits else 0
        yield HistoryEntry(
            seq=seq,
            tick=new["tick"],
            timestamp=activity["timestamp"],
            session_id=activity["session_id"],
            author=activity["author"],
            change_type=CHANGE_TYPES[activity["type"]],
            summary=activity["summary"],
            diff=diff if diff and fits else None,
            diff_how=None if fits else _how(identifier, seq),
            decisions=decisions_cited_in(tx, activity["session_id"]) or None,
        )


def _how(identifier: str, seq: int) -> str:
    """Name the call that gives a diff which is too long to include."""
    return f'get_record_diff {{"id": "{identifier}", "from": "s:{seq - 1}", "to": "s:{seq}"}}'


def _at(tx: ReadTx, context: Context, identifier: str, point: str, argument: str) -> Row:
    """Read a record as it stood at a point the caller named."""
    if point == CURRENT:
        return reading.require(tx, identifier)
    if point == LAST_SAVE:
        seq = _last_save(tx, context)
    else:
        seq = as_of.resolve(tx, point, argument=argument)
    return reading.require(tx, identifier, as_of=seq)


def _last_save(tx: ReadTx, context: Context) -> int:
    if context.session is None:
        raise SessionNotFound("last_save is a session's, and none was named")
    row = session_row(tx, context.session)
    if row["last_save"] is None:
        raise InvalidInput(
            "last_save: this session has not been saved yet",
            hint="Name a time, t:TICK or s:SEQ instead",
        )
    return int(row["last_save_seq"])
