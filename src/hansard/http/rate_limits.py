"""Rate limits over HTTP: token buckets that refill over time."""

import time

from starlette.requests import HTTPConnection

from hansard.app.quotas import DAY_S, Buckets, Clock
from hansard.app.rate_limit_file import RateLimitFile
from hansard.kernel.limits import MIB

MINUTE_S = 60.0
BURST_S = 10.0
"""A burst may use the allowance of this many seconds at once."""

FAILURES_AT_ONCE = 20
FAILURES_PER_MINUTE = 20
"""How often an address may show invalid credentials before it is told to wait."""


class Failures:
    """Counts, for each address, invalid tokens and keys.

    Only failures are refused for it. A caller with a good token comes in, whatever others behind
    the same address do: with 256 random bits, what is to be bounded is the noise of guessing.
    """

    def __init__(
        self,
        *,
        is_limited: bool = True,
        clock: Clock = time.monotonic,
        shared: RateLimitFile | None = None,
    ) -> None:
        """Start with none; without a limit for requests, there is none for these."""
        per_s = FAILURES_PER_MINUTE / MINUTE_S if is_limited else 0.0
        what = "wrong tokens a minute"
        self._shown = Buckets(what, holds=FAILURES_AT_ONCE, per_s=per_s, clock=clock, shared=shared)

    def count(self, request: HTTPConnection) -> None:
        """Count a failure, or refuse with RATE_LIMITED where there were too many."""
        self._shown.take(request.client.host if request.client else "", 1.0)


class RateLimits:
    """Knows what each caller has left."""

    def __init__(
        self,
        per_minute: int,
        mib_per_day: int,
        clock: Clock = time.monotonic,
        *,
        shared: RateLimitFile | None = None,
    ) -> None:
        """Set the limits for each caller; 0 is none."""
        at_once, bytes_per_day = max(1.0, per_minute * BURST_S / MINUTE_S), mib_per_day * MIB
        self._calls = Buckets(
            "requests a minute",
            holds=at_once,
            per_s=per_minute / MINUTE_S,
            clock=clock,
            shared=shared,
        )
        self._bytes = Buckets(
            "bytes sent in a day",
            holds=bytes_per_day,
            per_s=bytes_per_day / DAY_S,
            clock=clock,
            shared=shared,
        )

    def enter(self, caller: str) -> None:
        """Count a request, or refuse it."""
        self._bytes.require(caller)
        self._calls.take(caller, 1.0)

    def sent(self, caller: str, size_bytes: int) -> None:
        """Count what a caller has sent; it is known only after it came."""
        self._bytes.use(caller, size_bytes)
