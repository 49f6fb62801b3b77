"""Builds the card of each tool from the catalog's operations."""

from functools import partial

from mcp_types import Tool, ToolAnnotations

from hansard.app.catalog import Catalog
from hansard.app.parameters import COMMON, NEEDED, speaks_of
from hansard.app.schema import listed_input_schema
from hansard.kernel.event import ROLES
from hansard.kernel.operation import Capability, Operation
from hansard.mcp.apps import tool_meta
from hansard.mcp.cards import Card
from hansard.mcp.hints import hints_of


def cards_of(catalog: Catalog) -> list[Card]:
    """Make the cards of all operations, and of their aliases, in the catalog's order."""
    return [
        _card(name, operation, capability)
        for capability in catalog.capabilities
        for operation in capability.operations
        for name in (operation.name, *operation.aliases)
    ]


def _card(name: str, operation: Operation, capability: Capability) -> Card:
    is_alias = name != operation.name
    # A caller that proves the secret with a call is an admin for that call.
    least = "agent" if operation.needs_secret else operation.role
    tool = _tool(name, operation)
    return Card(
        toolsets=[] if is_alias else ["all", capability.name, *operation.toolsets],
        roles=list(ROLES[ROLES.index(least) :]),
        writes=operation.writes,
        needs_secret=operation.needs_secret,
        needed=[one for one in tool.input_schema["properties"] if one in NEEDED],
        tool=tool.model_dump(by_alias=True, exclude_none=True),
    )


def _is_told(operation: Operation, name: str) -> bool:
    """Describe what neither the instructions nor the tool's own sentence does."""
    return name not in COMMON and not speaks_of(operation, name)


def _tool(name: str, operation: Operation) -> Tool:
    return Tool(
        name=name,
        description=operation.description,
        input_schema=listed_input_schema(operation, partial(_is_told, operation)),
        annotations=ToolAnnotations(
            read_only_hint=not operation.writes,
            destructive_hint=operation.destructive,
            idempotent_hint=operation.repeatable or not operation.writes,
            open_world_hint=False,
        ),
        meta=(tool_meta(operation.name) or {}) | hints_of(operation.name) or None,
    )
