"""The secret by which a caller proves to be an admin, who may accept proposals."""

import hashlib
import hmac
import threading
import time
from collections.abc import Callable

from hansard.decisions import limits
from hansard.kernel.problem import PermissionDenied


class Secret:
    """Knows a secret without keeping it, and does not let anyone guess for long."""

    def __init__(self, text: str | None, clock: Callable[[], float] = time.monotonic) -> None:
        """Take what the server was set up with; nothing, or an empty text, disables accepting."""
        self._digest = _digest(text) if text else None
        self._clock = clock
        self._lock = threading.Lock()
        self._wrong = 0
        self._shut_until = 0.0

    def is_proved(self, given: str) -> bool:
        """Whether this is the secret.

        Digests are compared, in constant time, so neither what the secret begins with nor its
        length can be told from how long a refusal takes. After some wrong ones in a row, even the
        right one is refused for a while.
        """
        with self._lock:
            if self._digest is None or self._clock() < self._shut_until:
                return False
            if hmac.compare_digest(_digest(given), self._digest):
                self._wrong = 0
                return True
            self._wrong += 1
            if self._wrong >= limits.SECRET_TRIES_MAX:
                self._wrong, self._shut_until = 0, self._clock() + limits.SECRET_PAUSE_S
            return False

    def require(self, given: str | None) -> None:
        """Refuse a caller that has not proved it."""
        if self._digest is None:
            raise PermissionDenied(
                "Accepting proposals is disabled: this server was given no secret",
                hint="Set HANSARD_SECRET for the server, then prove it with the call",
            )
        if given is None or not self.is_proved(given):
            raise PermissionDenied(
                "accept_proposal needs the server's secret, and the call did not prove it",
                hint="Send it as `hansard/secret` in `_meta`, or use `hansard decisions accept`; "
                f"after {limits.SECRET_TRIES_MAX} wrong ones wait {limits.SECRET_PAUSE_S:g} s",
            )


def _digest(text: str) -> bytes:
    # Lone surrogates are how an environment spells bytes that are no text.
    return hashlib.sha256(text.encode(errors="surrogatepass")).digest()
