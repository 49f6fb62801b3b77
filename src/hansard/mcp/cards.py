"""Which tools are listed under which settings, decided on plain data. Light, for a fast start.

The full server makes the cards from the catalog; the front, which answers before that is loaded,
reads those that were made then and committed.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any, TypedDict

from hansard.app.settings import Settings
from hansard.kernel.problem import InvalidInput

Json = dict[str, Any]

CHARS_PER_TOKEN = 4
"""The unit in which the budget of a tool list is counted."""

BUDGETS = {"core": 1_500, "default": 4_200, "all": 9_000}
"""How many tokens a list may take, by the toolset that is asked for; others as `all`."""

TOOLSETS = ("all", "default", "core")
"""The toolsets besides capabilities."""


class Card(TypedDict):
    """A tool, and what decides whether it is listed."""

    toolsets: list[str]
    """The toolsets it is part of; an alias is part of none, and is listed only by its name."""
    roles: list[str]
    """The role whose calls can succeed."""
    writes: bool
    needs_secret: bool
    needed: list[str]
    """The parameters that are described in every list."""
    tool: Json
    """As MCP lists it, with all its parameters described."""


def choose(cards: Sequence[Card], settings: Settings) -> list[Card]:
    """Choose the cards that settings ask for, or refuse unknown names in settings.

    Their parameters are described as far as there is room in the list.
    """
    known = dict.fromkeys([*TOOLSETS, *(one for card in cards for one in card["toolsets"])])
    toolsets = _known(settings.toolsets, known, "toolset")
    named = _known(settings.tools, [card["tool"]["name"] for card in cards], "tool")
    chosen = [
        card for card in cards if {*toolsets} & {*card["toolsets"]} or card["tool"]["name"] in named
    ]
    tokens_max = max((BUDGETS.get(one, BUDGETS["all"]) for one in toolsets), default=0)
    if tokens([card["tool"] for card in chosen]) <= tokens_max:
        return chosen
    return [terse(card) for card in chosen]


def can_succeed(card: Card, role: str, settings: Settings, *, has_secret: bool) -> bool:
    """Whether a call of this tool can succeed; `has_secret` says that there is one to prove."""
    if card["writes"] and settings.read_only:
        return False
    return role in card["roles"] and (has_secret or not card["needs_secret"])


def terse(card: Card) -> Card:
    """Describe only the parameters that nobody would guess."""
    schema = card["tool"]["inputSchema"]
    fields = {
        name: field if name in card["needed"] else _undescribed(field)
        for name, field in schema["properties"].items()
    }
    tool = card["tool"] | {"inputSchema": schema | {"properties": fields}}
    return card | {"tool": tool}


def tokens(tools: Iterable[Json]) -> int:
    """Count what a list costs a model that reads it."""
    read = [
        {key: tool[key] for key in ("name", "description", "inputSchema") if key in tool}
        for tool in tools
    ]
    return len(json.dumps(read, separators=(",", ":"), ensure_ascii=False)) // CHARS_PER_TOKEN


def _undescribed(field: Json) -> Json:
    return {key: value for key, value in field.items() if key != "description"}


def _known(setting: str, choices: Iterable[str], kind: str) -> list[str]:
    """Split a setting's names, and refuse the first that is none of the choices."""
    names = [name.strip() for name in setting.split(",") if name.strip()]
    known = list(choices)
    for name in names:
        if name not in known:
            raise InvalidInput(
                f"There is no {kind} called {name}; choose from {', '.join(known)}", name=name
            )
    return names
