"""OpenID Connect sign-in: the redirect to the provider, and the answer that comes back.

The code flow with PKCE. What a browser must bring back (state, nonce, verifier) is in a cookie of
its own, so the server that sent it away and the one it returns to need not be the same.
"""

import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urlencode

from hansard.app import sign_ins
from hansard.app.sign_ins import GROUPS_KEPT_MAX, SignedIn
from hansard.app.sso.bearers import Bearers, Person
from hansard.app.sso.fetching import OK, get, post
from hansard.app.sso.granting import groups_in
from hansard.app.tokens import Token
from hansard.kernel.clock import to_text
from hansard.kernel.event import SYSTEM, Stamp
from hansard.kernel.problem import Problem
from hansard.kernel.store import Store

WORD_BYTES = 32
SCOPES_WANTED = ("openid", "profile", "groups")
"""The scopes requested, as far as the provider supports them."""


class SignInRefused(Problem):
    """Signing in on the page was not completed."""

    code, http_status = "SIGN_IN_REFUSED", 403
    hint = "Sign in again"


@dataclass(frozen=True, slots=True)
class Journey:
    """What a browser takes along to the provider and back."""

    state: str
    nonce: str
    verifier: str

    @classmethod
    def begun(cls) -> "Journey":
        """Begin a journey that nobody can guess."""
        return cls(*(secrets.token_urlsafe(WORD_BYTES) for _ in range(3)))

    @classmethod
    def read(cls, text: str | None) -> "Journey | None":
        """Read what a cookie says; `None` if it is not one."""
        parts = (text or "").split(".")
        return cls(*parts) if len(parts) == 3 and all(parts) else None  # noqa: PLR2004

    def __str__(self) -> str:
        return f"{self.state}.{self.nonce}.{self.verifier}"

    def is_answered_by(self, state: str | None) -> bool:
        """Whether this answer belongs to this very journey."""
        return state is not None and hmac.compare_digest(self.state.encode(), state.encode())


class Login:
    """Lets people sign in on the page."""

    def __init__(self, store: Store, bearers: Bearers) -> None:
        """Use the provider that vouches for bearers; no request is made yet."""
        self._store = store
        self._bearers = bearers
        self._config = bearers.config
        self._issuer = bearers.issuer

    @property
    def visit_s(self) -> float:
        """How long somebody stays signed in."""
        return self._config.visit_s

    def address(self, journey: Journey, back: str) -> str:
        """Say where to send a browser, so that it comes `back`."""
        about = self._issuer.about()
        challenge = urlsafe_b64encode(sha256(journey.verifier.encode()).digest()).decode()
        asked = {
            "response_type": "code",
            "client_id": self._config.client,
            "redirect_uri": back,
            "scope": " ".join(_scopes(about.get("scopes_supported"))),
            "state": journey.state,
            "nonce": journey.nonce,
            "code_challenge": challenge.rstrip("="),
            "code_challenge_method": "S256",
        }
        endpoint = self._issuer.endpoint("authorization_endpoint")
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(asked)}"

    def require_answer_of_issuer(self, issuer: str | None) -> None:
        """Refuse what another provider sent back (RFC 9207)."""
        says_it = self._issuer.about().get("authorization_response_iss_parameter_supported")
        if issuer != self._config.issuer and (issuer is not None or says_it is True):
            raise SignInRefused("Another provider than this server's sent you back")

    def sign_in(self, journey: Journey, code: str, back: str) -> str:
        """Sign in the person of a provider's code; gives the cookie for their browser."""
        person = self._person(journey, code, back)
        now = datetime.now(UTC)
        until = to_text(now + timedelta(seconds=self._config.visit_s))
        token = self._bearers.visitor(person, until)
        cookie = secrets.token_urlsafe(WORD_BYTES)
        known = [group for group in person.groups if group in self._config.table]
        event = SignedIn(
            digest=digest_of(cookie),
            identity=token.id,
            groups=known[:GROUPS_KEPT_MAX],
            until=until,
        )
        sign_ins.begin(self._store, event, Stamp(SYSTEM, to_text(now)))
        return cookie

    def find(self, cookie: str) -> Token | None:
        """Find who signed in where this cookie was given, as what the table says by now."""
        found = sign_ins.find(self._store, digest_of(cookie))
        now = to_text(datetime.now(UTC))
        if found is None or found.until <= now or found.issuer != self._config.issuer:
            return None
        person = Person(found.sub, found.name, found.groups)
        return self._bearers.visitor(person, found.until, sign_in=found.digest)

    def sign_out(self, token: Token) -> None:
        """Sign a browser out, on every server."""
        assert token.sign_in is not None, "who did not sign in cannot sign out"
        sign_ins.end(self._store, token.sign_in, Stamp(SYSTEM, to_text(datetime.now(UTC))))

    def _person(self, journey: Journey, code: str, back: str) -> Person:
        given = self._exchanged(journey, code, back)
        text = given.get("id_token")
        if not isinstance(text, str):
            raise SignInRefused("The identity provider did not say who you are")
        claims = self._issuer.check(text, self._config.client)
        nonce = claims.get("nonce")
        if not isinstance(nonce, str) or not hmac.compare_digest(nonce, journey.nonce):
            raise SignInRefused("The identity provider answered another sign-in than this")
        if claims.get("azp", self._config.client) != self._config.client:
            raise SignInRefused("The identity provider's answer is for another program")
        access = given.get("access_token")
        if groups_in(claims, self._config.groups_claim) is None and isinstance(access, str):
            claims = self._with_more(claims, access)
        return self._bearers.person(claims)

    def _exchanged(self, journey: Journey, code: str, back: str) -> dict[str, Any]:
        client, secret = self._config.client, self._config.client_secret
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": back,
            "client_id": client,
            "code_verifier": journey.verifier,
        }
        basic = None
        ways = self._issuer.about().get("token_endpoint_auth_methods_supported")
        if secret and isinstance(ways, list) and "client_secret_basic" not in ways:
            form["client_secret"] = secret
        elif secret:
            basic = quote(client, safe=""), quote(secret, safe="")
        status, given = post(self._issuer.endpoint("token_endpoint"), form, basic)
        if status != OK:
            raise SignInRefused("The identity provider did not accept what you came back with")
        return given

    def _with_more(self, claims: dict[str, Any], access: str) -> dict[str, Any]:
        """Add what the provider only tells on request, if it is about the same person."""
        if not self._issuer.about().get("userinfo_endpoint"):
            return claims
        more = get(self._issuer.endpoint("userinfo_endpoint"), bearer=access)
        if more.get("sub") != claims["sub"]:
            raise SignInRefused("The identity provider told of somebody else")
        return more | claims


def digest_of(cookie: str) -> str:
    """Give the digest by which the store knows a cookie; the cookie cannot be made from it."""
    return sha256(cookie.encode("utf-8", "surrogatepass")).hexdigest()


def _scopes(supported: object) -> Collection[str]:
    if not isinstance(supported, list):
        return SCOPES_WANTED[:2]
    return [one for one in SCOPES_WANTED if one in supported or one == "openid"]
