"""The types as TypeScript. Pure."""

import json
from collections.abc import Sequence

from hansard.entities.exporting.definitions import (
    Json,
    alternatives,
    definitions,
    entity_names,
    target,
)
from hansard.entities.types.entity import EntityType

HEAD = """\
// The types of Hansard's entities, made from their definitions by
// `hansard export-schema --format typescript`. Times are ISO texts in UTC.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
"""

_WORDS = {
    "string": "string",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "null": "null",
}


def typescript(types: Sequence[EntityType]) -> str:
    """Declare every type, what lies within one, and the union of all."""
    declared = [_declaration(name, one) for name, one in definitions(types).items()]
    names = entity_names(types)
    by_type = "".join(f"  {name}: {shown};\n" for name, shown in names.items())
    union = "/** Each type under the name that `entity_create` takes. */\n"
    union += f"export interface Entities {{\n{by_type}}}\n\n"
    union += "export type Entity = Entities[keyof Entities];\n"
    return "\n".join([HEAD, *declared, union])


def _declaration(name: str, schema: Json) -> str:
    comment = f"/** {schema['description']} */\n" if "description" in schema else ""
    if "properties" not in schema:
        return f"{comment}export type {name} = {_type(schema)};\n"
    fields = "".join(
        f"  {_key(field)}: {_type(one)};\n" for field, one in schema["properties"].items()
    )
    others = "  [key: string]: Json;\n" if schema.get("additionalProperties") is True else ""
    return f"{comment}export interface {name} {{\n{fields}{others}}}\n"


def _type(schema: Json) -> str:
    """Say in TypeScript what a schema allows; one that says nothing allows any JSON."""
    several = alternatives(schema)
    if len(several) > 1:
        return " | ".join(dict.fromkeys(_type(one) for one in several))
    if name := target(schema):
        return name
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if values is not None:
        return " | ".join(json.dumps(value) for value in values)
    match schema.get("type"):
        case "array":
            return f"Array<{_type(schema.get('items', {}))}>"
        case "object":
            inner = schema.get("additionalProperties")
            return f"Record<string, {_type(inner) if isinstance(inner, dict) else 'Json'}>"
        case word:
            return _WORDS.get(str(word), "Json")


def _key(field: str) -> str:
    return field if field.isidentifier() else json.dumps(field)
