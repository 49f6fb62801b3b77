"""Words that entities use for kinds of things: `markdown`, `toolRequest`."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from hansard.entities.types import BY_NAME
from hansard.entities.types.agent_graph_execution import ExecutionEvent


@cache
def type_words() -> frozenset[str]:
    """Give every word that a field can only choose, from all types of entities."""
    models = [model for one in BY_NAME.values() for model in (one.model, one.draft)]
    event: TypeAdapter[Any] = TypeAdapter(ExecutionEvent)
    schemas = [event.json_schema(), *(one.model_json_schema() for one in models)]
    return frozenset(word for schema in schemas for word in _chosen(schema))


def _chosen(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for one in schema:
            yield from _chosen(one)
    if isinstance(schema, dict):
        words = [schema.get("const"), *schema.get("enum", [])]
        yield from (word for word in words if isinstance(word, str))
        yield from _chosen([*schema.values()])
