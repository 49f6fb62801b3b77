"""Views that a host shows beside an answer (the MCP Apps extension).

Each is one HTML file that loads nothing; `web/apps/build.mjs` makes them of the page's own parts.
"""

from collections.abc import Callable, Collection
from importlib.resources import files
from typing import Any

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.mcp.resources import Parts, Resource

MIME_TYPE = "text/html;profile=mcp-app"

META = {"ui": {"csp": {"connectDomains": [], "resourceDomains": []}, "prefersBorder": True}}
"""A view reaches no other origin: what it shows and asks for goes through the host."""


def _reader(name: str) -> Callable[[Application, Caller, Parts], str]:
    def read(_: Application, _caller: Caller, _parts: Parts) -> str:
        return files("hansard.mcp").joinpath("apps", f"{name}.html").read_text(encoding="utf-8")

    return read


def _never(_: Parts, _grown: Collection[str]) -> bool:
    """A view holds nothing of any project."""
    return False


def _app(name: str, description: str) -> Resource:
    return Resource(
        uri=f"ui://hansard/{name}",
        name=f"{name} view",
        description=description,
        read=_reader(name),
        concerns=_never,
        mime_type=MIME_TYPE,
        meta=META,
    )


APPS_BY_TOOL = {
    "get_timeline": _app("timeline", "What happened in a session, to look through"),
    "get_evolution": _app("evolution", "A file as a film of its revisions"),
    "search_decisions": _app("decisions", "Decisions that were found, and their chains"),
}


def tool_meta(operation: str) -> dict[str, Any] | None:
    """Say which view shows a tool's answers, if one does."""
    app = APPS_BY_TOOL.get(operation)
    return {"ui": {"resourceUri": app.uri}} if app else None
