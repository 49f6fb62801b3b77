"""Records by id with all versions, their places in the tree, and their descendants.

A record's `path` is the numbers of its ancestors and its own, each of the same width. So the
records of a subtree are those whose path begins with its root's, and the order of paths is the
order of an outline. Moving a record rewrites the paths of what it takes along, and nothing else.
"""

from typing import Any

from hansard.kernel.blob import Digest
from hansard.kernel.engine import Range, Row, Table, Topic
from hansard.kernel.ids import taken
from hansard.kernel.view import Derivation, View
from hansard.records import places
from hansard.records.events import RecordCreated, RecordMoved, RecordTransitioned, RecordUpdated
from hansard.records.places import VERSION
from hansard.records.shapes import STATES

PREFIX = "R"

RECORDS = Table(
    "records",
    {
        "parent_id": "text",
        "state": "text",
        "type": "text",
        "path": "text",
        "depth": "integer",
        "modified_seq": "integer",
    },
    (
        ("path",),
        ("parent_id", "path"),
        ("parent_id", "state", "path"),
        ("state", "path"),
        ("state", "modified_seq"),
    ),
    history=True,
    version=VERSION,
    is_large=True,
)

BENEATH = Table("records_beneath", version=VERSION)
"""How many children a record has in each state, and how many grandchildren.

Stored rather than counted, so that answers do not take longer with more records.
"""

ROOTS = "roots"
"""The row of `BENEATH` that counts the records without a parent."""

ALL = "all"
"""The row of `BENEATH` that counts every record."""

WORDS = Topic("records", RECORDS, {"title": 3.0, "summary": 2.0, "labels": 1.0, "body": 1.0})
"""`labels` are the id, the type, the reason and the metadata."""

STEP_DIGITS = 9
"""The width of one record's number in a path."""

MOVED_PAGE = 1_000


def step(identifier: str) -> str:
    """Give a record's own part of its path."""
    number = identifier.removeprefix(PREFIX)
    assert len(number) <= STEP_DIGITS, f"{identifier} is beyond what a path can hold"
    return number.zfill(STEP_DIGITS)


def subtree(path: str) -> Range:
    """Match the paths of a record and of all that lies under it."""
    # Digits, and a letter that comes after them: every database agrees on their order.
    return Range(at_least=path, below=f"{path}a")


def _created(event: RecordCreated, derivation: Derivation) -> None:
    taken(derivation, PREFIX, event.id)
    entry = derivation.entry
    parent = derivation.get(RECORDS, event.parent_id) if event.parent_id else None
    row = event.model_dump(mode="json", exclude={"summary_text"}) | {
        "summary": event.summary_text,
        "path": (parent["path"] if parent else "") + step(event.id),
        "depth": parent["depth"] + 1 if parent else 1,
        "created": entry.at,
    }
    row |= _written(derivation)
    derivation.put(RECORDS, event.id, row)
    _count(derivation, ALL, {event.state: 1})
    _count(derivation, event.parent_id or ROOTS, {event.state: 1})
    if parent:
        _count(derivation, parent["parent_id"] or ROOTS, {"grandchildren": 1})
    _index(derivation, row)


def _updated(event: RecordUpdated, derivation: Derivation) -> None:
    given = event.model_dump(mode="json", exclude_none=True, exclude={"id", "summary_text"})
    if event.summary_text is not None:
        given["summary"] = event.summary_text
    row = _row(derivation, event.id) | given | _written(derivation)
    derivation.put(RECORDS, event.id, row)
    _index(derivation, row)


def _transitioned(event: RecordTransitioned, derivation: Derivation) -> None:
    row = _row(derivation, event.id)
    changed = {"state": event.to_state, "reason": event.reason, "resolved_by": event.resolved_by}
    # Whoever moved the state did not write the text, so the author stays.
    written = _written(derivation) | {"author": row["author"]}
    derivation.put(RECORDS, event.id, row | changed | written)
    if event.reason != row["reason"]:
        _index(derivation, row | changed)
    for counted in (ALL, row["parent_id"] or ROOTS):
        _count(derivation, counted, {event.from_state: -1, event.to_state: 1})


