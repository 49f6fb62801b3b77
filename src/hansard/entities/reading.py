"""Reads entities: rows, blobs, and turns and events by page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import orjson

from hansard.entities import limits
from hansard.entities.contract import EntityGet, EntityNotFound
from hansard.entities.tables import (
    BATCHES,
    SETTINGS,
    TABLES,
    TEXTS,
    THREADS,
    type_of,
)
from hansard.entities.turns import Piece, joined, words_of
from hansard.entities.types.entity import EntityType
from hansard.entities.types.message_thread import MESSAGE_THREAD
from hansard.entities.versions import current_of
from hansard.entities.views import searched
from hansard.kernel.blob import Digest
from hansard.kernel.content import content as content_of
from hansard.kernel.cursor import Listing, from_cursor, to_cursor
from hansard.kernel.engine import Position, Range, ReadTx, Row, Where

Json = dict[str, Any]

OWN_SETTINGS = "settings"
"""Instead of an id: the settings of the project."""


@dataclass(frozen=True, slots=True)
class Look:
    """How an entity is looked at."""

    limit: int = limits.TURNS_SHOWN_DEFAULT
    cursor: str | None = None
    as_of: int | None = None
    reveal: bool = False
    bytes_max: int = limits.SHOWN_BYTES_MAX


NOW = Look()


def find(tx: ReadTx, identifier: str, *, as_of: int | None = None) -> tuple[EntityType, Row]:
    """Give an entity's row, or refuse with ENTITY_NOT_FOUND."""
    if identifier == OWN_SETTINGS:
        found = tx.scan(SETTINGS, limit=1, as_of=as_of)
        identifier = found[0].key if found else identifier
    declared = type_of(identifier)
    row = _row(tx, declared, identifier, as_of) if declared and "\0" not in identifier else None
    if declared is None or row is None:
        raise EntityNotFound(f"There is no entity {identifier}", id=identifier)
    return declared, row


def _row(tx: ReadTx, declared: EntityType, identifier: str, as_of: int | None) -> Row | None:
    if declared is not MESSAGE_THREAD:
        return tx.get(TABLES[declared.name], identifier, as_of=as_of)
    row = tx.get(THREADS, identifier)
    if row is None or (as_of is not None and row["created_seq"] > as_of):
        return None
    was_deleted = row["is_deleted"] and (as_of is None or row["deleted_seq"] <= as_of)
    return None if was_deleted else row


def find_as(tx: ReadTx, identifier: str, declared: EntityType) -> Row:
    """Give the row of an entity of this type."""
    found, row = find(tx, identifier)
    if found is not declared:
        raise EntityNotFound(f"{identifier} is no {declared.name}", id=identifier)
    return row


def stored(tx: ReadTx, declared: EntityType, row: Row) -> Json:
    """Give what an entity holds: what its caller gave, and in the row what has moved since."""
    content: Json = orjson.loads(content_of(tx, Digest(row["content"])))
    return content | {name: row[name] for name in declared.where if name in content}


def show(tx: ReadTx, declared: EntityType, row: Row, look: Look = NOW) -> tuple[Json, str | None]:
    """Give an entity as callers see it, and the cursor to what of it is left out."""
    times = {"createdAt": row["createdAt"], "updatedAt": row.get("updatedAt", row["createdAt"])}
    head = {"id": row["id"], **times}
    if declared is MESSAGE_THREAD:
        return _thread(tx, row, head, look)
    entity = head | _in_order(declared, {**declared.defaults, **stored(tx, declared, row)})
    if declared.name == "textDocument":
        entity |= {"previousId": row["previousId"], "nextId": row["nextId"]}
    if declared.name == "agentGraphExecution":
        return _execution(tx, row, entity, look)
    return entity if look.reveal else declared.redact(entity), None


def _in_order(declared: EntityType, content: Json) -> Json:
    """Put the fields in the order of the type's declaration, and others after them."""
    names = [one.alias for one in declared.model.model_fields.values()]
    known = {name: content[name] for name in names if name in content}
    return known | content


def _thread(tx: ReadTx, row: Row, head: Json, look: Look) -> tuple[Json, str | None]:
    until = _until(look.cursor, row["partials"])
    pieces, first = page(tx, row, until, look)
    entity = head | {"turns": joined(pieces)}
    if first > 0 or until < row["partials"]:
        entity["turnsTotal"] = row["turns"]
    return entity, _cursor_to(first, row["id"])


def page(tx: ReadTx, row: Row, until: int, look: Look) -> tuple[list[tuple[Piece, str, str]], int]:
    """Give the last pieces before a place, oldest first, and the place where they begin.

    Only the threads that hold them are read, and those on the few jumps to the last of them.
    """
    gathered: list[tuple[Piece, str, str]] = []
    turns = partials = size = 0
    first = until
    for piece, created, updated in _pieces_before(tx, row, until):
        is_new_turn = not gathered or gathered[-1][0]["turn"] != piece["turn"]
        if is_new_turn and turns == look.limit:
            break
        weight = len(orjson.dumps(piece["partials"]))
        is_full = partials >= limits.PARTIALS_SHOWN_MAX or size + weight > look.bytes_max
        if gathered and is_full:
            break
        gathered.append((piece, created, updated))
        turns += is_new_turn
        partials += len(piece["partials"])
        size += weight
        first -= len(piece["partials"])
    return gathered[::-1], first


