"""SQL fragments: row filters, order, and values in their columns."""

from collections.abc import Collection
from typing import Any

from hansard.engines.postgres.schema import column
from hansard.engines.postgres.text import short
from hansard.kernel.engine import AnyOf, FieldType, Range, Scalar, Table

_ARRAYS: dict[FieldType, str] = {
    "text": "text[]",
    "integer": "bigint[]",
    "real": "double precision[]",
    "boolean": "boolean[]",
}


def standing_in(table: Table, as_of: int | None, alias: str = "") -> tuple[str, list[int]]:
    """Choose the versions that stand now, or stood right after an entry."""
    if as_of is None:
        return (f" AND {alias}to_seq IS NULL" if table.history else ""), []
    assert table.history, f"{table.name} keeps no history"
    ended = f"({alias}to_seq IS NULL OR {alias}to_seq > %s)"
    return f" AND {alias}from_seq <= %s AND {ended}", [as_of, as_of]


def condition(
    name: str, kind: FieldType, wanted: Scalar | AnyOf | Range | None
) -> tuple[str, list[Any]]:
    """Choose the rows that have in a column what is wanted."""
    if wanted is None:
        return f"{name} IS NULL", []
    if isinstance(wanted, AnyOf):
        values = [stored(kind, value) for value in wanted.values]
        return f"{name} = ANY(%s::{_ARRAYS[kind]})", [values]
    if isinstance(wanted, Range):
        sides = ((">=", wanted.at_least), ("<", wanted.below))
        given = [(sign, stored(kind, side)) for sign, side in sides if side is not None]
        clause = " AND ".join(f"{name} {sign} %s" for sign, _ in given)
        return clause or f"{name} IS NOT NULL", [side for _, side in given]
    return f"{name} = %s", [stored(kind, wanted)]


def stored(kind: FieldType, value: Scalar) -> Scalar:
    """Give a field's value as its column has it."""
    if kind == "text":
        return short(str(value))
    return float(value) if kind == "real" else value


def declared(table: Table, field: str) -> str:
    """Name the column of a field."""
    assert field in table.fields, f"{table.name} does not declare {field}"
    return column(field)


def direction_of(descending: bool) -> str:  # noqa: FBT001 - named by its callers' parameter
    """Say which way rows are ordered."""
    return "DESC" if descending else "ASC"


def marks(values: Collection[object]) -> str:
    """Give a place for each value of a statement."""
    return ", ".join(["%s"] * len(values))
