"""An identity provider: its metadata, and whether it signed something."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import jwt

from hansard.app.sso.config import is_safe_address
from hansard.app.sso.fetching import IssuerUnreachable, get
from hansard.app.sso.keys import ALGORITHMS, Key, Keys
from hansard.kernel.problem import Problem, Unauthorized

OPENID = "/.well-known/openid-configuration"

TOKEN_CHARS_MAX = 16_384
LEEWAY_S = 30
"""How much the provider's clock and ours may differ."""

FRESH_S = 3600.0
"""After this long the provider's metadata is read again."""

TYPES = frozenset({"jwt", "at+jwt", "application/at+jwt"})
"""The accepted types of a token; one for another purpose has another type."""


class TokenRefused(Unauthorized):
    """What was shown is not a valid token that the identity provider made for this server."""

    hint = "Sign in again with the identity provider, and send the access token it then gives"


class Issuer:
    """Knows one provider by what it publishes."""

    def __init__(
        self,
        address: str,
        *,
        fetch: Callable[[str], dict[str, Any]] = get,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """Make no request yet: a server starts even if its provider does not answer."""
        self.address = address
        self._fetch = fetch
        self._timer = timer
        self._lock = threading.Lock()
        self._about: dict[str, Any] | None = None
        self._read_at = float("-inf")
        self.keys = Keys(self.published, timer=timer)

    def about(self) -> dict[str, Any]:
        """Give the provider's metadata; it must be the provider that was asked for."""
        with self._lock:
            if self._about is None or self._timer() - self._read_at >= FRESH_S:
                self._about = self._read()
                self._read_at = self._timer()
            return self._about

    def endpoint(self, name: str) -> str:
        """Give one of its addresses."""
        found = self.about().get(name)
        if not isinstance(found, str) or not is_safe_address(found):
            raise IssuerUnreachable(f"The identity provider names no https address as {name}")
        return found

    def check(self, text: str, audience: str) -> dict[str, Any]:
        """Give the claims of a token that this provider signed for an audience, and is good now.

        The algorithm is one of those with a private key, and the key is one that is published for
        it: a token's header chooses among these, and brings no key along.
        """
        if len(text) > TOKEN_CHARS_MAX:
            raise TokenRefused(f"An access token has at most {TOKEN_CHARS_MAX:,} characters")
        try:
            header = jwt.get_unverified_header(text)
            algorithm = header.get("alg")
            if algorithm not in ALGORITHMS or str(header.get("typ", "jwt")).lower() not in TYPES:
                raise TokenRefused("The access token is not signed as one that lets in")
            key = self.keys.find(header.get("kid"), algorithm)
            if key is None:
                raise TokenRefused("The access token is not signed with a key of the provider's")
            claims: dict[str, Any] = jwt.decode(
                text,
                key,
                [algorithm],
                {"require": ["exp", "iss", "aud", "sub"], "enforce_minimum_key_length": True},
                audience=audience,
                issuer=self.address,
                leeway=LEEWAY_S,
            )
        except (jwt.PyJWTError, UnicodeError, RecursionError) as error:
            raise _worded(error) from None
        if not claims["sub"]:
            raise TokenRefused("The access token names nobody")
        return claims

    def published(self) -> Sequence[Key]:
        """Fetch the keys that it publishes now."""
        keys = self._fetch(self.endpoint("jwks_uri")).get("keys")
        if not isinstance(keys, list) or not keys:
            raise IssuerUnreachable("The identity provider publishes no keys")
        return [key for key in keys if isinstance(key, dict)]

    def _read(self) -> dict[str, Any]:
        about = self._fetch(self.address.rstrip("/") + OPENID)
        if about.get("issuer") != self.address:
            raise IssuerUnreachable(
                "The identity provider goes by another name than sso_issuer gives it",
                hint="Set sso_issuer to what the provider calls itself, to the letter",
            )
        return about


def _worded(error: Exception) -> Problem:
    known = {
        jwt.ExpiredSignatureError: "The access token has expired",
        jwt.ImmatureSignatureError: "The access token is not good yet",
        jwt.InvalidAudienceError: "The access token is for another server than this one",
        jwt.InvalidIssuerError: "The access token is another provider's",
        jwt.InvalidSignatureError: "The access token is not signed by the provider",
        jwt.MissingRequiredClaimError: "The access token lacks a claim that it needs",
    }
    for kind, said in known.items():
        if isinstance(error, kind):
            return TokenRefused(said)
    return TokenRefused("This is no access token")
