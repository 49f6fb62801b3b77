"""Who may use the page: a browser that showed a token once, then its cookie.

On loopback every program of every user can connect, so being there proves nothing. A token is
printed where the person who started the server reads it, or fetched with a key that lies in a file
only that person can read. Tokens end with the server; cookies do not.
"""

import hmac
import logging
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hansard.app.local_user import login_name
from hansard.http.login_store import VISITS_MAX, Forgotten, Visits, digest
from hansard.kernel.engine import Engine
from hansard.kernel.event import Actor
from hansard.kernel.liveness_lock import Lifeline
from hansard.kernel.operation import Caller, Seat
from hansard.kernel.session_holder import Holder

logger = logging.getLogger(__name__)

TOKEN_BYTES = 24
TOKEN_LIFE_S = 600.0
"""A token that nobody used by then is worth nothing."""

VISIT_LIFE_S = 7 * 24 * 3600.0
"""How long a browser stays let in."""

PROOF_LIFE_S = 3600.0
"""How long a browser in which the secret was entered is not asked for it again."""

TOKENS_MAX = 100

SCOPE = ("page",)
"""The owner of idempotency keys of pages."""


@dataclass(frozen=True, slots=True)
class _Proof:
    """That a secret was entered; it lives with the server that took it, and nowhere else."""

    mark: str | None
    """Of the secret that the store knows; `None` of one that only this server was set up with."""
    until: float


@dataclass(slots=True)
class Visit:
    """One browser that was let in."""

    seat: Seat = field(default_factory=Seat)
    lifeline: Lifeline = field(default_factory=Lifeline)
    """Shows that a page of it is open."""
    _proof: _Proof | None = None
    _pages: int = 0
    _counting: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def caller(self, *, secret: str | None, idempotency_key: str | None) -> Caller:
        """Build the caller of one request."""
        return Caller(
            person(),
            seat=self.seat,
            secret=secret,
            idempotency_key=idempotency_key,
            scope=SCOPE,
            holder=Holder(via="page", owner=self.lifeline.name),
            lifeline=self.lifeline,
        )

    def came(self, token: str) -> dict[str, Any]:
        """Say how somebody who signed in is present: by a page, which stays for a while."""
        holder = Holder(via="page", owner=self.lifeline.name, token=token)
        return {"seat": self.seat, "holder": holder, "lifeline": self.lifeline}

    def prove(self, mark: str | None, now: float) -> None:
        """Remember for a while that the right secret was entered; `mark` tells it from others."""
        self._proof = _Proof(mark, now + PROOF_LIFE_S)

    def forget_proof(self) -> None:
        """Require its user to prove it again."""
        self._proof = None

    @property
    def has_proof(self) -> bool:
        """Whether a secret was ever entered in it, since the server began."""
        return self._proof is not None

    def is_proved(self, mark: str | None, now: float) -> bool:
        """Whether the present secret was entered in it, and not too long ago."""
        proof = self._proof
        return proof is not None and proof.mark == mark and now < proof.until

    def open_page(self, engine: Engine) -> None:
        """Note that a page follows the journal: its user is present."""
        with self._counting:
            self._pages += 1
            self.lifeline.take(engine)

    def close_page(self) -> None:
        """Note that a page was closed; with the last one, nobody is there any more."""
        with self._counting:
            self._pages -= 1
            if self._pages == 0:
                self.lifeline.drop()


class PageDoor:
    """Signs in, once for each token, and recognizes browsers that are signed in."""

    def __init__(
        self,
        visits: Visits | None = None,
        *,
        key: str = "",
        mark: str = "",
        timer: Callable[[], float] = time.monotonic,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Sign nobody in yet, but recognize those whom an earlier server signed in.

        One of several that serve together has the `key` of all, and its `mark` at the end of what
        only it knows.
        """
        self._mark = mark
        self.key = key or secrets.token_urlsafe(TOKEN_BYTES)
        """The key by which `hansard open` proves that it may ask for a token."""
        self._timer = timer
        self._clock = clock
        self._lock = threading.Lock()
        self._tokens: dict[str, float] = {}
        self._kept: Visits = visits or Forgotten()
        self._unkept = Forgotten()
        self._visits: dict[str, Visit] = {}

    def issue(self) -> str:
        """Make a token that signs in once."""
        token = f"{secrets.token_urlsafe(TOKEN_BYTES)}{self._mark}"
        with self._lock:
            now = self._timer()
            self._tokens = {one: until for one, until in self._tokens.items() if until > now}
            while len(self._tokens) >= TOKENS_MAX:
                self._tokens.pop(next(iter(self._tokens)))
            self._tokens[token] = now + TOKEN_LIFE_S
        return token

    def enter(self, token: str) -> str | None:
        """Sign in a caller with a token; gives the cookie, `None` if the token is not valid."""
        with self._lock:
            known = next((one for one in self._tokens if _same(one, token)), None)
            if known is None or self._tokens.pop(known) <= self._timer():
                return None
        cookie = secrets.token_urlsafe(TOKEN_BYTES)
        self._keep(cookie, self._clock() + VISIT_LIFE_S)
        return cookie

    def visit(self, cookie: str | None) -> Visit | None:
        """Find the visit that a cookie was given for."""
        if cookie is None:
            return None
        until = self._kept.until(cookie) or self._unkept.until(cookie)
        if until is None or until <= self._clock():
            return None
        return self.seat(digest(cookie))

    def seat(self, known: str) -> Visit:
        """Give the visit of a browser that is known to be let in, by the digest of its cookie."""
        with self._lock:
            if known not in self._visits and len(self._visits) >= VISITS_MAX:
                self._visits.pop(next(iter(self._visits)))
            return self._visits.setdefault(known, Visit())

    def leave(self, cookie: str | None) -> None:
        """Sign a browser out, until it shows another token."""
        if cookie is not None:
            self._kept.end(cookie)
            self._unkept.end(cookie)

    def has_key(self, given: str) -> bool:
        """Whether someone knows the key."""
        return _same(self.key, given)

    def _keep(self, cookie: str, until: float) -> None:
        try:
            self._kept.add(cookie, until)
        except OSError as error:
            # A browser that cannot be recognized after a restart can be until then.
            logger.warning("A browser is let in until this server ends: %s", error.strerror)
            self._unkept.add(cookie, until)


def person() -> Actor:
    """Only the person at this machine, who runs the server, can have read the token."""
    return Actor("human", login_name(), "admin")


def _same(known: str, given: str) -> bool:
    return hmac.compare_digest(known.encode(), given.encode("utf-8", "surrogatepass"))
