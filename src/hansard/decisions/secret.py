"""The secret that proves a person, or an admin who may accept proposals."""

import hashlib
import hmac
import threading
import time
from collections.abc import Callable

from hansard.decisions import limits
from hansard.kernel.event import Proof
from hansard.kernel.problem import PermissionDenied

Check = Callable[[str], bool]


class KeptSecret:
    """Knows a secret without keeping it, and does not let anyone guess for long."""

    def __init__(self, text: str | None, clock: Callable[[], float] = time.monotonic) -> None:
        """Take the server's configured secret; none, or an empty text, disables accepting."""
        self._right = _digest(text) if text else None
        self._check: Check | None = None
        self._clock = clock
        self._lock = threading.Lock()
        self._wrong = 0
        self._shut_until = 0.0

    @property
    def is_set(self) -> bool:
        """Whether there is one to prove."""
        return self._right is not None or self._check is not None

    @property
    def is_learned(self) -> bool:
        """Whether it is the store's, rather than what this process was set up with."""
        return self._check is not None

    def learn(self, check: Check) -> None:
        """Use another check from now on: the store has precedence over the settings."""
        with self._lock:
            if check != self._check:
                self._check, self._right = check, None

    def prove(self, given: str) -> None:
        """Refuse a wrong secret, and after several wrong ones in a row any for a while.

        Digests are compared, in constant time, so neither what the secret begins with nor its
        length can be told from how long a refusal takes.
        """
        with self._lock:
            if self._clock() < self._shut_until:
                raise PermissionDenied(
                    f"After {limits.SECRET_TRIES_MAX} wrong secrets none is looked at for a while",
                    hint=f"Wait {limits.SECRET_PAUSE_S:g} s, then try again",
                    proof="locked",
                )
            if self._is_right(given):
                self._wrong = 0
                return
            self._wrong += 1
            if self._wrong >= limits.SECRET_TRIES_MAX:
                self._wrong, self._shut_until = 0, self._clock() + limits.SECRET_PAUSE_S
        raise PermissionDenied(
            "The secret that came with this is not the right one",
            hint="Try it again as it was set; nothing was done",
            proof="wrong",
        )

    def require(self, proof: Proof | None) -> None:
        """Refuse a caller that has not proved it."""
        if not self.is_set:
            raise PermissionDenied(
                "Accepting proposals is disabled: no secret is set here",
                hint="Set one: `hansard secret set`, or HANSARD_SECRET for the server",
                proof="none",
            )
        if proof is None:
            raise PermissionDenied(
                "accept_proposal needs the server's secret, and the call did not prove it",
                hint="Send it as `hansard/secret` in `_meta`, or use `hansard decisions accept`",
                proof="missing",
            )

    def _is_right(self, given: str) -> bool:
        digest = _digest(given)
        if self._right is not None:
            return hmac.compare_digest(digest, self._right)
        if self._check is None or not self._check(given):
            return False
        self._right = digest
        return True


def _digest(text: str) -> bytes:
    # Lone surrogates stand for bytes of an environment variable that are no text.
    return hashlib.sha256(text.encode(errors="surrogatepass")).digest()
