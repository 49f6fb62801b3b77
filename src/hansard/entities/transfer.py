"""Exports and imports entities, one line each; a thread as its difference.

The operation is in a catalog of its own: who imports says what the ids and times are, which no
tool lets one say.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from pydantic import ValidationError

from hansard.entities import contract, events, rules
from hansard.entities.packing import pack
from hansard.entities.reading import events_before, segment, stored
from hansard.entities.tables import DOCUMENTS, SETTINGS, TABLES, THREADS
from hansard.entities.turns import Piece, check_calls, pieces_of
from hansard.entities.types import BY_NAME, TYPES
from hansard.entities.types.agent_graph_execution import ENDS, EVENTS, NEXT
from hansard.entities.types.chat_thread import CHAT_THREAD
from hansard.entities.types.entity import REDACTED, EntityType
from hansard.entities.types.message_thread import MESSAGE_THREAD, PARTIALS
from hansard.kernel import paging
from hansard.kernel.clock import from_text, to_text
from hansard.kernel.engine import ReadTx, Row, Table, WriteTx
from hansard.kernel.operation import Capability, Context, Operation
from hansard.kernel.problem import InvalidInput

Json = dict[str, Any]

_ID = re.compile(r"(\w+)::[0-9A-Za-z]{20}")
_TIMES = ("createdAt", "updatedAt")
_RUN = ("startTime", "endTime", "events")


def export(tx: ReadTx, *, reveal: bool = False) -> Iterator[Json]:
    """Give every entity as a line, each after those it goes on from or names."""
    for declared in TYPES:
        is_thread = declared is MESSAGE_THREAD
        for row in _threads(tx) if is_thread else _rows(tx, TABLES[declared.name]):
            line = line_of(tx, declared, row)
            if not reveal and not is_thread:
                line["content"] = declared.redact(line["content"])
            yield line


def line_of(tx: ReadTx, declared: EntityType, row: Row) -> Json:
    """Write an entity down so that it can be made again just as it is."""
    head = {"type": declared.name, "id": row["id"], "createdAt": row["createdAt"]}
    if declared is MESSAGE_THREAD:
        line = head | {"parentId": row["parent_id"], "pieces": segment(tx, row)}
        return line | ({"isDeleted": True} if row["is_deleted"] else {})
    line = head | {"updatedAt": row["updatedAt"], "content": stored(tx, declared, row)}
    if declared.name == "textDocument":
        line["previousId"] = row["previousId"]
        previous = tx.get(DOCUMENTS, row["previousId"]) if row["previousId"] else None
        line |= {"isNext": True} if previous and previous["nextId"] == row["id"] else {}
    if declared.name == "agentGraphExecution":
        happened = list(events_before(tx, row["id"], row["events"]))[::-1]
        line |= {"startTime": row["startTime"], "endTime": row["endTime"], "events": happened}
    return line


def import_lines(
    request: contract.EntityImport, context: Context
) -> contract.EntitiesImportedAnswer:
    """Take over the lines of an export; one that is here already, the same, is passed over."""

    def work(tx: WriteTx) -> contract.EntitiesImportedAnswer:
        imported = 0
        for number, line in enumerate(request.lines):
            place = f"lines.{number} ({str(line.get('id'))[:40]})"
            imported += _take_over(tx, context, line, place)
        return contract.EntitiesImportedAnswer(
            imported=imported, known=len(request.lines) - imported
        )

    return context.write(work)


def capability() -> Capability:
    """Build the operation, for an application on a store that knows entities."""
    return Capability(
        "carrying",
        (
            Operation(
                "entity_import",
                f"{import_lines.__doc__}",
                contract.EntityImport,
                contract.EntitiesImportedAnswer,
                import_lines,
                writes=True,
                role="agent",
                session="begins",
                reopens_session=True,
                repeatable=True,
            ),
        ),
    )


def _take_over(tx: WriteTx, context: Context, line: Json, place: str) -> bool:
    declared = BY_NAME.get(str(line.get("type")))
    identifier = line.get("id")
    match = _ID.fullmatch(identifier) if isinstance(identifier, str) else None
    if declared is None or match is None or match[1] != declared.name:
        raise _refusal(place, "not the line of an entity")
    table = THREADS if declared is MESSAGE_THREAD else TABLES[declared.name]
    known = tx.get(table, match[0])
    if declared.name == "textDocument" and line.get("previousId"):
        line = _linked(tx, line)
    if known is not None:
        if line not in _forms(line_of(tx, declared, known), declared):
            raise contract.EntityConflict(f"{match[0]} is here, and another", id=match[0])
        return False
    read = partial(_thread, tx) if declared is MESSAGE_THREAD else partial(_plain, tx, declared)
    _check_times(line, place)
    context.record(tx, read(line, place))
    return True


def _forms(line: Json, declared: EntityType) -> list[Json]:
    """Give a line as it is exported with what is secret, and without."""
    if declared is MESSAGE_THREAD:
        return [line]
    forms = [line, line | {"content": declared.redact(line["content"])}]
    # An earlier program did not say which version goes on.
    return [*forms, *(_without(one, "isNext") for one in forms)]


def _linked(tx: ReadTx, line: Json) -> Json:
    """Leave out a link to a version that is not here: an earlier program wrote such links."""
    if tx.get(DOCUMENTS, str(line["previousId"])) is None:
        return _without(line, "isNext") | {"previousId": None}
    return line


def _thread(tx: WriteTx, line: Json, place: str) -> events.EntityImported:
    _check_fields(line, place, {"parentId", "pieces"}, {"isDeleted"})
    parent = line["parentId"] and tx.get(THREADS, str(line["parentId"]))
    if line["parentId"] and parent is None:
        raise _refusal(place, f"goes on from {line['parentId']}, which is not here")
    pieces = _pieces(parent or {}, line["pieces"], place)
    check_calls((parent or {}).get("open", {}), pieces, asks_again=True)
    return events.EntityImported(
        id=line["id"],
        type=MESSAGE_THREAD.name,
        created_at=line["createdAt"],
        updated_at=line["createdAt"],
        content=pack(tx, pieces) if pieces else None,
        parent_id=line["parentId"],
        is_deleted=line.get("isDeleted") is True,
    )


def _pieces(last: Row, given: Any, place: str) -> list[Piece]:
    """Read what a thread adds, and see that it is parted as it would be here."""
    try:
        said = [(str(one["sender"]), PARTIALS.validate_python(one["partials"])) for one in given]
        turns = [str(one["turn"]) for one in given]
    except (ValidationError, TypeError, KeyError) as error:
        raise _refusal(place, "has pieces that cannot be read") from error
    plain = [(sender, [one.plain() for one in partials]) for sender, partials in said]
    pieces = pieces_of(last, plain)
    if len(pieces) != len(turns) or not all(partials for _, partials in said):
        raise _refusal(place, "has pieces that are not turns")
    for piece, turn in zip(pieces, turns, strict=True):
        if piece["turn"] not in (None, turn):
            raise _refusal(place, "does not go on with the turn that it should")
        piece["turn"] = turn
    return pieces


def _plain(tx: WriteTx, declared: EntityType, line: Json, place: str) -> events.EntityImported:
    is_run = declared.name == "agentGraphExecution"
    is_document = declared.name == "textDocument"
    own = {"previousId"} if is_document else {*_RUN} if is_run else set()
    allowed = {"isNext"} if is_document else None
    _check_fields(line, place, {"updatedAt", "content"} | own, allowed)
    if declared.name == "settings" and tx.scan(SETTINGS, limit=1):
        raise contract.EntityConflict("This project has its settings already", id=line["id"])
    content = _content(declared, line["content"], place)
    if declared is CHAT_THREAD and tx.get(THREADS, str(content["threadId"])) is None:
        raise _refusal(place, "is at a thread that is not here")
    happened = _happened(line, place) if is_run else []
    return events.EntityImported(
        id=line["id"],
        type=declared.name,
        created_at=line["createdAt"],
        updated_at=line["updatedAt"],
        content=pack(tx, content),
        parent_id=line.get("previousId"),
        is_next=line.get("isNext") is True,
        start_time=line.get("startTime"),
        end_time=line.get("endTime"),
        happened=pack(tx, happened) if happened else None,
        count=len(happened),
    )


def _content(declared: EntityType, given: Any, place: str) -> Json:
    if not isinstance(given, dict):
        raise _refusal(place, "has no content")
    hidden: Json = {name: REDACTED for name in declared.redacts if given.get(name) == REDACTED}
    bare = {name: value for name, value in given.items() if name not in hidden}
    if declared.name == "agentGraphExecution" and bare.get("status") in NEXT:
        # A run is made only at its beginning, but is taken over as it is.
        hidden["status"] = bare.pop("status")
        if bare.pop("recordedLater", None) is True:
            hidden["recordedLater"] = True
    for part in declared.parts:
        for one in bare.get(part) or ():
            _check_times(one, place)
        bare[part] = [_without(one, *_TIMES) for one in bare.get(part) or ()]
    content = rules.fit(declared, bare) | hidden
    return content | {part: given[part] for part in declared.parts}


def _happened(line: Json, place: str) -> list[Json]:
    """Read what happened in a run, and see that its times fit how it stands."""
    status = line["content"].get("status") if isinstance(line["content"], dict) else None
    has_begun, has_ended = line["startTime"] is not None, line["endTime"] is not None
    if status not in NEXT or has_begun == (status == "notStarted"):
        raise _refusal(place, "has times that do not fit its status")
    if has_ended != (status in ENDS) or (line["events"] and not has_begun):
        raise _refusal(place, "has times that do not fit its status")
    try:
        read = EVENTS.validate_python([_without(one, "index", "at") for one in line["events"]])
        ats = [_moment(one["at"], place) for one in line["events"]]
    except (ValidationError, AttributeError, TypeError, KeyError) as error:
        raise _refusal(place, "has events that cannot be read") from error
    for name in ("startTime", "endTime"):
        if line[name] is not None:
            _moment(line[name], place)
    return [event.plain() | {"at": at} for event, at in zip(read, ats, strict=True)]


def _threads(tx: ReadTx) -> Iterator[Row]:
    """Go through the threads; one that was deleted, only if another goes on from it."""
    needed: set[str] = set()
    for row in _rows(tx, THREADS, descending=True):
        if not row["is_deleted"] or row["id"] in needed:
            needed |= {row["id"], row["parent_id"]}
    yield from (row for row in _rows(tx, THREADS) if row["id"] in needed)


def _rows(tx: ReadTx, table: Table, *, descending: bool = False) -> Iterator[Row]:
    found = paging.rows(tx, table, order="created_seq", descending=descending)
    return (one.row for one in found)


def _check_fields(
    line: Json, place: str, needed: set[str], allowed: set[str] | None = None
) -> None:
    needed = needed | {"type", "id", "createdAt"}
    if missing := needed - line.keys():
        raise _refusal(place, f"has no {min(missing)}")
    if unknown := line.keys() - needed - (allowed or set()):
        raise _refusal(place, f"there is no {min(unknown)}")


def _check_times(one: Any, place: str) -> None:
    if not isinstance(one, Mapping):
        raise _refusal(place, "not an entity")
    for name in _TIMES:
        if name in one:
            _moment(one[name], place)


def _moment(text: Any, place: str) -> str:
    try:
        is_ours = to_text(from_text(text)) == text
    except (TypeError, ValueError):
        is_ours = False
    if not is_ours:
        raise _refusal(place, f"{text} is no time as an export writes it")
    return str(text)


def _without(one: Mapping[str, Any], *names: str) -> Json:
    return {name: value for name, value in one.items() if name not in names}


def _refusal(place: str, why: str) -> InvalidInput:
    return InvalidInput(f"{place}: {why}", argument=place)
