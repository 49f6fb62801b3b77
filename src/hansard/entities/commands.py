"""Creates, changes and deletes entities."""

from typing import Any

from hansard.entities import contract, events, rules
from hansard.entities.answering import check_references, written
from hansard.entities.metrics.commands import check_room
from hansard.entities.naming import new_id, settings_id
from hansard.entities.packing import pack
from hansard.entities.reading import (
    OWN_SETTINGS,
    find,
    find_as,
    stored,
)
from hansard.entities.runs import advance_status, record_finished
from hansard.entities.tables import CHATS, SETTINGS
from hansard.entities.threads import begin
from hansard.entities.types import BY_NAME
from hansard.entities.types.agent_graph import AGENT_GRAPH
from hansard.entities.types.agent_graph_execution import AGENT_GRAPH_EXECUTION, ENDS
from hansard.entities.types.chat_thread import CHAT_THREAD
from hansard.entities.types.entity import EntityType
from hansard.entities.types.message_thread import MESSAGE_THREAD
from hansard.entities.types.metric import METRIC
from hansard.entities.types.settings import SETTINGS as SETTINGS_TYPE
from hansard.entities.types.text_document import TEXT_DOCUMENT
from hansard.entities.versions import current_of
from hansard.entities.writing_back import set_anew
from hansard.kernel.engine import ReadTx, Row, WriteTx
from hansard.kernel.operation import Context, Written
from hansard.kernel.problem import InvalidInput

Json = dict[str, Any]

PART_NAMES = {"nodes": "agentGraphNode", "edges": "agentGraphEdge"}
"""What the entities within a graph are called in the ids they are given."""


def create(request: contract.EntityCreate, context: Context) -> contract.EntityWrittenAnswer:
    """Make an entity of a type."""
    declared = BY_NAME[request.type]
    if declared is AGENT_GRAPH_EXECUTION and request.data.get("status") in ENDS:
        return record_finished(request, context)
    content = _named_parts(declared, rules.fit(declared, rules.kept(declared, request.data)))
    if declared is MESSAGE_THREAD:
        said = [(turn["senderId"], turn["partials"]) for turn in content["turns"]]
        return begin(context, said)
    identifier = _identifier(declared, context)
    first_thread = new_id(MESSAGE_THREAD.name)

    def work(tx: WriteTx) -> contract.EntityWrittenAnswer:
        check_references(tx, declared, content)
        if declared is METRIC:
            check_room(tx, [(content["name"], content["dimensions"])])
        given = content
        if declared is SETTINGS_TYPE and (known := tx.scan(SETTINGS, limit=1)):
            raise contract.EntityConflict(
                f"This project has its settings: {known[0].key}",
                hint="Change them with entity_update",
                id=known[0].key,
            )
        if declared is CHAT_THREAD and content["threadId"] is None:
            context.record(
                tx,
                events.ThreadExtended(
                    id=first_thread, parent_id=None, segment=None, sender="", partials=0
                ),
            )
            given = content | {"threadId": first_thread}
        _record_made(tx, context, declared, identifier, given)
        return written(tx, context, identifier)

    return context.write(work)


def update(request: contract.EntityUpdate, context: Context) -> contract.EntityWrittenAnswer:
    """Change the fields that are given, if the entity is still what the caller expects."""
    are_settings = request.id in (OWN_SETTINGS, settings_id(context.project))
    declared = SETTINGS_TYPE if are_settings else context.read(lambda tx: find(tx, request.id))[0]
    if declared.is_immutable:
        raise contract.EntityImmutable(
            f"A {declared.name} never changes", hint=declared.instead, id=request.id
        )
    # Before the transaction, which may run twice.
    data = _named_parts(declared, request.data)

    def work(tx: WriteTx) -> contract.EntityWrittenAnswer:
        are_new = are_settings and _ensure_settings(tx, context)
        _, row = find(tx, request.id)
        if not are_new:
            rules.check_expected(row, request.expected_updated_at)
        given = set_anew(tx, declared, row, data)
        if declared is AGENT_GRAPH_EXECUTION:
            if given or not request.data:
                advance_status(tx, context, row, given)
        else:
            _check_changeable(tx, declared, row, given, request)
            _record_change(tx, context, declared, row, given)
        return written(tx, context, row["id"])

    return context.write(work)


def delete(request: contract.EntityDelete, context: Context) -> contract.EntityGoneAnswer:
    """Take an entity away. What happened to it stays in the journal."""

    def work(tx: WriteTx) -> contract.EntityGoneAnswer:
        declared, row = find(tx, request.id)
        identifier: str = row["id"]
        heads = {"threadId": identifier}
        if declared is MESSAGE_THREAD and (chats := tx.scan(CHATS, heads, limit=1)):
            raise contract.EntityConflict(
                f"{identifier} is where the chat {chats[0].key} has come to",
                hint="Delete the chat first",
                id=identifier,
                chat_id=chats[0].key,
            )
        context.record(tx, events.EntityDeleted(id=identifier, type=declared.name))
        return contract.EntityGoneAnswer(id=identifier, session_id=context.session)

    return context.write(work)


