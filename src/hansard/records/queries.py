"""Reads records without activating them."""

from functools import partial

from hansard.kernel.cursor import from_cursor, to_cursor
from hansard.kernel.engine import Found, Position, Range, ReadTx, Row
from hansard.kernel.meaning import Meanings
from hansard.kernel.operation import Context, Operation
from hansard.records import answers, contract, history_answers, reading
from hansard.records.filters import Filter, of_kind
from hansard.records.history import get_record_diff, get_record_history
from hansard.records.text import line
from hansard.records.views import RECORDS, subtree
from hansard.sessions.directory import last_activity, session_row
from hansard.sessions.presence import Presence, PresenceLook
from hansard.sessions.session_shape import client_of
from hansard.sessions.views import ACTIVE

INDENT = "  "


def list_records(request: contract.ListRecords, context: Context) -> answers.RecordListAnswer:
    """List records in the order of an outline: the whole project, the roots, or under a parent."""
    after, as_of = from_cursor(request.cursor, RECORDS, "path"), context.as_of

    def work(tx: ReadTx) -> answers.RecordListAnswer:
        where = _scope(tx, request, as_of) | of_kind(request.states, request.types)
        page = tx.scan(
            RECORDS, where, order="path", after=after, limit=request.limit + 1, as_of=as_of
        )
        rows = [found.row for found in page[: request.limit]]
        last = rows[-1] if len(page) > request.limit else None
        is_outline = request.format == "outline"
        return answers.RecordListAnswer(
            records=None if is_outline else reading.refs(tx, rows, as_of=as_of),
            outline=_outline(tx, rows, as_of) if is_outline else None,
            total=tx.tally(RECORDS, where, as_of=as_of).get(None, 0),
            nextCursor=to_cursor(Position(last["path"], last["id"])) if last else None,
        )

    return context.read(work)


def get_record_ref(request: contract.GetRecordRef, context: Context) -> answers.RecordRefAnswer:
    """Show one reference."""

    def work(tx: ReadTx) -> answers.RecordRefAnswer:
        row = reading.require(tx, request.id, as_of=context.as_of)
        ref = reading.ref(tx, row, as_of=context.as_of)
        return answers.RecordRefAnswer(**dict(ref))

    return context.read(work)


def get_record_body(request: contract.GetRecordBody, context: Context) -> answers.BodyPageAnswer:
    """Read some characters of a body, for callers without room for all of it."""

    def work(tx: ReadTx) -> answers.BodyPageAnswer:
        row = reading.require(tx, request.id, as_of=context.as_of)
        body = reading.body(tx, row)
        end = request.offset + request.limit
        return answers.BodyPageAnswer(
            id=row["id"],
            version=row["tick"],
            offset=request.offset,
            chars=body[request.offset : end],
            total_chars=len(body),
            next_offset=end if end < len(body) else None,
        )

    return context.read(work)


def get_active_sessions(
    presence: Presence, request: contract.GetActiveSessions, context: Context
) -> answers.ActiveSessionsAnswer:
    """List the sessions in which a record is active."""
    after = from_cursor(request.cursor, ACTIVE, "since")
    where = {"record": request.record_id}

    def page_of(tx: ReadTx) -> list[Found]:
        return tx.scan(ACTIVE, where, order="since", after=after, limit=request.limit + 1)

    look = presence.look(
        context,
        context.read(lambda tx: [session_row(tx, one.row["session"]) for one in page_of(tx)]),
    )

    def work(tx: ReadTx) -> answers.ActiveSessionsAnswer:
        reading.require(tx, request.record_id)
        page = page_of(tx)
        last = page[request.limit - 1] if len(page) > request.limit else None
        rows = [session_row(tx, found.row["session"]) for found in page[: request.limit]]
        return answers.ActiveSessionsAnswer(
            sessions=[_working(tx, row, look, context) for row in rows],
            total=tx.tally(ACTIVE, where).get(None, 0),
            nextCursor=to_cursor(Position(last.row["since"], last.key)) if last else None,
        )

    return context.read(work)


def _scope(tx: ReadTx, request: contract.ListRecords, as_of: int | None) -> Filter:
    if not request.model_fields_set & {"parent_id", "depth"}:
        return {}
    if request.depth == 1:
        if request.parent_id is not None:
            reading.require(tx, request.parent_id, as_of=as_of)
        return {"parent_id": request.parent_id}
    if request.parent_id is None:
        return {"depth": Range(below=request.depth + 1)}
    parent = reading.require(tx, request.parent_id, as_of=as_of)
    first = parent["depth"] + 1
    return {
        "path": subtree(parent["path"]),
        "depth": Range(at_least=first, below=first + request.depth),
    }


def _outline(tx: ReadTx, rows: list[Row], as_of: int | None) -> str:
    top = min((row["depth"] for row in rows), default=0)
    return "\n".join(
        INDENT * (row["depth"] - top) + line(reading.ref(tx, row, as_of=as_of)) for row in rows
    )


def _working(tx: ReadTx, row: Row, look: PresenceLook, context: Context) -> answers.WorkingSession:
    return answers.WorkingSession(
        session_id=row["id"],
        title=row["title"],
        by=row["by"],
        client=client_of(row),
        status=look.status(tx, row),
        last_activity=last_activity(tx, row),
        is_current=row["id"] == context.session,
    )


def _search(
    request: contract.SearchRecords, context: Context, meanings: Meanings
) -> answers.SearchResultsAnswer:
    # The code of searches is loaded only for them.
    from hansard.records.search import search_records

    return search_records(request, context, meanings)


def operations(meanings: Meanings, presence: Presence) -> tuple[Operation, ...]:
    """List them; a search uses meaning too, if that is available."""
    search = Operation(
        "search_records",
        "Find records by words and meaning, all or under parent_id.",
        contract.SearchRecords,
        answers.SearchResultsAnswer,
        partial(_search, meanings=meanings),
        writes=False,
        gives_context=True,
        toolsets=("default",),
    )
    working = Operation(
        "get_active_sessions",
        "List the sessions in which a record is active.",
        contract.GetActiveSessions,
        answers.ActiveSessionsAnswer,
        partial(get_active_sessions, presence),
        writes=False,
    )
    return (search, *_OTHERS, working)


_OTHERS = (
    Operation(
        "list_records",
        "List records down to depth under parent_id, null being above the roots. Without both, the "
        "whole project.",
        contract.ListRecords,
        answers.RecordListAnswer,
        list_records,
        writes=False,
        toolsets=("default",),
    ),
    Operation(
        "get_record_ref",
        "Show a record's reference without activating it.",
        contract.GetRecordRef,
        answers.RecordRefAnswer,
        get_record_ref,
        writes=False,
    ),
    Operation(
        "get_record_body",
        "Read some characters of a record's body, where there is no room for all.",
        contract.GetRecordBody,
        answers.BodyPageAnswer,
        get_record_body,
        writes=False,
    ),
    Operation(
        "get_record_history",
        "List a record's changes, newest first.",
        contract.GetRecordHistory,
        history_answers.RecordHistoryAnswer,
        get_record_history,
        writes=False,
    ),
    Operation(
        "get_record_diff",
        "Compare a record at two points: ISO time, t:TICK, s:SEQ, last_save or current.",
        contract.GetRecordDiff,
        history_answers.RecordDiffAnswer,
        get_record_diff,
        writes=False,
        toolsets=("default",),
    ),
)
