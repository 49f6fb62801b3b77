"""The types as one JSON Schema, of draft 2020-12. Pure."""

from collections.abc import Sequence

import orjson

from hansard.entities.exporting.definitions import definitions, entity_names, reference
from hansard.entities.types.entity import EntityType


def json_schema(types: Sequence[EntityType]) -> str:
    """Describe an entity of any of these types; each has its own place under `$defs`."""
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An entity of Hansard",
        "anyOf": [reference(name) for name in entity_names(types).values()],
        "$defs": definitions(types),
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
