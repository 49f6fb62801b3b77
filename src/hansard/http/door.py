"""Who may use the page: whoever shows a token once, and from then on the cookie it was given.

On loopback every program of every user can connect, so being there proves nothing. A token is
printed where the person who started the server reads it, or fetched with a key that lies in a file
only that person can read.
"""

import hmac
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from hansard.app.person import login_name
from hansard.kernel.event import Actor
from hansard.kernel.operation import Caller, Seat

TOKEN_BYTES = 24
TOKEN_LIFE_S = 600.0
"""A token that nobody used by then is worth nothing."""

VISIT_LIFE_S = 7 * 24 * 3600.0
"""How long a browser stays let in."""

TOKENS_MAX, VISITS_MAX = 100, 1_000

SCOPE = ("page",)
"""Whose the idempotency keys of pages are."""


@dataclass(slots=True)
class Visit:
    """One browser that was let in."""

    until: float
    seat: Seat = field(default_factory=Seat)

    def caller(self, *, secret: str | None, idempotency_key: str | None) -> Caller:
        """Make the caller of one request."""
        return Caller(
            person(),
            seat=self.seat,
            secret=secret,
            idempotency_key=idempotency_key,
            scope=SCOPE,
        )


class Door:
    """Lets in, once for each token, and knows again whom it let in."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Let nobody in yet."""
        self.key = secrets.token_urlsafe(TOKEN_BYTES)
        """What `hansard open` proves that it may ask for a token by."""
        self._clock = clock
        self._lock = threading.Lock()
        self._tokens: dict[str, float] = {}
        self._visits: dict[str, Visit] = {}

    def issue(self) -> str:
        """Make a token that opens the door once."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        with self._lock:
            now = self._clock()
            self._tokens = {one: until for one, until in self._tokens.items() if until > now}
            while len(self._tokens) >= TOKENS_MAX:
                self._tokens.pop(next(iter(self._tokens)))
            self._tokens[token] = now + TOKEN_LIFE_S
        return token

    def enter(self, token: str) -> str | None:
        """Let in whoever shows a token; gives the cookie, `None` if the token is not good."""
        with self._lock:
            known = next((one for one in self._tokens if _same(one, token)), None)
            if known is None or self._tokens.pop(known) <= self._clock():
                return None
            while len(self._visits) >= VISITS_MAX:
                self._visits.pop(next(iter(self._visits)))
            cookie = secrets.token_urlsafe(TOKEN_BYTES)
            self._visits[cookie] = Visit(self._clock() + VISIT_LIFE_S)
            return cookie

    def visit(self, cookie: str | None) -> Visit | None:
        """Find the visit that a cookie was given for."""
        if cookie is None:
            return None
        with self._lock:
            known = next((one for one in self._visits if _same(one, cookie)), None)
            visit = self._visits[known] if known else None
            return visit if visit and visit.until > self._clock() else None

    def has_key(self, given: str) -> bool:
        """Whether someone knows the key."""
        return _same(self.key, given)


def person() -> Actor:
    """Whoever has read the token is the person at this machine, who runs the server."""
    return Actor("human", login_name(), "admin")


def _same(known: str, given: str) -> bool:
    return hmac.compare_digest(known.encode(), given.encode("utf-8", "surrogatepass"))
