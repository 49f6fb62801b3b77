"""Reduces a context to a budget. Pure; the stored context never changes.

What is reduced keeps its shape: a list stays a list and keeps its newest items, an object keeps its
keys, a text its beginning and its end. All the space is used.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal

from hansard.checkpoints.key_classes import Class
from hansard.kernel.blob import canonical_json
from hansard.kernel.truncation import left_out

LEAST_CHARS = 200
"""No value of a context is made smaller than this: it would no longer say anything."""

LEAST_INNER_CHARS = 40
"""The same of a value within another."""

TAIL_SHARE = 3
"""The end takes one part in this many of what is left of a text."""


@dataclass(frozen=True, slots=True)
class Omission:
    """A key that a view does not show whole."""

    key: str
    class_: Class
    how: Literal["dropped", "shortened"]
    chars: int
    items_left_out: int = 0


@dataclass(frozen=True, slots=True)
class Reduced:
    """A context cut to a budget."""

    context: dict[str, Any]
    omitted: tuple[Omission, ...]
    chars: int


def reduce(context: Mapping[str, Any], classes: Mapping[str, Class], budget_chars: int) -> Reduced:
    """Drop what is ephemeral, then shorten what is useful, then what is important, until it fits.

    Within a class the largest goes first. What is critical stays whole, even over the budget.
    """
    view = _View(dict(context), {key: _entry_chars(key, value) for key, value in context.items()})
    by_size = sorted(context, key=lambda key: -view.sizes[key])
    for key in by_size:
        if classes[key] == "EPHEMERAL" and view.total > budget_chars:
            view.drop(key)
    for kind in ("USEFUL", "IMPORTANT"):
        keys = [key for key in by_size if classes[key] == kind]
        if keys and view.total > budget_chars:
            view.shorten(keys, kind, view.total - budget_chars)
    return Reduced(view.shown, tuple(view.omitted), view.total)


class _View:
    """What is shown so far, and its cost."""

    def __init__(self, shown: dict[str, Any], sizes: dict[str, int]) -> None:
        self.shown = shown
        self.sizes = sizes
        self.omitted: list[Omission] = []
        self.total = sum(sizes.values())

    def drop(self, key: str) -> None:
        del self.shown[key]
        size = self.sizes.pop(key)
        self.total -= size
        self.omitted.append(Omission(key, "EPHEMERAL", "dropped", size))

    def shorten(self, keys: Sequence[str], kind: Class, over_chars: int) -> None:
        """Shorten some keys by this much in total, only the longest as long as that is enough."""
        room = sum(self.sizes[key] for key in keys) - over_chars
        most = max(_level([self.sizes[key] for key in keys], room), LEAST_CHARS)
        for key in keys:
            if (size := self.sizes[key]) > most:
                whole = self.shown[key]
                self.shown[key] = shortened(whole, int(most) - _key_chars(key))
                self.sizes[key] = _entry_chars(key, self.shown[key])
                self.total -= size - self.sizes[key]
                left = len(whole) - len(self.shown[key]) if isinstance(whole, list) else 0
                self.omitted.append(Omission(key, kind, "shortened", size, left))


def shortened(value: Any, room_chars: int) -> Any:
    """Give a value of the same shape that takes about this much space, and hardly more."""
    if _chars(value) <= room_chars or not isinstance(value, str | list | dict):
        return value
    if isinstance(value, str):
        return _short_text(value, room_chars)
    if isinstance(value, list):
        return _newest_items(value, room_chars)
    return _short_object(value, room_chars)


def _short_text(text: str, room_chars: int) -> str:
    """Keep the beginning and the end, and say how much is missing between them."""
    keep = int(len(text) * (room_chars - LEAST_INNER_CHARS) / _chars(text))
    while True:
        tail = max(keep, 0) // TAIL_SHARE
        head = max(keep, 0) - tail
        missing = left_out(len(text) - head - tail)
        short = f"{text[:head]}{missing}{text[len(text) - tail :]}"
        # Characters differ in size, so a first guess may be too long.
        if keep <= 0 or _chars(short) <= room_chars:
            return min(short, text, key=_chars)
        keep -= max(keep // 10, 1)


def _newest_items(items: list[Any], room_chars: int) -> list[Any]:
    """Keep the last items whole, and of the one before them as much as there is room for."""
    kept: list[Any] = []
    left = room_chars - 2
    for item in reversed(items):
        size = _chars(item) + 1
        if size > left:
            if left >= (LEAST_CHARS if kept else LEAST_INNER_CHARS):
                kept.append(shortened(item, left - 1))
            break
        kept.append(item)
        left -= size
    return kept[::-1]


def _short_object(value: dict[str, Any], room_chars: int) -> dict[str, Any]:
    """Keep the keys, with shorter values; if not all fit, the shortest stay."""
    sizes = {key: _entry_chars(key, inner) for key, inner in value.items()}
    by_size = sorted(sizes, key=lambda key: sizes[key])
    least = accumulate(min(sizes[key], LEAST_INNER_CHARS + _key_chars(key)) for key in by_size)
    staying = {key for key, taken in zip(by_size, least, strict=True) if taken <= room_chars - 2}
    most = _level([sizes[key] for key in staying], room_chars - 2)
    return {
        key: shortened(inner, int(min(most, sizes[key])) - _key_chars(key))
        for key, inner in value.items()
        if key in staying
    }


def _level(sizes: Iterable[int], room: float) -> float:
    """Compute the size to cut the larger ones to, so that all together fill the space."""
    ordered = sorted(sizes)
    for place, size in enumerate(ordered):
        share = room / (len(ordered) - place)
        if size > share:
            return share
        room -= size
    return float("inf")


def _chars(value: Any) -> int:
    return len(canonical_json(value))


def _entry_chars(key: str, value: Any) -> int:
    return _key_chars(key) + _chars(value)


def _key_chars(key: str) -> int:
    """Say what a key takes besides its value: quotes, a colon and a comma."""
    return _chars(key) + 2
