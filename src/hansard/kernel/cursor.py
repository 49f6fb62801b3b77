"""Cursors: the place where a page of a list ended, as an opaque string."""

import base64
import binascii
import hashlib
from dataclasses import dataclass

import orjson
from pydantic import BaseModel

from hansard.kernel.engine import FieldType, Position, Table
from hansard.kernel.problem import InvalidInput

TAG_BYTES = 9
TAG_CHARS = 12

HOW_SHOWN = {
    *("cursor", "limit", "offset", "budget_tokens", "format", "reveal", "diff", "as_of"),
    *("session_id", "project_id", "to_id"),
}
"""Arguments that say how a list is shown, or when, or who asks: with others it is the same list."""


@dataclass(frozen=True, slots=True)
class Listing:
    """One list, given page by page: what is asked, of which project. Its cursors open no other.

    The tag of a cursor is no secret. Whoever makes one up, tag included, gets that place of a list
    that they may read anyway.
    """

    operation: str
    project: str
    asked: BaseModel
    session: str | None = None
    """Whose it is, where a list is a session's."""

    def cursor(self, place: str) -> str:
        """Turn a place in this list into a cursor for callers."""
        return self._tag_of(place) + place

    def place(self, cursor: str) -> str:
        """Give the place that a caller's cursor names, or refuse one of anything else."""
        tag, place = cursor[:TAG_CHARS], cursor[TAG_CHARS:]
        if tag != self._tag_of(place):
            raise refused()
        return place

    def _tag_of(self, place: str) -> str:
        given = self.asked.model_dump(mode="json", exclude=HOW_SHOWN)
        # Leaving an argument out and giving null differ, as with `parent_id`.
        said = self.asked.model_fields_set
        nulls = sorted(name for name in given if given[name] is None and name in said)
        about = [self.operation, self.project, self.session, given, nulls, place]
        packed = orjson.dumps(about, option=orjson.OPT_SORT_KEYS)
        digest = hashlib.blake2b(packed, digest_size=TAG_BYTES).digest()
        return base64.urlsafe_b64encode(digest).decode()


def refused() -> InvalidInput:
    """Say that a cursor is none of this list's."""
    return InvalidInput(
        "cursor: not one that this list gave",
        hint="Ask without a cursor for the first page, then with the nextCursor of each answer",
        argument="cursor",
    )


def to_cursor(position: Position) -> str:
    """Write a position down for a caller to send back."""
    packed = orjson.dumps([position.value, position.key])
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def from_cursor(
    cursor: str | None, table: Table | None = None, order: str | None = None
) -> Position | None:
    """Read a position that a caller sent back, in a list of this table in the order of a field."""
    if cursor is None:
        return None
    try:
        packed = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        value, key = orjson.loads(packed)
    except (binascii.Error, ValueError, TypeError) as error:
        raise refused() from error
    is_storable = isinstance(key, str) and _is_storable(key) and _is_storable(value)
    if not is_storable or not _fits(value, table, order):
        raise refused()
    return Position(value, key)


def _is_storable(value: object) -> bool:
    """Whether every database could have given this out: some take no larger number, and no NUL."""
    if isinstance(value, str):
        return "\0" not in value
    return not isinstance(value, int) or abs(value) < 2**63


_TYPES: dict[FieldType, type] = {"text": str, "integer": int, "real": float, "boolean": bool}


def _fits(value: object, table: Table | None, order: str | None) -> bool:
    """Whether a value can be one of the field's: a database must not be asked to compare others."""
    if table is None:
        return isinstance(value, str | int | float | None)
    return value is None if order is None else type(value) is _TYPES[table.fields[order]]
