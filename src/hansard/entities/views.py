"""The current state of entities, derived from their events."""

from typing import Any

import orjson

from hansard.entities import limits
from hansard.entities.events import (
    EntityCreated,
    EntityDeleted,
    EntityImported,
    EntityUpdated,
    ExecutionAdvanced,
    ExecutionRecorded,
    ThreadExtended,
)
from hansard.entities.filters import key_of_value
from hansard.entities.rules import later
from hansard.entities.tables import (
    BATCHES,
    CHATS,
    EXECUTIONS,
    TABLES,
    TEXTS,
    THREADS,
    VERSION,
    WORDS,
    key_of,
)
from hansard.entities.turns import Piece, count_of, open_after, words_of
from hansard.entities.types import BY_NAME
from hansard.entities.types.message_thread import MESSAGE_THREAD
from hansard.entities.versions import linked_after, unlink
from hansard.kernel.blob import Digest
from hansard.kernel.dates import HEAD_CHARS, day_said
from hansard.kernel.engine import Row
from hansard.kernel.heading import day_heading
from hansard.kernel.view import Derivation, View

__all__ = ["VIEW", "WORDS", "batch_key", "searched"]

EMPTY: Row = {"partials": 0, "turns": 0, "open": {}}
"""The thread that every thread goes on from."""


def batch_key(execution: str, first: int) -> str:
    """Name what happened in an execution so that keys sort in order."""
    return f"{execution}/{first:012d}"


def searched(type_name: str, content: dict[str, Any]) -> tuple[str, str] | None:
    """Give the title and the text that an entity is found by; `None` if it is not."""
    declared = BY_NAME[type_name]
    if declared.title is None:
        return None
    texts = "\n".join(str(content.get(name) or "") for name in declared.texts)
    return declared.title_of(content), texts[: limits.SEARCHED_CHARS_MAX]


def _created(event: EntityCreated, derivation: Derivation) -> None:
    content = _json(derivation, event.content)
    clock = derivation.entry.clock
    row = _row(derivation, event.id, event.type, content) | {
        "createdAt": clock,
        "updatedAt": clock,
        "content": event.content,
    }
    if event.type == "textDocument":
        row |= linked_after(derivation, event.id, event.previous_id)
    if event.type == "agentGraphExecution":
        begun = clock if content["status"] == "inProgress" else None
        row |= {"startTime": begun, "endTime": None, "events": 0}
    derivation.put(TABLES[event.type], event.id, row)
    _index(derivation, event.id, event.type, content)


def _updated(event: EntityUpdated, derivation: Derivation) -> None:
    before = _standing(derivation, event.type, event.id)
    content = _json(derivation, event.content)
    row = before | _fields(event.type, content) | {
        "updatedAt": later(derivation.entry.clock, before["updatedAt"]),
        "content": event.content,
    }  # fmt: skip
    derivation.put(TABLES[event.type], event.id, row)
    _index(derivation, event.id, event.type, content)


def _deleted(event: EntityDeleted, derivation: Derivation) -> None:
    if event.type == MESSAGE_THREAD.name:
        row = derivation.get(THREADS, event.id)
        assert row is not None, "a thread was deleted that never was"
        gone = {"is_deleted": True, "deleted_seq": derivation.entry.seq}
        derivation.put(THREADS, event.id, row | gone)
    else:
        row = _standing(derivation, event.type, event.id)
        derivation.delete(TABLES[event.type], event.id)
        if event.type == "textDocument":
            unlink(derivation, row)
    derivation.delete(TEXTS, event.id)
    derivation.index(WORDS, event.id, None)


def _extended(event: ThreadExtended, derivation: Derivation) -> None:
    clock = derivation.entry.clock
    chat = _standing(derivation, "chatThread", event.chat_id) if event.chat_id else None
    _put_thread(
        derivation,
        event.id,
        parent_id=event.parent_id,
        segment=event.segment,
        created=clock,
        told=day_said(chat["name"]) if chat else None,
    )
    if chat:
        moved = {"threadId": event.id, "updatedAt": later(clock, chat["updatedAt"])}
        derivation.put(CHATS, chat["id"], chat | moved)


