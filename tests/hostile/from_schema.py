"""Values that fit a JSON schema, for as much of the language as our own schemas use."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.hostile.nasty import TEXTS, TIMES, drawn

Schema = dict[str, Any]

UNICODE = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAMED = st.sampled_from(["R001", "D001", "C001", "P001", "default", "s", "a/b.txt", "path:src/**"])
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | UNICODE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(UNICODE, inner, max_size=3),
    max_leaves=6,
)


def fitting(schema: Schema) -> st.SearchStrategy[Any]:
    """Make values that a schema allows."""
    if "const" in schema or "enum" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return st.one_of([fitting(one) for one in choices])
    stated = schema.get("type", [])
    kinds = [stated] if isinstance(stated, str) else stated
    return st.one_of([_of_kind(kind, schema) for kind in kinds]) if kinds else ANY_JSON


def _of_kind(kind: str, schema: Schema) -> st.SearchStrategy[Any]:
    made: dict[str, Callable[[Schema], st.SearchStrategy[Any]]] = {
        "string": _texts,
        "integer": _integers,
        "number": lambda _: st.floats(allow_nan=False, allow_infinity=False),
        "boolean": lambda _: st.booleans(),
        "null": lambda _: st.none(),
        "array": _lists,
        "object": _objects,
    }
    return made[kind](schema)


def _integers(schema: Schema) -> st.SearchStrategy[int]:
    least, most = schema.get("minimum", -5), schema.get("maximum", 2**63)
    return st.integers(least, min(most, least + 200)) | st.integers(least, most)


def _lists(schema: Schema) -> st.SearchStrategy[list[Any]]:
    return st.lists(
        fitting(schema.get("items", {})), min_size=schema.get("minItems", 0), max_size=3
    )


def _texts(schema: Schema) -> st.SearchStrategy[str]:
    least, most = schema.get("minLength", 0), schema.get("maxLength", 10**6)
    made = UNICODE | NAMED | drawn([*TEXTS, *TIMES])
    return made.map(lambda text: text.ljust(least, "x")[:most])


def _objects(schema: Schema) -> st.SearchStrategy[Schema]:
    needed = {*schema.get("required", ())}
    parts = {name: fitting(part) for name, part in schema.get("properties", {}).items()}
    named = st.fixed_dictionaries(
        {name: part for name, part in parts.items() if name in needed},
        optional={name: part for name, part in parts.items() if name not in needed},
    )
    extra = schema.get("additionalProperties", not parts)
    if extra is False:
        return named
    values = fitting(extra) if isinstance(extra, dict) else ANY_JSON
    return st.builds(lambda more, own: more | own, _maps(values), named)


def _maps(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Schema]:
    return st.dictionaries(UNICODE, values, max_size=4)
