"""Rules of records. Pure: values in, events out, or a `Problem`."""

from collections.abc import Mapping
from typing import Any

from hansard.kernel.blob import Digest, canonical_json
from hansard.kernel.engine import Row
from hansard.kernel.problem import InvalidInput
from hansard.records import limits
from hansard.records.contract import (
    Conflict,
    CreateRecord,
    DepthExceeded,
    InvalidTransition,
    Transition,
    UpdateRecord,
)
from hansard.records.events import RecordCreated, RecordMoved, RecordTransitioned, RecordUpdated
from hansard.records.shapes import Json, State, Warned

ARROWS: Mapping[State, tuple[State, ...]] = {
    "OPEN": ("LATER", "RESOLVED", "DISCARDED"),
    "LATER": ("OPEN", "DISCARDED"),
    "RESOLVED": ("OPEN",),
    "DISCARDED": ("OPEN",),
}
"""Exactly the transitions of 000."""

FIELDS = (
    "title",
    "summary",
    "body",
    "state",
    "parent_id",
    "resolved_by",
    "reason",
    "related",
    "metadata",
    "cites",
)
"""What can change in a record, in the order in which it is shown."""

UPDATABLE = ("title", "summary", "body", "related", "metadata", "cites")
"""What update_record can change."""


def plan_create(
    identifier: str, request: CreateRecord, body: Digest, parent: Row | None
) -> RecordCreated:
    """Say what creating a record does, or refuse."""
    check_depth((parent["depth"] if parent else 0) + 1)
    check_state(identifier, request.state, request.reason, request.resolved_by)
    return RecordCreated(
        id=identifier,
        parent_id=request.parent_id,
        type=request.type,
        title=request.title,
        summary_text=request.summary,
        body=body,
        state=request.state,
        reason=request.reason,
        resolved_by=request.resolved_by,
        related=_once_each(request.related) or [],
        metadata=merge_metadata({}, request.metadata or {}),
        cites=_once_each(request.cites) or [],
    )


def applied(row: Row, request: UpdateRecord, body: Digest | None) -> Row:
    """Give a record's row with the update's fields in it."""
    metadata = request.metadata
    given: dict[str, Any] = {
        "title": request.title,
        "summary": request.summary,
        "body": body,
        "related": _once_each(request.related),
        "cites": _once_each(request.cites),
        "metadata": None if metadata is None else merge_metadata(row["metadata"], metadata),
    }
    return row | {name: value for name, value in given.items() if value is not None}


def plan_update(row: Row, request: UpdateRecord, body: Digest | None) -> RecordUpdated | None:
    """Say what an update changes; `None` if nothing differs from what is stored."""
    return plan_values(row, applied(row, request, body))


def plan_values(row: Row, values: Row) -> RecordUpdated | None:
    """Say what setting these values changes; `None` if nothing differs from what is stored."""
    changed = {
        name: values[name]
        for name in UPDATABLE
        if name in values and differ(values[name], row[name])
    }
    if not changed:
        return None
    if "metadata" in changed:
        merge_metadata({}, changed["metadata"])
    if "summary" in changed:
        changed["summary_text"] = changed.pop("summary")
    return RecordUpdated(id=row["id"], **changed)


def plan_same(row: Row) -> RecordUpdated:
    """Build the event of a decision that leaves everything as another session left it."""
    return RecordUpdated(id=row["id"])


def plan_transition(row: Row, request: Transition) -> RecordTransitioned:
    """Say what a transition does, or refuse one that 000 does not have."""
    state: State = row["state"]
    if request.to_state not in ARROWS[state]:
        allowed = list(ARROWS[state])
        raise InvalidTransition(
            f"{row['id']} is {state}; from there it can become {' or '.join(allowed)}, "
            f"not {request.to_state}",
            id=row["id"],
            state=state,
            allowed=allowed,
        )
    check_state(row["id"], request.to_state, request.reason, request.resolved_by)
    return RecordTransitioned(
        id=row["id"],
        from_state=state,
        to_state=request.to_state,
        reason=request.reason,
        resolved_by=request.resolved_by,
    )


