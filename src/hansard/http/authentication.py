"""Whether a request needs a token, and whose token it carries."""

import threading
import time
from collections.abc import Callable

from starlette.requests import HTTPConnection
from starlette.responses import Response

from hansard.app.oauth import MCP
from hansard.app.openapi import BASE
from hansard.app.settings import LOOPBACK, Settings, allowed_hosts, serves_others
from hansard.app.sso.bearers import Bearers, ScopeMissing
from hansard.app.sso.issuer import TokenRefused
from hansard.app.tokens import PREFIX, Token, any_made, every, find, is_still_good
from hansard.http.responses import (
    BAD_TOKEN,
    NO_TOKEN,
    TOKEN_HINT,
    forbidden,
    refused,
    unauthorized,
)
from hansard.http.signing_in import SigningIn
from hansard.kernel.clock import Clock, to_text, utc_now
from hansard.kernel.problem import InvalidInput, PermissionDenied
from hansard.kernel.store import Store

METRICS = "/metrics"
DOOR = f"{BASE}/door"

LOOK_AGAIN_S = 1.0
"""How long after a token was made the server may still let in callers without one."""


class Authentication:
    """Knows tokens, and where they are needed."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        bearers: Bearers | None = None,
        *,
        clock: Clock = utc_now,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """Protect a server, or refuse settings that would let in anyone from anywhere.

        `bearers` checks access tokens of an identity provider, if there is one.
        """
        self._store = store
        self.bearers = bearers
        self.signing_in: SigningIn | None = None
        """Recognizes people who signed in on the page, where that is set up."""
        self._clock = clock
        self._timer = timer
        self._mode = settings.tokens
        self.serves_others = serves_others(settings)
        self.limits_everyone = self.serves_others or settings.limit_everyone
        self._lock = threading.Lock()
        self._any_made = False
        self._looked = float("-inf")
        self._require_safe(settings)

    @property
    def is_quick(self) -> bool:
        """Whether authentication only reads a store on this machine's own disk."""
        asks_others = self.bearers is not None or self.signing_in is not None
        return self._store.engine.name == "sqlite" and not asks_others

    def needs_token(self) -> bool:
        """Whether callers without a token are refused."""
        if self.serves_others or self.bearers or self._mode == "required":
            return True
        return self._mode == "auto" and self._is_any_made()

    def admit(self, request: HTTPConnection) -> Token | Response | None:
        """Authenticate a request: a token's owner, nobody, or a refusal.

        Only the header counts: an address is written to logs and histories.
        """
        path = request.scope["path"]
        shown = request.headers.getlist("authorization")
        if not shown or path == DOOR:
            return self._without(request, path)
        scheme, _, text = shown[0].partition(" ")
        is_one = len(shown) == 1 and scheme.lower() == "bearer"
        if is_one and self.bearers and not text.strip().startswith(f"{PREFIX}_"):
            return self._signed_on(self.bearers, request, text.strip())
        token = find(self._store, text.strip(), self._now()) if is_one else None
        return token or unauthorized(request, BAD_TOKEN, TOKEN_HINT, is_bad=True)

    def _signed_on(self, bearers: Bearers, request: HTTPConnection, text: str) -> Token | Response:
        """Find whom the identity provider vouches for; without its answer nobody is let in."""
        try:
            return bearers.bearer(text)
        except TokenRefused as problem:
            return unauthorized(request, problem.message, problem.recovery_hint, is_bad=True)
        except ScopeMissing as problem:
            return forbidden(request, problem, "viewer")
        except PermissionDenied as problem:
            return refused(problem)  # no scope would help, so the challenge names none

    def is_still_good(self, token: Token) -> bool:
        """Whether a token that was good when a request began still is."""
        return is_still_good(self._store, token, self._now())

    def _without(self, request: HTTPConnection, path: str) -> Token | Response | None:
        is_mcp = path == MCP or path.startswith(f"{MCP}/")
        if is_mcp and self.needs_token():
            return unauthorized(request, NO_TOKEN, TOKEN_HINT)
        if self.signing_in and (token := self.signing_in.token(request)):
            return token
        # The API requires a cookie, and the other paths show nothing.
        return None

    def _is_any_made(self) -> bool:
        with self._lock:
            if not self._any_made and self._timer() - self._looked >= LOOK_AGAIN_S:
                self._any_made = any_made(self._store)
                self._looked = self._timer()
            return self._any_made

    def _require_safe(self, settings: Settings) -> None:
        if not self.serves_others:
            return
        if settings.tokens == "optional":
            raise InvalidInput(
                "Tokens cannot be optional where others than this machine are served",
                hint="Leave --tokens out, or serve this machine only",
                argument="tokens",
            )
        if settings.host in LOOPBACK:
            return
        missing = []
        if not self.bearers and not any(one.is_good(self._now()) for one in every(self._store)):
            missing.append("make a token with `hansard token create --role agent`")
        if not allowed_hosts(settings):
            missing.append("name the hosts it is reached by with --allowed-hosts")
        if missing:
            raise InvalidInput(
                f"Hansard listens only on this machine until it is guarded, and {settings.host} "
                "is not its own address",
                hint=f"First {', and '.join(missing)}",
                argument="host",
            )

    def _now(self) -> str:
        return to_text(self._clock())
