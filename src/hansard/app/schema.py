"""JSON Schemas of the operations, as small as they can be said: every byte is read by a model."""

from typing import Any

from hansard.kernel.operation import Operation

Json = dict[str, Any]


def input_schema(operation: Operation) -> Json:
    """Describe an operation's arguments: closed, without titles, nulls or repeated definitions."""
    thrifty: Json = _without_nulls(exact_input_schema(operation))
    return thrifty


def exact_input_schema(operation: Operation) -> Json:
    """Describe an operation's arguments to programs: with the null that may stand for no value."""
    return _compact(operation.request.model_json_schema())


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
        "inputSchema": input_schema(operation),
        "outputSchema": output_schema(operation),
    }


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
    return _without_null({key: _without_nulls(value) for key, value in node.items()})


def _without_null(node: Json) -> Json:
    """Say an optional argument by its type alone: leaving it out is how one says null."""
    choices = node.get("anyOf")
    if not choices or node.get("x-null"):
        return node
    rest = [choice for choice in choices if choice != {"type": "null"}]
    if len(rest) == len(choices):
        return node
    others = {key: value for key, value in node.items() if key != "anyOf"}
    return (rest[0] if len(rest) == 1 else {"anyOf": rest}) | others
