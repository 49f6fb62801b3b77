"""Values that broke something somewhere, and cursors that no list ever returned."""

import base64
import json
from collections.abc import Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

from hansard.app.schema import input_schema
from hansard.kernel.operation import Operation
from tests.app.test_catalog_sweep import sample

Json = dict[str, Any]
T = TypeVar("T")


def forged_cursor(value: Any, key: Any) -> str:
    """Write a position that a list could have returned, but for what is in it."""
    return base64.urlsafe_b64encode(json.dumps([value, key]).encode()).decode().rstrip("=")


CURSORS = [
    forged_cursor(2**64 - 1, "k"),
    forged_cursor(2**63, "k"),
    forged_cursor(-(2**63), "k"),
    forged_cursor(1e308, "k"),
    forged_cursor(True, "k"),
    forged_cursor(None, "9" * 30),
    forged_cursor(None, "a\0b"),
    forged_cursor("a\0b", "k"),
    forged_cursor([1], "k"),
    forged_cursor({}, "k"),
    forged_cursor(1, 1),
    "=",
    "é",
    "A" * 10_000,
]

TIMES = [
    "0001-01-01T00:00:00+23:59",
    "9999-12-31T23:59:59-23:59",
    "0001-01-01",
    "0999-01-01",
    "2026-W01-1",
    "2026-13-01",
    "+00:00",
    "t:999999999999999999",
    "s:999999999999999999999999",
    "t:-1",
    "t:٣",
]

TEXTS = [
    "",
    " ",
    "a\0b",
    "\u202e\u200b",
    "'; DROP TABLE journal; --",
    'NEAR("',
    "../../etc/passwd",
    "path:[",
    "path:[z-a]**/**/*",
    "R999999999999999999999",
    "textDocument::" + "a" * 20,
    "__proto__",
    "１２",
    "1e400",
    "x" * 100_000,
]

OTHERS: list[Any] = [
    *(-1, 0, 2**31, 2**53, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, 10**18),
    *(1.5, True, None, [], {}, [{}], ["a\0"], [""], {"": None}, {"a": "x"}, {"a": {"b": [1]}}),
]

ANYTHING: list[Any] = [*CURSORS, *TIMES, *TEXTS, *OTHERS]


def drawn(values: Sequence[T]) -> st.SearchStrategy[T]:
    """Draw one of many values, without writing all of them out as `sampled_from` does."""
    return st.integers(0, len(values) - 1).map(lambda place: values[place])


def fitting(operation: Operation) -> Json:
    """Give the arguments that an operation cannot do without."""
    schema = input_schema(operation)
    return {name: sample(schema["properties"][name]) for name in schema.get("required", ())}
