"""How often and how much a caller may ask over HTTP: buckets that fill by time, empty by use."""

import time

from hansard.app.quotas import DAY_S, Buckets, Clock
from hansard.kernel.limits import MIB

MINUTE_S = 60.0
BURST_S = 10.0
"""Requests of so long may come at once."""


class Rates:
    """Knows what each caller has left."""

    def __init__(self, per_minute: int, mib_per_day: int, clock: Clock = time.monotonic) -> None:
        """Set the limits for each caller; 0 is none."""
        at_once, bytes_per_day = max(1.0, per_minute * BURST_S / MINUTE_S), mib_per_day * MIB
        self._calls = Buckets(
            "requests a minute", holds=at_once, per_s=per_minute / MINUTE_S, clock=clock
        )
        self._bytes = Buckets(
            "bytes sent in a day", holds=bytes_per_day, per_s=bytes_per_day / DAY_S, clock=clock
        )

    def enter(self, caller: str) -> None:
        """Count a request, or refuse it."""
        self._bytes.require(caller)
        self._calls.take(caller, 1.0)

    def sent(self, caller: str, size_bytes: int) -> None:
        """Count what a caller has sent; it is known only after it came."""
        self._bytes.use(caller, size_bytes)
