"""The tools a client is shown, made from the catalog's operations."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from mcp_types import Tool, ToolAnnotations

from hansard.app.catalog import Catalog
from hansard.app.parameters import COMMON, NEEDED, speaks_of
from hansard.app.schema import listed_input_schema
from hansard.app.settings import Settings
from hansard.kernel.event import ROLES, Actor
from hansard.kernel.operation import Capability, Operation
from hansard.mcp.apps import tool_meta
from hansard.mcp.cards import Card, can_succeed, choose, tokens
from hansard.mcp.hints import hints_of


class Toolbox:
    """The operations as tools: which are listed under these settings, and the schema of each."""

    def __init__(
        self,
        catalog: Catalog,
        settings: Settings,
        *,
        has_secret: bool | None = None,
        cards: Sequence[Card] | None = None,
    ) -> None:
        """Choose what is listed, or refuse settings that name what there is not.

        `has_secret` says whether one is set that a call can prove; else the catalog says it.
        `cards` are the catalog's own, from whoever has them: making them takes a while.
        """
        if has_secret is None:
            has_secret = bool(catalog.secret and catalog.secret.is_set)
        self._has_secret = has_secret
        self._settings = settings
        cards = cards_of(catalog) if cards is None else cards
        self._listed = choose(cards, settings)
        chosen = {card["tool"]["name"]: card for card in (*cards, *self._listed)}
        self._schemas = {name: card["tool"]["inputSchema"] for name, card in chosen.items()}

    def names(self, actor: Actor) -> frozenset[str]:
        """Name what is listed to this actor."""
        return frozenset(tool.name for tool in self.listed(actor))

    def listed(self, actor: Actor) -> list[Tool]:
        """List what this actor may use, always in the catalog's order."""
        return [
            Tool.model_validate(card["tool"])
            for card in self._listed
            if can_succeed(card, actor.role, self._settings, has_secret=self._has_secret)
        ]

    def schema(self, name: str) -> Mapping[str, Any] | None:
        """Give the input schema of any tool, listed or not."""
        return self._schemas.get(name)


def cards_of(catalog: Catalog) -> list[Card]:
    """Make the cards of all operations, and of their aliases, in the catalog's order."""
    return [
        _card(name, operation, capability)
        for capability in catalog.capabilities
        for operation in capability.operations
        for name in (operation.name, *operation.aliases)
    ]


def budget_tokens(tools: Iterable[Tool]) -> int:
    """Count what a tool list costs a model that reads it."""
    return tokens(tool.model_dump(by_alias=True, exclude_none=True) for tool in tools)


def _card(name: str, operation: Operation, capability: Capability) -> Card:
    is_alias = name != operation.name
    # Whoever proves the secret with a call is an admin for that call, of whatever role.
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
    """Tell what nothing else does: neither the instructions, nor the tool's own sentence."""
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
