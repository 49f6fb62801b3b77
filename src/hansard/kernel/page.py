"""Cursors: where a page of a list ended, as an opaque string for the caller."""

import base64
import binascii

import orjson

from hansard.kernel.engine import FieldType, Position, Table
from hansard.kernel.problem import InvalidInput


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
        raise InvalidInput("cursor: not one that a list returned", argument="cursor") from error
    is_storable = isinstance(key, str) and _is_storable(key) and _is_storable(value)
    if not is_storable or not _fits(value, table, order):
        raise InvalidInput("cursor: not one that a list returned", argument="cursor")
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