def revise(request: contract.DocumentRevise, context: Context) -> contract.EntityWrittenAnswer:
    """Make the next version of a document, which stays as it is."""
    identifier = new_id(TEXT_DOCUMENT.name)

    def work(tx: WriteTx) -> contract.EntityWrittenAnswer:
        row = find_as(tx, request.id, TEXT_DOCUMENT)
        if not request.fork and (next_id := row["nextId"]):
            raise contract.EntityConflict(
                f"{row['id']} has been revised already: {next_id}",
                hint="Revise that one, or give fork: true to make another line of versions",
                id=row["id"],
                next_id=next_id,
            )
        before = stored(tx, TEXT_DOCUMENT, row)
        changed = {"content": request.content} | ({"title": request.title} if request.title else {})
        content = rules.fit(TEXT_DOCUMENT, before | changed)
        _record_made(tx, context, TEXT_DOCUMENT, identifier, content, previous=row)
        return written(tx, context, identifier)

    return context.write(work)


def make_settings(context: Context) -> None:
    """Make the project's settings, if nobody has in the meantime."""

    def work(tx: WriteTx) -> Written:
        _ensure_settings(tx, context)
        return Written()

    context.write(work)


def _ensure_settings(tx: WriteTx, context: Context) -> bool:
    """Make the settings if nobody has; says whether they were made."""
    if tx.scan(SETTINGS, limit=1):
        return False
    content = rules.fit(SETTINGS_TYPE, {})
    _record_made(tx, context, SETTINGS_TYPE, settings_id(context.project), content)
    return True


def _record_made(
    tx: WriteTx,
    context: Context,
    declared: EntityType,
    identifier: str,
    content: Json,
    *,
    previous: Row | None = None,
) -> None:
    now = rules.later(max(tx.head().clock, context.stamp.at), None)
    whole = rules.timed(declared, None, content, now)
    made = events.EntityCreated(
        id=identifier,
        type=declared.name,
        title=declared.title_of(content),
        content=pack(tx, whole, onto=previous["content"] if previous else None),
        previous_id=previous["id"] if previous else None,
    )
    context.record(tx, made)


def _record_change(
    tx: WriteTx, context: Context, declared: EntityType, row: Row, given: Json
) -> None:
    before = stored(tx, declared, row)
    after = rules.merged(declared, before, given)
    check_references(tx, declared, after)
    now = rules.later(max(tx.head().clock, context.stamp.at), row["updatedAt"])
    whole = rules.timed(declared, before, after, now)
    absent = object()
    changed = sorted(
        name
        for name in whole.keys() | before.keys()
        if whole.get(name, absent) != before.get(name, absent)
    )
    if not changed:
        return
    updated = events.EntityUpdated(
        id=row["id"],
        type=declared.name,
        title=declared.title_of(after),
        changed=changed,
        content=pack(tx, whole, onto=row["content"]),
    )
    context.record(tx, updated)


def _check_changeable(
    tx: ReadTx, declared: EntityType, row: Row, given: Json, request: contract.EntityUpdate
) -> None:
    if declared is CHAT_THREAD:
        expected = request.expected_updated_at or request.data.get("updatedAt")
        _check_moved_knowingly(row, given, expected)
    if declared is TEXT_DOCUMENT and row["nextId"]:
        before = stored(tx, declared, row)
        if any(value != before.get(name) for name, value in given.items()):
            current = current_of(tx, row)["id"]
            raise contract.EntityImmutable(
                f"{row['id']} is an old version, which stays as it is; {current} is current",
                hint=f"Change {current}, or call document_revise (with fork: true from here)",
                id=row["id"],
                current_id=current,
            )


def _check_moved_knowingly(row: Row, given: Json, expected: str | None) -> None:
    moves = given.get("threadId", row["threadId"]) != row["threadId"]
    if moves and expected is None:
        raise InvalidInput(
            "data.threadId: moving a chat needs expected_updated_at, lest a message is lost",
            hint="Append with thread_append, or give the updatedAt that you have seen",
            argument="data.threadId",
        )


def _identifier(declared: EntityType, context: Context) -> str:
    if declared is SETTINGS_TYPE:
        return settings_id(context.project)
    return new_id(declared.name)


def _named_parts(declared: EntityType, content: Json) -> Json:
    """Give an id to each node and edge that has none."""
    if declared is not AGENT_GRAPH:
        return content
    return content | {
        part: [_named(one, PART_NAMES[part]) for one in content[part]]
        for part in declared.parts
        if isinstance(content.get(part), list)
    }


def _named(one: Any, name: str) -> Any:
    if not isinstance(one, dict) or one.get("id") is not None:
        return one
    return one | {"id": new_id(name)}
