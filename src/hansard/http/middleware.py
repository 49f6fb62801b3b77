"""Middleware around everything served: authentication, limits, log and metrics."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import anyio.to_thread
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hansard.app.catalog import Catalog
from hansard.app.oauth import OPERATION_KEY, SCOPE_KEY
from hansard.app.openapi import BASE
from hansard.app.tokens import Token
from hansard.http import logs
from hansard.http.authentication import METRICS, Authentication
from hansard.http.rate_limits import Failures, RateLimits
from hansard.http.request_metrics import RequestMetrics
from hansard.http.responses import refused
from hansard.kernel.problem import Problem

REFERENCE = "hansard.reference"
"""The key in a request's scope for its reference in the log."""

UNLIMITED = ("/healthz", "/readyz", METRICS)
RECHECK_S = 1.0
"""How long a stream may continue after its token was revoked."""

OTHER = "other"


class TokenEndedError(OSError):
    """The token of a stream has ended while it was open; OSError is how servers say `gone`."""


@dataclass(slots=True)
class _Exchange:
    """One request and what is known of its answer."""

    reference: str
    began: float
    token: Token | None = None
    limited: str | None = None
    status: int = 500
    size_bytes: int = 0
    is_stream: bool = False
    checked: float = field(default=0.0)


class HttpMiddleware:
    """Admits, limits and notes each request."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        first: Callable[[ASGIApp], ASGIApp],
        catalog: Catalog,
        gate: Authentication,
        rates: RateLimits,
        failures: Failures,
        meter: RequestMetrics,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """Wrap an application; `first` checks a request before authentication."""
        self._app = app
        self._first = first
        self._operations = frozenset(one.name for one in catalog)
        self._gate = gate
        self._rates = rates
        self._failures = failures
        self._meter = meter
        self._timer = timer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(secrets.token_hex(4), self._timer())
        scope[REFERENCE] = exchange.reference
        self._meter.open_requests += 1
        try:
            await self._answer(exchange, scope, receive, send)
        finally:
            self._meter.open_requests -= 1
            self._meter.open_streams -= exchange.is_stream
            self._note(exchange, scope)

    async def _answer(
        self, exchange: _Exchange, scope: Scope, receive: Receive, send: Send
    ) -> None:
        answer = self._first(partial(self._admitted, exchange))
        try:
            await answer(scope, _counted(exchange, receive), self._watched(exchange, send))
        except Exception as error:  # raised again unless this code ended the stream
            if not _is_end(error):
                raise
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _admitted(
        self, exchange: _Exchange, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if self._gate.is_quick:
            refusal = self._admit(exchange, scope)
        else:
            refusal = await anyio.to_thread.run_sync(self._admit, exchange, scope)
        await (refusal or self._app)(scope, receive, send)

    def _admit(self, exchange: _Exchange, scope: Scope) -> Response | None:
        """Find the caller, and refuse one that may not enter, or must wait."""
        request = HTTPConnection(scope)
        try:
            admitted = self._gate.admit(request)
            if isinstance(admitted, Response) and "authorization" in request.headers:
                self._failures.count(request)
            exchange.limited = self._limited(admitted, request)
            if exchange.limited:
                self._rates.enter(exchange.limited)
        except Problem as problem:
            return refused(problem)
        if isinstance(admitted, Response):
            return admitted
        if admitted is not None:
            scope[SCOPE_KEY] = exchange.token = admitted
        exchange.checked = self._timer()
        return None

    def _limited(self, admitted: Token | Response | None, request: HTTPConnection) -> str | None:
        """Name the owner of the limits that a request counts against; `None` if there are none."""
        if request.scope["path"] in UNLIMITED:
            return None
        if isinstance(admitted, Token):
            return f"token:{admitted.id}"
        # A server for this machine alone counts no callers without a token, unless told to.
        is_counted = self._gate.limits_everyone
        return f"address:{request.client.host if request.client else ''}" if is_counted else None

    def _watched(self, exchange: _Exchange, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._begin(exchange, message)
            elif exchange.token and self._timer() - exchange.checked >= RECHECK_S:
                is_good = await anyio.to_thread.run_sync(self._gate.is_still_good, exchange.token)
                if not is_good:
                    raise TokenEndedError
                exchange.checked = self._timer()
            await send(message)

        return sending

    def _begin(self, exchange: _Exchange, message: Message) -> None:
        exchange.status = message["status"]
        headers = [*message.get("headers", ())]
        kind = next((value for name, value in headers if name.lower() == b"content-type"), b"")
        if kind.startswith(b"text/event-stream"):
            exchange.is_stream = True
            self._meter.open_streams += 1
        message["headers"] = [*headers, (b"x-request-id", exchange.reference.encode())]

    def _note(self, exchange: _Exchange, scope: Scope) -> None:
        took_s = self._timer() - exchange.began
        operation = self._operation(scope)
        if exchange.limited:
            self._rates.sent(exchange.limited, exchange.size_bytes)
        self._meter.done(operation, exchange.status, took_s)
        actor = exchange.token.actor if exchange.token else None
        logs.note(
            method=scope["method"],
            operation=operation,
            status=exchange.status,
            ms=round(took_s * 1000, 1),
            caller=str(actor) if actor else "-",
            reference=exchange.reference,
        )

    def _operation(self, scope: Scope) -> str:
        """Name the request in our own words, so that callers cannot make up names."""
        if told := scope.get(OPERATION_KEY):
            return str(told)
        path: str = scope["path"]
        name = path.removeprefix(f"{BASE}/")
        if name in self._operations or name in {"verify", "stream", "door", "leave", "exchange"}:
            return name
        return path if path in {BASE, "/", "/mcp", *UNLIMITED} else OTHER


def _counted(exchange: _Exchange, receive: Receive) -> Receive:
    async def receiving() -> Message:
        message = await receive()
        exchange.size_bytes += len(message.get("body", b""))
        return message

    return receiving


def _is_end(error: BaseException) -> bool:
    """Whether an error is, or came of, the end of the caller's token."""
    if isinstance(error, BaseExceptionGroup):
        return any(_is_end(one) for one in error.exceptions)
    known = (error, error.__cause__, error.__context__)
    return any(isinstance(one, TokenEndedError) for one in known)