def plan_move(row: Row, parent: Row | None, deepest: int) -> RecordMoved | None:
    """Say what moving a record does, or refuse a cycle; `None` if it is there already.

    `deepest` is the depth of the deepest record that goes along.
    """
    if parent and parent["path"].startswith(row["path"]):
        raise InvalidInput(
            f"parent_id: {parent['id']} lies under {row['id']}, or is it",
            hint="Choose a parent outside the record's own subtree",
            argument="parent_id",
        )
    to_parent = parent["id"] if parent else None
    if row["parent_id"] == to_parent:
        return None
    check_depth(deepest + (parent["depth"] if parent else 0) + 1 - row["depth"])
    return RecordMoved(id=row["id"], from_parent=row["parent_id"], to_parent=to_parent)


def check_state(identifier: str, state: State, reason: str | None, resolved_by: str | None) -> None:
    """Refuse a state without what it needs: a reason, or what resolved it."""
    if state in ("LATER", "DISCARDED") and reason is None:
        raise InvalidInput(f"reason: is required for {state}", argument="reason")
    if state == "RESOLVED" and resolved_by is None:
        raise InvalidInput("resolved_by: is required for RESOLVED", argument="resolved_by")
    if state != "RESOLVED" and resolved_by is not None:
        raise InvalidInput("resolved_by: goes only with RESOLVED", argument="resolved_by")
    if resolved_by == identifier:
        raise InvalidInput("resolved_by: a record cannot resolve itself", argument="resolved_by")


def check_depth(depth: int) -> None:
    """Refuse a hierarchy that is too deep."""
    if depth > limits.DEPTH_MAX:
        raise DepthExceeded(
            f"A record would lie {depth} deep; at most {limits.DEPTH_MAX} are allowed",
            depth=depth,
            limit=limits.DEPTH_MAX,
        )


def check_base(row: Row, base: int) -> None:
    """Refuse to go on from a version that another session has overtaken."""
    if is_overtaken(row, base):
        raise Conflict(
            f"{row['id']} was changed by another session: you know t:{base}, it is at "
            f"t:{row['tick']}",
            id=row["id"],
            base=base,
            version=row["tick"],
            by_session=row["session"],
        )


def is_overtaken(row: Row, base: int) -> bool:
    """Whether another session wrote after the base: own writes move it along."""
    return bool(row["tick"] > base)


def merge_metadata(stored: Json, given: Json) -> Json:
    """Set the given keys; null removes a key."""
    merged = {key: value for key, value in (stored | given).items() if value is not None}
    size = len(canonical_json(merged))
    if size > limits.METADATA_BYTES_MAX:
        raise InvalidInput(
            f"metadata: at most {limits.METADATA_BYTES_MAX} bytes in all, not {size}",
            argument="metadata",
        )
    return merged


def changed_fields(old: Row, new: Row) -> list[str]:
    """Name what differs between two versions of a record."""
    return [name for name in FIELDS if differ(old[name], new[name])]


def depth_warnings(depth: int) -> list[Warned]:
    """Warn of a hierarchy that becomes deep."""
    if depth <= limits.DEPTH_WARNED:
        return []
    message = f"{depth} levels deep: records are easier to find higher up"
    details = {"depth": depth, "warned_beyond": limits.DEPTH_WARNED, "limit": limits.DEPTH_MAX}
    return [Warned(type="depth", message=message, details=details)]


def orphan_warnings(row: Row, parent: Row | None, open_children: int) -> list[Warned]:
    """Warn of open records whose parent was discarded."""
    if parent and parent["state"] == "DISCARDED" and row["state"] == "OPEN":
        message = f"{row['id']} is open, but its parent {parent['id']} was discarded"
        details = {"parent_id": parent["id"], "how": "move_record or transition"}
        return [Warned(type="orphan", message=message, details=details)]
    if row["state"] == "DISCARDED" and open_children:
        message = f"{row['id']} was discarded, but {open_children} of its children are open"
        details = {"open_children": open_children, "how": "move_record or transition"}
        return [Warned(type="orphan", message=message, details=details)]
    return []


def differ(one: object, other: object) -> bool:
    """Whether two values of a field are different ones."""
    # In Python 1, 1.0 and True are equal; in JSON they are three values.
    return canonical_json(one) != canonical_json(other)


def _once_each(identifiers: list[str] | None) -> list[str] | None:
    return None if identifiers is None else list(dict.fromkeys(identifiers))
