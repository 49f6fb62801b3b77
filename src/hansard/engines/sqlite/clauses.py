"""SQL fragments: row filters and matches. Pure."""

from collections.abc import Collection

from hansard.engines.sqlite.schema import CURRENT, table_name
from hansard.kernel.engine import AnyOf, Range, Scalar, Table, Where

NO_LIMIT = -1
"""SQLite's way to say no limit."""


def standing(table: Table, as_of: int | None, alias: str = "") -> tuple[str, list[int]]:
    """Choose the versions that stand now, or stood right after an entry."""
    if as_of is None:
        return (f" AND {alias}to_seq = {CURRENT}" if table.history else ""), []
    assert table.history, f"{table.name} keeps no history"
    return f" AND {alias}from_seq <= ? AND {alias}to_seq > ?", [as_of, as_of]


def paged(after: int | None, limit: int | None) -> tuple[str, list[int]]:
    """Choose some of a row's versions, starting with the first that began after an entry."""
    since, values = ("", []) if after is None else (" AND from_seq > ?", [after])
    return f"{since} ORDER BY from_seq LIMIT ?", [*values, NO_LIMIT if limit is None else limit]


def condition(column: str, match: Scalar | AnyOf | Range | None) -> tuple[str, list[Scalar]]:
    """Write what columns must be, and the values for its placeholders."""
    if match is None:
        return f"{column} IS NULL", []
    if isinstance(match, AnyOf):
        return f"{column} IN ({marks(match.values)})", list(match.values)
    if isinstance(match, Range):
        sides = ((">=", match.at_least), ("<", match.below))
        given = [(sign, side) for sign, side in sides if side is not None]
        clause = " AND ".join(f"{column} {sign} ?" for sign, _ in given)
        return clause or f"{column} IS NOT NULL", [side for _, side in given]
    return f"{column} = ?", [match]


def through(table: Table, where: Where | None, as_of: int | None) -> str:
    """Name the index that holds what matches in the order of the keys, if there is one.

    SQLite does not know how many rows a project has, and would scan all of them.
    """
    is_one = all(not isinstance(match, AnyOf | Range) for match in (where or {}).values())
    if as_of is None and is_one:
        for number, fields in enumerate(table.indexes):
            if len(fields) == len(where or {}) and set(fields) == (where or {}).keys():
                current = "_current" if table.history else ""
                return f" INDEXED BY {table_name(table)}{current}_{number}"
    return ""


def known(table: Table, field: str) -> str:
    """Give a field that the table declares."""
    assert field in table.fields, f"{table.name} does not declare {field}"
    return field


def marks(values: Collection[object]) -> str:
    """Write a placeholder for each of these values."""
    return ", ".join("?" * len(values))
