"""The help page for a person who opens an address meant for programs.

It is the same page as elsewhere: the address tells it to show help, and it asks the API for
nothing. Programs get their usual answer: only requests for HTML get the help page.
"""

from collections.abc import Callable

from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from hansard.app.oauth import MCP
from hansard.app.openapi import BASE
from hansard.http.authentication import METRICS

NOT_FOUND = 404
NOT_ACCEPTABLE = 406
"""MCP's refusal of a request that accepts neither of its kinds of answers."""

ANSWERED = ("/assets/", "/healthz", "/readyz", "/.well-known/", METRICS, BASE)
"""Prefixes of addresses that answer every caller themselves."""


class Helping:
    """Wraps an application, and helps people who opened a wrong address."""

    def __init__(self, app: ASGIApp, page: Callable[[int], Response]) -> None:
        """Give the `page` under a status if an application has nothing for a person."""
        self._app = app
        self._page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer with help."""
        status = lost(scope)
        await (self._page(status) if status else self._app)(scope, receive, send)


def lost(scope: Scope) -> int | None:
    """Say which status shows that somebody went astray; `None` if they did not. Pure."""
    if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
        return None
    path: str = scope["path"]
    if path == "/" or path.startswith(ANSWERED) or not _reads_html(scope):
        return None
    return NOT_ACCEPTABLE if path.rstrip("/") == MCP else NOT_FOUND


def _reads_html(scope: Scope) -> bool:
    accepted = HTTPConnection(scope).headers.get("accept", "")
    kinds = {one.partition(";")[0].strip().lower() for one in accepted.split(",")}
    return "text/html" in kinds and "text/event-stream" not in kinds