def _moved(event: RecordMoved, derivation: Derivation) -> None:
    row = _row(derivation, event.id)
    parent = _row(derivation, event.to_parent) if event.to_parent else None
    old_path: str = row["path"]
    new_path = (parent["path"] if parent else "") + step(event.id)
    deeper = (parent["depth"] if parent else 0) + 1 - row["depth"]
    _recount_move(event, row, derivation)
    entry = derivation.entry
    row |= {"parent_id": event.to_parent, "modified": entry.at, "modified_seq": entry.seq}
    _place(derivation, row, new_path, deeper)
    places.put(derivation, row, derivation.content(Digest(row["body"])).decode())
    for found in derivation.each(RECORDS, {"path": subtree(old_path)}, limit=MOVED_PAGE):
        below = new_path + found.row["path"].removeprefix(old_path)
        _place(derivation, found.row, below, deeper)


def _place(derivation: Derivation, row: Row, path: str, deeper: int) -> None:
    placed = row | {"path": path, "depth": row["depth"] + deeper}
    derivation.put(RECORDS, row["id"], placed)


def _recount_move(event: RecordMoved, row: Row, derivation: Derivation) -> None:
    """Move the counts of a record and its children from its old parent to the new one."""
    children = children_in(derivation.get(BENEATH, event.id))
    for parent_id, sign in ((event.from_parent, -1), (event.to_parent, 1)):
        parent = _row(derivation, parent_id) if parent_id else None
        changes = {row["state"]: sign, "grandchildren": sign * children}
        _count(derivation, parent_id or ROOTS, changes)
        if parent:
            _count(derivation, parent["parent_id"] or ROOTS, {"grandchildren": sign})


def children_in(row: Row | None) -> int:
    """Add up the children that a row of `BENEATH` counts."""
    return sum((row or {}).get(state, 0) for state in STATES)


def _count(derivation: Derivation, key: str, changes: dict[str, int]) -> None:
    row = derivation.get(BENEATH, key) or {}
    counted = {name: row.get(name, 0) + change for name, change in changes.items()}
    derivation.put(BENEATH, key, row | counted)


def _written(derivation: Derivation) -> dict[str, Any]:
    """Say what a write that ticks leaves on a record: when, by whom, as which version."""
    entry = derivation.entry
    return {
        "modified": entry.at,
        "modified_seq": entry.seq,
        "tick": entry.tick,
        "session": entry.session,
        "author": str(entry.actor),
    }


def _row(derivation: Derivation, identifier: str) -> Row:
    row = derivation.get(RECORDS, identifier)
    assert row is not None, f"something happened to {identifier}, which was never created"
    return row


def _index(derivation: Derivation, row: Row) -> None:
    texts = {
        "title": row["title"],
        "summary": row["summary"],
        "labels": labels(row),
        "body": derivation.content(Digest(row["body"])).decode(),
    }
    derivation.index(WORDS, row["id"], texts)
    places.put(derivation, row, texts["body"])


def labels(row: Row) -> str:
    """Give what else a record can be found by: its id, its type, its reason and its metadata."""
    return " ".join([row["id"], row["type"], row["reason"] or "", *metadata_texts(row)])


def metadata_texts(row: Row) -> list[str]:
    """Give the keys and the plain values of a record's metadata."""
    return _texts(row["metadata"])


def _texts(value: object) -> list[str]:
    """Gather the keys and the plain values of some JSON.

    By name, as a rebuild finds them: an entry is kept with its keys in order, whatever order a
    caller gave.
    """
    if isinstance(value, dict):
        return [text for key in sorted(value) for text in [key, *_texts(value[key])]]
    if isinstance(value, list):
        return [text for inner in value for text in _texts(inner)]
    return [] if value is None or isinstance(value, bool) else [str(value)]


VIEW = View(
    "records",
    VERSION,
    (RECORDS, BENEATH, places.PLACES),
    on={
        RecordCreated: _created,
        RecordUpdated: _updated,
        RecordTransitioned: _transitioned,
        RecordMoved: _moved,
    },
    topics=(WORDS,),
)
