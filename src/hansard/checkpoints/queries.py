"""Listing and comparing checkpoints."""

import unicodedata
from itertools import islice
from typing import cast

from hansard.checkpoints import answers, contract
from hansard.checkpoints.json_diff import differences, page_of
from hansard.checkpoints.key_classes import CHARS_PER_TOKEN
from hansard.checkpoints.reading import (
    context_of,
    find,
    metadata_of,
    newest,
    paths_of,
    state_of,
)
from hansard.checkpoints.views import CHECKPOINTS
from hansard.kernel import paging
from hansard.kernel.cursor import from_cursor, refused, to_cursor
from hansard.kernel.engine import Found, Position, ReadTx, Row, Where
from hansard.kernel.operation import Context
from hansard.sessions.directory import session_row

PAGE = 500


def list_checkpoints(request: contract.List, context: Context) -> answers.CheckpointListAnswer:
    """List a session's checkpoints, newest first."""
    session = context.session
    assert session is not None, "a list is of a session"

    def work(tx: ReadTx) -> answers.CheckpointListAnswer:
        after = from_cursor(request.cursor, CHECKPOINTS, "number")
        most = request.offset + request.limit + 1
        if request.tags is None and request.name is None and request.query is None:
            total = sum(tx.tally(CHECKPOINTS, {"session": session}).values())
            fitting = _newest(tx, session, after, most)
        else:
            everything = _newest_first(tx, session)
            chosen = [found for found in everything if _fits(found.row, request)]
            total = len(chosen)
            fitting = [found for found in chosen if _is_after(found, after)]
        rest = fitting[request.offset :]
        page, more = rest[: request.limit], len(rest) > request.limit
        last = page[-1] if more else None
        return answers.CheckpointListAnswer(
            checkpoints=_listed(tx, [found.row for found in page]),
            total=total,
            nextCursor=to_cursor(_position(last)) if last else None,
            session=_session_listed(tx, session),
        )

    return context.read(work)


def diff(request: contract.Diff, context: Context) -> answers.ContextsComparedAnswer:
    """Say what differs between two checkpoints, page by page; without `to`, the latest."""
    # A cursor stays with the very checkpoint it began with, whatever was saved meanwhile.
    position = from_cursor(request.cursor)
    done = position.value if position and isinstance(position.value, int) else 0

    def work(tx: ReadTx) -> answers.ContextsComparedAnswer:
        old = find(tx, request.from_id)
        named = position.key if position else request.to_id
        if request.to_id not in (None, named):
            raise refused()
        new = find(tx, named) if named else newest(tx, old["session"])
        assert new is not None, "a session has the checkpoint that was just found"
        found = list(differences(context_of(tx, old), context_of(tx, new)))
        page = page_of(islice(found, done, None), request.budget_tokens * CHARS_PER_TOKEN)
        after = done + len(page)
        return answers.ContextsComparedAnswer(
            from_=old["id"],
            to=new["id"],
            differences=page,
            total=len(found),
            nextCursor=to_cursor(Position(after, new["id"])) if after < len(found) else None,
        )

    return context.read(work)


def _newest_first(tx: ReadTx, session: str) -> list[Found]:
    where: Where = {"session": session}
    found = paging.rows(tx, CHECKPOINTS, where, order="number", descending=True, first=PAGE)
    return list(found)


def _newest(tx: ReadTx, session: str, after: Position | None, limit: int) -> list[Found]:
    where = {"session": session}
    return tx.scan(CHECKPOINTS, where, order="number", descending=True, after=after, limit=limit)


def _position(found: Found) -> Position:
    return Position(found.row["number"], found.key)


def _is_after(found: Found, after: Position | None) -> bool:
    return after is None or found.row["number"] < cast("int", after.value)


def _fits(row: Row, request: contract.List) -> bool:
    if request.tags is not None and not {*map(_plain, request.tags)} <= {*map(_plain, row["tags"])}:
        return False
    if request.name is not None and _plain(row["name"] or "") != _plain(request.name):
        return False
    words = _plain(" ".join([row["id"], row["name"] or "", *row["tags"]])).casefold()
    return request.query is None or _plain(request.query).casefold() in words


def _plain(text: str) -> str:
    """Normalize text that looks the same: keyboards and file names encode it differently."""
    return unicodedata.normalize("NFC", text)


def _listed(tx: ReadTx, rows: list[Row]) -> list[answers.CheckpointListed]:
    paths = paths_of(tx, rows)
    return [
        answers.CheckpointListed(
            checkpointId=row["id"],
            sessionId=row["session"],
            createdAt=row["at"],
            sizeBytes=row["size_bytes"],
            contextHash=row["context"],
            metadata=metadata_of(row, paths),
        )
        for row in rows
    ]


def _session_listed(tx: ReadTx, session: str) -> answers.CheckpointSession:
    state = state_of(tx, session)
    created: str = session_row(tx, session)["created"]
    return answers.CheckpointSession(
        id=session,
        createdAt=created,
        lastAccessedAt=_last_accessed(tx, session, state) or created,
        tags=sorted({*state["own_tags"], *state["tags"]}),
        ownTags=state["own_tags"],
        totalSizeBytes=state["bytes"],
        critical=sorted(state["marks"]),
    )


def _last_accessed(tx: ReadTx, session: str, state: Row) -> str | None:
    """Say when a session was last active, or its context loaded from elsewhere."""
    entries = tx.entries(session=session, descending=True, limit=1)
    times = [(one.seq, one.at) for one in entries]
    if accessed := state["accessed"]:
        times.append((accessed["seq"], accessed["at"]))
    return max(times)[1] if times else None
