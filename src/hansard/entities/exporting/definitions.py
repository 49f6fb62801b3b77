"""What the exported schemas are made from: each type as it is read, in JSON Schema. Pure."""

from collections.abc import Iterable
from typing import Any, get_args

from pydantic.json_schema import models_json_schema

from hansard.entities.types.agent_graph import NodePosition
from hansard.entities.types.entity import Entity, EntityType, Status
from hansard.entities.types.message_thread import MessagePartial
from hansard.entities.types.settings import SettingsEntity

Json = dict[str, Any]

SHARED = {"Status": {"enum": list(get_args(Status)), "type": "string"}}
"""Sets of values that several types use, by the name they go by."""

BASE = "BaseRecordProps"
"""The name of what every entity has, as source 002 spells it."""

NAMES = {NodePosition.__name__: "Position", SettingsEntity.__name__: "Settings"}
"""Source 002's names of models whose names mean something else here."""

UNIONS = {
    "MessagePartial": {
        "oneOf": [
            {"$ref": f"#/$defs/{one.__name__}"} for one in get_args(get_args(MessagePartial)[0])
        ]
    }
}
"""What may be one of several described things, by the name it goes by."""

_NOISE = ("title", "default", "discriminator")
"""What pydantic says about a field that its reader does not need."""


def definitions(types: Iterable[EntityType]) -> dict[str, Json]:
    """Describe every type and what lies within one, in the order of their names."""
    known = list(types)
    models = [(model, "serialization") for model in (Entity, *(one.model for one in known))]
    _, document = models_json_schema(models, by_alias=True)  # type: ignore[arg-type]
    found = {NAMES.get(name, name): _plain(one) for name, one in document["$defs"].items()}
    # Others add their fields to these, so it is open.
    found[BASE] = _without(found.pop(Entity.__name__), "additionalProperties")
    for declared in known:
        found[described_as(declared)]["properties"] |= {
            f"{name}Total": {"type": "integer"} for name in declared.grows
        }
    return dict(sorted((found | SHARED | UNIONS).items()))


def base_fields() -> list[str]:
    """Name what every entity has."""
    return [str(one.alias) for one in Entity.model_fields.values()]


def has_base(schema: Json) -> bool:
    """Whether something described is an entity, or has an id and times as one has."""
    return set(base_fields()) <= set(schema.get("properties", ()))


def entity_names(types: Iterable[EntityType]) -> dict[str, str]:
    """Say under which name each type is described."""
    return {declared.name: described_as(declared) for declared in types}


def described_as(declared: EntityType) -> str:
    """Give the name that a type is described under."""
    return NAMES.get(declared.model.__name__, declared.model.__name__)


def reference(name: str) -> Json:
    """Point to a description."""
    return {"$ref": f"#/$defs/{name}"}


def target(schema: Json) -> str | None:
    """Give the name that a schema points to, if it does."""
    pointer = schema.get("$ref")
    return None if pointer is None else str(pointer).rpartition("/")[2]


def alternatives(schema: Json) -> list[Json]:
    """Give what something may be; most things may be one thing only."""
    several = schema.get("anyOf") or schema.get("oneOf")
    return list(several) if several else [schema]


def _plain(schema: Json) -> Json:
    """Describe an object without noise, with all of its fields: what is read always has them."""
    fields = {name: _field(one) for name, one in schema.get("properties", {}).items()}
    kept = {key: value for key, value in schema.items() if key not in ("properties", *_NOISE)}
    # On one line, so that it can stand in the comments of any language.
    described = {"description": " ".join(str(schema.get("description", "")).split())}
    return kept | described | {"properties": fields, "required": list(fields)}


def _without(schema: Json, key: str) -> Json:
    return {name: value for name, value in schema.items() if name != key}


def _field(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_field(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if (name := target(schema)) in NAMES:
        return reference(NAMES[name])
    bare = {key: _field(value) for key, value in schema.items() if key not in _NOISE}
    for name, shared in (SHARED | UNIONS).items():
        if bare == shared:
            return reference(name)
    return bare
