"""The tools that a client sees, made from the catalog's operations."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hansard.app.catalog import Catalog
from hansard.app.settings import Settings
from hansard.kernel.event import Actor
from hansard.mcp.cards import Card, Json, can_succeed, choose, tokens

if TYPE_CHECKING:
    from mcp_types import Tool


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
        """Choose what is listed, or refuse unknown names in settings.

        `has_secret` says whether one is set that a call can prove; else the catalog says it.
        `cards` are the catalog's own, passed in because making them takes a while.
        """
        if has_secret is None:
            has_secret = bool(catalog.secret and catalog.secret.is_set)
        self._has_secret = has_secret
        self._settings = settings
        if cards is None:
            from hansard.mcp.make_cards import cards_of

            cards = cards_of(catalog)
        self._listed = choose(cards, settings)
        chosen = {card["tool"]["name"]: card for card in (*cards, *self._listed)}
        self._schemas = {name: card["tool"]["inputSchema"] for name, card in chosen.items()}

    def names(self, actor: Actor) -> frozenset[str]:
        """Name what is listed to this actor."""
        return frozenset(tool["name"] for tool in self._told(actor))

    def listed(self, actor: Actor) -> "list[Tool]":
        """List what this actor may use, always in the catalog's order."""
        from mcp_types import Tool

        return [Tool.model_validate(tool) for tool in self._told(actor)]

    def _told(self, actor: Actor) -> list[Json]:
        return [
            card["tool"]
            for card in self._listed
            if can_succeed(card, actor.role, self._settings, has_secret=self._has_secret)
        ]

    def schema(self, name: str) -> Mapping[str, Any] | None:
        """Give the input schema of any tool, listed or not."""
        return self._schemas.get(name)


def budget_tokens(tools: "Iterable[Tool]") -> int:
    """Count what a tool list costs a model that reads it."""
    return tokens(tool.model_dump(by_alias=True, exclude_none=True) for tool in tools)
