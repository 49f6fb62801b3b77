"""The types as TypeScript. Pure."""

import json
from collections.abc import Sequence

from hansard.entities.exporting.definitions import (
    BASE,
    Json,
    alternatives,
    base_fields,
    definitions,
    entity_names,
    has_base,
    target,
)
from hansard.entities.types.entity import EntityType

HEAD = """\
// The types of Hansard's entities, made from their definitions by
// `hansard export-schema --format typescript`.

/**
 * A time as it goes over the wire: ISO text in UTC, to the microsecond. `new Date(moment)` reads
 * it to the millisecond; what is sent back (`updatedAt` is a version) must be the text.
 */
export type Moment = string;

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
"""

_WORDS = {
    "string": "string",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "null": "null",
    "moment": "Moment",
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
    extends = has_base(schema) and name != BASE
    left_out = base_fields() if extends else []
    fields = "".join(
        f"  {_key(field)}{'' if field in schema['required'] else '?'}: {_type(one)};\n"
        for field, one in schema["properties"].items()
        if field not in left_out
    )
    others = "  [key: string]: Json;\n" if schema.get("additionalProperties") is True else ""
    base = f" extends {BASE}" if extends else ""
    return f"{comment}export interface {name}{base} {{\n{fields}{others}}}\n"


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
    match "moment" if schema.get("format") == "date-time" else schema.get("type"):
        case "array":
            return f"Array<{_type(schema.get('items', {}))}>"
        case "object":
            inner = schema.get("additionalProperties")
            return f"Record<string, {_type(inner) if isinstance(inner, dict) else 'Json'}>"
        case word:
            return _WORDS.get(str(word), "Json")


def _key(field: str) -> str:
    return field if field.isidentifier() else json.dumps(field)
