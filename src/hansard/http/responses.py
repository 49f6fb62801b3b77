"""HTTP responses for answers and problems."""

from collections.abc import Mapping
from typing import Any

import orjson
from starlette.requests import HTTPConnection
from starlette.responses import Response

from hansard.app.oauth import ENTRY_SCOPE, INSUFFICIENT, SCOPES, address_of, challenge
from hansard.app.tokens import RateLimited
from hansard.kernel.event import Role
from hansard.kernel.problem import Internal, Problem, Unauthorized

JSON = "application/json"

SAFETY = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""The headers of every answer."""

NOT_LET_IN = "This browser has not been let in"
NOT_LET_IN_HINT = "Run `hansard open`, or use the address that `hansard serve` printed"
NO_TOKEN = "This server lets in only callers with a token"  # noqa: S105 - a sentence
BAD_TOKEN = "The token is not one of this store, or has ended"  # noqa: S105 - a sentence
TOKEN_HINT = Unauthorized.hint


def answered(body: Mapping[str, Any] | bytes, status: int = 200) -> Response:
    """Give data."""
    text = body if isinstance(body, bytes) else orjson.dumps(body)
    return Response(text, status, SAFETY, JSON)


def refused(problem: Problem) -> Response:
    """Give a problem under its own status."""
    response = answered({"error": problem.as_dict()}, problem.http_status)
    if isinstance(problem, RateLimited):
        response.headers["Retry-After"] = str(problem.details["retry_after_s"])
    return response


def unauthorized(
    request: HTTPConnection,
    message: str = NOT_LET_IN,
    hint: str | None = NOT_LET_IN_HINT,
    *,
    is_bad: bool = False,
) -> Response:
    """Say how to authenticate; `is_bad` says that what was shown is invalid."""
    response = refused(Unauthorized(message, hint=hint))
    error = {"error": "invalid_token", "error_description": message} if is_bad else {}
    response.headers["WWW-Authenticate"] = challenge(_host(request), ENTRY_SCOPE, error)
    return response


def forbidden(request: HTTPConnection, problem: Problem, least: Role) -> Response:
    """Refuse a token whose role is not enough, and name the scope that would be."""
    response = refused(problem)
    response.headers["WWW-Authenticate"] = challenge(_host(request), SCOPES[least], INSUFFICIENT)
    return response


def base_of(request: HTTPConnection) -> str | None:
    """Give the address that the caller used."""
    return address_of(_host(request))


def _host(request: HTTPConnection) -> str:
    return request.headers.get("host", "")


def failed(reference: str) -> Response:
    """Report a bug to the caller by a reference only; the log has it in full."""
    return refused(Internal(reference))
