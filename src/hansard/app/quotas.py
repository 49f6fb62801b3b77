"""How often a caller may ask, and how much a session may hold.

Each server counts rates for itself: in memory, or in a file that its workers share. The size of a
session is counted in the journal, so it is the same for every process, and after a restart.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hansard.app.bounded import TokenCaller
from hansard.app.rate_limit_file import Allowance, RateLimitFile
from hansard.app.tokens import RateLimited
from hansard.checkpoints.contract import StorageQuotaExceeded
from hansard.kernel.engine import ReadTx
from hansard.kernel.limits import ENTRIES_PAGE
from hansard.kernel.operation import Caller, Context, Operation
from hansard.sessions.views import SESSIONS

DAY_S = 24 * 3600.0

CALLERS_MAX = 10_000
"""The caller that was idle longest is forgotten first, and its buckets are full again."""

SESSIONS_MAX = 10_000
"""The session that was idle longest is forgotten first, and counted again."""

ENDINGS = frozenset({"close_session", "record_session_end"})
"""Operations that a full session still accepts."""

Clock = Callable[[], float]


class SessionFull(StorageQuotaExceeded):
    """The session has as many entries as a session may have."""

    hint = "End it and begin another; whoever runs the server can raise session_max_entries"


@dataclass(slots=True)
class Bucket:
    """A token bucket: holds what may be used at once, and refills at a rate."""

    holds: float
    per_s: float
    left: float
    at: float

    def use(self, amount: float, now: float) -> None:
        """Take something out, even more than there is."""
        self.left = min(self.holds, self.left + (now - self.at) * self.per_s) - amount
        self.at = now

    def wait_s(self, amount: float, now: float) -> float:
        """Say how long it takes until this much can be used."""
        missing = amount - self.left - (now - self.at) * self.per_s
        return max(0.0, missing / self.per_s)


class Buckets:
    """Knows how much each caller has left of one resource; without a rate, it is unlimited."""

    def __init__(
        self,
        what: str,
        *,
        holds: float,
        per_s: float,
        clock: Clock = time.monotonic,
        shared: RateLimitFile | None = None,
    ) -> None:
        """Give each caller a full bucket; `shared` is where other processes count as well."""
        self._what = what
        self._shared = shared
        self._holds = holds
        self._per_s = per_s
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def require(self, caller: str) -> None:
        """Refuse a caller that has used more than there was."""
        if self._per_s:
            with self._bucket(caller) as bucket:
                self._require(bucket, 0.0)

    def take(self, caller: str, amount: float) -> None:
        """Use something up, or refuse and use up nothing."""
        if self._per_s:
            with self._bucket(caller) as bucket:
                self._require(bucket, amount)
                bucket.use(amount, self._clock())

    def use(self, caller: str, amount: float) -> None:
        """Note what was used up already, even if it is more than there was."""
        if self._per_s:
            with self._bucket(caller) as bucket:
                bucket.use(amount, self._clock())

    def _require(self, bucket: Bucket, amount: float) -> None:
        wait_s = bucket.wait_s(amount, self._clock())
        if wait_s > 0:
            raise RateLimited(
                f"This caller has used up its {self._what}",
                limit=self._what,
                retry_after_s=int(wait_s) + 1,
            )

    @contextmanager
    def _bucket(self, caller: str) -> Iterator[Bucket]:
        """Hold a caller's bucket, so that nobody else does meanwhile."""
        if self._shared is None:
            with self._lock:
                yield self._own_bucket(caller)
            return
        with self._shared.alone():
            kept = self._shared.get(self._what, caller) or Allowance(self._holds, self._clock())
            bucket = Bucket(self._holds, self._per_s, *kept)
            yield bucket
            if (now := Allowance(bucket.left, bucket.at)) != kept:
                self._shared.put(self._what, caller, now)

    def _own_bucket(self, caller: str) -> Bucket:
        if caller not in self._buckets:
            self._buckets[caller] = Bucket(self._holds, self._per_s, self._holds, self._clock())
            if len(self._buckets) > CALLERS_MAX:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(caller)
        return self._buckets[caller]


@dataclass(frozen=True, slots=True)
class _Counted:
    """How many entries a session had, up to which seq."""

    seq: int = 0
    entries: int = 0


class Quotas:
    """Refuses writes beyond what a session may hold, or a caller write in a day."""

    def __init__(
        self,
        *,
        session_entries: int,
        writes_per_day: int,
        for_everyone: bool = False,
        clock: Clock = time.monotonic,
        shared: RateLimitFile | None = None,
    ) -> None:
        """Set the limits, 0 being none: for callers with a token, or for everyone."""
        self._session_entries = session_entries
        self._for_everyone = for_everyone
        self._writes = Buckets(
            "writes a day",
            holds=writes_per_day,
            per_s=writes_per_day / DAY_S,
            clock=clock,
            shared=shared,
        )
        self._lock = threading.Lock()
        self._sessions: OrderedDict[tuple[str, str], _Counted] = OrderedDict()

    def __call__(self, operation: Operation, context: Context) -> None:
        """Count a call that is about to run, or refuse it."""
        caller = context.caller
        has_token = isinstance(caller, TokenCaller)
        if not operation.writes or not (has_token or self._for_everyone):
            return
        if context.session and self._session_entries and operation.name not in ENDINGS:
            self._require_room(context, context.session)
        self._writes.take(_name(caller), 1.0)

    def _require_room(self, context: Context, session: str) -> None:
        if self._count(context, session) >= self._session_entries:
            raise SessionFull(
                f"The session {session} holds {self._session_entries:,} entries, and takes no more",
                limit=self._session_entries,
                session_id=session,
            )

    def _count(self, context: Context, session: str) -> int:
        """Count what came since the last count, where it could matter.

        A call that is refused counts too. Of several calls at the same moment each may still find
        room.
        """
        place = (context.project, session)
        with self._lock:
            before = self._sessions.get(place, _Counted())
        counted = context.read(lambda tx: _count_on(tx, session, before, self._session_entries))
        with self._lock:
            self._sessions[place] = counted
            self._sessions.move_to_end(place)
            if len(self._sessions) > SESSIONS_MAX:
                self._sessions.popitem(last=False)
        return counted.entries


def _count_on(tx: ReadTx, session: str, before: _Counted, enough: int) -> _Counted:
    """Continue counting, unless there is room even if all that came since is of this session."""
    head = tx.head().seq
    if before.entries + head - before.seq < enough:
        return before
    if before.seq == 0 and tx.get(SESSIONS, session) is None:
        return _Counted(head)  # it begins with this call
    seq, entries = before.seq, before.entries
    while entries < enough:
        page = tx.entries(after=seq, session=session, limit=ENTRIES_PAGE)
        if not page:
            return _Counted(head, entries)
        seq, entries = page[-1].seq, entries + len(page)
    return _Counted(seq, entries)


def _name(caller: Caller) -> str:
    if isinstance(caller, TokenCaller) and caller.token:
        return f"token:{caller.token.id}"
    return str(caller.actor)
