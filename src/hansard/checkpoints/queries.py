"""Loading, listing and comparing checkpoints."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from hansard.checkpoints import classes, contract, events, limits
from hansard.checkpoints.difference import differences
from hansard.checkpoints.reading import (
    context_of,
    find,
    metadata_of,
    newest,
    newest_sound,
    state_of,
)
from hansard.checkpoints.views import CHECKPOINTS
from hansard.kernel.engine import Found, Position, ReadTx, Row, WriteTx
from hansard.kernel.operation import Context
from hansard.kernel.page import from_cursor, to_cursor
from hansard.kernel.problem import StorageUnavailable
from hansard.sessions.directory import session_row

TellSince = Callable[[ReadTx, int], contract.Since]
"""Says what has changed since an entry; known only above the capabilities."""

PAGE = 500


def ticks_passed(tx: ReadTx, seq: int) -> contract.Since:
    """Say at least how far the project's clock has moved on."""
    [entry] = tx.entries(after=seq - 1, limit=1)
    return contract.Since(ticksPassed=tx.head().tick - entry.tick)


@dataclass(frozen=True, slots=True)
class Loading:
    """How checkpoints are loaded: with the truth about what has changed since."""

    since: TellSince

    def load(self, request: contract.Load, context: Context) -> contract.Loaded:
        """Give a context back as it was saved, or as much as the caller's budget allows."""

        def work(tx: ReadTx) -> contract.Loaded:
            if request.checkpoint_id is not None:
                row = find(tx, request.checkpoint_id)
                whole, warning = context_of(tx, row), None
            else:
                assert context.session is not None, "a session was named but not found"
                row, whole, warning = newest_sound(tx, context.session)
            return self._shown(tx, request, row, whole, warning)

        loaded = context.read(work)
        if context.may_write:
            _note_loaded(context, loaded)
        return loaded

    def _shown(
        self,
        tx: ReadTx,
        request: contract.Load,
        row: Row,
        whole: dict[str, Any],
        warning: str | None,
    ) -> contract.Loaded:
        if request.keys is not None:
            whole = {key: whole[key] for key in request.keys if key in whole}
        reduced = _within(tx, request.budget_tokens, row, whole)
        over = request.budget_tokens and reduced.chars > _chars(request.budget_tokens)
        notes = [warning, "What is critical alone exceeds the budget." if over else None]
        return contract.Loaded(
            checkpointId=row["id"],
            sessionId=row["session"],
            context=reduced.context,
            metadata=metadata_of(row),
            since=self.since(tx, row["seq"]),
            omitted=[_omitted(one) for one in reduced.omitted] or None,
            howToFetch=_how_to_fetch(row["id"]) if reduced.omitted else None,
            warning=" ".join(filter(None, notes)) or None,
        )


def list_checkpoints(request: contract.List, context: Context) -> contract.CheckpointList:
    """List a session's checkpoints, newest first."""
    session = context.session
    assert session is not None, "a list is of a session"

    def work(tx: ReadTx) -> contract.CheckpointList:
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
        return contract.CheckpointList(
            checkpoints=[_listed(found.row) for found in page],
            total=total,
            nextCursor=to_cursor(_position(last)) if last else None,
            session=_session_listed(tx, session),
        )

    return context.read(work)


def diff(request: contract.Diff, context: Context) -> contract.Compared:
    """Say what differs between two checkpoints; without `to`, the session's latest."""

    def work(tx: ReadTx) -> contract.Compared:
        old = find(tx, request.from_id)
        new = find(tx, request.to_id) if request.to_id else newest(tx, old["session"])
        assert new is not None, "a session has the checkpoint that was just found"
        found = differences(context_of(tx, old), context_of(tx, new))
        shown = list(islice(found, limits.DIFFERENCES_MAX))
        total = len(shown) + sum(1 for _ in found)
        return contract.Compared(from_=old["id"], to=new["id"], differences=shown, total=total)

    return context.read(work)


def _note_loaded(context: Context, loaded: contract.Loaded) -> None:
    """Note what a session resumed from: marks are judged by it, and its timeline shows it."""
    event = events.CheckpointLoaded(id=loaded.checkpointId, session=loaded.sessionId)

    def is_new(tx: ReadTx) -> bool:
        return bool(state_of(tx, event.session)["looked_at"] != event.id)

    def work(tx: WriteTx) -> None:
        if is_new(tx):
            context.record(tx, event)

    # A disk that takes no note has still given the context, and that was asked for.
    with suppress(StorageUnavailable):
        if context.read(is_new):
            context.note(work)


def _within(
    tx: ReadTx, budget_tokens: int | None, row: Row, whole: dict[str, Any]
) -> classes.Reduced:
    if budget_tokens is None:
        return classes.Reduced(whole, (), 0)
    marks = state_of(tx, row["session"])["marks"]
    kinds = {
        key: classes.classify(key, value, marks, row["classes"]) for key, value in whole.items()
    }
    return classes.reduce(whole, kinds, _chars(budget_tokens))


def _chars(tokens: int) -> int:
    return tokens * classes.CHARS_PER_TOKEN


def _omitted(one: classes.Omission) -> contract.Omitted:
    return contract.Omitted(key=one.key, class_=one.class_, how=one.how, chars=one.chars)


def _how_to_fetch(identifier: str) -> str:
    return f'workflow_checkpoint_load {{"checkpointId": "{identifier}", "keys": [...]}}'


def _newest_first(tx: ReadTx, session: str) -> list[Found]:
    listed = _newest(tx, session, None, PAGE)
    while page := listed and _newest(tx, session, _position(listed[-1]), PAGE):
        listed.extend(page)
    return listed


def _newest(tx: ReadTx, session: str, after: Position | None, limit: int) -> list[Found]:
    where = {"session": session}
    return tx.scan(CHECKPOINTS, where, order="number", descending=True, after=after, limit=limit)


def _position(found: Found) -> Position:
    return Position(found.row["number"], found.key)


def _is_after(found: Found, after: Position | None) -> bool:
    return after is None or found.row["number"] < cast("int", after.value)


def _fits(row: Row, request: contract.List) -> bool:
    if request.tags is not None and not {*request.tags} <= {*row["tags"]}:
        return False
    if request.name is not None and row["name"] != request.name:
        return False
    words = " ".join([row["id"], row["name"] or "", *row["tags"]]).casefold()
    return request.query is None or request.query.casefold() in words


def _listed(row: Row) -> contract.CheckpointListed:
    return contract.CheckpointListed(
        checkpointId=row["id"],
        sessionId=row["session"],
        createdAt=row["at"],
        sizeBytes=row["size_bytes"],
        contextHash=row["context"],
        metadata=metadata_of(row),
    )


def _session_listed(tx: ReadTx, session: str) -> contract.SessionListed:
    state = state_of(tx, session)
    created: str = session_row(tx, session)["created"]
    newest = tx.entries(session=session, descending=True, limit=1)
    return contract.SessionListed(
        id=session,
        createdAt=created,
        lastAccessedAt=newest[0].at if newest else created,
        tags=state["tags"],
        totalSizeBytes=state["bytes"],
    )
