"""Pages through the entities of a type."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from hansard.entities import filters, limits
from hansard.entities.contract import EntityList, EntityListAnswer, EntityNotFound
from hansard.entities.reading import Look, find_as, show
from hansard.entities.tables import TABLES, THREADS
from hansard.entities.types.entity import EntityType
from hansard.entities.types.message_thread import MESSAGE_THREAD
from hansard.kernel.cursor import from_cursor, to_cursor
from hansard.kernel.engine import Position, ReadTx, Row, Table

Json = dict[str, Any]

SHOWN = Look(limit=1)
"""Of a thread or an execution, a list shows the end."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One list that is asked for."""

    declared: EntityType
    request: EntityList
    order: filters.Order

    def read(self, tx: ReadTx) -> EntityListAnswer:
        """Give a page of it."""
        wanted = dict(self.request.where or {})
        if "id" in wanted:
            return self.of_few(self._named(tx, wanted["id"]))
        where = dict(filters.where_of(self.declared, self._columns(wanted)))
        if self.declared is MESSAGE_THREAD:
            where["is_deleted"] = False
        found = tx.scan(
            self._table,
            where,
            order=self._column,
            descending=self.order.descending,
            after=from_cursor(self.request.cursor, self._table, self._column),
            limit=self.request.limit + 1,
        )
        shown = self._page(tx, [one.row for one in found[: self.request.limit]])
        has_more = len(shown) < len(found)
        return EntityListAnswer(
            entities=shown,
            total=tx.tally(self._table, where).get(None, 0),
            nextCursor=self._after(found[len(shown) - 1].row) if has_more else None,
        )

    def of_few(self, entities: Sequence[Json]) -> EntityListAnswer:
        """Give those of a few entities that are wanted, in order and all at once."""
        where = self.request.where or {}
        kept = [one for one in entities if filters.matches(self.declared, one, where)]
        field = self.order.field or "createdAt"
        kept.sort(key=lambda one: (one[field], one["id"]), reverse=self.order.descending)
        return EntityListAnswer(entities=kept, total=len(kept))

    def _named(self, tx: ReadTx, wanted: Any) -> list[Json]:
        """Read the entities of some ids; an id of nothing names none."""
        identifiers = wanted if isinstance(wanted, list) else [wanted]
        named = []
        for identifier in dict.fromkeys(identifiers):
            try:
                row = find_as(tx, str(identifier), self.declared)
            except EntityNotFound:
                continue
            named.append(show(tx, self.declared, row, SHOWN)[0])
        return named

    def _page(self, tx: ReadTx, rows: Sequence[Row]) -> list[Json]:
        shown: list[Json] = []
        size = 0
        for row in rows:
            entity, _ = show(tx, self.declared, row, SHOWN)
            size += len(orjson.dumps(entity))
            if shown and size > limits.LISTED_BYTES_MAX:
                break
            shown.append(entity)
        return shown

    @property
    def _table(self) -> Table:
        is_thread = self.declared is MESSAGE_THREAD
        return THREADS if is_thread else TABLES[self.declared.name]

    @property
    def _column(self) -> str | None:
        """The column to go by; `None` are the ids, which are the keys."""
        if self.order.field is None:
            return "created_seq"
        return None if self.order.field == "id" else self._spelled(self.order.field)

    def _spelled(self, field: str) -> str:
        """Name a time's column: a thread never changes, so that it has one time only."""
        is_threads = self.declared is MESSAGE_THREAD and field == "updatedAt"
        return "createdAt" if is_threads else field

    def _columns(self, wanted: Json) -> Json:
        """Spell a filter by columns: of a thread, both times are the one that it has."""
        if self.declared is not MESSAGE_THREAD or "updatedAt" not in wanted:
            return wanted
        asked = [wanted[name] for name in ("createdAt", "updatedAt") if name in wanted]
        first, *others = [one if isinstance(one, list) else [one] for one in asked]
        both = [time for time in first if all(time in other for other in others)]
        rest = {name: value for name, value in wanted.items() if name != "updatedAt"}
        return rest | {"createdAt": both}

    def _after(self, row: Row) -> str:
        value = None if self._column is None else row[self._column]
        return to_cursor(Position(value, str(row["id"])))