def _put_thread(
    derivation: Derivation,
    identifier: str,
    *,
    parent_id: str | None,
    segment: str | None,
    created: str,
    told: str | None = None,
) -> None:
    """Put a thread; it is of the day that heads it, or what it goes on from, or is `told`."""
    pieces: list[Piece] = _json(derivation, segment) if segment else []
    base_id, base = _base(derivation, parent_id)
    row = {key: base.get(key) for key in ("partials", "turns", "open", "sender", "turn", "turnAt")}
    row |= {
        "id": identifier,
        "parent_id": parent_id,
        "base": base_id,
        "first": base["partials"],
        "createdAt": created,
        "created_seq": derivation.entry.seq,
        "is_deleted": False,
        "segment": segment,
    }
    if pieces:
        last = pieces[-1]
        begun = sum(piece["begins"] for piece in pieces)
        row |= {
            "partials": base["partials"] + count_of(pieces),
            "turns": base["turns"] + begun,
            "open": open_after(base["open"], pieces),
            "sender": last["sender"],
            "turn": last["turn"],
            "turnAt": created if begun else base["turnAt"],
            "startedAt": created if pieces[0]["begins"] else base["turnAt"],
            **_jump(derivation, base_id, base),
        }
        words = words_of(pieces)
        row["told"] = day_heading(words) or base.get("told") or told
        # What it only tells of is not the day of what goes on from it.
        row["mentioned"] = day_said(words[:HEAD_CHARS])
        _index_thread(derivation, identifier, pieces, row["told"])
    derivation.put(THREADS, identifier, row)


def _base(derivation: Derivation, parent_id: str | None) -> tuple[str | None, Row]:
    """Find the thread to go on from: a fork that added nothing is passed over."""
    if parent_id is None:
        return None, EMPTY
    parent = derivation.get(THREADS, parent_id)
    assert parent is not None, "a thread goes on from one that never was"
    if parent["segment"] is not None:
        return parent_id, parent
    return _base(derivation, parent["base"])


def _jump(derivation: Derivation, base_id: str | None, base: Row) -> Row:
    """Choose a thread further down, so that any place below is reached in a few jumps.

    Two jumps of the same length are joined into one, as one carries in adding: each thread needs
    one pointer, and the way down from the n-th is about 2 log n steps.
    """
    if base_id is None:
        return {"depth": 0, "jump": None, "jump_depth": 0}
    depth = base["depth"] + 1
    if base["jump"] is not None:
        next_down = derivation.get(THREADS, base["jump"])
        assert next_down is not None, "a thread jumps to one that never was"
        if base["depth"] - base["jump_depth"] == base["jump_depth"] - next_down["jump_depth"]:
            jump = {"jump": next_down["jump"], "jump_depth": next_down["jump_depth"]}
            return {"depth": depth, **jump}
    return {"depth": depth, "jump": base_id, "jump_depth": base["depth"]}


def _advanced(event: ExecutionAdvanced, derivation: Derivation) -> None:
    before = _standing(derivation, "agentGraphExecution", event.id)
    clock = derivation.entry.clock
    row = before | {"updatedAt": later(clock, before["updatedAt"])}
    if event.status:
        row["status"] = event.status
        row["startTime" if event.status == "inProgress" else "endTime"] = row["updatedAt"]
    if event.happened:
        _put_batch(derivation, event.id, before["events"], event.happened, row["updatedAt"])
        row["events"] = before["events"] + event.count
    derivation.put(EXECUTIONS, event.id, row)


def _put_batch(
    derivation: Derivation, execution: str, first: int, happened: str, clock: str
) -> None:
    batch = {"execution": execution, "first": first, "happened": happened, "at": clock}
    derivation.put(BATCHES, batch_key(execution, first), batch)


