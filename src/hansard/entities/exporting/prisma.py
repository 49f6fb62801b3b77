"""The types as a Prisma schema, for PostgreSQL; for SQLite only the provider differs. Pure.

What lies within an entity and has an id of its own (turns, nodes, edges) is a model beside it; its
id is unique within its owner only. What else is no plain value is JSON. Times are texts: a
`DateTime` comes back from Prisma to the millisecond, and an `updatedAt` cut short is no version.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hansard.entities.exporting.definitions import (
    SHARED,
    Json,
    alternatives,
    definitions,
    entity_names,
    target,
)
from hansard.entities.types.entity import EntityType

HEAD = """\
// The types of Hansard's entities, made from their definitions by
// `hansard export-schema --format prisma`. Times are ISO texts in UTC, to the microsecond.

generator client {
  provider = "prisma-client"
  output   = "./generated"
}

datasource db {
  provider = "postgresql"
}
"""

_SCALARS = {"string": "String", "number": "Float", "integer": "BigInt", "boolean": "Boolean"}


@dataclass(frozen=True, slots=True)
class _Field:
    """A line of a model."""

    name: str
    type: str
    marks: str = ""


def prisma(types: Sequence[EntityType]) -> str:
    """Declare a model for every type and for its parts, and the sets of values they use."""
    described = definitions(types)
    enums: dict[str, list[str]] = {}
    models: dict[str, str] = {}
    for declared in types:
        name = entity_names([declared])[declared.name]
        models[name] = _entity_model(declared, name, described, enums)
        for part in declared.parts:
            inner = _part_model(described[name], part)
            models[inner] = _owned_model(inner, name, described, enums)
    sets = [_enum(name, values) for name, values in sorted(enums.items())]
    return "\n".join([HEAD, *models.values(), *sets])


def _entity_model(
    declared: EntityType, name: str, described: dict[str, Json], enums: dict[str, list[str]]
) -> str:
    schema = described[name]
    fields = list(_fields(name, schema, enums, without=declared.parts))
    fields[0] = _Field("id", "String", "@id")
    fields += [_Field(part, f"{_part_model(schema, part)}[]") for part in declared.parts]
    if schema.get("additionalProperties") is True:
        fields.append(_Field("others", "Json", '@default("{}")'))
    named = (*declared.where, *(one for one in declared.linked if one.endswith("Id")))
    indexes = [f"  @@index([{field}])" for field in named]
    return _model(name, schema, fields, indexes)


def _owned_model(
    name: str, owner: str, described: dict[str, Json], enums: dict[str, list[str]]
) -> str:
    field = owner[0].lower() + owner[1:]
    relation = f"@relation(fields: [{field}Id], references: [id], onDelete: Cascade)"
    fields = [
        *_fields(name, described[name], enums),
        _Field("place", "Int"),
        _Field(f"{field}Id", "String"),
        _Field(field, owner, relation),
    ]
    return _model(name, described[name], fields, [f"  @@id([{field}Id, id])"])


def _fields(
    model: str, schema: Json, enums: dict[str, list[str]], without: Sequence[str] = ()
) -> Iterator[_Field]:
    for name, one in schema["properties"].items():
        if name not in without and name in schema["required"]:
            yield _field(model, name, one, enums)


def _field(model: str, name: str, schema: Json, enums: dict[str, list[str]]) -> _Field:
    given = alternatives(schema)
    several = [one for one in given if one.get("type") != "null"]
    is_optional = len(several) < len(given) or schema == {}
    kind = _type(model, name, several[0], enums) if len(several) == 1 else "Json"
    return _Field(name, kind + "?" * is_optional)


def _type(model: str, name: str, schema: Json, enums: dict[str, list[str]]) -> str:
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if shared := target(schema):
        if shared not in SHARED:
            return "Json"
        enums[shared] = list(SHARED[shared]["enum"])
        return shared
    if values is not None:
        named = model + name[0].upper() + name[1:]
        enums[named] = values
        return named
    return _SCALARS.get(str(schema.get("type")), "Json")


def _part_model(schema: Json, part: str) -> str:
    inner = target(schema["properties"][part]["items"])
    assert inner is not None, f"{part} is not a list of described parts"
    return inner


def _model(name: str, schema: Json, fields: Sequence[_Field], rules: Sequence[str]) -> str:
    wide, wider = (max(len(getattr(one, what)) for one in fields) for what in ("name", "type"))
    lines = [f"  {one.name:<{wide}} {one.type:<{wider}} {one.marks}".rstrip() for one in fields]
    body = "\n".join([*lines, *(["", *rules] if rules else [])])
    return f"/// {schema['description']}\nmodel {name} {{\n{body}\n}}\n"


def _enum(name: str, values: Sequence[str]) -> str:
    body = "\n".join(f"  {value}" for value in values)
    return f"enum {name} {{\n{body}\n}}\n"
