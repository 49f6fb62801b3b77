"""Effects on the world: a durable intent, the act, a durable outcome; settled after a crash.

An intent names its owner, a lock that the process holds for life. Only a dead owner's intents are
settled by others, so nobody judges an effect that is still under way.
"""

import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeVar

from hansard.kernel import paging
from hansard.kernel.engine import Engine, Found, Lock, ReadTx, Table, WriteTx
from hansard.kernel.event import Event, Stamp
from hansard.kernel.limits import WRITE_WAIT_S
from hansard.kernel.problem import InvalidInput, StorageUnavailable
from hansard.kernel.store import Store
from hansard.kernel.view import Derivation, View

T = TypeVar("T")

VERSION = 1
OPEN_INTENTS = Table(
    "open_intents", {"owner": "text", "intent_kind": "text"}, (("owner",),), version=VERSION
)

_LOOK_S = 0.001
"""Longer than anyone holds a lock just to check it."""


class Intent(Event):
    """Base of events that announce a change to the world."""

    owner: str


class Outcome(Event):
    """Base of events that say how an announced change went."""

    intent: int
    """The seq of the intent."""


class Owner:
    """This process as the owner of its intents, alive as long as its lock is held."""

    PREFIX: ClassVar[str] = "owner-"

    def __init__(self, engine: Engine, token: str | None = None) -> None:
        """Take a lock of its own, named by a token that nobody else has."""
        self.name = f"{self.PREFIX}{token or secrets.token_hex(8)}"
        self._engine = engine
        self._lock: Lock = _soon(lambda: engine.hold(self.name))
        self._lock.__enter__()

    def is_alive(self, *also: Lock) -> bool:
        """Whether the lock is still ours, so that nobody can have taken us for dead.

        Further locks can be asked for with it.
        """
        return self._engine.are_ours([self._lock, *also])

    def require(self, tx: WriteTx) -> None:
        """Make a transaction fail if this process may have been taken for dead by then."""
        tx.require(self._lock)

    def renew(self) -> None:
        """Take the lock again if it was lost: what is announced from now on has a living owner."""
        _soon(lambda: self._lock.renew() or None)

    def close(self) -> None:
        """Release the lock: what is still open may now be settled by anyone."""
        self._lock.__exit__(None, None, None)


def _soon(take: Callable[[], T | None]) -> T:
    """Take a lock of our own, which others hold at most to see whether its owner is dead."""
    deadline = time.monotonic() + WRITE_WAIT_S
    while (taken := take()) is None:
        if time.monotonic() >= deadline:
            raise StorageUnavailable("Another process has this one's name", outcome="unchanged")
        time.sleep(_LOOK_S)
    return taken


Verdict = Literal["done", "undone", "conflict"]
"""How an intent ended: carried out, as if it had never been, or neither."""


@dataclass(frozen=True, slots=True)
class Settled:
    """An intent that its process left open, and how the world was found."""

    project: str
    seq: int
    at: str
    """When it was announced."""
    what: str
    """The intent in words."""
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Effect:
    """How an open intent of one kind is judged against the world after its owner died."""

    intent: type[Intent]
    settle: Callable[[Any, int], Outcome | None]
    """Examines the world; doing it twice gives the same answer.

    It changes only our temporary files, and gives back what the dead had taken from others.

    `None` means that it cannot be judged from here, or not now.
    """


def settle_one(
    store: Store,
    project: str,
    effect: Effect,
    seq: int,
    stamp: Stamp,
    *,
    under: Iterable[Lock] = (),
) -> Outcome | None:
    """Judge one open intent, whose owner the caller knows to be done with it.

    The outcome is recorded under the intent's session, unless somebody else has just done so, or
    has had one of the locks under which the caller looked.
    """
    [entry] = store.read(project, lambda tx: tx.entries(after=seq - 1, limit=1))
    intent = store.kinds.decode(entry)
    outcome = effect.settle(intent, seq) if intent is not None else None
    if outcome is None:
        return None
    settled = outcome

    def work(tx: WriteTx) -> Outcome | None:
        if tx.get(OPEN_INTENTS, intent_key(seq)) is None:
            return None
        for lock in under:
            tx.require(lock)
        store.record(tx, settled, replace(stamp, session=entry.session))
        return settled

    return store.write(project, work, urgent=True)


def open_intents(store: Store, project: str) -> list[Found]:
    """List the intents that have no outcome yet, oldest first."""

    def work(tx: ReadTx) -> list[Found]:
        return list(paging.rows(tx, OPEN_INTENTS))

    return store.read(project, work)


def is_any_open(store: Store) -> bool:
    """Whether any project has an intent without an outcome.

    Tables of other versions are left for the first process that needs the project.
    """
    current = (
        name for name, head in store.engine.heads().items() if head.views == store.fingerprint
    )
    return any(store.read(one, lambda tx: tx.scan(OPEN_INTENTS, limit=1)) for one in current)


def is_dead(engine: Engine, owner: str) -> bool:
    """Whether the process that owned these intents is gone."""
    try:
        lock = engine.hold(owner)
    except InvalidInput:
        return True  # no process has such a name
    if lock is None:
        return False
    with lock:
        return True


def intent_key(seq: int) -> str:
    """Name an intent so that keys sort as seqs do."""
    return f"{seq:016d}"


def _track(event: Event, derivation: Derivation) -> None:
    if isinstance(event, Intent):
        entry = derivation.entry
        row = {"seq": entry.seq, "owner": event.owner, "intent_kind": entry.kind}
        derivation.put(OPEN_INTENTS, intent_key(entry.seq), row)
    elif isinstance(event, Outcome):
        derivation.delete(OPEN_INTENTS, intent_key(event.intent))


def _is_tracked(event: type[Event]) -> bool:
    return issubclass(event, Intent | Outcome)


VIEW = View("effects", VERSION, (OPEN_INTENTS,), on_any=_track, for_any=_is_tracked)