def _pieces_before(tx: ReadTx, row: Row, until: int) -> Iterator[tuple[Piece, str, str]]:
    """Go back through pieces from a place, each with when its turn began and when it was said."""
    node = _locate(tx, row, until - 1) if until > 0 else None
    while node is not None:
        pieces = segment(tx, node)
        end = node["partials"]
        for number in range(len(pieces) - 1, -1, -1):
            piece = pieces[number]
            begin = end - len(piece["partials"])
            kept = piece["partials"][: max(0, until - begin)]
            if kept:
                created = node["startedAt"] if number == 0 else node["createdAt"]
                yield piece | {"partials": kept}, created, node["createdAt"]
            end = begin
        node = _get(tx, node["base"]) if node["base"] else None


def _locate(tx: ReadTx, row: Row, place: int) -> Row:
    """Find the thread that added the partial with this number."""
    node = row if row["segment"] is not None else _get(tx, row["base"])
    while node["first"] > place:
        # Once it would go too far, the jump is not taken.
        down = _get(tx, node["jump"])
        node = down if down["partials"] > place else _get(tx, node["base"])
    return node


def segment(tx: ReadTx, row: Row) -> list[Piece]:
    """Give what a thread adds to the one it goes on from."""
    if row["segment"] is None:
        return []
    pieces: list[Piece] = orjson.loads(content_of(tx, Digest(row["segment"])))
    return pieces


def _get(tx: ReadTx, identifier: str) -> Row:
    row = tx.get(THREADS, identifier)
    assert row is not None, f"a thread goes on from {identifier}, which is not there"
    return row


def _execution(tx: ReadTx, row: Row, entity: Json, look: Look) -> tuple[Json, str | None]:
    until = _until(look.cursor, row["events"])
    events: list[Json] = []
    size = 0
    for event in islice(events_before(tx, row["id"], until), look.limit):
        size += len(orjson.dumps(event))
        if events and size > look.bytes_max:
            break
        events.insert(0, event)
    first = until - len(events)
    entity |= {"events": events, "startTime": row["startTime"], "endTime": row["endTime"]}
    if first > 0 or until < row["events"]:
        entity["eventsTotal"] = row["events"]
    return entity, _cursor_to(first, row["id"])


def events_before(tx: ReadTx, execution: str, until: int) -> Iterator[Json]:
    """Go back through what happened in an execution, from a place."""
    below: int = until
    while below > 0:
        where: Where = {"execution": execution, "first": Range(below=below)}
        found = tx.scan(BATCHES, where, order="first", descending=True, limit=1)
        if not found:
            return
        batch = found[0].row
        events = orjson.loads(content_of(tx, Digest(batch["happened"])))
        for offset in range(min(len(events), below - batch["first"]) - 1, -1, -1):
            own = {"index": batch["first"] + offset, "at": batch["at"]}
            yield own | events[offset]
        below = batch["first"]


def _until(cursor: str | None, total: int) -> int:
    position = from_cursor(cursor, THREADS, "created_seq")
    if position is None:
        return total
    assert isinstance(position.value, int), "the cursor's place was checked to be a number"
    return max(0, min(position.value, total))


def _cursor_to(first: int, identifier: str) -> str | None:
    return to_cursor(Position(first, identifier)) if first > 0 else None


def looked_up(tx: ReadTx, entity: Json, place: str | None) -> str | None:
    """Make of a place in an entity, which something else answers with, a cursor of entity_get."""
    if place is None:
        return None
    return Listing("entity_get", tx.project, EntityGet(id=entity["id"])).cursor(place)


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """What a search over everything shows of an entity that it found."""

    type: str
    title: str
    text: str
    created_at: str
    current_id: str | None = None
    """Of a version of a document, the one that holds now, which may be this one."""


def found(tx: ReadTx, identifier: str) -> FoundEntity | None:
    """Give the texts by which an entity was found; `None` if it is there no longer."""
    known = tx.get(TEXTS, identifier)
    if known is None:
        return None
    declared, row = find(tx, identifier)
    if declared is MESSAGE_THREAD:
        text = words_of(segment(tx, row))
    else:
        texts = searched(declared.name, stored(tx, declared, row))
        assert texts is not None, "what has no texts is not found by words"
        text = texts[1]
    current = current_of(tx, row)["id"] if declared.name == "textDocument" else None
    return FoundEntity(declared.name, known["title"], text, row["createdAt"], current)


def texts_of(tx: ReadTx, identifiers: Sequence[str]) -> Iterator[str]:
    """Read the texts of entities, as far as they are there; they are fetched together."""
    tx.prefetch(*(partial(found, tx, one) for one in identifiers))
    entities = (found(tx, one) for one in identifiers)
    return (one.text for one in entities if one)
