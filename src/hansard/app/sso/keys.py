"""The signing keys that an identity provider publishes.

A withdrawn key stops counting once they are fetched again, which is every few minutes and whenever
a token names a key that is not among them. Made-up keys do not cause more fetches than that: one in
a while serves all, and few wait for it.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import jwt

from hansard.app.sso.fetching import IssuerUnreachable

FRESH_S = 300.0
"""After this long keys are fetched again, if the provider answers."""

KEPT_S = 3600.0
"""After this long without an answer they no longer count: nobody is let in by them."""

AGAIN_S = 10.0
"""How long after a fetch the next may come."""

WAITING_MAX = 4
"""How many requests may wait for a fetch; others are told to come again."""

KEYS_MAX = 100

TYPES = {"RS": "RSA", "PS": "RSA", "ES": "EC", "Ed": "OKP"}
"""The key type for each prefix of an algorithm's name. Shared secrets are excluded."""

ALGORITHMS = tuple(f"{kind}{bits}" for kind in ("RS", "PS", "ES") for bits in (256, 384, 512))
ALGORITHMS = (*ALGORITHMS, "EdDSA")

Key = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Fetched:
    keys: Sequence[Key]
    at: float
    made: dict[tuple[str | None, str], jwt.PyJWK | None] = field(default_factory=dict)


class Keys:
    """Knows an issuer's keys, and when to ask for them again."""

    def __init__(
        self, fetch: Callable[[], Sequence[Key]], *, timer: Callable[[], float] = time.monotonic
    ) -> None:
        """Fetch nothing yet; `fetch` raises ISSUER_UNREACHABLE where it cannot."""
        self._fetch = fetch
        self._timer = timer
        self._known: _Fetched | None = None
        self._turn = threading.Lock()
        self._waiting = threading.BoundedSemaphore(WAITING_MAX)
        self._tried = float("-inf")
        self._failure: IssuerUnreachable | None = None

    def find(self, kid: str | None, algorithm: str) -> jwt.PyJWK | None:
        """Find the key that a token names; `None` if the provider has none such."""
        assert algorithm in ALGORITHMS, "only what is signed with a private key is looked at"
        known = self._known
        age_s = self._timer() - known.at if known else KEPT_S
        if known is None or age_s >= KEPT_S:
            self._fetch_again(known)
        elif age_s >= FRESH_S:
            with suppress(IssuerUnreachable):  # the provider may be unreachable for a while
                self._fetch_again(known, waits=False)
        if (found := _pick(self._current(), kid, algorithm)) is None:
            self._fetch_again(self._known)
            found = _pick(self._current(), kid, algorithm)
        return found

    def _current(self) -> _Fetched:
        assert self._known is not None, "the caller has fetched the keys"
        return self._known

    def _fetch_again(self, seen: _Fetched | None, *, waits: bool = True) -> None:
        """Fetch, unless somebody has since, or tried a moment ago."""
        if not self._waiting.acquire(blocking=False):
            raise IssuerUnreachable("The identity provider's keys are being fetched")
        try:
            if not self._turn.acquire(blocking=waits):
                return
            try:
                self._fetch_in_turn(seen)
            finally:
                self._turn.release()
        finally:
            self._waiting.release()

    def _fetch_in_turn(self, seen: _Fetched | None) -> None:
        if self._known is not seen:
            return
        if self._timer() - self._tried < AGAIN_S:
            if self._failure:
                raise self._failure
            return
        self._tried = self._timer()
        try:
            keys = [one for one in self._fetch()[:KEYS_MAX] if _is_usable(one)]
        except IssuerUnreachable as failure:
            self._failure = failure
            raise
        self._failure = None
        self._known = _Fetched(keys, self._timer())


def _is_usable(key: Key) -> bool:
    """Whether a key is there to check signatures with, and is no shared secret."""
    operations = key.get("key_ops", ["verify"])
    return (
        key.get("kty") in TYPES.values()
        and key.get("use", "sig") == "sig"
        and isinstance(operations, list)
        and "verify" in operations
    )


def _pick(fetched: _Fetched, kid: str | None, algorithm: str) -> jwt.PyJWK | None:
    """Choose the one key that a token can mean; without a name there must be only one."""
    asked = kid, algorithm
    if asked in fetched.made:
        return fetched.made[asked]
    fitting = [
        key
        for key in fetched.keys
        if key["kty"] == TYPES[algorithm[:2]]
        and key.get("alg", algorithm) == algorithm
        and (kid is None or key.get("kid") == kid)
    ]
    if len(fitting) != 1:
        return None
    try:
        made = jwt.PyJWK(dict(fitting[0]), algorithm)
    except jwt.PyJWTError:  # a curve that is not the algorithm's, or no key at all
        return None
    fetched.made[asked] = made
    return made
