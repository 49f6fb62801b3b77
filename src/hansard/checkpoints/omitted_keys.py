"""Remembers what a budget left out of a context, so that the rest is not saved as the whole. Pure.

A text says itself where it was cut. A list of messages begins later, and an object has fewer keys:
both look like any other. So it is recorded which parts of which checkpoints a session was not
given, and any process that it saves through knows.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

PLACES_MAX = 200
"""How many lists, and how many keys, are recorded as left out."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The parts of a context that were not given, by JSON Pointer."""

    lists: Mapping[str, int] = field(default_factory=dict)
    """How many of a list's oldest items."""
    keys: tuple[str, ...] = ()
    """Keys that were left out entirely."""

    def __bool__(self) -> bool:
        return bool(self.lists or self.keys)

    def but_for(self, asked: Iterable[str]) -> "LeftOut":
        """Forget what lies in these keys, which were asked for again."""
        tops = {*asked}
        lists = {place: count for place, count in self.lists.items() if top(place) not in tops}
        return LeftOut(lists, tuple(one for one in self.keys if top(one) not in tops))

    def beside(self, other: "LeftOut") -> "LeftOut":
        """Merge with what else was left out, up to the limits of what is recorded."""
        lists = [*self.lists.items(), *other.lists.items()][:PLACES_MAX]
        return LeftOut(dict(lists), (*self.keys, *other.keys)[:PLACES_MAX])


def left_out(whole: Mapping[str, Any], shown: Mapping[str, Any]) -> LeftOut:
    """Compare what a context holds with what is shown of it."""
    lists: dict[str, int] = {}
    keys: list[str] = []
    for place, value, part in _pairs(whole, shown, ""):
        if part is None:
            keys.append(place)
        elif len(value) > len(part):
            lists[place] = len(value) - len(part)
    return LeftOut(lists, tuple(keys)).beside(LeftOut())


def _pairs(
    whole: Mapping[str, Any], shown: Mapping[str, Any], place: str
) -> Iterator[tuple[str, Any, list[Any] | None]]:
    """Iterate over missing keys and shortened lists, in nested objects."""
    for key, value in whole.items():
        here = f"{place}/{key.replace('~', '~0').replace('/', '~1')}"
        part = shown.get(key)
        if key not in shown:
            yield here, value, None
        elif isinstance(value, list) and isinstance(part, list):
            yield here, value, part
        elif isinstance(value, dict) and isinstance(part, dict):
            yield from _pairs(value, part, here)


def cut_keys(given: Mapping[str, Any], whole: Mapping[str, Any], left: LeftOut) -> list[str]:
    """Name the keys in which a value is only the rest of the original."""
    cut = [place for place, count in left.lists.items() if _is_rest(given, whole, place, count)]
    gone: defaultdict[str, list[str]] = defaultdict(list)
    for place in left.keys:
        parent, _, name = place.rpartition("/")
        if parent:
            gone[parent].append(_plain(name))
    for parent, names in gone.items():
        had, has = _at(whole, parent), _at(given, parent)
        are_objects = isinstance(had, dict) and isinstance(has, dict) and bool(has)
        if are_objects and not any(name in has for name in names if name in had):
            cut.append(parent)
    return sorted({top(place) for place in cut})


def keys_gone(given: Mapping[str, Any], left: LeftOut) -> list[str]:
    """Name the keys of a context that were left out whole and are not in what is saved."""
    return [top(one) for one in left.keys if one.count("/") == 1 and top(one) not in given]


def top(place: str) -> str:
    """Name the key of a context that a place lies in."""
    return _plain(place.split("/")[1])


def _is_rest(given: Mapping[str, Any], whole: Mapping[str, Any], place: str, count: int) -> bool:
    had, has = _at(whole, place), _at(given, place)
    if not (isinstance(had, list) and isinstance(has, list)):
        return False
    rest = had[count:]
    if not rest:
        return not has
    # The first of the items may itself have been shortened.
    first = 1 if len(rest) > 1 else 0
    return len(has) >= len(rest) and has[first : len(rest)] == rest[first:]


def _at(context: Mapping[str, Any], place: str) -> Any:
    value: Any = context
    for name in place.split("/")[1:]:
        value = value.get(_plain(name)) if isinstance(value, dict) else None
    return value


def _plain(name: str) -> str:
    return name.replace("~1", "/").replace("~0", "~")
