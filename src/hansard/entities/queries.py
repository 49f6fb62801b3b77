"""Looking at entities."""

from typing import Any

import orjson

from hansard.entities import contract, limits, rules
from hansard.entities.commands import make_settings
from hansard.entities.naming import settings_id
from hansard.entities.reading import OWN_SETTINGS, Look, find, show
from hansard.entities.tables import SETTINGS, TABLES, THREADS
from hansard.entities.types import BY_NAME
from hansard.entities.types.message_thread import MESSAGE_THREAD
from hansard.entities.types.settings import SETTINGS as SETTINGS_TYPE
from hansard.kernel.engine import Position, ReadTx
from hansard.kernel.operation import Context
from hansard.kernel.page import from_cursor, to_cursor
from hansard.kernel.problem import PermissionDenied
from hansard.kernel.store import UNMADE

LISTED = Look(limit=1)
"""Of a thread or an execution, a list shows the end."""


def get(request: contract.EntityGet, context: Context) -> contract.EntityShown:
    """Give an entity, now or as it stood."""
    if request.reveal and not context.caller.actor.may("admin"):
        raise PermissionDenied("To reveal what is redacted needs the role admin")
    if _are_settings(request.id, context) and (shown := _first_settings(context)):
        return shown
    look = Look(request.limit, request.cursor, context.as_of, request.reveal)

    def work(tx: ReadTx) -> contract.EntityShown:
        entity, cursor = show(tx, *find(tx, request.id, as_of=context.as_of), look)
        return contract.EntityShown(entity=entity, nextCursor=cursor)

    return context.read(work)


def list_entities(request: contract.EntityList, context: Context) -> contract.Entities:
    """List the entities of a type, newest first."""
    declared = BY_NAME[request.type]
    if declared is SETTINGS_TYPE and (made := _first_settings(context)):
        return contract.Entities(entities=[made.entity], total=1)
    is_thread = declared is MESSAGE_THREAD
    table = THREADS if is_thread else TABLES[declared.name]
    where = dict(rules.where_of(declared, request.where or {}))
    if is_thread:
        where["is_deleted"] = False
    after = from_cursor(request.cursor, table, "created_seq")

    def work(tx: ReadTx) -> contract.Entities:
        found = tx.scan(
            table,
            where,
            order="created_seq",
            descending=True,
            after=after,
            limit=request.limit + 1,
        )
        shown: list[dict[str, Any]] = []
        size = 0
        for one in found[: request.limit]:
            entity, _ = show(tx, declared, one.row, LISTED)
            size += len(orjson.dumps(entity))
            if shown and size > limits.LISTED_BYTES_MAX:
                break
            shown.append(entity)
        return contract.Entities(
            entities=shown,
            total=tx.tally(table, where).get(None, 0),
            nextCursor=_after(found[len(shown) - 1].row) if len(shown) < len(found) else None,
        )

    return context.read(work)


def _after(row: dict[str, object]) -> str:
    seq, identifier = row["created_seq"], row["id"]
    assert isinstance(seq, int), "a row says at which entry it was made"
    return to_cursor(Position(seq, str(identifier)))


def _are_settings(identifier: str, context: Context) -> bool:
    return context.as_of is None and identifier in (OWN_SETTINGS, settings_id(context.project))


def _first_settings(context: Context) -> contract.EntityShown | None:
    """Make the settings on first read; who may not write sees what would be made."""
    if context.read(lambda tx: tx.scan(SETTINGS, limit=1)):
        return None
    if context.may_write:
        make_settings(context)
        return None
    now = context.stamp.at
    # What their id will be is known once their project is made.
    identifier = OWN_SETTINGS if context.project == UNMADE else settings_id(context.project)
    times = {"id": identifier, "createdAt": now, "updatedAt": now}
    return contract.EntityShown(entity=times | rules.fit(SETTINGS_TYPE, {}))
