"""The tools a client is shown, made from the catalog's operations."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from mcp_types import Tool, ToolAnnotations

from hansard.app.catalog import Catalog
from hansard.app.parameters import COMMON, NEEDED, speaks_of
from hansard.app.schema import listed_input_schema
from hansard.app.settings import Settings
from hansard.kernel.event import Actor
from hansard.kernel.operation import Operation
from hansard.kernel.problem import InvalidInput
from hansard.mcp.apps import tool_meta

CHARS_PER_TOKEN = 4
"""How the budget of a tool list is counted."""

BUDGETS = {"core": 1_500, "default": 4_200, "all": 9_000}
"""How many tokens a list may take, by the toolset that is asked for; others as `all`."""

Told = Callable[[Operation, str], bool]
"""Says whether a list has words about a parameter."""


class Toolbox:
    """The operations as tools: which are listed under these settings, and the schema of each."""

    def __init__(
        self, catalog: Catalog, settings: Settings, *, has_secret: bool | None = None
    ) -> None:
        """Choose what is listed, or refuse settings that name what there is not.

        `has_secret` says whether one is set that a call can prove; else the catalog says it.
        """
        if has_secret is None:
            has_secret = any(one.secret and one.secret.is_set for one in catalog.capabilities)
        self._has_secret = has_secret
        names = {name: one for one in catalog for name in (one.name, *one.aliases)}
        toolsets = _known(settings.toolsets, catalog.toolsets, "toolset")
        extra = _known(settings.tools, names, "tool")
        chosen = {one.name for one in catalog.toolset(toolsets)} | set(extra)
        self._listed = [(name, one) for name, one in names.items() if name in chosen]
        self._read_only = settings.read_only
        tokens_max = max((BUDGETS.get(one, BUDGETS["all"]) for one in toolsets), default=0)
        told = _told([one for _, one in self._listed], tokens_max)
        self._schemas = {
            name: listed_input_schema(one, partial(told, one)) for name, one in names.items()
        }

    def names(self, actor: Actor) -> frozenset[str]:
        """Name what is listed to this actor."""
        return frozenset(tool.name for tool in self.listed(actor))

    def listed(self, actor: Actor) -> list[Tool]:
        """List what this actor may use, always in the catalog's order."""
        return [
            _tool(name, operation, self._schemas[name])
            for name, operation in self._listed
            if self._can_succeed(operation, actor)
        ]

    def _can_succeed(self, operation: Operation, actor: Actor) -> bool:
        if self._read_only and operation.writes:
            return False
        if operation.needs_secret:
            # Whoever proves it with a call is an admin for that call, of whatever role.
            return self._has_secret and actor.may("agent")
        return actor.may(operation.role)

    def schema(self, name: str) -> Mapping[str, Any] | None:
        """Give the input schema of any tool, listed or not."""
        return self._schemas.get(name)


def budget_tokens(tools: Iterable[Tool]) -> int:
    """Count what a tool list costs a model that reads it."""
    return _tokens([(tool.name, tool.description or "", tool.input_schema) for tool in tools])


def _all_told(operation: Operation, name: str) -> bool:
    """Tell what nothing else does: neither the instructions, nor the tool's own sentence."""
    return name not in COMMON and not speaks_of(operation, name)


def _least_told(operation: Operation, name: str) -> bool:
    """Tell what nobody would guess."""
    return name in NEEDED and not speaks_of(operation, name)


def _told(operations: Sequence[Operation], tokens_max: int) -> Told:
    """Say as much of the parameters as there is room for."""
    shown = [
        (one.name, one.description, listed_input_schema(one, partial(_all_told, one)))
        for one in operations
    ]
    return _all_told if _tokens(shown) <= tokens_max else _least_told


def _tokens(shown: Iterable[tuple[str, str, Mapping[str, Any]]]) -> int:
    listed = [
        {"name": name, "description": description, "inputSchema": schema}
        for name, description, schema in shown
    ]
    return len(json.dumps(listed, separators=(",", ":"), ensure_ascii=False)) // CHARS_PER_TOKEN


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


def _tool(name: str, operation: Operation, schema: Mapping[str, Any]) -> Tool:
    return Tool(
        name=name,
        description=operation.description,
        input_schema=dict(schema),
        annotations=ToolAnnotations(
            read_only_hint=not operation.writes,
            destructive_hint=operation.destructive,
            idempotent_hint=operation.repeatable or not operation.writes,
            open_world_hint=False,
        ),
        meta=tool_meta(operation.name),
    )
