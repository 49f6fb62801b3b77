"""Lists of which a chat was given the newest items only, so that they do not come back as whole.

A text says itself where it was cut; a list of messages begins later, and looks like any other. So
it is remembered what each chat was given, for as long as its process is there.
"""

from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from hansard.checkpoints.answers import CheckpointLoadedAnswer
from hansard.kernel.operation import Caller, Seat

KEPT_MAX = 16
"""Checkpoints that are remembered of one chat."""

_GIVEN: WeakKeyDictionary[Seat, dict[str, dict[str, int]]] = WeakKeyDictionary()


def note(caller: Caller, loaded: CheckpointLoadedAnswer) -> None:
    """Remember of which keys a chat has not all items, and forget those it has by now."""
    if caller.seat is None:
        return
    given = _GIVEN.setdefault(caller.seat, {})
    missing = {one.key: one.itemsLeftOut for one in loaded.omitted or () if one.itemsLeftOut}
    known = given.pop(loaded.checkpointId, {})
    still = {key: count for key, count in known.items() if key not in loaded.context}
    if still | missing:
        given[loaded.checkpointId] = still | missing
    while len(given) > KEPT_MAX:
        del given[next(iter(given))]


def missing_of(caller: Caller, identifier: str) -> Mapping[str, int]:
    """Say by key how many of a checkpoint's oldest items a chat was not given."""
    return _GIVEN.get(caller.seat, {}).get(identifier, {}) if caller.seat else {}


def is_any_missing(caller: Caller) -> bool:
    """Whether a chat has lists of which something is missing."""
    return bool(caller.seat and _GIVEN.get(caller.seat))


def cut_lists(
    given: Mapping[str, Any], whole: Mapping[str, Any], missing: Mapping[str, int]
) -> list[str]:
    """Name the keys whose list begins with the items that were given, without those before them."""
    return [
        key
        for key, count in missing.items()
        if isinstance(given.get(key), list)
        and isinstance(whole.get(key), list)
        and given[key][: len(whole[key]) - count] == whole[key][count:]
    ]
