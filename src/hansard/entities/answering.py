"""The common ending of every write of entities, and its checks."""

from typing import Any

from hansard.entities import contract, limits
from hansard.entities.reading import Look, find, find_as, looked_up, show
from hansard.entities.types import BY_NAME
from hansard.entities.types.entity import EntityType
from hansard.kernel.engine import ReadTx
from hansard.kernel.operation import Context

AFTER_WRITING = Look(
    limit=limits.APPENDED_SHOWN_TURNS_MAX, bytes_max=limits.APPENDED_SHOWN_BYTES_MAX
)
"""The answer to a write need not show what its caller knows."""


def written(tx: ReadTx, context: Context, identifier: str) -> contract.EntityWrittenAnswer:
    """Answer with an entity as it stands now."""
    entity, place = show(tx, *find(tx, identifier), AFTER_WRITING)
    cursor = looked_up(tx, entity, place)
    return contract.EntityWrittenAnswer(
        entity=entity, nextCursor=cursor, session_id=context.session
    )


def check_references(tx: ReadTx, declared: EntityType, content: dict[str, Any]) -> None:
    """Refuse what names an entity that is not there."""
    for field, type_name in declared.references.items():
        if content.get(field) is not None:
            find_as(tx, content[field], BY_NAME[type_name])
