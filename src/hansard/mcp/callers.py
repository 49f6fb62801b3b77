"""Who calls, and what came along with the call outside its arguments."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp.server.context import ServerRequestContext

from hansard.kernel.event import Actor
from hansard.kernel.operation import Caller, Seat
from hansard.kernel.problem import InvalidInput

SESSION_KEY = "hansard/session"
IDEMPOTENCY_KEY = "hansard/idempotency-key"
SECRET_KEY = "hansard/secret"  # noqa: S105 - where the secret is found, not the secret
IDEMPOTENCY_HEADER = "idempotency-key"

RequestContext = ServerRequestContext[Any, Any]


@dataclass(frozen=True, slots=True)
class Door:
    """Where calls come in: whom it lets in as what, and the session of those that name none."""

    actor: Actor
    session: str | None = None
    seat: Seat | None = None

    def caller(self, context: RequestContext) -> Caller:
        """Make the caller of one request."""
        meta: Mapping[str, Any] = context.meta or {}
        headers: Mapping[str, str] = context.request.headers if context.request else {}
        return Caller(
            actor=self.actor,
            session=_text(meta, SESSION_KEY) or self.session,
            seat=self.seat,
            idempotency_key=_text(meta, IDEMPOTENCY_KEY) or headers.get(IDEMPOTENCY_HEADER),
            secret=_text(meta, SECRET_KEY),
        )


def stdio_door(session: str) -> Door:
    """The one client at the other end of a pipe, with a session of its own."""
    return Door(Actor("agent", "stdio", "agent"), session or None, Seat())


def http_door(session: str) -> Door:
    """Any client on this machine; what one of them began is not another's."""
    return Door(Actor("agent", "http", "agent"), session or None)


def _text(meta: Mapping[str, Any], key: str) -> str | None:
    value = meta.get(key)
    if value is not None and not isinstance(value, str):
        raise InvalidInput(f"_meta {key} is not text", argument=key)
    return value
