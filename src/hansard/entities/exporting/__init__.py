"""The type definitions as schemas for other tools. Always the same text for the same types."""

from collections.abc import Callable, Sequence
from typing import Literal, get_args

from hansard.entities.exporting.json_schema import json_schema
from hansard.entities.exporting.prisma import prisma
from hansard.entities.exporting.typescript import typescript
from hansard.entities.types import TYPES
from hansard.entities.types.entity import EntityType

Format = Literal["jsonschema", "prisma", "typescript"]
FORMATS: tuple[Format, ...] = get_args(Format)

FILES: dict[str, Format] = {
    "entities.schema.json": "jsonschema",
    "entities.prisma": "prisma",
    "entities.ts": "typescript",
}
"""What each is called where they are kept."""

_EXPORTS: dict[Format, Callable[[Sequence[EntityType]], str]] = {
    "jsonschema": json_schema,
    "prisma": prisma,
    "typescript": typescript,
}


def export(format: Format, types: Sequence[EntityType] = TYPES) -> str:
    """Write the types down in one of the formats."""
    return _EXPORTS[format](types)
