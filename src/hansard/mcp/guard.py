"""What every HTTP request passes before anything else looks at it."""

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hansard.kernel.limits import REQUEST_BYTES_MAX
from hansard.mcp.messages import ID_SEARCH_BYTES, Malformed, parse, too_long

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""The names under which this machine is its own."""

CONTENT_TOO_LARGE = 413
BAD_REQUEST = 400


def loopback_only() -> TransportSecuritySettings:
    """Accept only what was sent to this machine by its own name, and not by another site's page."""
    named = [in_url(host) for host in LOOPBACK]
    hosts = [form for host in named for form in (host, f"{host}:*")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=hosts,
        allowed_origins=[f"http://{host}" for host in hosts],
    )


def in_url(host: str) -> str:
    """Write a host as URLs do."""
    return f"[{host}]" if ":" in host else host


class Guard:
    """Checks Host and Origin on every path, and bodies of messages before the SDK reads them."""

    def __init__(self, app: ASGIApp, *, path: str, security: TransportSecuritySettings) -> None:
        """Stand before an application whose messages are posted to `path`."""
        self._app = app
        self._path = path
        self._security = TransportSecurityMiddleware(security)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        posts = request.method == "POST"
        refusal = await self._security.validate_request(request, is_post=posts)
        if refusal is None and posts and scope["path"] == self._path:
            body, is_whole = await _body(receive)
            refusal = _refusal(body, is_whole=is_whole)
            receive = _replay(body, receive)
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await refusal(scope, receive, send)


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


def _refusal(body: bytes, *, is_whole: bool) -> Response | None:
    if not is_whole:
        found = too_long(body[:ID_SEARCH_BYTES], b"", bytes_max=REQUEST_BYTES_MAX)
        return _error(found, CONTENT_TOO_LARGE)
    try:
        parse(body)
    except Malformed as malformed:
        return _error(malformed, BAD_REQUEST)
    return None


def _error(malformed: Malformed, status: int) -> Response:
    body = malformed.answer().model_dump_json(exclude_unset=True)
    return Response(body, status_code=status, media_type="application/json")


def _replay(body: bytes, receive: Receive) -> Receive:
    """Give the body again, to whoever asks first."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return pending.pop() if pending else await receive()

    return replayed
