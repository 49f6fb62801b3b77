"""How often and how much a caller may ask: a bucket that fills by time and empties by use."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from hansard.app.tokens import RateLimited
from hansard.kernel.limits import MIB

MINUTE_S, DAY_S = 60.0, 24 * 3600.0
BURST_S = 10.0
"""Requests of so long may come at once."""

CALLERS_MAX = 10_000
"""The caller that was quiet for longest is forgotten first, and its buckets are full again."""


@dataclass(slots=True)
class Bucket:
    """Holds what may be used at once, and fills again at a rate."""

    holds: float
    per_s: float
    left: float
    at: float

    def use(self, amount: float, now: float) -> None:
        """Take something out, even more than there is."""
        self.left = min(self.holds, self.left + (now - self.at) * self.per_s) - amount
        self.at = now

    def wait_s(self, amount: float, now: float) -> float:
        """Say how long it takes until so much can be used."""
        missing = amount - self.left - (now - self.at) * self.per_s
        return max(0.0, missing / self.per_s)


class Rates:
    """Knows what each caller has left."""

    def __init__(
        self, per_minute: int, mib_per_day: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Set the limits for each caller; 0 is none."""
        self._per_minute = per_minute
        self._bytes_per_day = mib_per_day * MIB
        self._clock = clock
        self._lock = threading.Lock()
        self._calls: OrderedDict[str, Bucket] = OrderedDict()
        self._bytes: OrderedDict[str, Bucket] = OrderedDict()

    def enter(self, caller: str) -> None:
        """Count a request, or refuse it."""
        with self._lock:
            if self._bytes_per_day:
                self._require(self._sent(caller), 0.0, "bytes sent in a day")
            if self._per_minute:
                calls = self._asked(caller)
                self._require(calls, 1.0, "requests a minute")
                calls.use(1.0, self._clock())

    def sent(self, caller: str, size_bytes: int) -> None:
        """Count what a caller has sent; it is known only after it came."""
        if self._bytes_per_day and size_bytes:
            with self._lock:
                self._sent(caller).use(size_bytes, self._clock())

    def _require(self, bucket: Bucket, amount: float, what: str) -> None:
        wait_s = bucket.wait_s(amount, self._clock())
        if wait_s > 0:
            raise RateLimited(
                f"This caller has used up its {what}", limit=what, retry_after_s=int(wait_s) + 1
            )

    def _asked(self, caller: str) -> Bucket:
        holds = max(1.0, self._per_minute * BURST_S / MINUTE_S)
        return self._bucket(self._calls, caller, holds, self._per_minute / MINUTE_S)

    def _sent(self, caller: str) -> Bucket:
        most = float(self._bytes_per_day)
        return self._bucket(self._bytes, caller, most, most / DAY_S)

    def _bucket(
        self, buckets: OrderedDict[str, Bucket], caller: str, holds: float, per_s: float
    ) -> Bucket:
        if caller not in buckets:
            buckets[caller] = Bucket(holds, per_s, holds, self._clock())
            if len(buckets) > CALLERS_MAX:
                buckets.popitem(last=False)
        buckets.move_to_end(caller)
        return buckets[caller]
