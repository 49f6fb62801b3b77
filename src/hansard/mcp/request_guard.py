"""Checks every HTTP request before anything else sees it."""

from collections.abc import Iterable
from functools import lru_cache

import orjson
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hansard.app.catalog import Catalog
from hansard.app.oauth import INSUFFICIENT, OPERATION_KEY, SCOPE_KEY, SCOPES, challenge, scopes
from hansard.app.tokens import Token
from hansard.kernel.event import Role
from hansard.kernel.limits import REQUEST_BYTES_MAX
from hansard.kernel.operation import Operation
from hansard.kernel.problem import InvalidInput, PermissionDenied, Problem, UnknownOperation
from hansard.mcp.callers import SECRET_KEY
from hansard.mcp.http_dispatch import MESSAGE_KEY
from hansard.mcp.messages import ID_SEARCH_BYTES, Json, Malformed, encoded, read, too_long, typed
from hansard.mcp.origins import Origins

CONTENT_TOO_LARGE = 413
BAD_REQUEST = 400
FORBIDDEN = 403

USERS_MAX = 1_000
"""Callers that are remembered in the SDK's words."""

CALL = "tools/call"
METHODS = frozenset(
    {
        "initialize",
        "notifications/initialized",
        "ping",
        "resources/list",
        "resources/read",
        "resources/subscribe",
        "resources/templates/list",
        "resources/unsubscribe",
        "server/discover",
        "subscriptions/listen",
        "tools/list",
    }
)
"""The paths that are counted under their own names; a caller can make up any other."""


class MisdirectedRequest(PermissionDenied):
    """The request was sent to a host name that is not this server's."""

    http_status = 421
    hint = "Use an address of this server's, or have it named in --allowed-hosts"


class ForeignPage(PermissionDenied):
    """The request was made by a page of another site."""

    hint = "Ask from the page of this server itself, or from a program"


class RequestGuard:
    """Checks Host and Origin on every path, and bodies of messages before the SDK reads them."""

    def __init__(
        self, app: ASGIApp, *, path: str, hosts: Iterable[str] = (), catalog: Catalog
    ) -> None:
        """Wrap an application whose messages are posted to `path`."""
        self._app = app
        self._path = path
        self._catalog = catalog
        self._origins = Origins(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        posts = request.method == "POST"
        refusal = self._misdirected(request)
        if token := scope.get(SCOPE_KEY):
            scope["user"] = _user(token.id, token.actor.role)
        if refusal is None and posts and scope["path"] == self._path:
            body, is_whole = await _body(receive)
            refusal = self._refusal(request, body, is_whole=is_whole)
            receive = _replay(body, receive)
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await refusal(scope, receive, send)

    def _misdirected(self, request: Request) -> Response | None:
        """Refuse what was sent to another name, by another site's page, or by a form."""
        headers, server = request.headers, request.scope.get("server")
        own_port = server[1] if server else None
        if len(headers.getlist("host")) != 1 or not self._origins.is_host(headers["host"]):
            return _shaped(MisdirectedRequest.http_status)
        if not all(self._origins.is_origin(one, own_port) for one in headers.getlist("origin")):
            return _shaped(FORBIDDEN)
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if request.method == "POST" and kind != "application/json":
            return _shaped(BAD_REQUEST)
        return None

    def _refusal(self, request: Request, body: bytes, *, is_whole: bool) -> Response | None:
        if not is_whole:
            found = too_long(body[:ID_SEARCH_BYTES], b"", bytes_max=REQUEST_BYTES_MAX)
            return _error(found, CONTENT_TOO_LARGE)
        try:
            message = read(body)
            if "method" not in message:
                typed(message)
        except Malformed as malformed:
            return _error(malformed, BAD_REQUEST)
        if "method" not in message:
            return None
        operation = self._called(message)
        known = message["method"] if message["method"] in METHODS else "other"
        request.scope[OPERATION_KEY] = operation.name if operation else known
        request.scope[MESSAGE_KEY] = message
        return _out_of_reach(request, message, operation)

    def _called(self, message: Json) -> Operation | None:
        name = (message.get("params") or {}).get("name")
        if message["method"] != CALL or not isinstance(name, str):
            return None
        try:
            return self._catalog.find(name)
        except UnknownOperation:
            return None


def _shaped(status: int) -> Response:
    """Refuse in the one shape of all errors, before anything of the body is read."""
    problem: Problem
    if status == MisdirectedRequest.http_status:
        problem = MisdirectedRequest("This server is not reached by the name that Host gives")
    elif status == FORBIDDEN:
        problem = ForeignPage("Another site's page made this request")
    else:
        problem = InvalidInput("A body is posted as Content-Type: application/json")
    body = orjson.dumps({"error": problem.as_dict()})
    return Response(body, status, media_type="application/json")


def _out_of_reach(request: Request, message: Json, operation: Operation | None) -> Response | None:
    """Refuse a call that needs more than the caller's token gives, as OAuth words it."""
    token: Token | None = request.scope.get(SCOPE_KEY)
    if token is None or operation is None or token.actor.may(operation.role):
        return None
    meta = (message.get("params") or {}).get("_meta")
    if isinstance(meta, dict) and SECRET_KEY in meta:
        return None  # whether it proves anything is decided by the application
    problem = PermissionDenied(
        f"{operation.name} needs the role {operation.role}", role=token.actor.role
    )
    error = {"code": problem.rpc_code, "message": problem.message, "data": problem.as_dict()}
    body = encoded({"jsonrpc": "2.0", "id": message.get("id"), "error": error})
    host = request.headers.get("host", "")
    return Response(
        body,
        FORBIDDEN,
        {"WWW-Authenticate": challenge(host, SCOPES[operation.role], INSUFFICIENT)},
        "application/json",
    )


async def _body(receive: Receive) -> tuple[bytes, bool]:
    """Read a body up to the limit; says whether that was all of it."""
    body = bytearray()
    more = True
    while more and len(body) <= REQUEST_BYTES_MAX:
        message = await receive()
        if message["type"] != "http.request":
            break
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return bytes(body), len(body) <= REQUEST_BYTES_MAX


@lru_cache(USERS_MAX)
def _user(token_id: str, role: Role) -> AuthenticatedUser:
    """Name the caller to the SDK, which lets nobody else continue their connection."""
    return AuthenticatedUser(AccessToken(token="", client_id=token_id, scopes=scopes(role)))


def _error(malformed: Malformed, status: int) -> Response:
    return Response(malformed.answer(), status_code=status, media_type="application/json")


def _replay(body: bytes, receive: Receive) -> Receive:
    """Give the body again, to the first reader."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return pending.pop() if pending else await receive()

    return replayed
