"""Intent, act and outcome in their plainest form, for what is made to prove the protocol.

The product's own are in `recorder/`, which says more of a file before and after.
"""

from collections.abc import Callable, Iterable

from hansard.kernel.effect import Effect, Intent, Outcome, is_dead, open_intents, settle_one
from hansard.kernel.engine import WriteTx
from hansard.kernel.event import Entry, Stamp
from hansard.kernel.store import Store


def perform(
    store: Store,
    project: str,
    stamp: Stamp,
    intend: Callable[[WriteTx], Intent],
    act: Callable[[Entry], Outcome],
) -> tuple[Entry, Entry]:
    """Record the intent, act, record the outcome. Returns both entries.

    `act` returns an outcome for every refusal of the world that it understands. If it raises, the
    intent stays open and is settled later against what is there.
    """
    intent = store.write(project, lambda tx: store.record(tx, intend(tx), stamp))
    outcome = act(intent)
    assert outcome.intent == intent.seq, "an outcome answers its own intent"
    return intent, store.write(project, lambda tx: store.record(tx, outcome, stamp), urgent=True)


def settle(store: Store, project: str, effects: Iterable[Effect], stamp: Stamp) -> list[Outcome]:
    """Judge the open intents of dead owners. Doing it twice is doing it once."""
    by_kind = {effect.intent.kind: effect for effect in effects}
    settled = []
    for found in open_intents(store, project):
        effect = by_kind.get(found.row["intent_kind"])
        if effect is not None and is_dead(store.engine, found.row["owner"]):
            outcome = settle_one(store, project, effect, found.row["seq"], stamp)
            if outcome is not None:
                settled.append(outcome)
    return settled
