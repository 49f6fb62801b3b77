"""The caller, and what came with the call outside its arguments."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from hansard.app.bounded import caller_with
from hansard.app.oauth import SCOPE_KEY
from hansard.app.tokens import Token
from hansard.app.tracing import CallOrigin, origin
from hansard.kernel.event import Actor
from hansard.kernel.liveness_lock import Lifeline
from hansard.kernel.operation import Caller, Seat
from hansard.kernel.problem import InvalidInput
from hansard.kernel.session_holder import Holder
from hansard.kernel.store import Store
from hansard.mcp.client_names import Client, TokenNames, aside
from hansard.mcp.host_chats import NOTHING, Chats
from hansard.mcp.http_seats import HttpSeats, note_beginning, seat_of
from hansard.mcp.request_metadata import Circumstances
from hansard.sessions.presence import QUIET

SESSION_KEY = "hansard/session"
IDEMPOTENCY_KEY = "hansard/idempotency-key"
SECRET_KEY = "hansard/secret"  # noqa: S105 - where the secret is found, not the secret
IDEMPOTENCY_HEADER = "idempotency-key"


@dataclass(frozen=True, slots=True)
class Door:
    """An entrance for calls: whom it admits as what, and the session of calls that name none."""

    via: Literal["stdio", "http"]
    session: str | None = None
    seat: Seat | None = None
    seats: HttpSeats | None = None
    """For an entrance of many: which client has which seat."""
    names: TokenNames = field(default_factory=lambda: TokenNames(None))
    lifeline: Lifeline = field(default_factory=Lifeline)
    """Shows that this process is there."""
    chats: Chats | None = None
    """For one host at the other end: which of its chats asks."""

    @property
    def actor(self) -> Actor:
        """The caller that comes in here without a token."""
        return Actor("agent", self.via, "agent")

    def caller(self, asked: Circumstances, arguments: Mapping[str, Any] = NOTHING) -> Caller:
        """Build the caller of one request; this reads the store."""
        meta, client, token = asked.meta, asked.client, _token(asked)
        key = asked.request.headers.get(IDEMPOTENCY_HEADER) if asked.request else None
        name = client.name if client else ""
        chat = self.chats.find(meta, name, arguments) if self.chats else None
        came: dict[str, Any] = {
            "session": _text(meta, SESSION_KEY) or None,
            "default_session": self.session,
            "chat": chat,
            "idempotency_key": _text(meta, IDEMPOTENCY_KEY) or key,
            "secret": _text(meta, SECRET_KEY),
            "holder": self._holder(client, token),
            "lifeline": self.lifeline,
            "seat": self._seat(asked, token, chat),
        }
        if token:
            name_of_both = aside(token.actor.id, client)
            if name_of_both != token.actor.id:
                came["actor"] = replace(token.actor, id=name_of_both)
            return caller_with(token, **came)
        return Caller(
            replace(self.actor, id=self.names.sign(self.via, client)),
            **came,
            scope=(self.via, name),
            former_scope=(self.via,),
        )

    def _seat(self, asked: Circumstances, token: Token | None, chat: str | None) -> Seat | None:
        if self.seats:
            return seat_of(self.seats, asked, token)
        # What one chat opened is not another's, though the same process asks for both.
        return self.chats.seat(chat) if self.chats and chat else self.seat

    def begins(self, asked: Circumstances) -> None:
        """Note that a client which has no connection begins."""
        if self.seats:
            note_beginning(self.seats, asked, _token(asked))

    def tells_session(self, asked: Circumstances) -> bool:
        """Whether a caller should be told its session, since nothing else would hold it."""
        return self.seats is not None and asked.is_stateless

    def _holder(self, client: Client | None, token: Token | None) -> Holder:
        return Holder(
            via=self.via,
            owner=self.lifeline.name,
            client=client.name if client else None,
            version=client.version if client else None,
            token=token.id if token else None,
        )

    def origin(self, asked: Circumstances) -> CallOrigin:
        """Say where a request came from; MCP names its trace in `_meta`, a proxy in a header."""
        if asked.request is None:
            return origin("stdio", asked.meta)
        return origin("http", asked.meta, asked.request.headers)

    def actor_of(self, asked: Circumstances) -> Actor:
        """Say in which role a request comes."""
        token = _token(asked)
        return token.actor if token else self.actor


def stdio_door(
    session: str, store: Store | None = None, *, hooks_folder: str | None = None
) -> Door:
    """The one client at the other end of a pipe, with a session of its own."""
    chats = Chats(hooks_folder, os.environ)
    return Door("stdio", session or None, Seat(adopts=True), names=TokenNames(store), chats=chats)


def http_door(
    session: str,
    store: Store | None = None,
    *,
    away_s: float = QUIET.away_s,
    is_alone: bool = True,
) -> Door:
    """Any client on this machine or with a token; each has its own sessions."""
    seats = HttpSeats(away_s, meets_all=is_alone)
    return Door("http", session or None, seats=seats, names=TokenNames(store))


def _token(asked: Circumstances) -> Token | None:
    token: Token | None = asked.request.scope.get(SCOPE_KEY) if asked.request else None
    return token


def _text(meta: Mapping[str, Any], key: str) -> str | None:
    value = meta.get(key)
    if value is not None and not isinstance(value, str):
        raise InvalidInput(f"_meta {key} is not text", argument=key)
    return value
