"""JSON Schemas of the operations, kept as small as possible because a model reads every byte."""

from collections.abc import Callable
from typing import Any

from hansard.app.parameters import words
from hansard.kernel.model_answer import MARK
from hansard.kernel.operation import Operation

Json = dict[str, Any]


def input_schema(operation: Operation) -> Json:
    """Describe an operation's arguments: closed, without titles, nulls or repeated definitions."""
    thrifty: Json = _without_nulls(_compact(operation.request.model_json_schema()))
    return thrifty


def listed_input_schema(operation: Operation, is_told: Callable[[str], bool]) -> Json:
    """Describe an operation's arguments for a list, with words only about some of them."""
    terse: Json = _terse(_of_one_type(input_schema(operation)))
    return _described(operation, terse, is_told)


def exact_input_schema(operation: Operation) -> Json:
    """Describe an operation's arguments to programs: with the null that may stand for no value."""
    exact = _compact(operation.request.model_json_schema())
    return _described(operation, exact, lambda _: True)


def output_schema(operation: Operation) -> Json:
    """Describe an operation's answer."""
    described = _compact(operation.result.model_json_schema(mode="serialization"))
    thrifty: Json = _without_nulls(described)
    return thrifty


def published(operation: Operation) -> Json:
    """Give what `schema/v1` says of an operation."""
    return {
        "name": operation.name,
        "description": operation.description,
        "role": operation.role,
        "writes": operation.writes,
        "inputSchema": _described(operation, input_schema(operation), lambda _: True),
        "outputSchema": output_schema(operation),
        "mcpOutputSchema": told_schema(operation),
    }


def _described(operation: Operation, schema: Json, is_told: Callable[[str], bool]) -> Json:
    told = {
        name: {"description": said}
        for name in schema["properties"]
        if is_told(name) and (said := words(operation, name))
    }
    fields = {name: field | told.get(name, {}) for name, field in schema["properties"].items()}
    return {**schema, "properties": fields}


def told_schema(operation: Operation) -> Json:
    """Describe the part of an operation's answer that a model sees."""
    told: Json = _told(output_schema(operation))
    return told


def _told(node: Any) -> Any:
    """Follow the marks of `kernel/model_answer.py`; nothing else need be there."""
    if isinstance(node, list):
        return [_told(item) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get(MARK) == "text":
        return {"type": "array", "items": {"type": "string"}}
    told = {key: _told(value) for key, value in node.items() if key not in (MARK, "required")}
    if not isinstance(fields := node.get("properties"), dict):
        return told
    few = node[MARK]["only"] if isinstance(node.get(MARK), dict) and "only" in node[MARK] else None
    told["properties"] = {
        name: _told(field)
        for name, field in fields.items()
        if field.get(MARK) not in ("meta", "absent") and (few is None or name in few)
    }
    kept = [name for name in node.get("required", ()) if fields[name].get(MARK) == "kept"]
    return told | ({"required": kept} if kept else {})


def _of_one_type(node: Any) -> Any:
    """Describe the preferred form of each argument; other accepted forms are not listed.

    Hosts validate listed schemas strictly, and warn their users of every union except with null.
    """
    if isinstance(node, list):
        return [_of_one_type(item) for item in node]
    if not isinstance(node, dict):
        return node
    if choices := node.get("anyOf"):
        rest = {key: value for key, value in node.items() if key != "anyOf"}
        return _of_one_type(choices[0] | rest)
    one = {key: _of_one_type(value) for key, value in node.items()}
    kinds = one.get("type")
    if isinstance(kinds, list) and len([kind for kind in kinds if kind != "null"]) > 1:
        one["type"] = kinds[0]
    return one


BOUNDS = ("maxItems", "maxProperties", "minItems", "minimum")
"""Limits: a call that exceeds one is told so; nobody needs to read them beforehand."""


def _terse(node: Any, *, named: bool = False) -> Any:
    """Leave out what a caller would take for granted; names of fields are never left out."""
    if isinstance(node, list):
        return [_terse(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _terse(value, named=key == "properties" and not named)
        for key, value in node.items()
        if named or not (key in BOUNDS or _is_granted(key, value))
    }


def _is_granted(key: str, value: object) -> bool:
    is_usual = key == "default" and isinstance(value, int) and value is not True
    return is_usual or (key == "additionalProperties" and value is True)


def _compact(schema: Json) -> Json:
    definitions: Json = schema.get("$defs", {})
    tidy: Json = _tidy(_undescribed(schema), definitions, ())
    tidy.pop("$defs", None)
    return tidy


def _tidy(node: Any, definitions: Json, within: tuple[str, ...]) -> Any:
    """Inline references and drop what says nothing; `within` guards against endless models."""
    if isinstance(node, list):
        return [_tidy(item, definitions, within) for item in node]
    if not isinstance(node, dict):
        return node
    if reference := node.get("$ref"):
        name = str(reference).rpartition("/")[2]
        if name in within:
            return {"type": "object"}
        described = {key: value for key, value in node.items() if key != "$ref"}
        return _tidy(_undescribed(definitions[name]) | described, definitions, (*within, name))
    return {
        key: _tidy_named(value, definitions, within)
        if key in {"properties", "patternProperties"}
        else _tidy(value, definitions, within)
        for key, value in node.items()
        if not _says_nothing(key, value)
    }


def _undescribed(model: Json) -> Json:
    """Leave out a model's docstring, which is for readers of the code."""
    return {key: value for key, value in model.items() if key != "description"}


def _tidy_named(named: Json, definitions: Json, within: tuple[str, ...]) -> Json:
    return {name: _tidy(value, definitions, within) for name, value in named.items()}


def _says_nothing(key: str, value: object) -> bool:
    """Whether a keyword is pydantic's own noise: titles, hoisted definitions, `default: null`."""
    return key in {"title", "$defs"} or (key == "default" and value is None)


def _without_nulls(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_nulls(item) for item in node]
    if not isinstance(node, dict):
        return node
    return _without_null({key: _part_without_nulls(key, value) for key, value in node.items()})


def _part_without_nulls(key: str, value: Any) -> Any:
    """Keep the null of items and of values under any name: nothing says it by being left out."""
    if key not in ("items", "additionalProperties") or not isinstance(value, dict):
        return _without_nulls(value)
    return {name: _without_nulls(part) for name, part in value.items()}


def _without_null(node: Json) -> Json:
    """Describe an optional argument by its type alone: leaving it out means null."""
    choices = node.get("anyOf")
    if not choices or node.get("x-null"):
        return node
    rest = [choice for choice in choices if choice != {"type": "null"}]
    if len(rest) == len(choices):
        return node
    others = {key: value for key, value in node.items() if key != "anyOf"}
    return (rest[0] if len(rest) == 1 else {"anyOf": rest}) | others