def _recorded_later(event: ExecutionRecorded, derivation: Derivation) -> None:
    """Put a run that is over as if it came from elsewhere, where it was over already."""
    clock = derivation.entry.clock
    taken_over = EntityImported(
        type="agentGraphExecution",
        created_at=clock,
        updated_at=clock,
        **event.model_dump(exclude={"status"}),
    )
    _imported(taken_over, derivation)


def _imported(event: EntityImported, derivation: Derivation) -> None:
    if event.type == MESSAGE_THREAD.name:
        _put_thread(
            derivation,
            event.id,
            parent_id=event.parent_id,
            segment=event.content,
            created=event.created_at,
        )
        if event.is_deleted:
            _deleted(EntityDeleted(id=event.id, type=event.type), derivation)
        return
    assert event.content is not None, "only a thread can add nothing"
    content = _json(derivation, event.content)
    row = _row(derivation, event.id, event.type, content) | {
        "createdAt": event.created_at,
        "updatedAt": event.updated_at,
        "content": event.content,
    }
    if event.type == "textDocument":
        row |= linked_after(derivation, event.id, event.parent_id, is_next=event.is_next)
    if event.type == "agentGraphExecution":
        row |= {"startTime": event.start_time, "endTime": event.end_time, "events": event.count}
    if event.happened:
        # Each of these events brings its own time.
        _put_batch(derivation, event.id, 0, event.happened, "")
    derivation.put(TABLES[event.type], event.id, row)
    _index(derivation, event.id, event.type, content)


def _row(derivation: Derivation, identifier: str, type_name: str, content: dict[str, Any]) -> Row:
    row = {"id": identifier, "created_seq": derivation.entry.seq}
    return row | _fields(type_name, content)


def _fields(type_name: str, content: dict[str, Any]) -> Row:
    """Give what an entity is filtered by; of what is secret, only whether there is any."""
    declared = BY_NAME[type_name]
    shown = declared.redact({**declared.defaults, **content})
    short = {name: content[name] for name in declared.where if name in content}
    if declared.is_open:
        return short
    return short | {key_of(name): key_of_value(shown.get(name)) for name in declared.keyed}


def _standing(derivation: Derivation, type_name: str, identifier: str) -> Row:
    row = derivation.get(TABLES[type_name], identifier)
    assert row is not None, f"something happened to {identifier}, which was never created"
    return row


def _index(
    derivation: Derivation, identifier: str, type_name: str, content: dict[str, Any]
) -> None:
    found = searched(type_name, content)
    if found is None:
        return
    title, text = found
    _put_text(derivation, identifier, type_name, title, day_said(title, text[:HEAD_CHARS]))
    derivation.index(WORDS, identifier, {"title": title, "text": text})


def _index_thread(
    derivation: Derivation, identifier: str, pieces: list[Piece], day: str | None
) -> None:
    """Let a thread be found by what it adds: what it goes on from is found by itself."""
    _put_text(derivation, identifier, MESSAGE_THREAD.name, pieces[-1]["sender"], day)
    senders = dict.fromkeys(piece["sender"] for piece in pieces)
    derivation.index(WORDS, identifier, {"title": " ".join(senders), "text": words_of(pieces)})


def _put_text(
    derivation: Derivation, identifier: str, type_name: str, title: str, day: str | None
) -> None:
    entry = derivation.entry
    row = {"id": identifier, "type": type_name, "title": title, "day": day}
    derivation.put(TEXTS, identifier, row | {"session": entry.session, "seq": entry.seq})


def _json(derivation: Derivation, digest: str) -> Any:
    return orjson.loads(derivation.content(Digest(digest)))


VIEW = View(
    "entities",
    VERSION,
    (*TABLES.values(), THREADS, BATCHES, TEXTS),
    on={
        EntityCreated: _created,
        EntityUpdated: _updated,
        EntityDeleted: _deleted,
        ThreadExtended: _extended,
        ExecutionAdvanced: _advanced,
        ExecutionRecorded: _recorded_later,
        EntityImported: _imported,
    },
    topics=(WORDS,),
)
