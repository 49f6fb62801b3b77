"""What a request carries besides its call, over any transport."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hansard.mcp.client_names import EXTENSION, Client, made_fit

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Circumstances:
    """A request, without what it asks for."""

    meta: Mapping[str, Any] = field(default_factory=dict)
    client: Client | None = None
    """The program that asks, if it says so in a way that can be shown."""
    shows_views: bool = False
    """Whether it says that it shows views beside answers."""
    is_stateless: bool = False
    """Whether it is of the era that has no connections."""
    request: Any = None
    """What it came in over HTTP: its `headers`, its `scope` and its `client`."""


def introduced(info: Any, capabilities: Any) -> tuple[Client | None, bool]:
    """Read from plain JSON which program asks, and whether it shows views."""
    if info is None:
        return None, False
    return made_fit(info["name"], info["version"]), EXTENSION in capabilities.get("extensions", {})
